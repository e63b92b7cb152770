import type { InsertStatement, ObjectName } from '../ast/index.ts';
import { maybeYouMeant, type Settings, SluiceError } from '../base/index.ts';
import { type ColumnDefinition, eventTimeColumn, kindName } from '../catalog/index.ts';
import { type Block, blockBytes } from '../column/index.ts';
import { constantValue } from '../compile/index.ts';
import { chooseCodec, decompressed } from '../compression/index.ts';
import { partitionColumn } from '../connectors/index.ts';
import { cancelled, type Execution } from '../exec/index.ts';
import {
  createReader,
  formatOfPath,
  type ReadBlock,
  type ReaderColumn,
  type ReaderOptions,
} from '../formats/index.ts';
import { parseExpression } from '../parser/index.ts';
import { Binder, Scope } from '../plan/index.ts';
import { withoutLowCardinality } from '../types/index.ts';
import type { Engine } from './engine.ts';
import { functionTarget, isTemporary } from './insert-function.ts';
import { fillBlock, type GivenColumn, maskVector } from './insert-plan.ts';
import { planContext, querySettings, withAssignments } from './planner.ts';
import type { Process } from './processes.ts';
import type { Request } from './request.ts';
import { done, type Outcome } from './result.ts';
import { compileQuery, runPrepared } from './select.ts';
import { openTarget, type RowTarget, type TargetObject } from './target.ts';
import { valuesTail } from './values-tail.ts';

/** The stream or external object that an INSERT names; materialized views and views are refused. */
function namedTarget(engine: Engine, request: Request, target: ObjectName): TargetObject {
  const database = target.database ?? request.database;
  const object = engine.catalog.find(database, target.name);
  if (object.kind === 'stream' || object.kind === 'external') return object;
  throw new SluiceError(
    'TABLE_IS_READ_ONLY',
    `Cannot insert into ${database}.${target.name}: it is a ${object.kind === 'system_table' ? 'system table' : kindName(object)}`,
  );
}

/** The columns that the rows bring, in the order they come. */
function targetColumns(stream: TargetObject, statement: InsertStatement): readonly ColumnDefinition[] {
  const { columns } = statement;
  const defined =
    stream.kind === 'external'
      ? stream.columns.filter((column) => column.name !== partitionColumn)
      : stream.columns.filter((column) => column.name !== eventTimeColumn);
  if (columns === null) return defined;
  const find = (name: string): ColumnDefinition => {
    const column = stream.columns.find((entry) => entry.name === name);
    if (column === undefined) {
      const hint = maybeYouMeant(
        name,
        stream.columns.map((entry) => entry.name),
      );
      throw new SluiceError(
        'NO_SUCH_COLUMN_IN_TABLE',
        `There is no column '${name}' in ${stream.database}.${stream.name}${hint}`,
      );
    }
    return column;
  };
  const named = columns.names.map(find);
  const twice = columns.names.find((name, index) => columns.names.indexOf(name) !== index);
  if (twice !== undefined) throw new SluiceError('DUPLICATE_COLUMN', `Column '${twice}' is listed twice`);
  return columns.asterisk ? defined.filter((column) => !named.includes(column)) : named;
}

/** Writes rows into a stream or external object, and fills up what was not given. */
export class RowWriter {
  readonly #engine: Engine;
  readonly #object: TargetObject;
  readonly #target: RowTarget;
  readonly #given: readonly GivenColumn[];
  readonly #execution: Execution;
  rows = 0;
  bytes = 0;

  constructor(engine: Engine, object: TargetObject, given: readonly GivenColumn[], execution: Execution) {
    this.#engine = engine;
    this.#object = object;
    this.#target = openTarget(object, execution);
    this.#given = given;
    this.#execution = execution;
  }

