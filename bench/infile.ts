/*
 * INSERT ... FROM INFILE of JSONEachRow in every compression, into a stream on disk, beside the decompressor alone in the same
 * run: how much of what the decompressor gives reaches the stream. Both count megabytes of JSON. MEGABYTES chooses the size.
 */
import { execFileSync } from 'node:child_process';
import { createReadStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Compressor, codecNamed, codecs, decompressed } from '../src/compression/index.ts';
import { Database } from '../src/index.ts';

const megabytes = Number(process.env['MEGABYTES'] ?? 80);
const rounds = 3;
const directory = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
const files = join(directory, 'user_files');

function document(): Buffer {
  const lines: string[] = [];
  let state = 1;
  let size = 0;
  for (let row = 0; size < megabytes * 1e6; row++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const line = `{"id":${row},"device":"device_${state % 100}","value":${(state % 100_000) / 100},"note":"row ${state}"}\n`;
    lines.push(line);
    size += line.length;
  }
  return Buffer.from(lines.join(''));
}

/** Packs by ours where it packs, else by the tool of the codec; null when there is none. */
async function packed(name: string, plain: Buffer): Promise<Buffer | null> {
  const codec = codecNamed(name)!;
  if (codec.compress === undefined) {
    const tool = name === 'bz2' ? 'bzip2' : 'xz';
    try {
      return execFileSync(tool, ['-6', '-c'], { input: plain, maxBuffer: plain.length + 1e6 });
    } catch {
      return null;
    }
  }
  const compressor = new Compressor(codec);
  const parts: Buffer[] = [];
  for (let at = 0; at < plain.length; at += 1e6)
    parts.push(...(await compressor.write(plain.subarray(at, at + 1e6))));
  return Buffer.concat([...parts, ...(await compressor.end())]);
}

async function median(work: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times.sort((left, right) => left - right)[rounds >> 1]!;
}

try {
  const database = await Database.open({ dataDir: directory, threads: 1 });
  mkdirSync(files, { recursive: true });
  const plain = document();
  console.log('codec     file MB   decompress MB/s   INFILE MB/s   share');
  for (const name of ['none', ...codecs.map((codec) => codec.name)]) {
    const data = name === 'none' ? plain : await packed(name, plain);
    if (data === null) continue;
    const path = join(files, `rows.${name}`);
    writeFileSync(path, data);
    const alone = await median(async () => {
      const codec = name === 'none' ? null : codecNamed(name)!;
      let bytes = 0;
      for await (const chunk of decompressed(createReadStream(path, { highWaterMark: 262_144 }), codec))
        bytes += chunk.length;
      if (bytes !== plain.length) throw new Error(`${name} gives ${bytes} bytes`);
    });
    const inserted = await median(async () => {
      await database.run('CREATE OR REPLACE STREAM s (id int64, device string, value float64, note string)');
      await database.run(`INSERT INTO s FROM INFILE 'rows.${name}' COMPRESSION '${name}' FORMAT JSONEachRow`);
    });
    const rate = (milliseconds: number) => plain.length / 1e3 / milliseconds;
    console.log(
      `${name.padEnd(9)} ${(data.length / 1e6).toFixed(1).padStart(7)} ${rate(alone).toFixed(0).padStart(17)} ${rate(inserted).toFixed(0).padStart(13)} ${(alone / inserted).toFixed(2).padStart(7)}`,
    );
  }
  await database.close();
} finally {
  rmSync(directory, { recursive: true, force: true });
}
