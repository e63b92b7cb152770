import { type Settings, SluiceError } from '../../base/index.ts';
import type {
  ColumnDefinition,
  ExternalSink,
  ExternalSource,
  ExternalStatus,
  ExternalTable,
  ReadRequest,
  WriteRequest,
} from '../../catalog/index.ts';
import { type Block, type ColumnSchema, constantVector } from '../../column/index.ts';
import { type Codec, chooseCodec, decompressed } from '../../compression/index.ts';
import { createReader, type FormatSchemas, formatOfPath } from '../../formats/index.ts';
import { toByteString, types } from '../../types/index.ts';
import { ObjectSink } from './format-sink.ts';
import type { Location, Readable } from './location.ts';

/** Objects in a format, as a table. */
export interface FormatTableOptions {
  readonly location: Location;
  readonly columns: readonly ColumnSchema[];
  /** The name of a format; null goes by the ending of each object's name. */
  readonly format: string | null;
  /** The name of a compression, or `auto`. */
  readonly compression: string;
  readonly schemas: FormatSchemas;
  /** Whether a column behind the others says into which object a row goes. */
  readonly partitioned: boolean;
}

export const partitionColumn = '_partition_id';

const virtualColumns: readonly ColumnSchema[] = [
  { name: '_path', type: types.string },
  { name: '_file', type: types.string },
];

/** The format of an object; throws BAD_ARGUMENTS when its name does not tell. */
export function formatOf(format: string | null, name: string): string {
  const found = format ?? formatOfPath(name);
  if (found !== undefined) return found;
  throw new SluiceError(
    'BAD_ARGUMENTS',
    `The format of '${name}' cannot be told from its name: name a format`,
  );
}

/** The content of an object, decompressed; errors say which object it was. */
export async function* contentOf(
  object: Readable,
  codec: Codec | null,
): AsyncGenerator<Uint8Array, void, void> {
  yield* decompressed(object.read(), codec);
}

async function* readBlocks(
  options: FormatTableOptions,
  request: ReadRequest,
): AsyncGenerator<Block, void, void> {
  const { location, columns, format, compression, schemas } = options;
  const own = columns.map((column) => ({ ...column, hasDefault: false }));
  const wanted = (block: Block, object: Readable): Block => ({
    rows: block.rows,
    vectors: request.columns.map((place) => {
      if (place < own.length) return block.vectors[place]!;
      const text = place === own.length ? object.path : object.name;
      return constantVector(types.string, toByteString(text), block.rows);
    }),
  });
  for (const object of await location.find(request)) {
    try {
      const reader = createReader(formatOf(format, object.name), own, request.settings, { schemas });
      for await (const chunk of contentOf(object, chooseCodec(compression, object.name)))
        for (const { block } of reader.push(chunk)) yield wanted(block, object);
      for (const { block } of reader.finish()) yield wanted(block, object);
    } catch (thrown) {
      if (!(thrown instanceof SluiceError) || request.signal.aborted) throw thrown;
      throw thrown.within(`while reading '${object.path}'`);
    }
  }
}

class ObjectSource implements ExternalSource {
  readonly position = undefined;
  readonly #blocks: AsyncGenerator<Block, void, void>;
  readonly #controller = new AbortController();

  constructor(options: FormatTableOptions, request: ReadRequest) {
    const signal = AbortSignal.any([request.signal, this.#controller.signal]);
    this.#blocks = readBlocks(options, { ...request, signal });
  }

  async next(): Promise<Block | null> {
    const step = await this.#blocks.next();
    return step.done === true ? null : step.value;
  }

  close(): void {
    this.#controller.abort(new SluiceError('QUERY_WAS_CANCELLED', 'The rows are no longer wanted'));
    this.#blocks.return().catch(() => {});
  }
}

/** The table that a call of file(), url() or s3() stands for. */
export class FormatTable implements ExternalTable {
  readonly type: string;
  readonly columns: readonly ColumnDefinition[];
  readonly virtualColumns = virtualColumns;
  readonly endless = false;
  readonly shownSettings = {};
  readonly #options: FormatTableOptions;

  constructor(options: FormatTableOptions) {
    this.#options = options;
    this.type = options.location.type;
    this.columns = options.columns.map(({ name, type }) => ({ name, type, defaultText: null, comment: '' }));
  }

  read(request: ReadRequest): ExternalSource {
    return new ObjectSource(this.#options, request);
  }

  write(request: WriteRequest): ExternalSink {
    return new ObjectSink(this.#options, request);
  }

  status(): ExternalStatus {
    return { state: 'idle', error: '' };
  }

  async close(): Promise<void> {}
}

/** The settings that say what becomes of an object that is there already. */
export function truncates(type: Location['type'], settings: Settings): boolean {
  return type === 's3' ? settings.s3_truncate_on_insert : settings.engine_file_truncate_on_insert;
}
