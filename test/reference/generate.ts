import {
  classes,
  ExpressionGenerator,
  isRough,
  type Source,
  type Subqueries,
} from './generate-expression.ts';
import {
  aggregated,
  bareSelect,
  column,
  type Expr,
  type From,
  literal,
  type Order,
  type Output,
  type Query,
  type Select,
  type Table,
} from './model.ts';
import type { Random } from './random.ts';
import { commonType, integerKind, isFloat } from './values.ts';

/** The streams that random queries read. */
export interface Tables {
  readonly main: Table;
  readonly side: Table;
  readonly empty: Table;
}

/** Where rows come from, what their columns are, and whether their order is known. */
interface Origin {
  readonly from: From;
  readonly sources: readonly Source[];
  readonly ordered: boolean;
}

/** 64-bit and wider integers lose digits as floats, so sums of such floats depend on the order of rows. */
const roughNames = new Set(['z', 'i64', 'u64', 'wide']);

function sourcesOf(table: Table, prefix = ''): Source[] {
  return table.columns.map(({ name, type }) => ({
    name: `${prefix}${name}`,
    type,
    rough: roughNames.has(name),
  }));
}

/** Random queries over the tables. */
export class QueryGenerator {
  readonly #random: Random;
  readonly #tables: Tables;
  #names = 0;

  constructor(random: Random, tables: Tables) {
    this.#random = random;
    this.#tables = tables;
  }

  query(depth = 2): Query {
    if (this.#random.oneIn(12)) return this.#union();
    return this.#random.oneIn(2) ? this.#grouped(depth) : this.#plain(depth);
  }

  #name(): string {
    return `x${this.#names++}`;
  }

