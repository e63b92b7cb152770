import { isUtf8 } from 'node:buffer';
import {
  type Block,
  bytesFromStrings,
  type ColumnSchema,
  type Dictionary,
  sliceVector,
  type Vector,
  vectorReader,
} from '../../column/index.ts';
import {
  bareType,
  fromByteString,
  type SqlType,
  type TextFormatter,
  toByteString,
} from '../../types/index.ts';
import type { Output } from './output.ts';
import {
  compileRows,
  type EncodedStrings,
  type FieldSource,
  type RowTemplate,
  rowCodeKey,
  type WriteRows,
} from './row-code.ts';
import type { ValueStyle } from './value-style.ts';

/** Blocks with fewer rows are not worth code that is not there yet. */
const compiledRowsMin = 64;

/** Compiled row writers by what they depend on, the ones used last at the end. */
const compiled = new Map<string, WriteRows>();
const compiledMax = 512;

function compiledRows(key: string, make: () => WriteRows): WriteRows {
  let rows = compiled.get(key);
  if (rows === undefined) {
    rows = make();
    if (compiled.size >= compiledMax) {
      const [oldest] = compiled.keys();
      compiled.delete(oldest!);
    }
  } else {
    compiled.delete(key);
  }
  compiled.set(key, rows);
  return rows;
}

/** Byte strings end to end, as the generated code copies them. */
function encodeStrings(strings: readonly string[]): EncodedStrings {
  const offsets = new Uint32Array(strings.length + 1);
  for (let code = 0; code < strings.length; code++)
    offsets[code + 1] = offsets[code]! + strings[code]!.length;
  const bytes = Buffer.alloc(offsets[strings.length]! + 8);
  for (let code = 0; code < strings.length; code++) bytes.latin1Write(strings[code]!, offsets[code]!);
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offsets };
}

/** The vector with bytes that are not UTF-8 replaced by U+FFFD. */
function utf8Vector(vector: Vector): Vector {
  if (vector.kind !== 'bytes') return vector;
  const { offsets, data, length } = vector;
  if (isUtf8(data.subarray(offsets[0]!, offsets[length]!)) && startsWhole(offsets, data, length))
    return vector;
  const read = vectorReader({ ...vector, nulls: null });
  const strings = Array.from({ length }, (_, row) => toByteString(fromByteString(read(row) as string)));
  return bytesFromStrings(strings, vector.nulls);
}

/** Whether no string begins inside a character: all may be valid end to end although single ones are not. */
function startsWhole(offsets: Uint32Array, data: Uint8Array, rows: number): boolean {
  for (let row = 0; row < rows; row++) {
    const start = offsets[row]!;
    if (start < offsets[rows]! && (data[start]! & 0xc0) === 0x80) return false;
  }
  return true;
}

interface FieldState {
  readonly type: SqlType;
  readonly text: TextFormatter;
  dictionary: Dictionary | undefined;
  encoded: EncodedStrings | undefined;
}

/** Writes the rows of blocks of one schema into an output. */
export class RowWriter {
  readonly #style: ValueStyle;
  readonly #template: RowTemplate;
  readonly #types: readonly SqlType[];
  readonly #fields: readonly FieldState[];
  readonly #before: readonly string[];
  readonly #after: string;
  readonly #separator: string;

  constructor(schema: readonly ColumnSchema[], style: ValueStyle, template: RowTemplate) {
    this.#style = style;
    this.#template = template;
    this.#types = schema.map((column) => column.type);
    this.#fields = this.#types.map((type) => ({
      type,
      text: style.text(type),
      dictionary: undefined,
      encoded: undefined,
    }));
    const text = (bytes: Uint8Array) => Buffer.from(bytes).latin1Slice();
    this.#before = template.before.map(text);
    this.#after = text(template.after);
    this.#separator = text(template.separator);
  }

  /** Writes all rows; `separated` says that rows were written before, so that the separator comes first. */
  write(out: Output, block: Block, separated: boolean): void {
    if (block.rows === 0) return;
    const vectors = this.#style.mustBeUtf8 ? block.vectors.map(utf8Vector) : block.vectors;
    if (block.rows < compiledRowsMin) {
      this.#writeAsText(out, vectors, block.rows, separated);
      return;
    }
    const key = rowCodeKey(this.#types, vectors, this.#style, this.#template);
    const rows = compiledRows(key, () => compileRows(this.#types, vectors, this.#style, this.#template));
    const sources = vectors.map((vector, index) => this.#source(vector, this.#fields[index]!));
    rows(out, sources, block.rows, separated);
  }

  #source(vector: Vector, field: FieldState): FieldSource {
    const read = vectorReader(vector);
    const text = (row: number) => field.text(read(row));
    const { kind } = bareType(field.type);
    if (vector.kind !== 'dictionary' || (kind !== 'string' && kind !== 'fixed_string')) {
      return { vector, encoded: undefined, text };
    }
    if (field.dictionary !== vector.dictionary) {
      field.dictionary = vector.dictionary;
      field.encoded = encodeStrings(vector.dictionary.strings.map(field.text));
    }
    return { vector, encoded: field.encoded, text };
  }

  /** Writes one row without a separator. */
  writeRow(out: Output, block: Block, row: number): void {
    this.#writeAsText(
      out,
      block.vectors.map((vector) => sliceVector(vector, row, row + 1)),
      1,
      false,
    );
  }

  #writeAsText(out: Output, vectors: readonly Vector[], rows: number, separated: boolean): void {
    const readers = vectors.map(vectorReader);
    let text = '';
    for (let row = 0; row < rows; row++) {
      if (row > 0 || separated) text += this.#separator;
      for (let column = 0; column < readers.length; column++) {
        const value = readers[column]!(row);
        text +=
          this.#before[column]! + (value === null ? this.#style.nullText : this.#fields[column]!.text(value));
      }
      text += this.#after;
    }
    out.write(text);
  }
}

/** The bytes around values: `open` first, `between` values, each behind the text in `labels` when given, `close` last. */
export function rowTemplate(
  columns: number,
  texts: { open: string; between: string; close: string; separator?: string; labels?: readonly string[] },
): RowTemplate {
  const before = Array.from({ length: columns }, (_, column) =>
    Buffer.from((column === 0 ? texts.open : texts.between) + (texts.labels?.[column] ?? ''), 'latin1'),
  );
  const after = Buffer.from(columns === 0 ? texts.open + texts.close : texts.close, 'latin1');
  return { before, after, separator: Buffer.from(texts.separator ?? '', 'latin1') };
}
