import { call, cast, column, type Expr, inList, literal, type Query } from './model.ts';
import type { Random } from './random.ts';
import { commonType, integerKind, isFloat, type Type, type } from './values.ts';

/** A column that expressions may use. */
export interface Source {
  readonly name: string;
  readonly type: Type;
  /** Whether sums of it depend on the order of rows, or it may be NaN. */
  readonly rough: boolean;
}

/** Subqueries that give one column of integers; for IN and for single values. */
export interface Subqueries {
  readonly set: () => Query | null;
  readonly single: () => (Expr & { kind: 'scalar' }) | null;
}

type Class = 'integer' | 'number' | 'string' | 'bool' | 'date';

export const classes: readonly Class[] = ['integer', 'number', 'string', 'bool', 'date'];

const comparisons = ['equals', 'not_equals', 'less', 'less_or_equals', 'greater', 'greater_or_equals'];

export function isRough(expr: Expr, sources: readonly Source[]): boolean {
  switch (expr.kind) {
    case 'column':
      return sources.some((source) => source.name === expr.name && source.rough);
    case 'call':
      return expr.fn.name === 'divide' || expr.args.some((argument) => isRough(argument, sources));
    case 'aggregate':
      return isFloat(expr.type);
    default:
      return false;
  }
}

/** Random expressions over columns. */
export class ExpressionGenerator {
  readonly sources: readonly Source[];
  readonly #random: Random;
  readonly #subqueries: Subqueries;

  constructor(random: Random, sources: readonly Source[], subqueries: Subqueries) {
    this.#random = random;
    this.sources = sources;
    this.#subqueries = subqueries;
  }

  of(kind: Class, depth: number): Expr {
    switch (kind) {
      case 'integer':
        return this.integer(depth);
      case 'number':
        return this.#random.oneIn(3) ? this.float(depth) : this.integer(depth);
      case 'string':
        return this.string(depth);
      case 'bool':
        return this.condition(depth);
      case 'date':
        return this.date(depth);
    }
  }

