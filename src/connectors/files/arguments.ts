import { SluiceError } from '../../base/index.ts';
import type { ColumnSchema } from '../../column/index.ts';
import { formatNames } from '../../formats/index.ts';
import type { TableArgument } from '../../plan/index.ts';
import { fromByteString, parseStructure } from '../../types/index.ts';
import type { S3Credentials } from './s3-client.ts';

/** What a call of file(), url() or s3() says. */
export interface ObjectCall {
  readonly name: 'file' | 'url' | 's3';
  readonly path: string;
  readonly credentials: S3Credentials | null;
  /** Null when it is to be told from the path. */
  readonly format: string | null;
  /** Null when it is to be told from the data, or from what is inserted. */
  readonly columns: readonly ColumnSchema[] | null;
  readonly compression: string;
}

const usage = {
  file: 'file(path[, format[, structure[, compression]]])',
  url: 'url(url[, format[, structure[, compression]]])',
  s3: 's3(url[, key, secret][, format[, structure[, compression]]])',
} as const;

const knownFormats = new Set(formatNames().map(({ name }) => name.toLowerCase()));

const isAuto = (text: string) => text === '' || text.toLowerCase() === 'auto';

/** Reads the arguments of a call; throws NUMBER_OF_ARGUMENTS_DOESNT_MATCH or ILLEGAL_TYPE_OF_ARGUMENT. */
export function readCall(name: ObjectCall['name'], args: readonly TableArgument[]): ObjectCall {
  const texts = args.map(({ value }) => {
    if (typeof value === 'string') return fromByteString(value);
    throw new SluiceError(
      'ILLEGAL_TYPE_OF_ARGUMENT',
      `The arguments of ${name}() are strings: ${usage[name]}`,
    );
  });
  const [path, ...rest] = texts;
  // A name of a format in second place says that no credentials are given.
  const withKey =
    name === 's3' && rest.length >= 2 && !knownFormats.has(rest[0]!.toLowerCase()) && !isAuto(rest[0]!);
  const [key, secret] = withKey ? rest.splice(0, 2) : [];
  if (path === undefined || path === '' || rest.length > 3)
    throw new SluiceError(
      'NUMBER_OF_ARGUMENTS_DOESNT_MATCH',
      `${name}() takes other arguments: ${usage[name]}`,
    );
  const [format = 'auto', structure = 'auto', compression = 'auto'] = rest;
  return {
    name,
    path,
    credentials: key === undefined || secret === undefined ? null : { key, secret },
    format: isAuto(format) ? null : format,
    columns: isAuto(structure) ? null : parseStructure(structure),
    compression,
  };
}
