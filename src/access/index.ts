export { type UserAccount, Users } from './users.ts';