  #expressions(sources: readonly Source[], depth: number): ExpressionGenerator {
    const subqueries: Subqueries = {
      set: () => (depth > 1 && this.#random.oneIn(2) ? this.#setQuery() : null),
      single: () => (depth > 1 && this.#random.oneIn(3) ? this.#singleQuery() : null),
    };
    return new ExpressionGenerator(this.#random, sources, subqueries);
  }

  #setQuery(): Query {
    const random = this.#random;
    const table = random.pick([this.#tables.side, this.#tables.main]);
    const inner = this.#expressions(sourcesOf(table), 0);
    const name = random.pick(table === this.#tables.side ? ['k', 'kn'] : ['i8', 'n', 'i64']);
    const source = inner.sources.find((one) => one.name === name)!;
    return {
      ...bareSelect,
      from: { kind: 'table', table },
      where: random.oneIn(2) ? inner.condition(1) : null,
      outputs: [{ name: this.#name(), expr: column(name, source.type) }],
    };
  }

  #singleQuery(): Expr & { kind: 'scalar' } {
    const random = this.#random;
    const { side } = this.#tables;
    const inner = this.#expressions(sourcesOf(side), 0);
    const expr = random.oneIn(3)
      ? aggregated('count', [])
      : aggregated(random.pick(['min', 'max']), [column('k', side.columns[0]!.type)]);
    const query: Query = {
      ...bareSelect,
      from: { kind: 'table', table: side },
      where: random.oneIn(2) ? inner.condition(0) : null,
      outputs: [{ name: this.#name(), expr }],
    };
    return { kind: 'scalar', query, type: { ...expr.type, nullable: true } };
  }

  #origin(depth: number): Origin {
    const random = this.#random;
    const { main, side, empty } = this.#tables;
    const chosen = random.below(20);
    if (chosen < 11) return { from: { kind: 'table', table: main }, sources: sourcesOf(main), ordered: true };
    if (chosen === 11)
      return { from: { kind: 'table', table: empty }, sources: sourcesOf(empty), ordered: true };
    if (chosen === 12)
      return { from: { kind: 'table', table: side }, sources: sourcesOf(side), ordered: true };
    if (chosen === 13) return this.#arrayJoin();
    if (chosen < 17) return this.#join();
    if (depth <= 1) return this.#origin(depth);
    const query = this.query(depth - 1);
    return { from: { kind: 'query', query }, sources: outputSources(query), ordered: false };
  }

  #arrayJoin(): Origin {
    const random = this.#random;
    const table = random.oneIn(6) ? this.#tables.empty : this.#tables.main;
    const name = this.#name();
    const element = table.columns.find((one) => one.name === 'list')!.type.element!;
    return {
      from: { kind: 'array_join', table, array: 'list', name, left: random.oneIn(2) },
      sources: [...sourcesOf(table), { name, type: element, rough: false }],
      ordered: true,
    };
  }

  #join(): Origin {
    const random = this.#random;
    const { main, side, empty } = this.#tables;
    const left = random.pick([main, main, main, side, empty]);
    const right = left === side && random.oneIn(3) ? empty : side;
    const sources = [...sourcesOf(left, 'l.'), ...sourcesOf(right, 'r.')];
    if (left === side && random.oneIn(4))
      return {
        from: { kind: 'join', join: 'cross', any: false, left, right, keys: [] },
        sources,
        ordered: false,
      };
    const count = random.oneIn(3) ? 2 : 1;
    const keys = random.list(count, (): readonly [Expr, Expr] => {
      const kind = random.pick(['integer', 'integer', 'string'] as const);
      const inner = (table: Table, prefix: string) =>
        this.#expressions(sourcesOf(table, prefix), 0).of(kind, random.oneIn(4) ? 1 : 0);
      for (;;) {
        const [one, two] = [inner(left, 'l.'), inner(right, 'r.')];
        if (
          one.kind === 'column' &&
          two.kind !== 'literal' &&
          commonType([one.type, two.type]).base !== 'int128'
        )
          return [one, two];
      }
    });
    const join = random.pick(['inner', 'left'] as const);
    // Which of several matches ANY takes is open, so nothing of the right side is looked at.
    const any = random.oneIn(8);
    return {
      from: { kind: 'join', join, any, left, right, keys },
      sources: any ? sourcesOf(left, 'l.') : sources,
      ordered: false,
    };
  }

  #plain(depth: number): Query {
    const random = this.#random;
    const { from, sources, ordered } = this.#origin(depth);
    const expressions = this.#expressions(sources, depth);
    const outputs = random.list(random.below(4) + 1, (): Output => {
      const expr = random.oneIn(3) ? expressions.plainColumn()! : expressions.any(random.below(3));
      return { name: this.#name(), expr };
    });
    const distinct = random.oneIn(5);
    const where = random.oneIn(3) ? null : expressions.condition(random.below(3) + 1);
    const select: Select = { ...bareSelect, from, where, outputs, distinct };
    const visible = distinct ? this.#expressions(outputSources(select), 0) : expressions;
    return this.#limited(select, visible, ordered && !distinct);
  }

  #grouped(depth: number): Query {
    const random = this.#random;
    const { from, sources, ordered } = this.#origin(depth);
    const expressions = this.#expressions(sources, depth);
    const keys = random
      .list(random.pick([0, 1, 1, 1, 2, 3]), (): Output => {
        const expr = random.oneIn(3) ? expressions.any(random.below(2) + 1) : expressions.plainColumn()!;
        return { name: this.#name(), expr };
      })
      .filter(({ expr }) => expr.kind !== 'literal');
    const aggregates = random.list(random.below(4) + (keys.length === 0 ? 1 : 0), (): Output => {
      return { name: this.#name(), expr: this.#aggregate(expressions, ordered) };
    });
    const shown = keys.filter(() => !random.oneIn(6));
    const outputs = [...shown, ...aggregates];
    if (outputs.length === 0) outputs.push({ name: this.#name(), expr: aggregated('count', []) });
    const where = random.oneIn(3) ? expressions.condition(random.below(2) + 1) : null;
    const select: Select = { ...bareSelect, from, where, keys: keys.length === 0 ? null : keys, outputs };
    const visible = this.#expressions(outputSources(select), 0);
    const having = keys.length > 0 && random.oneIn(3) ? visible.condition(1) : null;
    return this.#limited({ ...select, having }, visible, false);
  }

  #aggregate(expressions: ExpressionGenerator, ordered: boolean): Expr {
    const random = this.#random;
    const depth = random.below(2);
    const condition = random.oneIn(4) ? expressions.condition(1) : undefined;
    const options = { ...(condition === undefined ? {} : { condition }) };
    const exact = (make: () => Expr) => {
      for (let attempt = 0; attempt < 20; attempt++) {
        const expr = make();
        const integer = integerKind(expr.type) !== null;
        if (integer || !isRough(expr, expressions.sources)) return expr;
      }
      return literal(1n);
    };
    switch (random.below(ordered ? 11 : 7)) {
      case 0:
        return aggregated('count', [], options);
      case 1:
        return aggregated('count', [expressions.any(depth)]);
      case 2:
        return aggregated('sum', [exact(() => expressions.of('number', depth))], options);
      case 3:
        return aggregated('avg', [exact(() => averaged(expressions, depth))], options);
      case 4:
        return aggregated(random.pick(['min', 'max']), [exact(() => expressions.any(depth))], options);
      case 5:
        return aggregated('uniq_exact', [expressions.any(depth)]);
      case 6: {
        const name = random.pick(['count', 'sum']);
        const kind = name === 'sum' ? ('number' as const) : random.pick(classes);
        return aggregated(name, [exact(() => expressions.of(kind, 0))], { distinct: true });
      }
      case 7:
        return aggregated(random.pick(['any', 'any_last']), [expressions.any(depth)]);
      case 8:
        return aggregated(random.pick(['arg_min', 'arg_max']), [
          notNull(() => expressions.any(0)),
          exact(() => expressions.any(0)),
        ]);
      case 9:
        return aggregated('group_array', [expressions.any(depth)], options);
      default:
        return aggregated('min', [exact(() => expressions.string(depth))], options);
    }
  }

  /** Order and limits. What is cut off is cut at a place that the order decides. */
  #limited(select: Select, visible: ExpressionGenerator, ordered: boolean): Select {
    const random = this.#random;
    const shape = random.below(10);
    if (shape < 4) return select;
    if (shape === 4)
      return ordered ? { ...select, limit: random.below(20), offset: random.pick([0, 0, 3]) } : select;
    const first = random.list(random.below(3), (): Order => this.#order(visible.any(random.below(2))));
    const ties = select.outputs.map(({ name, expr }) => this.#order(column(name, expr.type)));
    const order = [...first.filter(({ expr }) => expr.kind !== 'literal'), ...ties];
    const whole = { ...select, order };
    if (shape === 5) return whole;
    if (shape === 6) {
      const by = select.outputs.slice(0, 1).map(({ name, expr }) => column(name, expr.type));
      return { ...whole, limitBy: { limit: random.below(3) + 1, by } };
    }
    return { ...whole, limit: random.below(30), offset: random.oneIn(3) ? random.below(12) : 0 };
  }

  #order(expr: Expr): Order {
    const random = this.#random;
    return { expr, descending: random.oneIn(3), nullsFirst: random.pick([null, null, true, false]) };
  }

  #union(): Query {
    const random = this.#random;
    const kinds = random.list(random.below(3) + 1, () => random.pick(classes));
    const input = (): Select => {
      const { from, sources } = this.#origin(1);
      const expressions = this.#expressions(sources, 1);
      const outputs = kinds.map((kind) => ({ name: this.#name(), expr: expressions.of(kind, 1) }));
      return { ...bareSelect, from, where: random.oneIn(2) ? expressions.condition(1) : null, outputs };
    };
    for (;;) {
      const inputs = random.list(random.below(2) + 2, input);
      const types = kinds.map((_, index) => commonType(inputs.map((one) => one.outputs[index]!.expr.type)));
      if (types.some(({ base }) => base === 'int128')) continue;
      const names = inputs[0]!.outputs.map(({ name }) => name);
      return {
        kind: 'union',
        inputs: inputs.map((one) => ({
          ...one,
          outputs: one.outputs.map((output, index) => ({ ...output, name: names[index]! })),
        })),
      };
    }
  }
}

/** An argument whose average is exact but for the last digits. */
function averaged(expressions: ExpressionGenerator, depth: number): Expr {
  for (;;) {
    const expr = expressions.of('number', depth);
    if (isFloat(expr.type) || (integerKind(expr.type)?.bits ?? 64) < 64) return expr;
  }
}

function notNull(make: () => Expr): Expr {
  for (;;) {
    const expr = make();
    if (!expr.type.nullable) return expr;
  }
}

function outputSources(query: Query): Source[] {
  if (query.kind === 'union') {
    const [first] = query.inputs.map(outputSources);
    return first!.map((source, index) => ({
      ...source,
      type: commonType(query.inputs.map((input) => outputSources(input)[index]!.type)),
      rough: true,
    }));
  }
  return query.outputs.map(({ name, expr }) => ({
    name,
    type: expr.type,
    rough: isFloat(expr.type) || (integerKind(expr.type)?.bits ?? 0) >= 64,
  }));
}
