import { settingsFrom, systemClock } from '../src/base/index.ts';
import type { Block } from '../src/column/index.ts';
import { createReader, createWriter } from '../src/formats/index.ts';
import { parseType } from '../src/types/index.ts';

/*
 * Reads and writes a million rows of five columns in the row formats. The baseline for reading is JSON.parse line by
 * line, which makes an object for each row and no columns at all.
 */
const rows = Number(process.argv[2] ?? 1_000_000);
const turns = 3;
const chunkBytes = 65_536;

const columns = [
  ['id', 'int64'],
  ['device', 'string'],
  ['temperature', 'float64'],
  ['time', 'datetime'],
  ['ok', 'bool'],
].map(([name, type]) => ({ name: name!, type: parseType(type!), hasDefault: false }));

let seed = 1;
function random(): number {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
  return seed / 0x7fffffff;
}

function document(): Buffer {
  const parts: Buffer[] = [];
  for (let row = 0; row < rows; row++) {
    const time = new Date(1_704_067_200_000 + Math.floor(random() * 3e9))
      .toISOString()
      .slice(0, 19)
      .replace('T', ' ');
    const text = `{"id":${row},"device":"device_${Math.floor(random() * 100)}","temperature":${(random() * 100).toFixed(2)},"time":"${time}","ok":${random() > 0.5}}\n`;
    parts.push(Buffer.from(text));
  }
  return Buffer.concat(parts);
}

function best<Result>(name: string, bytes: (result: Result) => number, work: () => Result): Result {
  let least = Number.POSITIVE_INFINITY;
  let result = work();
  for (let turn = 0; turn < turns; turn++) {
    const start = systemClock.monotonic();
    result = work();
    least = Math.min(least, systemClock.monotonic() - start);
  }
  const rate = (rows / least / 1_000).toFixed(1);
  console.log(
    `${name.padEnd(24)} ${least.toFixed(0).padStart(6)} ms ${rate.padStart(6)} M rows/s ${(bytes(result) / 1e6).toFixed(0).padStart(5)} MB`,
  );
  return result;
}

function read(format: string, data: Uint8Array): Block[] {
  const reader = createReader(format, columns, settingsFrom([]));
  const blocks: Block[] = [];
  for (let from = 0; from < data.length; from += chunkBytes) {
    for (const part of reader.push(data.subarray(from, from + chunkBytes))) blocks.push(part.block);
  }
  for (const part of reader.finish()) blocks.push(part.block);
  return blocks;
}

function write(format: string, blocks: readonly Block[]): Uint8Array[] {
  const writer = createWriter(format, columns, settingsFrom([]));
  return [writer.start(), ...blocks.map((block) => writer.block(block)), writer.finish()];
}

const data = document();
const size = (parts: readonly Uint8Array[]) => parts.reduce((sum, part) => sum + part.length, 0);
best(
  'JSON.parse, line by line',
  () => data.length,
  () => {
    let count = 0;
    for (let from = 0; from < data.length; ) {
      const end = data.indexOf(10, from);
      count += JSON.parse(data.utf8Slice(from, end)).id;
      from = end + 1;
    }
    return count;
  },
);
const blocks = best(
  'read JSONEachRow',
  () => data.length,
  () => read('JSONEachRow', data),
);
for (const format of ['JSONEachRow', 'JSONCompactEachRow', 'CSV', 'TabSeparated', 'Values', 'RowBinary']) {
  const parts = best(`write ${format}`, size, () => write(format, blocks));
  if (format === 'JSONEachRow') continue;
  const bytes = Buffer.concat(parts);
  best(
    `read ${format}`,
    () => bytes.length,
    () => read(format, bytes),
  );
}