  any(depth: number): Expr {
    return this.of(this.#random.pick(classes), depth);
  }

  /** A column whose type is as asked for; undefined when there is none. */
  column(fits: (type: Type) => boolean): Expr | undefined {
    const found = this.sources.filter((source) => fits(source.type));
    if (found.length === 0) return undefined;
    const source = this.#random.pick(found);
    return column(source.name, source.type);
  }

  plainColumn(): Expr | undefined {
    return this.column(() => true);
  }

  smallLiteral(): Expr {
    return literal(BigInt(this.#random.below(60) - 10));
  }

  integerLeaf(): Expr {
    const random = this.#random;
    if (random.oneIn(4)) {
      const wide = [255n, 256n, -129n, 65_536n, 2_147_483_648n, 9_007_199_254_740_993n, -(2n ** 62n)];
      return random.oneIn(5) ? literal(random.pick(wide)) : this.smallLiteral();
    }
    return this.column((of) => (integerKind(of)?.bits ?? 128) <= 64) ?? this.smallLiteral();
  }

  integer(depth: number): Expr {
    if (depth === 0) return this.integerLeaf();
    const random = this.#random;
    const next = () => this.integer(depth - 1);
    switch (random.below(17)) {
      case 0:
      case 1:
        return call('plus', next(), next());
      case 2:
        return call('minus', next(), next());
      case 3:
        return call('multiply', next(), next());
      case 4:
        return call('modulo', next(), literal(BigInt(random.below(30) + 1)));
      case 5:
        return call('int_div', next(), literal(BigInt(random.below(9) + 1)));
      case 6:
        return call('negate', cast(random.pick(['int8', 'int32', 'int64']), next()));
      case 7:
        return call('abs', next());
      case 8:
        return call(random.pick(['bit_and', 'bit_or', 'bit_xor']), next(), next());
      case 9:
        return cast(random.pick(['int8', 'int16', 'int32', 'int64', 'uint8', 'uint32', 'uint64']), next());
      case 10:
        return this.choice(next);
      case 11:
        return call('length', this.string(depth - 1));
      case 12:
        return random.oneIn(2)
          ? call(random.pick(['to_int64_or_zero', 'to_int64_or_null']), this.string(depth - 1))
          : call('position', this.string(depth - 1), literal(random.pick(['1', 'a', 'e 3'])));
      case 13: {
        const array = this.column(({ element }) => element?.base === 'int32');
        if (array === undefined) return next();
        return random.oneIn(2)
          ? call('array_length', array)
          : call('element', array, literal(BigInt(random.below(4) + 1)));
      }
      case 14:
        return call(
          random.pick(['to_year', 'to_month', 'to_day_of_month', 'to_day_of_week']),
          this.date(depth - 1),
        );
      case 15:
        return this.#subqueries.single() ?? next();
      default:
        return call('days_between', this.date(depth - 1), this.date(depth - 1));
    }
  }

  /** A choice between values of one class; types without a common one are tried anew. */
  choice(value: () => Expr): Expr {
    const random = this.#random;
    const condition = () => this.condition(0);
    for (;;) {
      const [first, second, third] = [value(), value(), value()];
      const types = [first.type, second.type, third.type];
      if (commonType(types).base === 'int128') continue;
      switch (random.below(6)) {
        case 0:
        case 1:
          return call('if', condition(), first, second);
        case 2:
          return call('multi_if', condition(), first, condition(), second, third);
        case 3:
          return call('case', condition(), first, condition(), second, third);
        case 4:
          return call('coalesce', first, second, third);
        default:
          return random.oneIn(2) ? call('if_null', first, second) : call('null_if', first, second);
      }
    }
  }

  float(depth: number): Expr {
    const random = this.#random;
    if (depth === 0) {
      if (random.oneIn(4)) return literal(random.pick([0.5, -1.25, 100, 3.75]));
      return this.column(isFloat) ?? literal(1.5);
    }
    const next = () => this.float(depth - 1);
    switch (random.below(6)) {
      case 0:
        return call('plus', next(), this.integer(depth - 1));
      case 1:
        return call('multiply', next(), random.oneIn(2) ? next() : this.smallLiteral());
      case 2:
        return call('divide', this.of('number', depth - 1), this.of('number', depth - 1));
      case 3:
        return call('minus', next(), next());
      case 4:
        return call(random.pick(['abs', 'negate']), cast('float64', next()));
      default:
        return this.choice(next);
    }
  }

  string(depth: number): Expr {
    const random = this.#random;
    if (depth === 0) {
      if (random.oneIn(5)) return literal(random.pick(['', 'a', 'ünï', "it's", 'x', '%']));
      if (random.oneIn(6)) return this.path() ?? literal('p');
      return this.column(({ base }) => base === 'string') ?? literal('s');
    }
    const next = () => this.string(depth - 1);
    switch (random.below(9)) {
      case 0:
        return call(random.pick(['upper', 'lower', 'reverse']), next());
      case 1:
        return call('concat', next(), literal('-'), next());
      case 2:
      case 3:
        return call(
          'substring',
          next(),
          literal(random.pick([1n, 2n, 4n, -2n])),
          literal(BigInt(random.below(5))),
        );
      case 4:
        return call(
          'replace',
          next(),
          literal(random.pick(['a', '1', 'value'])),
          literal(random.pick(['', 'bb'])),
        );
      case 5:
        return call('to_string', random.oneIn(4) ? this.date(0) : this.integer(depth - 1));
      case 6:
        return this.choice(next);
      case 7: {
        const float = this.column(({ base }) => base.startsWith('float'));
        return float === undefined ? next() : call('to_string', float);
      }
      default:
        return this.path() ?? next();
    }
  }

  path(): Expr | undefined {
    const document = this.column(({ base }) => base === 'string');
    const named = this.sources.filter(({ name }) => name.endsWith('doc'));
    if (document === undefined || named.length === 0) return undefined;
    const paths = [
      ['n'],
      ['s'],
      ['a'],
      ['a', 'b', 1],
      ['a', 'b'],
      ['a', 'c', 'd'],
      ['items', 2, 'p'],
      ['none'],
    ];
    const source = this.#random.pick(named);
    return {
      kind: 'path',
      document: column(source.name, source.type),
      path: this.#random.pick(paths),
      type: type('string', source.type.nullable),
    };
  }

  date(depth: number): Expr {
    const random = this.#random;
    const leaf = this.column(({ base }) => base === 'date') ?? dateLiteral(random);
    if (depth === 0) return random.oneIn(5) ? dateLiteral(random) : leaf;
    if (random.oneIn(3)) return this.choice(() => this.date(0));
    return call('add_days', leaf, literal(BigInt(random.below(40))));
  }

  condition(depth: number): Expr {
    const random = this.#random;
    const compare = random.pick(comparisons);
    const inner = Math.max(0, depth - 1);
    switch (random.below(depth === 0 ? 9 : 14)) {
      case 0:
        return call(compare, this.of('number', inner), this.of('number', 0));
      case 1:
        return call(compare, this.integer(inner), this.smallLiteral());
      case 2:
        return call(compare, this.string(inner), this.string(0));
      case 3: {
        const sign = random.pick(['like', 'not_like', 'ilike']);
        const pattern = random.pick(['%1%', 'v%', '%7', 'a_', '_', '%', '', 'V%3', '%ü%', 'x']);
        return call(sign, this.string(inner), literal(pattern));
      }
      case 4: {
        const maybe = this.column(({ nullable }) => nullable) ?? this.integer(inner);
        return call(random.pick(['is_null', 'is_not_null']), maybe);
      }
      case 5: {
        const items = random.list(random.below(4) + 1, () =>
          random.oneIn(8) ? literal(null) : random.oneIn(6) ? literal(300n) : this.smallLiteral(),
        );
        return inList(this.integer(inner), [...items, this.smallLiteral()], random.oneIn(3));
      }
      case 6: {
        const items = random.list(random.below(3) + 1, () =>
          literal(random.pick(['a', 'x', 'b7', '', 'nothing'])),
        );
        return inList(this.string(inner), items, random.oneIn(3));
      }
      case 7:
        return this.column(({ base }) => base === 'bool') ?? call('less', this.date(0), dateLiteral(random));
      case 8:
        return call(compare, this.date(inner), this.date(0));
      case 9:
        return call('not', this.condition(depth - 1));
      case 10:
        return call('and', this.condition(depth - 1), this.condition(depth - 1));
      case 11:
        return call('or', this.condition(depth - 1), this.condition(depth - 1));
      case 12:
        return call('between', this.of('number', inner), this.smallLiteral(), this.integer(0));
      default: {
        const set = this.#subqueries.set();
        if (set === null || random.oneIn(2)) return call('starts_with', this.string(inner), literal('v'));
        return inList(this.integer(0), set, random.oneIn(3));
      }
    }
  }
}

function dateLiteral(random: Random): Expr {
  const days = 19_000n + BigInt(random.below(70));
  const sql = `'${new Date(Number(days) * 86_400_000).toISOString().slice(0, 10)}'::date`;
  return { kind: 'literal', sql, value: days, type: type('date') };
}
