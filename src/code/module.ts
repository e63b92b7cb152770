import { Code, js, renderCode } from './code.ts';
import { printCode } from './print.ts';

/** Source and the values that it refers to: plain data, that any thread can instantiate. */
export interface CompiledModule {
  readonly source: string;
  readonly bindings: readonly unknown[];
  /** The source as people read it, with remarks; made at first use. */
  readonly readable: () => string;
}

function hinted(hint: string): string {
  const clean = hint.replace(/[^A-Za-z0-9_]/g, '').slice(0, 24);
  return /^[A-Za-z_]/.test(clean) ? clean : `v${clean}`;
}

/**
 * Gathers the names and bindings of one generated function. Bindings are fixed when the module is instantiated;
 * parameters are the literals of the query text, given anew for each execution, so that queries that differ only in
 * them share the code.
 */
export class ModuleBuilder {
  #names = 0;
  readonly #bindings: unknown[] = [];
  readonly #bindingNames = new Map<unknown, Code>();
  readonly #parameters = new Map<number, Code>();

  /** A name that nothing else in the module has. */
  name(hint: string): Code {
    return new Code([`${hinted(hint)}_${this.#names++}`]);
  }

  /** A reference to a value that the module is given when it is instantiated. */
  bind(value: unknown, hint: string): Code {
    const known = this.#bindingNames.get(value);
    if (known !== undefined) return known;
    const name = this.name(hint);
    this.#bindings.push(value);
    this.#bindingNames.set(value, name);
    return name;
  }

  /** A reference to the parameter with this index. */
  parameter(index: number): Code {
    let name = this.#parameters.get(index);
    if (name === undefined) {
      name = this.name('literal');
      this.#parameters.set(index, name);
    }
    return name;
  }

  /**
   * The module: a function of (parameters, state) whose body is `body`, which must return what an execution uses.
   * `state` is the name that the body refers to the execution's state by.
   */
  finish(state: Code, body: Code): CompiledModule {
    let index = 0;
    const declarations: Code[] = [];
    for (const name of this.#bindingNames.values()) declarations.push(js`const ${name} = $[${index++}];`);
    const parameters = [...this.#parameters].map(
      ([position, name]) => js`const ${name} = parameters[${position}];`,
    );
    const whole = js`'use strict';\n${declarations}return (parameters, ${state}) => {\n${parameters}${body}\n};`;
    return { source: renderCode(whole), bindings: this.#bindings, readable: () => printCode(whole) };
  }
}
