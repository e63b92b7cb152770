import { crc32 } from 'node:zlib';
import { Packr } from 'msgpackr';

const magic = 0x454c5553;
const headBytes = 16;

/** Values of any shape: objects, maps, sets, dates, byte arrays, bigints of any size. */
const packr = new Packr({ structuredClone: true, useBigIntExtension: true, copyBuffers: true });

export function packValue(value: unknown): Uint8Array {
  return Uint8Array.from(packr.pack(value));
}

export function unpackValue(bytes: Uint8Array): unknown {
  return packr.unpack(bytes);
}

/** A value as bytes that tell whether they are whole: magic, length, CRC-32, msgpack. */
export function encodeEnvelope(value: unknown): Uint8Array {
  const packed = packr.pack(value);
  const bytes = new Uint8Array(headBytes + packed.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, magic, true);
  view.setUint32(4, packed.length, true);
  view.setUint32(8, crc32(packed), true);
  bytes.set(packed, headBytes);
  return bytes;
}

/** The value in an envelope; undefined when the bytes are damaged. */
export function decodeEnvelope(bytes: Uint8Array): { readonly value: unknown } | undefined {
  if (bytes.length < headBytes) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const packed = bytes.subarray(headBytes);
  if (view.getUint32(0, true) !== magic || view.getUint32(4, true) !== packed.length) return undefined;
  if (view.getUint32(8, true) !== crc32(packed)) return undefined;
  return { value: packr.unpack(packed) };
}
