import { assert, maybeYouMeant, SluiceError } from '../base/index.ts';
import type { AggregateFunction, FunctionDefinition, ScalarFunction } from './definition.ts';

/** `to_int32` to `toInt32`: ClickHouse's spelling of a canonical name. */
function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** A table of functions by every name they go by. Names are looked up without regard to case. */
export class FunctionRegistry {
  readonly #byName = new Map<string, FunctionDefinition>();
  readonly #definitions: FunctionDefinition[] = [];

  constructor(definitions: Iterable<FunctionDefinition>) {
    for (const definition of definitions) this.#add(definition);
  }

  #add(definition: FunctionDefinition): void {
    assert(
      definition.doc !== '' && definition.examples.length > 0,
      `function ${definition.name} lacks doc or example`,
    );
    this.#definitions.push(definition);
    const names = new Set<string>();
    for (const name of [definition.name, ...(definition.aliases ?? [])]) {
      names.add(name.toLowerCase());
      names.add(camelCase(name).toLowerCase());
    }
    for (const name of names) {
      assert(!this.#byName.has(name), `function name ${name} is there twice`);
      this.#byName.set(name, definition);
    }
  }

  get definitions(): readonly FunctionDefinition[] {
    return this.#definitions;
  }

  find(name: string): FunctionDefinition | undefined {
    return this.#byName.get(name.toLowerCase());
  }

  scalar(name: string): ScalarFunction {
    const found = this.find(name);
    assert(found?.kind === 'scalar', `the engine needs the function ${name}`);
    return found;
  }

  aggregate(name: string): AggregateFunction {
    const found = this.find(name);
    assert(found?.kind === 'aggregate', `the engine needs the aggregate function ${name}`);
    return found;
  }

  unknown(name: string): SluiceError {
    const canonical = this.#definitions.map((definition) => definition.name);
    const hint = maybeYouMeant(name, [...canonical, ...this.#byName.keys()]);
    return new SluiceError('UNKNOWN_FUNCTION', `Unknown function '${name}'${hint}`);
  }
}
