import type { CompiledModule } from './module.ts';

/** Makes what one execution of a compiled module uses, from its literals and its state. */
export type ModuleFactory<State, Result> = (parameters: readonly unknown[], state: State) => Result;

let instances = 0;

/**
 * Turns a module's source into a function. This is the only place where source text becomes code; the source comes from
 * a ModuleBuilder, so every part of it is our own text (see code.ts). Each instance has a source URL of its own, for
 * profiles, and so that V8 does not share type feedback between instances.
 */
export function instantiate<State, Result>(
  module: Pick<CompiledModule, 'source' | 'bindings'>,
): ModuleFactory<State, Result> {
  const tag = `\n//# sourceURL=sluice-query-${instances++}.js`;
  try {
    return new Function('$', module.source + tag)(module.bindings) as ModuleFactory<State, Result>;
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    throw new Error(`Assertion failed: generated code does not parse: ${thrown.message}\n${module.source}`, {
      cause: thrown,
    });
  }
}
