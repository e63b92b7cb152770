import { randomUUID } from 'node:crypto';
import { maybeYouMeant, SluiceError } from '../base/index.ts';
import type { Store } from '../storage/index.ts';
import { parseType, typeName } from '../types/index.ts';
import { externalText, streamText } from './create-text.ts';
import type { ConnectExternal } from './external.ts';
import type {
  CatalogObject,
  ColumnDefinition,
  ExternalObject,
  MaterializedViewObject,
  StreamObject,
  SystemTable,
  ViewObject,
} from './objects.ts';
import { unusableTable } from './unusable.ts';

/** What is stored of an object; types are stored by name. */
interface StoredObject {
  readonly kind: CatalogObject['kind'];
  readonly uuid: string;
  readonly database: string;
  readonly name: string;
  readonly columns: readonly { name: string; type: string; defaultText: string | null; comment: string }[];
  readonly createText: string;
  readonly comment: string;
  readonly queryText?: string;
  readonly queryDatabase?: string;
  readonly target?: { database: string; name: string };
  readonly ownsTarget?: boolean;
  readonly start?: unknown;
  readonly variant?: ExternalObject['variant'];
  readonly settings?: Readonly<Record<string, string>>;
}

type NewObject =
  | Omit<StreamObject, 'uuid' | 'log'>
  | Omit<ViewObject, 'uuid'>
  | Omit<MaterializedViewObject, 'uuid'>
  | Omit<ExternalObject, 'uuid' | 'createText' | 'external'>;

const documentPrefix = 'catalog/objects/';
const databasePrefix = 'catalog/databases/';

/** The document that says how far a view has come that writes outside. */
export function viewPositionDocument(viewUuid: string): string {
  return `views/positions/${viewUuid}`;
}

/** The document that holds the state of an aggregating view. */
export function viewStateDocument(viewUuid: string): string {
  return `views/states/${viewUuid}`;
}

/** The names that cannot be taken away, and what they are for. */
const builtInDatabases = ['default', 'system'];

/** Databases and the objects in them, kept in the store's documents. Names are case-sensitive. */
export class Catalog {
  readonly #store: Store;
  readonly #connect: ConnectExternal;
  readonly #databases = new Map<string, Map<string, CatalogObject>>();
  readonly #systemTables = new Map<string, SystemTable>();
  readonly #listeners = new Set<(object: CatalogObject | null) => void>();
  #last: Promise<unknown> = Promise.resolve();

  private constructor(store: Store, connect: ConnectExternal) {
    this.#store = store;
    this.#connect = connect;
  }

  /** `connect` makes what stands behind external streams and tables. */
  static async open(store: Store, connect: ConnectExternal): Promise<Catalog> {
    const catalog = new Catalog(store, connect);
    for (const name of builtInDatabases) catalog.#databases.set(name, new Map());
    for (const document of store.listDocuments(databasePrefix)) {
      const { name } = store.readDocument(document) as { name: string };
      catalog.#databases.set(name, new Map());
    }
    for (const document of store.listDocuments(documentPrefix)) {
      const stored = store.readDocument(document) as StoredObject;
      const connectAgain: ConnectExternal = async (definition) => {
        try {
          return await connect(definition);
        } catch (thrown) {
          return unusableTable(definition, thrown);
        }
      };
      catalog.#database(stored.database).set(stored.name, await catalog.#restore(stored, connectAgain));
    }
    return catalog;
  }

  /** Tells of every object that changes or goes, and (null) of a database that goes. */
  onChange(listener: (object: CatalogObject | null) => void): void {
    this.#listeners.add(listener);
  }

  #changed(object: CatalogObject | null): void {
    for (const listener of this.#listeners) listener(object);
  }

  addSystemTables(tables: Iterable<SystemTable>): void {
    for (const table of tables) this.#systemTables.set(table.name, table);
  }

