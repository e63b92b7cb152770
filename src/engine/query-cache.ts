import type { Statement } from '../ast/index.ts';
import { limits } from '../base/index.ts';
import type { CatalogObject } from '../catalog/index.ts';
import { pipelinesOf } from '../compile/index.ts';
import { type ShapeLiteral, tokenShape } from '../parser/index.ts';
import { bindLiteral } from '../plan/index.ts';
import { typeName } from '../types/index.ts';
import type { QueryReads } from './planner.ts';
import type { LiteralValues, PreparedQuery } from './prepared-query.ts';
import type { KeptResult } from './result-cache.ts';

/** A compiled query, which serves all texts of one shape whose pinned literals are the same. */
export interface CompiledQuery {
  /** The text that it was compiled from. */
  readonly text: string;
  readonly statement: Extract<Statement, { kind: 'query' }>;
  readonly prepared: PreparedQuery;
  /** Uuids of the objects that the plan was made of. */
  readonly dependencies: ReadonlySet<string>;
  readonly reads: QueryReads;
  /** Literals whose value the plan depends on, by number. */
  readonly pins: ReadonlyMap<number, unknown>;
  hits: number;
}

/** What decides a plan beside the text. */
export interface PlanSurroundings {
  readonly database: string;
  readonly queryMode: string;
  readonly joinUseNulls: boolean;
  readonly disabledRules: string;
}

/** A compiled query and the literals of the text that is to be run. */
export interface CachedQuery {
  readonly compiled: CompiledQuery;
  readonly literals: LiteralValues;
  /** The result it had last. */
  kept?: KeptResult;
}

/** A text's shape: what it has in common with texts that differ in literals only, and its literals. */
export interface QueryShape {
  readonly key: string;
  readonly values: ReadonlyMap<number, unknown>;
  /** Numbers of the literals by where they start in the text. */
  readonly tokens: ReadonlyMap<number, number>;
}

function literalOf(literal: ShapeLiteral) {
  const pos = { start: literal.start, end: literal.end };
  switch (literal.kind) {
    case 'integer':
      return bindLiteral({
        kind: 'literal',
        type: 'integer',
        value: literal.value as bigint,
        text: literal.text,
        pos,
      });
    case 'float':
      return bindLiteral({
        kind: 'literal',
        type: 'float',
        value: literal.value as number,
        text: literal.text,
        pos,
      });
    case 'string':
      return bindLiteral({ kind: 'literal', type: 'string', value: literal.value as string, pos });
  }
}

/** The shape of a text; the types of its literals are part of it, for they decide the types of expressions. */
export function shapeOf(text: string): QueryShape {
  const { shape, literals } = tokenShape(text);
  const bound = literals.map(literalOf);
  return {
    key: `${shape}${bound.map((literal) => typeName(literal.type)).join(',')}`,
    values: new Map(bound.map((literal, index) => [index, literal.value])),
    tokens: new Map(literals.map((literal, index) => [literal.start, index])),
  };
}

interface TextEntry extends PlanSurroundings {
  readonly query: CachedQuery;
  /** Whether it was asked for since the search for what can go last came by. */
  used: boolean;
}

function shapeKey(around: PlanSurroundings, shape: QueryShape): string {
  const { database, queryMode, joinUseNulls, disabledRules } = around;
  return `${database}\0${queryMode}\0${joinUseNulls}\0${disabledRules}\0${shape.key}`;
}

function isAmid(entry: TextEntry, around: PlanSurroundings): boolean {
  return (
    entry.database === around.database &&
    entry.queryMode === around.queryMode &&
    entry.joinUseNulls === around.joinUseNulls &&
    entry.disabledRules === around.disabledRules
  );
}

/**
 * Compiled queries on two levels: by the very text, and by its shape. Both are bounded, the least recently used going
 * first, and lose what was made of an object that changes.
 */
export class QueryCache {
  /** The entries of one text differ in what is around it. */
  readonly #texts = new Map<string, TextEntry[]>();
  readonly #shapes = new Map<string, CompiledQuery[]>();
  textHits = 0;
  shapeHits = 0;
  misses = 0;

