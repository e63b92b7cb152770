import { SluiceError } from '../../base/index.ts';
import type { ExternalSink, WriteRequest } from '../../catalog/index.ts';
import { type Block, gatherBlock, vectorReader } from '../../column/index.ts';
import { Compressor, chooseCodec } from '../../compression/index.ts';
import { type BlockWriter, createWriter } from '../../formats/index.ts';
import { fromByteString } from '../../types/index.ts';
import { type FormatTableOptions, formatOf, partitionColumn, truncates } from './format-table.ts';
import type { ObjectWriter } from './location.ts';

/** Objects that one INSERT may write. */
const objectsMax = 1_000;
/** Names that a partition may give to a part of a path. */
const partitionPattern = /^[^\p{Cc}/\\{}*?]+$/u;
/** Codecs whose files may stand one behind the other. */
const joined = new Set(['gzip', 'zstd', 'lz4']);

/** Writes rows as one object. */
class ObjectOutput {
  readonly #object: ObjectWriter;
  readonly #writer: BlockWriter;
  readonly #compressor: Compressor | null;
  #rows = 0;

  constructor(object: ObjectWriter, writer: BlockWriter, compressor: Compressor | null) {
    this.#object = object;
    this.#writer = writer;
    this.#compressor = compressor;
  }

  async #write(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) return;
    for (const part of this.#compressor === null ? [bytes] : await this.#compressor.write(bytes))
      await this.#object.write(part);
  }

  async start(): Promise<void> {
    await this.#write(this.#writer.start());
  }

  async add(block: Block): Promise<void> {
    this.#rows += block.rows;
    await this.#write(this.#writer.block(block));
  }

  /** Writes what comes behind the rows; the object is then whole, and not yet seen. */
  async finish(): Promise<void> {
    await this.#write(this.#writer.finish({ rows: this.#rows }));
    for (const part of (await this.#compressor?.end()) ?? []) await this.#object.write(part);
  }

  commit(): Promise<void> {
    return this.#object.commit();
  }

  async abort(): Promise<void> {
    this.#compressor?.close();
    await this.#object.abort();
  }
}

/** Writes rows as objects, which are seen once all rows are there. */
export class ObjectSink implements ExternalSink {
  readonly #options: FormatTableOptions;
  readonly #request: WriteRequest;
  readonly #outputs = new Map<string, ObjectOutput>();
  #flushed = false;

  constructor(options: FormatTableOptions, request: WriteRequest) {
    this.#options = options;
    this.#request = request;
  }

  async #output(partition: string | null): Promise<ObjectOutput> {
    const known = this.#outputs.get(partition ?? '');
    if (known !== undefined) return known;
    if (this.#outputs.size >= objectsMax)
      throw new SluiceError('BAD_ARGUMENTS', `PARTITION BY gives more than ${objectsMax} objects`);
    const { location, columns, format, compression, schemas } = this.#options;
    const { settings } = this.#request;
    const name =
      partition === null ? location.shown : location.shown.replaceAll('{_partition_id}', partition);
    const formatName = formatOf(format, name);
    const codec = chooseCodec(compression, name);
    const writer = createWriter(formatName, columns, settings, schemas);
    const compressor = codec === null ? null : new Compressor(codec);
    const plain = writer.start().length === 0 && writer.finish().length === 0 && formatName !== 'Values';
    const mode = {
      truncate: truncates(location.type, settings),
      appendable: plain && (codec === null || joined.has(codec.name)),
    };
    const object = await location.create(partition, mode, this.#request);
    const output = new ObjectOutput(object, createWriter(formatName, columns, settings, schemas), compressor);
    this.#outputs.set(partition ?? '', output);
    await output.start();
    return output;
  }

  async add(block: Block): Promise<void> {
    if (!this.#options.partitioned) {
      await (await this.#output(null)).add(block);
      return;
    }
    const width = this.#options.columns.length;
    const partitionOf = vectorReader(block.vectors[width]!);
    const rows = { rows: block.rows, vectors: block.vectors.slice(0, width) };
    const places = new Map<string, number[]>();
    for (let row = 0; row < block.rows; row++) {
      const partition = partitionOf(row) as string;
      const list = places.get(partition);
      if (list === undefined) places.set(partition, [row]);
      else list.push(row);
    }
    for (const [partition, list] of places) {
      const name = fromByteString(partition);
      if (!partitionPattern.test(name) || name === '.' || name === '..')
        throw new SluiceError(
          'BAD_ARGUMENTS',
          `PARTITION BY gives '${name}', which cannot be part of a name (${partitionColumn})`,
        );
      await (await this.#output(name)).add(gatherBlock(rows, Uint32Array.from(list)));
    }
  }

  async flush(): Promise<void> {
    // An INSERT of no rows still leaves an object, with what its format has without rows.
    if (this.#outputs.size === 0 && !this.#options.partitioned) await this.#output(null);
    for (const output of this.#outputs.values()) await output.finish();
    for (const output of this.#outputs.values()) await output.commit();
    this.#flushed = true;
  }

  async abort(): Promise<void> {
    // One that cannot be taken back must not keep the others.
    await Promise.allSettled([...this.#outputs.values()].map((output) => output.abort()));
  }

  async close(): Promise<void> {
    if (!this.#flushed) await this.abort();
  }
}