  get databases(): readonly string[] {
    return [...this.#databases.keys()].sort();
  }

  get systemTables(): readonly SystemTable[] {
    return [...this.#systemTables.values()];
  }

  /** All objects, or those of one database, by name. */
  objects(database?: string): CatalogObject[] {
    const lists = database === undefined ? [...this.#databases.values()] : [this.#database(database)];
    return lists
      .flatMap((objects) => [...objects.values()])
      .sort((left, right) => (left.name < right.name ? -1 : 1));
  }

  #database(name: string): Map<string, CatalogObject> {
    const database = this.#databases.get(name);
    if (database === undefined) {
      const hint = maybeYouMeant(name, this.#databases.keys());
      throw new SluiceError('UNKNOWN_DATABASE', `Database ${name} doesn't exist${hint}`);
    }
    return database;
  }

  assertDatabase(name: string): void {
    this.#database(name);
  }

  hasDatabase(name: string): boolean {
    return this.#databases.has(name);
  }

  /** The object or system table of that name; throws UNKNOWN_DATABASE or UNKNOWN_TABLE. */
  find(database: string, name: string): CatalogObject | SystemTable {
    const found = this.lookUp(database, name);
    if (found !== undefined) return found;
    const known = database === 'system' ? this.#systemTables.keys() : this.#database(database).keys();
    throw new SluiceError(
      'UNKNOWN_TABLE',
      `Table ${database}.${name} doesn't exist${maybeYouMeant(name, known)}`,
    );
  }

  lookUp(database: string, name: string): CatalogObject | SystemTable | undefined {
    if (database === 'system') return this.#systemTables.get(name);
    return this.#database(database).get(name);
  }

  /** Runs changes one after the other. */
  #inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(change);
    this.#last = result.catch(() => {});
    return result;
  }

  createDatabase(name: string): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#databases.has(name))
        throw new SluiceError('DATABASE_ALREADY_EXISTS', `Database ${name} already exists`);
      await this.#store.writeDocument(`${databasePrefix}${hex(name)}`, { name });
      this.#databases.set(name, new Map());
    });
  }

  dropDatabase(name: string): Promise<void> {
    return this.#inTurn(async () => {
      if (builtInDatabases.includes(name))
        throw new SluiceError('BAD_ARGUMENTS', `Database ${name} cannot be dropped`);
      for (const object of this.#database(name).values()) await this.#remove(object);
      await this.#store.deleteDocument(`${databasePrefix}${hex(name)}`);
      this.#databases.delete(name);
      this.#changed(null);
    });
  }

  /** Adds an object; throws TABLE_ALREADY_EXISTS. */
  create<Created extends NewObject>(object: Created): Promise<CatalogObject & Pick<Created, 'kind'>> {
    return this.#inTurn(async () => {
      if (object.database === 'system')
        throw new SluiceError('TABLE_IS_READ_ONLY', 'The database system is read-only');
      const database = this.#database(object.database);
      if (database.has(object.name)) {
        throw new SluiceError(
          'TABLE_ALREADY_EXISTS',
          `Table ${object.database}.${object.name} already exists`,
        );
      }
      const stored: StoredObject = {
        createText: '',
        ...object,
        uuid: randomUUID(),
        columns: object.columns.map(storedColumn),
      };
      const created = await this.#restore(stored, this.#connect);
      await this.#store.writeDocument(documentPrefix + stored.uuid, stored);
      database.set(object.name, created);
      this.#changed(created);
      return created as CatalogObject & Pick<Created, 'kind'>;
    });
  }

  /** Removes an object and all its rows. */
  drop(object: CatalogObject): Promise<void> {
    return this.#inTurn(() => this.#remove(object));
  }

  async #remove(object: CatalogObject): Promise<void> {
    const database = this.#database(object.database);
    if (database.get(object.name) !== object) return;
    await this.#store.deleteDocument(documentPrefix + object.uuid);
    database.delete(object.name);
    this.#changed(object);
    if (object.kind === 'stream') await this.#store.dropLog(object.uuid);
    if (object.kind === 'external') await object.external.close();
    if (object.kind === 'materialized_view') {
      await this.#store.deleteDocument(viewPositionDocument(object.uuid));
      await this.#store.deleteDocument(viewStateDocument(object.uuid));
    }
  }

  /** Lets go of everything outside. */
  async close(): Promise<void> {
    for (const object of this.objects()) if (object.kind === 'external') await object.external.close();
  }

  /** Gives a stream another name. */
  rename(object: StreamObject, database: string, name: string): Promise<void> {
    return this.#inTurn(async () => {
      const target = this.#database(database);
      if (target.has(name))
        throw new SluiceError('TABLE_ALREADY_EXISTS', `Table ${database}.${name} already exists`);
      const { log, ...rest } = { ...object, database, name };
      const createText = streamText(rest);
      const stored = { ...rest, createText, columns: object.columns.map(storedColumn) };
      await this.#store.writeDocument(documentPrefix + object.uuid, stored);
      this.#database(object.database).delete(object.name);
      target.set(name, { ...rest, createText, log });
      this.#changed(object);
    });
  }

  async #restore(stored: StoredObject, connect: ConnectExternal): Promise<CatalogObject> {
    const columns: ColumnDefinition[] = stored.columns.map((column) => ({
      ...column,
      type: parseType(column.type),
    }));
    const { uuid, database, name, createText, comment } = stored;
    const base = { uuid, database, name, createText, comment, columns };
    switch (stored.kind) {
      case 'stream':
        return { ...base, kind: 'stream', log: await this.#store.openLog(uuid, columns) };
      case 'view':
        return { ...base, kind: 'view', queryText: stored.queryText!, queryDatabase: stored.queryDatabase! };
      case 'materialized_view':
        return {
          ...base,
          kind: 'materialized_view',
          queryText: stored.queryText!,
          queryDatabase: stored.queryDatabase!,
          target: stored.target!,
          ownsTarget: stored.ownsTarget ?? false,
          start: (stored.start ?? {}) as MaterializedViewObject['start'],
        };
      case 'external': {
        const definition = { variant: stored.variant!, settings: stored.settings!, database, name, columns };
        const external = await connect(definition);
        const text = externalText({ ...definition, comment }, external.shownSettings);
        const { variant, settings } = definition;
        return { ...base, createText: text, kind: 'external', variant, settings, external };
      }
    }
  }
}

function storedColumn(column: ColumnDefinition): StoredObject['columns'][number] {
  return {
    name: column.name,
    type: typeName(column.type),
    defaultText: column.defaultText,
    comment: column.comment,
  };
}

function hex(name: string): string {
  return Buffer.from(name, 'utf8').toString('hex');
}
