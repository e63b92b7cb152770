import { maybeYouMeant, SluiceError } from '../../base/index.ts';
import type {
  ColumnDefinition,
  ExternalSink,
  ExternalSource,
  ExternalStatus,
  ExternalTable,
  ReadRequest,
  WriteRequest,
} from '../../catalog/index.ts';
import type { Block, ColumnSchema } from '../../column/index.ts';
import { type BlockWriter, createReader, createWriter, sameLayout } from '../../formats/index.ts';
import { bareType, parseType, type SqlType } from '../../types/index.ts';
import type { ClickHouseServer } from './server.ts';
import { castName, conditionText, quoted } from './sql.ts';

/** Bytes of rows that an INSERT gathers before they are sent: up to here they arrive as one statement or not at all. */
const gatheredBytesMax = 256 * 1024 * 1024;
/** Milliseconds for which the columns of the other side are taken to be what they were. */
const columnsKeptMilliseconds = 30_000;

/** Where a table is on its server, as byte strings. */
export interface TablePlace {
  readonly server: ClickHouseServer;
  readonly database: string;
  readonly table: string;
}

function fullName({ database, table }: TablePlace): string {
  return `${quoted(database)}.${quoted(table)}`;
}

/** The columns that a table has on its server and that can be read and written; throws NETWORK_ERROR. */
export async function remoteColumns(place: TablePlace, signal: AbortSignal): Promise<ColumnSchema[]> {
  const { server } = place;
  const answer = await server.run(`DESCRIBE TABLE ${fullName(place)} FORMAT TSVRaw`, signal);
  const columns: ColumnSchema[] = [];
  for (const line of answer.split('\n')) {
    const [name, typeText, kind] = line.split('\t');
    if (name === undefined || typeText === undefined) continue;
    // What is computed by the server is neither written nor part of its `*`.
    if (kind === 'MATERIALIZED' || kind === 'ALIAS' || kind === 'EPHEMERAL') continue;
    columns.push({ name, type: remoteType(server, name, typeText) });
  }
  return columns;
}

function remoteType(server: ClickHouseServer, name: string, text: string): SqlType {
  try {
    return parseType(text);
  } catch (thrown) {
    if (!(thrown instanceof SluiceError)) throw thrown;
    throw server.failure(
      `column '${name}' has the type ${text}, which is not known here: list the columns that are wanted`,
    );
  }
}

/** A table on a ClickHouse server. */
export class ClickHouseTable implements ExternalTable {
  readonly type = 'clickhouse';
  readonly columns: readonly ColumnDefinition[];
  readonly virtualColumns: readonly ColumnSchema[] = [];
  readonly endless = false;
  readonly shownSettings: Readonly<Record<string, string>>;
  readonly #place: TablePlace;
  #remote: { readonly columns: ReadonlyMap<string, SqlType>; readonly until: number } | null = null;
  #running = 0;
  #error = '';

  constructor(
    place: TablePlace,
    columns: readonly ColumnDefinition[],
    shownSettings: Readonly<Record<string, string>>,
  ) {
    this.#place = place;
    this.columns = columns;
    this.shownSettings = shownSettings;
  }

