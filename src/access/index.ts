export type { UserAccount } from './account.ts';
export { Grants } from './grants.ts';
export { hashPassword, parseSecret, secretOf } from './passwords.ts';
export { type Privilege, privileges, privilegesNamed, type Scope, scopeText } from './privileges.ts';
export { Users } from './users.ts';
export { readUsersFile } from './users-file.ts';
