import type { Statement } from '../ast/index.ts';
import { limits } from '../base/index.ts';
import type { CatalogObject } from '../catalog/index.ts';
import { pipelinesOf } from '../compile/index.ts';
import type { PreparedQuery } from './prepared-query.ts';

export interface CachedQuery {
  readonly text: string;
  readonly statement: Extract<Statement, { kind: 'query' }>;
  readonly prepared: PreparedQuery;
  /** Uuids of the objects that the plan was made of. */
  readonly dependencies: ReadonlySet<string>;
  hits: number;
}

/** Compiled queries by their text and by what else decides the plan; the least recently used go first. */
export class QueryCache {
  readonly #entries = new Map<string, CachedQuery>();
  hits = 0;
  misses = 0;

  find(key: string): CachedQuery | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      this.misses++;
      return undefined;
    }
    this.hits++;
    entry.hits++;
    // Map order is insertion order, so the entry moves to the end.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  add(key: string, entry: CachedQuery): void {
    this.#entries.set(key, entry);
    if (this.#entries.size <= limits.query_cache_entries_max) return;
    const [oldest] = this.#entries.keys();
    this.#entries.delete(oldest!);
  }

  /** Drops what was made of an object, or everything. */
  invalidate(object: CatalogObject | null): void {
    for (const [key, entry] of this.#entries) {
      if (object === null || entry.dependencies.has(object.uuid)) this.#entries.delete(key);
    }
  }

  /** One row an entry: text, hits, pipelines, shapes of blocks they were compiled for. */
  *rows(): Iterable<readonly unknown[]> {
    for (const entry of this.#entries.values()) {
      const pipelines = pipelinesOf(entry.prepared.plan);
      const shapes = pipelines.reduce((sum, pipeline) => sum + pipeline.compiledShapes, 0);
      yield [entry.text, entry.hits, pipelines.length, shapes];
    }
  }
}
