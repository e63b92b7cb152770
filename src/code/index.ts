export { Code, emptyCode, type Hole, joinCode, js, note, renderCode } from './code.ts';
export { CodeWriter } from './code-writer.ts';
export { instantiate, type ModuleFactory } from './instantiate.ts';
export { type CompiledModule, ModuleBuilder } from './module.ts';
export { printCode } from './print.ts';
