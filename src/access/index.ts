export { hashPassword, type UserAccount, Users } from './users.ts';
