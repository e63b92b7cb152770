import { printSql, type Query } from '../../ast/index.ts';
import type { Settings } from '../../base/index.ts';
import { SluiceError } from '../../base/index.ts';
import type { Catalog, CatalogObject, ColumnDefinition, ExternalObject } from '../../catalog/index.ts';
import type { QueryContext } from '../../functions/index.ts';
import type { StreamLog } from '../../storage/index.ts';
import { parseType, typeName } from '../../types/index.ts';

/** A query's context without what cannot leave the thread. */
export type SentContext = Omit<QueryContext, 'clock'>;

/** An object of the catalog as plain data: its columns by name and type. */
type SentObject =
  | { readonly kind: 'stream'; readonly base: SentBase }
  | { readonly kind: 'view'; readonly base: SentBase; readonly text: string; readonly database: string }
  | {
      readonly kind: 'materialized_view';
      readonly base: SentBase;
      readonly text: string;
      readonly database: string;
      readonly target: { readonly database: string; readonly name: string };
    };

interface SentBase {
  readonly uuid: string;
  readonly database: string;
  readonly name: string;
  readonly columns: readonly (readonly [name: string, type: string])[];
}

/** All that a thread needs to plan and compile a query as the main thread did. */
export interface Recipe {
  readonly key: number;
  readonly text: string;
  /** Whether the literals of the text became parameters. */
  readonly shaped: boolean;
  readonly parameters: ReadonlyMap<string, string>;
  readonly objects: readonly SentObject[];
  /** The context in which the query was planned. */
  readonly context: SentContext;
}

/** What a recipe is made of; it is written down when it is first needed. */
export interface RecipeParts {
  readonly catalog: Catalog;
  readonly context: QueryContext;
  readonly query: Query;
  /** The text that the query was parsed from, when literals of it became parameters. */
  readonly text: string | null;
  readonly parameters: ReadonlyMap<string, string>;
  readonly dependencies: ReadonlySet<string>;
}

export function sentContext({ clock: _, ...context }: QueryContext): SentContext {
  return context;
}

function sentObject(object: Exclude<CatalogObject, ExternalObject>): SentObject {
  const { uuid, database, name } = object;
  const columns = object.columns.map((column) => [column.name, typeName(column.type)] as const);
  const base = { uuid, database, name, columns };
  if (object.kind === 'stream') return { kind: 'stream', base };
  const view = { base, text: object.queryText, database: object.queryDatabase };
  return object.kind === 'view'
    ? { kind: 'view', ...view }
    : { kind: 'materialized_view', ...view, target: object.target };
}

let keys = 0;

export function recipeOf({ catalog, context, query, text, parameters, dependencies }: RecipeParts): Recipe {
  const objects = catalog.objects().flatMap((object) => {
    // What reads from outside is never split, so that no other thread plans it.
    if (object.kind === 'external' || !dependencies.has(object.uuid)) return [];
    return [sentObject(object)];
  });
  return {
    key: keys++,
    text: text ?? printSql(query),
    shaped: text !== null,
    parameters,
    objects,
    context: sentContext(context),
  };
}

function receivedObject(sent: SentObject): CatalogObject {
  const columns = sent.base.columns.map(([name, type]): ColumnDefinition => {
    return { name, type: parseType(type), defaultText: null, comment: '' };
  });
  const base = { ...sent.base, columns, createText: '', comment: '' };
  switch (sent.kind) {
    case 'stream':
      // Planning looks at no rows; a plan that does is made on the main thread alone.
      return { kind: 'stream', ...base, log: null as unknown as StreamLog };
    case 'view':
      return { kind: 'view', ...base, queryText: sent.text, queryDatabase: sent.database };
    case 'materialized_view': {
      const view = { ...base, queryText: sent.text, queryDatabase: sent.database, target: sent.target };
      return { kind: 'materialized_view', ...view, start: {}, ownsTarget: false };
    }
  }
}

/** What planning asks of a catalog, answered from a recipe. */
export function recipeCatalog(recipe: Recipe): Pick<Catalog, 'find'> {
  const objects = recipe.objects.map(receivedObject);
  return {
    find: (database, name) => {
      const found = objects.find((object) => object.database === database && object.name === name);
      if (found === undefined)
        throw new SluiceError('UNKNOWN_TABLE', `Table ${database}.${name} doesn't exist`);
      return found;
    },
  };
}

/** Threads that one query may use, this one included, of so many helpers. */
export function threadsFor(settings: Settings, helpers: number): number {
  const most = settings.max_threads;
  return 1 + (most === 0 ? helpers : Math.min(most - 1, helpers));
}
