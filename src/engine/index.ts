export { Database, type DatabaseOptions, type Row, type RowStream } from './database.ts';
export { Engine, version } from './engine.ts';
export type { QueryOptions, User } from './request.ts';
export type { QueryResult } from './result.ts';
export { assertSeen } from './rights.ts';
