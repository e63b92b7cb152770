import { type Code, js } from './code.ts';
import { ModuleBuilder } from './module.ts';

/** Writes statements of a module's function one after the other, and names what they compute. */
export abstract class CodeWriter {
  readonly module = new ModuleBuilder();

  /** Adds a statement at the current place. */
  abstract statement(code: Code): void;

  /** A reference to a JavaScript value; never text of the query in source. */
  bind(value: unknown, hint: string): Code {
    return this.module.bind(value, hint);
  }

  /** Stores an expression in a fresh constant and gives its name. */
  constant(hint: string, value: Code): Code {
    const name = this.module.name(hint);
    this.statement(js`const ${name} = ${value};`);
    return name;
  }

  /** Declares a fresh variable with an initial value and gives its name. */
  variable(hint: string, initial: Code): Code {
    const name = this.module.name(hint);
    this.statement(js`let ${name} = ${initial};`);
    return name;
  }
}
