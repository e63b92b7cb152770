export type { BlockReader, ReadBlock, ReaderColumn, ReaderOptions } from './block-reader.ts';
export type { BlockWriter, WriteSummary } from './block-writer.ts';
export type { FormatSchemas } from './format-schemas.ts';
export { hasOuterSchema, inferColumns } from './infer.ts';
export { sameLayout } from './native-layout.ts';
export { parseProtobufSchema } from './protobuf/schema.ts';
export {
  createReader,
  createWriter,
  type FormatName,
  formatNames,
  formatOfPath,
  inputFormat,
  outputFormat,
} from './registry.ts';
export { type JsonOptions, jsonFormatter, jsonOptions } from './write/json-text.ts';
