import { join } from 'node:path';
import { type UserAccount, Users } from '../access/index.ts';
import { type Clock, settingsFrom, systemClock } from '../base/index.ts';
import { Catalog } from '../catalog/index.ts';
import type { Block, ColumnSchema } from '../column/index.ts';
import { type Connector, Connectors, OutsidePolicy } from '../connectors/index.ts';
import { UserFiles } from '../files/index.ts';
import { openStore, type StoreOptions } from '../storage/index.ts';
import { typeName } from '../types/index.ts';
import { Engine } from './engine.ts';
import { SchemaRegistry } from './format-schemas.ts';
import { rowReader } from './javascript-values.ts';
import type { QueryOptions } from './request.ts';
import type { QueryResult } from './result.ts';
import { systemTables } from './system-tables.ts';

export interface DatabaseOptions {
  /** The directory that holds everything; made when it does not exist. */
  readonly dataDir: string;
  /** Time as the engine sees it; the machine's unless given. */
  readonly clock?: Clock;
  /** Settings that every query starts from, by name. */
  readonly settings?: Readonly<Record<string, string | number | boolean>>;
  /** Threads that work on heavy queries, this one included; 0, as when not given, leaves the choice to the database. */
  readonly threads?: number;
  /** Outside systems that external streams and tables can be of, beside those the database knows. */
  readonly connectors?: readonly Connector[];
  /** Users beside those that SQL made, such as those of a users file. Only a server asks who somebody is. */
  readonly users?: readonly UserAccount[];
  /**
   * Hosts that url() and s3() may reach: `any`, `none`, or names with commas between them, `*.example.com` for all below one.
   */
  readonly outsideHosts?: string;
  /** Further options of the store, such as the size of its cache. */
  readonly storage?: Partial<Omit<StoreOptions, 'directory' | 'clock'>>;
}

/** A row of a result as JavaScript sees it; see `Database.query`. */
export type Row = Record<string, unknown>;

/** A running query, read row by row or block by block. */
export interface RowStream extends AsyncIterable<Row> {
  readonly columns: Promise<readonly { readonly name: string; readonly type: string }[]>;
  /** All rows; of a query that goes on forever it never resolves. */
  toArray(): Promise<Row[]>;
  /** The blocks underneath, with columns as vectors. */
  blocks(): AsyncIterable<{ readonly columns: readonly ColumnSchema[]; readonly block: Block }>;
}

/** A database in this process: what the server serves, as an object. */
export class Database {
  readonly engine: Engine;

  private constructor(engine: Engine) {
    this.engine = engine;
  }

  /** Opens the database in a directory, or makes one; the directory belongs to one process at a time. */
  static async open(options: DatabaseOptions): Promise<Database> {
    const clock = options.clock ?? systemClock;
    const store = await openStore({ ...options.storage, directory: options.dataDir, clock });
    try {
      const formatSchemas = new SchemaRegistry(store);
      const userFiles = new UserFiles(join(store.directory, 'user_files'));
      const outside = new OutsidePolicy(options.outsideHosts ?? 'any');
      const connectors = new Connectors(
        { clock, schemas: formatSchemas, userFiles, outside },
        options.connectors,
      );
      const catalog = await Catalog.open(store, (definition) => connectors.connect(definition));
      const texts = Object.entries(options.settings ?? {}).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]);
      const engine = new Engine({
        store,
        catalog,
        users: new Users(store, options.users),
        connectors,
        formatSchemas,
        userFiles,
        clock,
        defaults: settingsFrom(texts),
        threads: options.threads ?? 0,
      });
      catalog.addSystemTables(systemTables(engine));
      engine.views.startAll();
      return new Database(engine);
    } catch (thrown) {
      await store.close();
      throw thrown;
    }
  }

  /**
   * Runs a statement and gives its rows as objects by column name: text as string, numbers as number, 64-bit integers
   * beyond ±(2^53-1) and wider ones as bigint, dates and times as text, decimals as text, arrays as arrays, maps as Map.
   * Leaving the loop ends the query. Throws SluiceError.
   */
  query(sql: string, options: QueryOptions = {}): RowStream {
    const result = this.engine.execute(sql, options);
    result.catch(() => {});
    const rows = readRows(result);
    const columns = result.then((started) =>
      started.columns.map(({ name, type }) => ({ name, type: typeName(type) })),
    );
    columns.catch(() => {});
    return {
      columns,
      [Symbol.asyncIterator]: () => rows,
      toArray: async () => {
        const all: Row[] = [];
        for await (const row of rows) all.push(row);
        return all;
      },
      blocks: () => readBlocks(result),
    };
  }

  /** Runs a statement to its end, for what it does. */
  async run(sql: string, options: QueryOptions = {}): Promise<void> {
    const result = await this.engine.execute(sql, options);
    while ((await result.next()) !== null);
  }

  /** Inserts rows given as objects; resolves when they are on disk. */
  async insert(
    stream: string,
    rows: Iterable<Row> | AsyncIterable<Row>,
    options: Omit<QueryOptions, 'data'> = {},
  ): Promise<number> {
    const result = await this.engine.execute(`INSERT INTO ${stream} FORMAT JSONEachRow`, {
      ...options,
      data: jsonLines(rows),
    });
    result.close();
    return result.progress.writtenRows;
  }

  /** Ends every query, waits for inserts under way, and lets go of the directory. */
  close(): Promise<void> {
    return this.engine.close();
  }
}

async function* jsonLines(rows: Iterable<Row> | AsyncIterable<Row>): AsyncIterable<Uint8Array> {
  let lines: string[] = [];
  for await (const row of rows) {
    lines.push(
      JSON.stringify(row, (_, value) =>
        typeof value === 'bigint'
          ? rawJson(String(value))
          : value instanceof Map
            ? Object.fromEntries(value)
            : value,
      ),
    );
    if (lines.length < 1024) continue;
    yield Buffer.from(`${lines.join('\n')}\n`);
    lines = [];
  }
  if (lines.length > 0) yield Buffer.from(lines.join('\n'));
}

/** A number in JSON text as written; newer than the type declarations know. */
function rawJson(text: string): unknown {
  return (JSON as unknown as { rawJSON: (text: string) => unknown }).rawJSON(text);
}

async function* readBlocks(
  started: Promise<QueryResult>,
): AsyncGenerator<{ columns: readonly ColumnSchema[]; block: Block }> {
  const result = await started;
  try {
    for (let block = await result.next(); block !== null; block = await result.next())
      yield { columns: result.columns, block };
  } finally {
    result.close();
  }
}

async function* readRows(started: Promise<QueryResult>): AsyncGenerator<Row> {
  for await (const { columns, block } of readBlocks(started)) {
    const read = rowReader(columns, block);
    for (let row = 0; row < block.rows; row++) yield read(row);
  }
}