  findText(around: PlanSurroundings, text: string): CachedQuery | undefined {
    const entry = this.#texts.get(text)?.find((each) => isAmid(each, around));
    if (entry === undefined) return undefined;
    this.textHits++;
    entry.query.compiled.hits++;
    entry.used = true;
    return entry.query;
  }

  findShape(around: PlanSurroundings, text: string, shape: QueryShape): CachedQuery | undefined {
    const found = this.#shapes.get(shapeKey(around, shape))?.find((compiled) => fits(compiled, shape));
    if (found === undefined) {
      this.misses++;
      return undefined;
    }
    this.shapeHits++;
    found.hits++;
    const query = { compiled: found, literals: shape.values };
    this.#addText(around, text, query);
    return query;
  }

  add(around: PlanSurroundings, text: string, shape: QueryShape, compiled: CompiledQuery): void {
    const key = shapeKey(around, shape);
    const entries = this.#shapes.get(key) ?? [];
    this.#shapes.delete(key);
    // Of one shape with ever new pinned literals a few plans are enough.
    this.#shapes.set(key, [compiled, ...entries].slice(0, 16));
    this.#addText(around, text, { compiled, literals: shape.values });
    if (this.#shapes.size > limits.query_cache_entries_max)
      this.#shapes.delete(this.#shapes.keys().next().value!);
  }

  #addText(around: PlanSurroundings, text: string, query: CachedQuery): void {
    const others = this.#texts.get(text)?.filter((each) => !isAmid(each, around)) ?? [];
    this.#texts.set(text, [...others, { ...around, query, used: false }]);
    while (this.#texts.size > limits.query_cache_entries_max) this.#evictText();
  }

  /** Takes out the oldest text that was not used since it was last looked at here; a hit moves nothing and so costs nothing. */
  #evictText(): void {
    for (const [text, entries] of this.#texts) {
      this.#texts.delete(text);
      if (!entries.some((entry) => entry.used)) return;
      for (const entry of entries) entry.used = false;
      this.#texts.set(text, entries);
    }
  }

  /** Drops what was made of an object, or everything. */
  invalidate(object: CatalogObject | null): void {
    const stale = (compiled: CompiledQuery) => object === null || compiled.dependencies.has(object.uuid);
    for (const [text, entries] of this.#texts) {
      const kept = entries.filter((entry) => !stale(entry.query.compiled));
      if (kept.length === 0) this.#texts.delete(text);
      else this.#texts.set(text, kept);
    }
    for (const [key, entries] of this.#shapes) {
      const kept = entries.filter((compiled) => !stale(compiled));
      if (kept.length === 0) this.#shapes.delete(key);
      else this.#shapes.set(key, kept);
    }
  }

  /** One row a compiled query: text, shape, hits, texts that lead to it, pipelines, shapes of blocks they have code for. */
  *rows(): Iterable<readonly (string | number)[]> {
    const texts = new Map<CompiledQuery, number>();
    for (const { query } of [...this.#texts.values()].flat())
      texts.set(query.compiled, (texts.get(query.compiled) ?? 0) + 1);
    for (const [key, entries] of this.#shapes) {
      for (const compiled of entries) {
        const pipelines = pipelinesOf(compiled.prepared.plan);
        const shapes = pipelines.reduce((sum, pipeline) => sum + pipeline.compiledShapes, 0);
        yield [
          compiled.text,
          key.slice(key.lastIndexOf('\0') + 1),
          compiled.hits,
          texts.get(compiled) ?? 0,
          pipelines.length,
          shapes,
        ];
      }
    }
  }
}

function fits(compiled: CompiledQuery, shape: QueryShape): boolean {
  for (const [token, value] of compiled.pins) if (shape.values.get(token) !== value) return false;
  for (const value of compiled.prepared.values) {
    if (value.kind !== 'literal') continue;
    const [first, ...others] = value.tokens;
    if (others.some((token) => shape.values.get(token) !== shape.values.get(first!))) return false;
  }
  return true;
}
