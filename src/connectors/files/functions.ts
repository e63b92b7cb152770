import { type Clock, type Settings, SluiceError } from '../../base/index.ts';
import type { ExternalTable } from '../../catalog/index.ts';
import type { ColumnSchema } from '../../column/index.ts';
import { chooseCodec } from '../../compression/index.ts';
import type { UserFiles } from '../../files/index.ts';
import { type FormatSchemas, hasOuterSchema, inferColumns, inputFormat } from '../../formats/index.ts';
import type { TableArgument, TableFunctions } from '../../plan/index.ts';
import type { OutsidePolicy } from '../outside-policy.ts';
import { type ObjectCall, readCall } from './arguments.ts';
import { DiskLocation } from './disk.ts';
import { contentOf, FormatTable, formatOf } from './format-table.ts';
import { OutsideClient } from './http-client.ts';
import type { AccessContext, Location } from './location.ts';
import { S3Location } from './s3.ts';
import { WebLocation } from './web.ts';

const sampleBytes = 262_144;
/** Milliseconds that the columns of an object are kept after they were found, for the statement that wants them. */
const keptMilliseconds = 5_000;

/** Thrown when the columns of an object have to be looked at before a statement can be planned. */
export class StructureWanted extends Error {
  /** The name of the table function. */
  readonly functionName: string;
  /** The settings of the statement, once they are known. */
  settings: Settings | null = null;
  /** Looks at the object; the statement can then be planned again. */
  readonly find: (settings: Settings, signal: AbortSignal) => Promise<void>;

  constructor(functionName: string, find: (settings: Settings, signal: AbortSignal) => Promise<void>) {
    super(`the columns of ${functionName}() have to be found`);
    this.functionName = functionName;
    this.find = find;
  }
}

/** What table functions over objects need of the server. */
export interface ObjectServices {
  readonly clock: Clock;
  readonly userFiles: UserFiles;
  readonly schemas: FormatSchemas;
  readonly outside: OutsidePolicy;
}

const names = ['file', 'url', 's3'] as const;

function isObjectFunction(name: string): name is ObjectCall['name'] {
  return (names as readonly string[]).includes(name);
}

async function sampleOf(chunks: AsyncIterable<Uint8Array>): Promise<{ sample: Buffer; isWhole: boolean }> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    size += chunk.length;
    if (size >= sampleBytes) return { sample: Buffer.concat(parts), isWhole: false };
  }
  return { sample: Buffer.concat(parts), isWhole: true };
}

/** The table functions file(), url() and s3(), as sources and as targets. */
export class ObjectFunctions implements TableFunctions {
  readonly names: readonly string[] = names;
  readonly #services: ObjectServices;
  readonly #client: OutsideClient;
  readonly #structures = new Map<string, { columns: readonly ColumnSchema[]; until: number }>();

  constructor(services: ObjectServices) {
    this.#services = services;
    this.#client = new OutsideClient(services.outside);
  }

  #location(call: ObjectCall): Location {
    switch (call.name) {
      case 'file':
        return new DiskLocation(call.path, this.#services.userFiles);
      case 'url':
        return new WebLocation(call.path, this.#client);
      case 's3':
        return new S3Location(call.path, call.credentials, this.#client);
    }
  }

  /** Throws StructureWanted when the call leaves the columns to be found. */
  call(name: string, args: readonly TableArgument[]): ExternalTable {
    if (!isObjectFunction(name))
      throw new SluiceError('UNKNOWN_FUNCTION', `Unknown table function '${name}'`);
    const call = readCall(name, args);
    if (call.format !== null) inputFormat(call.format);
    chooseCodec(call.compression, call.path);
    return this.#table(call, call.columns ?? this.#found(call), false);
  }

  /** The table that rows are inserted into; `columns` are theirs, for a call that leaves them out. */
  target(
    name: string,
    args: readonly TableArgument[],
    columns: readonly ColumnSchema[] | null,
    partitioned: boolean,
  ): ExternalTable {
    const folded = name.toLowerCase();
    if (!isObjectFunction(folded))
      throw new SluiceError(
        'NOT_IMPLEMENTED',
        `INSERT INTO FUNCTION ${name} is not supported: ${names.join(', ')} are`,
      );
    const call = readCall(folded, args);
    const wanted = call.columns ?? columns;
    if (wanted === null)
      throw new SluiceError(
        'BAD_ARGUMENTS',
        `INSERT INTO FUNCTION ${name} of data needs a structure as argument`,
      );
    const hasPlace = call.path.includes('{_partition_id}');
    if (partitioned !== hasPlace) {
      throw new SluiceError(
        'BAD_ARGUMENTS',
        partitioned
          ? `PARTITION BY needs {_partition_id} in the path '${call.path}'`
          : 'The path has {_partition_id}, and there is no PARTITION BY',
      );
    }
    return this.#table(call, wanted, partitioned);
  }

  #table(call: ObjectCall, columns: readonly ColumnSchema[], partitioned: boolean): FormatTable {
    const { format, compression } = call;
    const { schemas } = this.#services;
    return new FormatTable({
      location: this.#location(call),
      columns,
      format,
      compression,
      schemas,
      partitioned,
    });
  }

  #found(call: ObjectCall): readonly ColumnSchema[] {
    const key = JSON.stringify(call);
    const now = this.#services.clock.monotonic();
    for (const [known, { until }] of this.#structures) if (until < now) this.#structures.delete(known);
    const found = this.#structures.get(key);
    if (found !== undefined) return found.columns;
    throw new StructureWanted(call.name, async (settings, signal) => {
      const columns = await this.#find(call, settings, { clock: this.#services.clock, signal });
      this.#structures.set(key, { columns, until: this.#services.clock.monotonic() + keptMilliseconds });
    });
  }

  async #find(
    call: ObjectCall,
    settings: Settings,
    context: AccessContext,
  ): Promise<readonly ColumnSchema[]> {
    const { schemas } = this.#services;
    const location = this.#location(call);
    if (call.format !== null && hasOuterSchema(inputFormat(call.format)))
      return inferColumns({
        format: inputFormat(call.format),
        sample: null,
        isWhole: true,
        settings,
        schemas,
      });
    // What is read no further is let go of.
    const controller = new AbortController();
    const signal = AbortSignal.any([context.signal, controller.signal]);
    const [object] = await location.find({ ...context, signal });
    try {
      const format = inputFormat(formatOf(call.format, object!.name));
      const { sample, isWhole } = await sampleOf(
        contentOf(object!, chooseCodec(call.compression, object!.name)),
      );
      return inferColumns({ format, sample, isWhole, settings, schemas });
    } catch (thrown) {
      if (!(thrown instanceof SluiceError)) throw thrown;
      throw thrown.within(`while looking at '${object!.path}'`);
    } finally {
      controller.abort();
    }
  }
}
