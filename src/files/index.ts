export { expandBraces, hasWildcard, matchesPattern } from './glob.ts';
export { type FoundFile, UserFiles } from './user-files.ts';
