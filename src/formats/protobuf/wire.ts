import { SluiceError } from '../../base/index.ts';

/** How the bytes of a field are delimited. */
export const wire = { varint: 0, fixed64: 1, delimited: 2, groupStart: 3, groupEnd: 4, fixed32: 5 } as const;

const groupDepthMax = 100;

/** The bytes of a message and the place of a decoder in them. */
export class MessageCursor {
  bytes: Buffer = Buffer.alloc(0);
  view: DataView = new DataView(new ArrayBuffer(0));
  at = 0;
  /** Where the innermost message ends. */
  end = 0;
  /** The column being read; -1 between columns. */
  column = -1;

  fail(): never {
    throw new SluiceError('INCORRECT_DATA', 'The message ends inside a field');
  }

  /** Moves past so many bytes, and gives where they start. */
  take(bytes: number): number {
    const start = this.at;
    if (!(start + bytes <= this.end)) this.fail();
    this.at = start + bytes;
    return start;
  }
}

/** The halves of the last varint that was read. */
let low = 0;
let high = 0;

/** Reads a varint of up to 64 bits into `low` and `high`. */
function readHalves(cursor: MessageCursor): void {
  low = 0;
  high = 0;
  for (let shift = 0; shift < 70; shift += 7) {
    const byte = cursor.bytes[cursor.take(1)]!;
    const part = byte & 127;
    if (shift < 28) low |= part << shift;
    else if (shift === 28) {
      low |= part << 28;
      high |= part >>> 4;
    } else high |= part << (shift - 32);
    if (byte < 128) return;
  }
  throw new SluiceError('INCORRECT_DATA', 'An integer takes more than ten bytes');
}

const two32 = 4_294_967_296;

function unsigned(upper: number, lower: number): number | bigint {
  const value = (upper >>> 0) * two32 + (lower >>> 0);
  return value <= Number.MAX_SAFE_INTEGER ? value : (BigInt(upper >>> 0) << 32n) | BigInt(lower >>> 0);
}

function signed(upper: number, lower: number): number | bigint {
  if (upper >= 0) return unsigned(upper, lower);
  const negated = unsigned(~upper, ~lower);
  return typeof negated === 'number' && negated < Number.MAX_SAFE_INTEGER
    ? -negated - 1
    : -BigInt(negated) - 1n;
}

export function readUint64(cursor: MessageCursor): number | bigint {
  readHalves(cursor);
  return unsigned(high, low);
}

export function readInt64(cursor: MessageCursor): number | bigint {
  readHalves(cursor);
  return signed(high, low);
}

export function readSint64(cursor: MessageCursor): number | bigint {
  readHalves(cursor);
  const mask = -(low & 1);
  const lower = ((low >>> 1) | (high << 31)) ^ mask;
  return signed((high >>> 1) ^ mask, lower);
}

export function readUint32(cursor: MessageCursor): number {
  readHalves(cursor);
  return low >>> 0;
}

export function readInt32(cursor: MessageCursor): number {
  readHalves(cursor);
  return low | 0;
}

export function readSint32(cursor: MessageCursor): number {
  readHalves(cursor);
  return (low >>> 1) ^ -(low & 1);
}

export function readBool(cursor: MessageCursor): number {
  readHalves(cursor);
  return (low | high) === 0 ? 0 : 1;
}

export function readFixed64(cursor: MessageCursor): number | bigint {
  const start = cursor.take(8);
  return unsigned(cursor.view.getInt32(start + 4, true), cursor.view.getInt32(start, true));
}

export function readSfixed64(cursor: MessageCursor): number | bigint {
  const start = cursor.take(8);
  return signed(cursor.view.getInt32(start + 4, true), cursor.view.getInt32(start, true));
}

export const readFixed32 = (cursor: MessageCursor): number => cursor.view.getUint32(cursor.take(4), true);
export const readSfixed32 = (cursor: MessageCursor): number => cursor.view.getInt32(cursor.take(4), true);
export const readFloat = (cursor: MessageCursor): number => cursor.view.getFloat32(cursor.take(4), true);
export const readDouble = (cursor: MessageCursor): number => cursor.view.getFloat64(cursor.take(8), true);

/** A length, checked against what is left of the message. */
export function readLength(cursor: MessageCursor): number {
  readHalves(cursor);
  const length = low >>> 0;
  if (high !== 0 || length > cursor.end - cursor.at) cursor.fail();
  return length;
}

export function readString(cursor: MessageCursor): string {
  const length = readLength(cursor);
  const start = cursor.take(length);
  return cursor.bytes.latin1Slice(start, start + length);
}

/** Passes over the value of a field that nobody wants. */
export function skipField(cursor: MessageCursor, tag: number, depth = 0): void {
  switch (tag & 7) {
    case wire.varint:
      readHalves(cursor);
      return;
    case wire.fixed64:
      cursor.take(8);
      return;
    case wire.delimited:
      cursor.take(readLength(cursor));
      return;
    case wire.fixed32:
      cursor.take(4);
      return;
    case wire.groupStart: {
      if (depth > groupDepthMax)
        throw new SluiceError('INCORRECT_DATA', 'The message has groups nested too deep');
      for (;;) {
        const inner = readUint32(cursor);
        if ((inner & 7) === wire.groupEnd) {
          if (inner >>> 3 === tag >>> 3) return;
          throw new SluiceError('INCORRECT_DATA', 'A group in the message does not end');
        }
        skipField(cursor, inner, depth + 1);
      }
    }
    default:
      throw new SluiceError('INCORRECT_DATA', `A field of the message has the wire type ${tag & 7}`);
  }
}
