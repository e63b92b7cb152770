export { functionReference } from './function-reference.ts';
