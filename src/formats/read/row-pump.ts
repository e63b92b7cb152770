import { isUtf8 } from 'node:buffer';
import { SluiceError, toSluiceError } from '../../base/index.ts';
import { sliceBlock } from '../../column/index.ts';
import type { BlockReader, ReadBlock } from '../block-reader.ts';
import type { BlockAssembler } from './block-assembler.ts';
import { type InputCursor, NeedMoreInput } from './input-cursor.ts';

/** Bytes taken from a chunk at a time: few enough to stay in the processor's cache while they are parsed. */
const sliceBytes = 131_072;
/** An unfinished row longer than this is tried again only when it has grown by half, so that the work stays linear. */
const eagerBytes = 1_048_576;

/** The part of a reader that knows the format. */
export interface RowSource {
  /** Whether the format is text that must be UTF-8. */
  readonly mustBeUtf8: boolean;
  /**
   * Reads rows into the sinks from `cursor.row` on, moving `cursor.row` and `cursor.rowStart` after each, until there are
   * `rowsMax` rows or no input is left; throws NeedMoreInput inside a row that is not complete.
   */
  readRows(cursor: InputCursor, rowsMax: number): void;
  /** Moves `cursor.rowStart` past the row that failed; false when its end has not come yet. */
  skipRow(cursor: InputCursor): boolean;
  /** Called before the last bytes are read; may add what the format needs at its end. */
  beforeEnd?(cursor: InputCursor): void;
  /** Called when all input was read; throws when something is missing at the end. */
  end?(cursor: InputCursor): void;
  /** Makes ready for an input of its own after one that has ended. */
  restart?(): void;
}

/** Bytes at the end that begin a character of UTF-8 without finishing it. */
function incompleteTail(bytes: Uint8Array, end: number): number {
  for (let back = 1; back <= 3 && back <= end; back++) {
    const byte = bytes[end - back]!;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? back : 0;
    }
  }
  return 0;
}

/** Where the first byte stands that is not UTF-8: the halves are asked until few bytes are left. */
function firstInvalid(bytes: Uint8Array, from: number, to: number): number {
  let low = from;
  let high = to;
  while (high - low > 8) {
    let middle = (low + high) >>> 1;
    middle -= incompleteTail(bytes.subarray(low, middle), middle - low);
    if (middle <= low) break;
    if (isUtf8(bytes.subarray(low, middle))) low = middle;
    else high = middle;
  }
  while (low < high && bytes[low]! < 0x80) low++;
  return low;
}

/** Drives a format's row source over chunks of any size and gathers the blocks. */
export class RowPump implements BlockReader {
  readonly #cursor: InputCursor;
  readonly #source: RowSource;
  readonly #assembler: BlockAssembler;
  readonly #errorsAllowed: number;
  #errors = 0;
  #blocks: ReadBlock[] = [];
  #rowsBefore = 0;
  /** Rows of the inputs before the one that is being read. */
  #rowsOfOthers = 0;
  #takesMessages = false;
  #validTo = 0;
  #waitFor = 0;

  constructor(cursor: InputCursor, source: RowSource, assembler: BlockAssembler, errorsAllowed: number) {
    this.#cursor = cursor;
    this.#source = source;
    this.#assembler = assembler;
    this.#errorsAllowed = errorsAllowed;
  }

