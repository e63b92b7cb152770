export { runCommand } from './command.ts';
export { flags, readOptions, type ServerOptions } from './options.ts';
export { type Log, type Server, startServer } from './server.ts';
