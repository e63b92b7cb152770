import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { Compressor, codecNamed, codecs, decompressed } from '../../src/compression/index.ts';
import { formatNames, inputFormat } from '../../src/formats/index.ts';
import { randomFrom } from '../formats/support.ts';
import { Client, errorOf, startTest, url } from '../http/support.ts';
import { matrixFormats, rowsIn } from './matrix.ts';

const fixtures = join(import.meta.dirname, 'fixtures');

/** Bytes packed by a codec: by ours where it packs, else by the tool of the codec, once and for all. */
async function packed(codec: string, name: string, plain: Buffer): Promise<Buffer> {
  const known = codecNamed(codec)!;
  if (known.compress === undefined) return readFile(join(fixtures, `${name}.${codec}`));
  const compressor = new Compressor(known);
  return Buffer.concat([...(await compressor.write(plain)), ...(await compressor.end())]);
}

async function unpacked(codec: string, chunks: readonly Uint8Array[]): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  async function* given() {
    yield* chunks;
  }
  for await (const part of decompressed(given(), codecNamed(codec)!)) parts.push(part);
  return Buffer.concat(parts);
}

function pieces(data: Buffer, size: number): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < data.length; at += size) parts.push(data.subarray(at, at + size));
  return parts;
}

test('every input format comes in every compression', async (t) => {
  const server = await startTest(t);
  const root = join(server.directory, 'data', 'user_files');
  await mkdir(root, { recursive: true });
  await server.ok(
    'CREATE FORMAT SCHEMA rows AS \'syntax = "proto3"; message Row { int32 id = 1; string name = 2; int64 at = 3; optional int64 n = 4; }\' TYPE Protobuf',
  );
  const inputs = formatNames().filter(({ name, isInput }) => isInput && inputFormat(name) === name);
  t.deepEqual(inputs.map(({ name }) => name).sort(), [...matrixFormats, 'LineAsString', 'RawBLOB'].sort());
  const expected = rowsIn('TabSeparated').toString();
  for (const format of matrixFormats) {
    const one = format === 'ProtobufSingle';
    await server.ok(
      "CREATE OR REPLACE STREAM s (id int32, name string, at datetime64(3, 'UTC'), n nullable(int64))",
    );
    for (const codec of [...codecs.map(({ name }) => name), 'none']) {
      const data = codec === 'none' ? rowsIn(format) : await packed(codec, format, rowsIn(format));
      await writeFile(join(root, `rows.${codec}`), data);
      await server.ok(
        `INSERT INTO s FROM INFILE 'rows.${codec}' COMPRESSION '${codec}' FORMAT ${format} SETTINGS format_schema = 'rows:Row'`,
      );
      const got = await server.ok('SELECT id, name, at, n FROM table(s) ORDER BY id');
      t.is(got, one ? `${expected.split('\n')[0]}\n` : expected, `${format} in ${codec}`);
      await server.ok('TRUNCATE STREAM s');
    }
  }
});

for (const { name: codec } of codecs) {
  test(`${codec}: whole, in pieces of any size, cut, damaged, with something behind it`, async (t) => {
    const plain = rowsIn('CSV');
    const data = await packed(codec, 'CSV', plain);
    for (const size of [1, 7, 1000])
      t.true((await unpacked(codec, pieces(data, size))).equals(plain), `pieces of ${size}`);
    const failure = async (bytes: Buffer, size = 1 << 20) => {
      try {
        return (await unpacked(codec, pieces(bytes, size))).equals(plain) ? 'unharmed' : 'changed';
      } catch (thrown) {
        return (thrown as { exceptionText?: string }).exceptionText ?? String(thrown);
      }
    };
    for (const length of [0, 1, 5, data.length >> 1, data.length - 1])
      t.regex(await failure(data.subarray(0, length)), /^Code: 271\. /, `cut after ${length}`);
    t.regex(await failure(Buffer.concat([data, Buffer.from('and more')])), /^Code: 271\. /);
    t.regex(await failure(Buffer.from('not compressed at all, as can be seen')), /^Code: 271\. /);
    const random = randomFrom(11);
    let noticed = 0;
    for (let trial = 0; trial < 60; trial++) {
      const damaged = Buffer.from(data);
      const at = Math.floor(random() * damaged.length);
      damaged[at] = damaged[at]! ^ (1 << Math.floor(random() * 8));
      const got = await failure(damaged);
      if (got.startsWith('Code: 271. ')) noticed++;
      // Brotli has no checksum, nor has the zstd that we write: rows that are wrong then have to be told by the format.
      else t.true(got === 'unharmed' || ((codec === 'br' || codec === 'zstd') && got === 'changed'), got);
    }
    t.true(noticed > (codec === 'br' || codec === 'zstd' ? 10 : 50), `${noticed} were noticed`);
  });
}

test('streams behind each other are one, where the codec knows that', async (t) => {
  const plain = rowsIn('CSV');
  for (const codec of ['gzip', 'zstd', 'lz4', 'xz', 'bz2']) {
    const data = await packed(codec, 'CSV', plain);
    t.true((await unpacked(codec, [data, data])).equals(Buffer.concat([plain, plain])), codec);
  }
});

test('bodies come in every compression, and answers in lz4', async (t) => {
  const server = await startTest(t);
  await server.ok("CREATE STREAM s (id int32, name string, at datetime64(3, 'UTC'), n nullable(int64))");
  for (const { name } of codecs) {
    const answer = await new Client(server.port).send({
      path: url({ query: 'INSERT INTO s FORMAT CSV' }),
      headers: { 'Content-Encoding': name },
      body: await packed(name, 'CSV', rowsIn('CSV')),
    });
    t.is(answer.status, 200, `${name}: ${answer.text}`);
    const cut = await server.send({
      path: url({ query: 'INSERT INTO s FORMAT CSV' }),
      headers: { 'Content-Encoding': name },
      body: (await packed(name, 'CSV', rowsIn('CSV'))).subarray(0, -9),
    });
    t.is(errorOf(t, cut).code, 271, name);
  }
  t.is(await server.ok('SELECT count() FROM table(s)'), `${50 * codecs.length}\n`);
  const ask = (accept: string) =>
    server.send({ headers: { 'Accept-Encoding': accept }, body: 'SELECT number FROM numbers(100000)' });
  const answer = await ask('lz4');
  t.is(answer.headers['content-encoding'], 'lz4');
  t.is((await unpacked('lz4', [answer.body])).toString().split('\n').length, 100_001);
  t.is((await ask('xz, bz2')).headers['content-encoding'], undefined);
});