  push(chunk: Uint8Array): ReadBlock[] {
    for (let from = 0; from < chunk.length; from += sliceBytes) {
      const cursor = this.#cursor;
      this.#validTo = Math.max(0, this.#validTo - cursor.rowStart);
      cursor.append(chunk.length <= sliceBytes ? chunk : chunk.subarray(from, from + sliceBytes));
      if (cursor.end >= this.#waitFor) this.#drain();
    }
    return this.#takeBlocks();
  }

  finish(): ReadBlock[] {
    const cursor = this.#cursor;
    // Messages have ended one by one.
    if (!this.#takesMessages) {
      this.#source.beforeEnd?.(cursor);
      cursor.final = true;
      this.#drain();
      this.#endInput();
    }
    if (cursor.row > 0) this.#flush();
    return this.#takeBlocks();
  }

  message(bytes: Uint8Array): number {
    const cursor = this.#cursor;
    const [row, blocks] = [cursor.row, this.#blocks.length];
    this.#takesMessages = true;
    this.#rowsOfOthers = this.#rowsBefore + row;
    this.#source.restart?.();
    cursor.final = false;
    this.#validTo = 0;
    this.#waitFor = 0;
    try {
      cursor.append(bytes);
      this.#source.beforeEnd?.(cursor);
      cursor.final = true;
      this.#drain();
      this.#endInput();
    } catch (thrown) {
      cursor.rowStart = cursor.end;
      this.#takeBack(row, blocks);
      throw thrown;
    }
    return this.#rowsBefore + cursor.row - this.#rowsOfOthers;
  }

  #endInput(): void {
    try {
      this.#source.end?.(this.#cursor);
    } catch (thrown) {
      throw this.#located(thrown);
    }
  }

  /** Gives up rows from a row on that stood in the block in the making when so many blocks were finished. */
  #takeBack(row: number, blocks: number): void {
    const cursor = this.#cursor;
    for (let each = cursor.row; each >= (this.#blocks.length === blocks ? row : 0); each--)
      this.#assembler.discard(each);
    if (this.#blocks.length === blocks) {
      cursor.row = row;
      return;
    }
    // The block that the input began in has been finished meanwhile.
    const [first] = this.#blocks.splice(blocks);
    cursor.row = 0;
    this.#rowsBefore -= first!.block.rows - row;
    if (row === 0) return;
    const omitted = first!.omitted.map((mask) => mask?.slice(0, row) ?? null);
    this.#blocks.push({ block: sliceBlock(first!.block, 0, row), omitted });
  }

  #takeBlocks(): ReadBlock[] {
    const blocks = this.#blocks;
    this.#blocks = [];
    return blocks;
  }

  #flush(): void {
    const cursor = this.#cursor;
    this.#blocks.push(this.#assembler.finish(cursor.row));
    this.#rowsBefore += cursor.row;
    cursor.row = 0;
  }

  #drain(): void {
    const cursor = this.#cursor;
    const invalid = this.#source.mustBeUtf8 ? this.#invalidAt() : -1;
    if (invalid >= 0) {
      cursor.end = invalid;
      cursor.bytes.fill(0, invalid, Math.min(cursor.bytes.length, invalid + 16));
      cursor.final = false;
    }
    this.#readAll();
    if (invalid >= 0) {
      cursor.column = -1;
      throw this.#located(new SluiceError('INCORRECT_DATA', 'The input is not valid UTF-8'));
    }
    if (this.#assembler.isHeavy(cursor.row)) this.#flush();
    this.#waitFor = cursor.pending > eagerBytes ? cursor.pending * 1.5 : 0;
  }

  #readAll(): void {
    const cursor = this.#cursor;
    for (;;) {
      try {
        this.#source.readRows(cursor, this.#assembler.capacity);
      } catch (thrown) {
        if (thrown instanceof NeedMoreInput) return;
        if (!this.#skipBadRow(thrown)) return;
        continue;
      }
      if (cursor.row < this.#assembler.capacity) return;
      if (!this.#assembler.grow()) this.#flush();
    }
  }

  /** Passes over a row that failed while that is allowed; false when its end has not come yet. */
  #skipBadRow(thrown: unknown): boolean {
    const cursor = this.#cursor;
    if (!(thrown instanceof SluiceError) || this.#errors >= this.#errorsAllowed) throw this.#located(thrown);
    if (!this.#source.skipRow(cursor)) {
      if (cursor.final) throw this.#located(thrown);
      return false;
    }
    this.#errors++;
    this.#assembler.discard(cursor.row);
    return true;
  }

  /** Checks what came since the last time; -1 when it is all UTF-8. */
  #invalidAt(): number {
    const { bytes, end, final } = this.#cursor;
    const to = final ? end : end - incompleteTail(bytes, end);
    const from = this.#validTo;
    if (to <= from || isUtf8(bytes.subarray(from, to))) {
      this.#validTo = Math.max(from, to);
      return -1;
    }
    return firstInvalid(bytes, from, to);
  }

  /** The error with the row (counted from 1) and the column where it happened. */
  #located(thrown: unknown): SluiceError {
    const error = toSluiceError(thrown);
    const { row, column } = this.#cursor;
    const name = column < 0 ? '' : `, column '${this.#assembler.columns[column]!.name}'`;
    const errorName = error.errorName === 'CANNOT_PARSE_TEXT' ? 'CANNOT_PARSE_INPUT' : error.errorName;
    return new SluiceError(
      errorName,
      `Cannot read the input at row ${this.#rowsBefore + row + 1 - this.#rowsOfOthers}${name}: ${error.message}`,
      { cause: thrown },
    );
  }
}