  /** Takes a block of the given columns, each followed by its mask when it may be omitted. */
  async add(block: Block): Promise<void> {
    if (block.rows === 0) return;
    const context = () =>
      planContext({ catalog: this.#engine.catalog, context: this.#execution.context, parameters: new Map() });
    const plan = this.#engine.insertPlans.plan(context, this.#object, this.#given);
    const filled = await fillBlock(plan, block, this.#execution);
    this.rows += filled.rows;
    this.bytes += blockBytes(filled);
    await this.#target.add(filled);
  }

  /** Resolves when everything taken so far is on disk, or acknowledged by the other side. */
  async flush(): Promise<void> {
    this.rows -= await this.#target.flush();
  }

  /** Ends the writing; what was not flushed is given up. */
  close(): Promise<void> {
    // Nobody else comes with the same columns for an object that ends with the statement.
    if (isTemporary(this.#object)) this.#engine.insertPlans.invalidate(this.#object);
    return this.#target.close();
  }
}

/** The value of an expression in VALUES. */
function valueEvaluator(engine: Engine, request: Request, execution: Execution) {
  return (text: string, column: ReaderColumn): unknown => {
    const context = planContext({
      catalog: engine.catalog,
      context: execution.context,
      parameters: request.parameters,
    });
    const binder = new Binder(context, new Scope([], null));
    const bound = binder.bindRow(parseExpression(text), 'VALUES');
    const plain = withoutLowCardinality(column.type);
    const value = constantValue(bound, execution.context);
    if (value === null) return null;
    return constantValue(
      binder.castTo(
        { kind: 'literal', value, type: bound.type.kind === 'nullable' ? bound.type.inner : bound.type },
        plain,
      ),
      execution.context,
    );
  };
}

function withMasks(columns: readonly ReaderColumn[], read: ReadBlock): Block {
  const vectors = columns.flatMap((column, index) => {
    const vector = read.block.vectors[index]!;
    return column.hasDefault ? [vector, maskVector(read.omitted[index] ?? null, read.block.rows)] : [vector];
  });
  return { rows: read.block.rows, vectors };
}

/** Data of one format, from its beginning to its end. */
interface DataInput {
  readonly format: string;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Whether it stands in the text of the statement. */
  readonly isInline: boolean;
  /** The name of the file it comes from; null for data that comes with the statement. */
  readonly file: string | null;
}

/** The chunks of data of an INSERT: what stands in the text, then what came beside it. */
async function* dataChunks(request: Request, statement: InsertStatement): AsyncIterable<Uint8Array> {
  if (statement.data !== null) {
    const inline = Buffer.from(request.text.slice(statement.data.offset), 'utf8');
    if (inline.length > 0) yield inline;
  }
  for await (const chunk of request.data) yield chunk;
}

/** Chunks as they come; a statement that is told to stop, or whose time is up, does not wait for a slow sender. */
async function* whileWanted(
  chunks: AsyncIterable<Uint8Array>,
  execution: Execution,
): AsyncIterable<Uint8Array> {
  const { signal, clock, remaining } = execution;
  const iterator = chunks[Symbol.asyncIterator]();
  const stopped = Promise.withResolvers<never>();
  stopped.promise.catch(() => {});
  const abort = () => stopped.reject(cancelled(signal));
  signal.addEventListener('abort', abort, { once: true });
  const timer = Number.isFinite(remaining)
    ? clock.after(Math.max(0, remaining), () => stopped.reject(execution.timeout()))
    : null;
  try {
    for (;;) {
      const step = await Promise.race([iterator.next(), stopped.promise]);
      if (step.done === true) return;
      yield step.value;
    }
  } finally {
    timer?.cancel();
    signal.removeEventListener('abort', abort);
    // A chunk that is still waited for would hold this up; its source is told to end when it has come.
    iterator.return?.().catch(() => {});
  }
}

/** The format of a file, as the statement has it or by the ending of its name; throws BAD_ARGUMENTS. */
function fileFormat(format: string | null, file: string): string {
  const found = format ?? formatOfPath(file);
  if (found !== undefined) return found;
  throw new SluiceError(
    'BAD_ARGUMENTS',
    `The format of file '${file}' cannot be told from its name: add FORMAT and the name of one`,
  );
}

/** What the rows of an INSERT without a query come from. */
async function dataInputs(
  engine: Engine,
  request: Request,
  statement: InsertStatement,
): Promise<readonly DataInput[]> {
  const { infile, data } = statement;
  if (infile === null) {
    return [
      {
        format: data?.format ?? statement.format ?? 'Values',
        chunks: dataChunks(request, statement),
        isInline: request.isDataInline || (data !== null && data.offset < request.text.length),
        file: null,
      },
    ];
  }
  const compression = infile.compression ?? 'auto';
  chooseCodec(compression, infile.path);
  const files = await engine.userFiles.find(infile.path);
  return files.map((file) => ({
    format: fileFormat(statement.format, file.name),
    chunks: decompressed(engine.userFiles.read(file), chooseCodec(compression, file.name)),
    isInline: false,
    file: file.name,
  }));
}

/** Reads one input to its end into the writer. */
async function readInput(
  input: DataInput,
  columns: readonly ReaderColumn[],
  options: ReaderOptions,
  writer: RowWriter,
  execution: Execution,
): Promise<void> {
  const { settings } = execution.context;
  try {
    const reader = createReader(input.format, columns, settings, { ...options, isInline: input.isInline });
    for await (const chunk of whileWanted(input.chunks, execution)) {
      for (const read of reader.push(chunk)) await writer.add(withMasks(columns, read));
      await execution.pause();
      execution.check();
    }
    for (const read of reader.finish()) await writer.add(withMasks(columns, read));
  } catch (thrown) {
    if (input.file === null || !(thrown instanceof SluiceError) || execution.signal.aborted) throw thrown;
    throw thrown.within(`while reading file '${input.file}'`);
  }
}

async function insertData(
  engine: Engine,
  request: Request,
  statement: InsertStatement,
  named: TargetObject | null,
  execution: Execution,
): Promise<RowWriter> {
  const { settings } = execution.context;
  const stream = named ?? functionTarget(engine, request, statement, settings, null);
  const columns = targetColumns(stream, statement);
  const readerColumns: ReaderColumn[] = columns.map(({ name, type, defaultText }) => ({
    name,
    type,
    hasDefault: defaultText !== null,
  }));
  const inputs = await execution.whileWanted(dataInputs(engine, request, statement));
  const given = readerColumns.map(({ name, type, hasDefault }) => ({ name, type, mayBeOmitted: hasDefault }));
  const writer = new RowWriter(engine, stream, given, execution);
  try {
    const options = {
      schemas: engine.formatSchemas,
      evaluateExpression: valueEvaluator(engine, request, execution),
    };
    for (const input of inputs) await readInput(input, readerColumns, options, writer, execution);
    if (writer.rows === 0 && statement.format === null && statement.infile === null)
      throw new SluiceError(
        'SYNTAX_ERROR',
        'Syntax error: the INSERT brings no rows: expected VALUES, SELECT, or FORMAT and the name of a format before its data',
      );
    await writer.flush();
  } finally {
    await writer.close();
  }
  return writer;
}

async function insertSelect(
  engine: Engine,
  request: Request,
  statement: InsertStatement,
  named: TargetObject | null,
  settings: Settings,
  process: Process,
): Promise<RowWriter> {
  const query = statement.query!;
  const own = querySettings(settings, query);
  const { prepared, planned } = compileQuery(engine, request, query, own);
  process.reads = planned.reads;
  const stream = named ?? functionTarget(engine, request, statement, settings, prepared.columns);
  if (named === null && prepared.streaming) {
    throw new SluiceError(
      'BAD_ARGUMENTS',
      'INSERT INTO FUNCTION needs a query that comes to an end: read streams with table(...)',
    );
  }
  const columns = targetColumns(stream, statement);
  const selected = matchColumns(prepared.columns, columns, statement.columns === null, stream);
  const { source, execution } = await runPrepared(engine, request, prepared, query, own);
  process.progress = execution.progress;
  process.finishes = !prepared.streaming;
  const given = prepared.columns.map((column, index) => ({
    name: selected[index]!.name,
    type: column.type,
    mayBeOmitted: false,
  }));
  const writer = new RowWriter(engine, stream, given, execution);
  try {
    for (let block = await source.next(); block !== null; block = await source.next()) {
      await writer.add(block);
      // A query that goes on never ends: its rows are written as they come.
      if (prepared.streaming) await writer.flush();
    }
    await writer.flush();
  } finally {
    source.close();
    await writer.close();
  }
  return writer;
}

/** The target columns of a SELECT's outputs, by position; `SELECT *` of another stream brings its event time along. */
function matchColumns(
  selected: readonly { name: string }[],
  columns: readonly ColumnDefinition[],
  all: boolean,
  stream: TargetObject,
): readonly ColumnDefinition[] {
  if (selected.length === columns.length) return columns;
  if (
    all &&
    stream.kind === 'stream' &&
    selected.length === columns.length + 1 &&
    selected.some((column) => column.name === eventTimeColumn)
  ) {
    const time = stream.columns.find((column) => column.name === eventTimeColumn)!;
    const rest = columns[Symbol.iterator]();
    return selected.map((column) =>
      column.name === eventTimeColumn ? time : (rest.next().value as ColumnDefinition),
    );
  }
  throw new SluiceError(
    'INCORRECT_NUMBER_OF_COLUMNS',
    `The SELECT gives ${selected.length} columns where ${columns.length} are inserted: ${columns.map((column) => column.name).join(', ')}`,
  );
}

/** Runs an INSERT; it resolves when the rows are on disk. */
export async function insert(
  engine: Engine,
  request: Request,
  statement: InsertStatement,
  process: Process,
): Promise<Outcome> {
  const tail = statement.query === null ? valuesTail(request, statement) : null;
  // SETTINGS behind the query, or behind the rows, are written for the whole statement.
  const settings =
    statement.query === null
      ? withAssignments(request.settings, [...statement.settings, ...(tail?.settings ?? [])])
      : querySettings(request.settings, statement.query, statement.settings);
  const { target } = statement;
  // What a table function stands for may depend on the columns of the query.
  const named = 'kind' in target ? null : namedTarget(engine, request, target);
  if (named !== null && statement.partitionBy !== null)
    throw new SluiceError('BAD_ARGUMENTS', 'PARTITION BY is for INSERT INTO FUNCTION only');
  const execution = engine.execution(request, settings);
  process.finishes = statement.query === null;
  const writer =
    statement.query === null
      ? await insertData(engine, tail?.request ?? request, statement, named, execution)
      : await insertSelect(engine, request, statement, named, settings, process);
  process.progress.writtenRows = writer.rows;
  process.progress.writtenBytes = writer.bytes;
  return done(settings);
}