  /** The types of our columns on the other side, by name. */
  async #types(request: Pick<ReadRequest, 'clock' | 'signal'>): Promise<ReadonlyMap<string, SqlType>> {
    const now = request.clock.monotonic();
    if (this.#remote === null || this.#remote.until < now) {
      const columns = await remoteColumns(this.#place, request.signal);
      this.#remote = {
        columns: new Map(columns.map((column) => [column.name, column.type])),
        until: now + columnsKeptMilliseconds,
      };
    }
    return this.#remote.columns;
  }

  #typeOf(types: ReadonlyMap<string, SqlType>, { name }: ColumnSchema): SqlType {
    const type = types.get(name);
    if (type !== undefined) return type;
    throw new SluiceError(
      'NO_SUCH_COLUMN_IN_TABLE',
      `${this.#place.server.name}: ${this.#place.database}.${this.#place.table} has no column '${name}'${maybeYouMeant(name, types.keys())}`,
    );
  }

  /** Keeps what is seen of the table up to date while something is done with it. */
  async #doing<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#running++;
    try {
      const result = await work();
      this.#error = '';
      return result;
    } catch (thrown) {
      if (thrown instanceof SluiceError) this.#error = thrown.message;
      // What the other side looks like may have changed.
      this.#remote = null;
      throw thrown;
    } finally {
      this.#running--;
    }
  }

  /** The SELECT for a request: columns under names of ours, since an alias of the column's own name would hide it in WHERE. */
  #select(request: ReadRequest, types: ReadonlyMap<string, SqlType>): string {
    const wanted = request.columns.map((index) => this.columns[index]!);
    const outputs = wanted.map((column, index) => {
      const text = sameLayout(this.#typeOf(types, column), column.type)
        ? quoted(column.name)
        : `CAST(${quoted(column.name)} AS ${castName(column.type)})`;
      return `${text} AS ${outputName(index)}`;
    });
    if (outputs.length === 0) outputs.push(`toUInt8(0) AS ${outputName(0)}`);
    const conditions = request.conditions.flatMap((condition) => {
      const column = this.columns[condition.column]!;
      // Where the other side holds another type, its comparison may be another, too.
      if (!sameLayout(this.#typeOf(types, column), column.type)) return [];
      return conditionText(column.name, bareType(column.type), condition) ?? [];
    });
    const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
    const limit = request.limit === undefined ? '' : ` LIMIT ${request.limit}`;
    return `SELECT ${outputs.join(', ')} FROM ${fullName(this.#place)}${where}${limit} FORMAT Native`;
  }

  async *#blocks(request: ReadRequest): AsyncGenerator<Block, void, void> {
    const { server } = this.#place;
    const types = await this.#types(request);
    const wanted = request.columns.map((column) => this.columns[column]!);
    const columns = wanted.map(({ type }, index) => ({ name: outputName(index), type, hasDefault: false }));
    const rowsOnly = columns.length === 0;
    if (rowsOnly) columns.push({ name: outputName(0), type: parseType('uint8'), hasDefault: false });
    const reader = createReader('Native', columns, request.settings);
    const given = (block: Block): Block => (rowsOnly ? { rows: block.rows, vectors: [] } : block);
    let tail: Buffer = Buffer.alloc(0);
    try {
      const settings = { max_block_size: '65536' };
      for await (const chunk of server.query(this.#select(request, types), settings, request.signal)) {
        tail = chunk.length >= 16_384 ? chunk : Buffer.concat([tail, chunk]).subarray(-16_384);
        for (const { block } of reader.push(chunk)) yield given(block);
      }
      for (const { block } of reader.finish()) yield given(block);
    } catch (thrown) {
      // An error in the middle stands in the data, where it makes no block.
      throw server.exceptionAtEnd(tail) ?? thrown;
    }
  }

  read(request: ReadRequest): ExternalSource {
    const blocks = this.#blocks(request);
    return {
      position: undefined,
      next: () =>
        this.#doing(async () => {
          const step = await blocks.next();
          return step.done === true ? null : step.value;
        }),
      close: () => {
        blocks.return().catch(() => {});
      },
    };
  }

  write(request: WriteRequest): ExternalSink {
    let writer: BlockWriter | null = null;
    let parts: Uint8Array[] = [];
    let bytes = 0;
    const begin = async (): Promise<BlockWriter> => {
      const types = await this.#types(request);
      const remote = this.columns.map((column) => this.#typeOf(types, column));
      const schema = this.columns.map(({ name, type }, index) => ({
        name,
        type: sameLayout(type, remote[index]!) ? remote[index]! : type,
      }));
      const alike = schema.every(({ type }, index) => type === remote[index]);
      // RowBinary takes low cardinality as what is in it; values of another type go as text, which is read as what is there.
      const format = alike ? 'RowBinary' : 'TabSeparated';
      const names = this.columns.map((column) => quoted(column.name)).join(', ');
      statement = `INSERT INTO ${fullName(this.#place)} (${names}) FORMAT ${format}`;
      return createWriter(format, schema, request.settings);
    };
    let statement = '';
    const send = () =>
      this.#doing(async () => {
        if (parts.length === 0) return;
        const data = parts;
        parts = [];
        bytes = 0;
        await this.#place.server.run(statement, request.signal, data);
      });
    const forget = async () => {
      parts = [];
      bytes = 0;
    };
    return {
      add: async (block) => {
        writer ??= await this.#doing(begin);
        const encoded = writer.block(block);
        if (encoded.length === 0) return;
        parts.push(encoded);
        bytes += encoded.length;
        if (bytes > gatheredBytesMax) await send();
      },
      flush: send,
      abort: forget,
      close: forget,
    };
  }

  status(): ExternalStatus {
    return { state: this.#running > 0 ? 'running' : 'idle', error: this.#error };
  }

  async close(): Promise<void> {
    this.#place.server.close();
  }
}

function outputName(index: number): string {
  return `__sluice_${index}`;
}
