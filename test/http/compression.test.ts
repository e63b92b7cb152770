import zlib from 'node:zlib';
import test from 'ava';
import { type Answer, startTest, until, url } from './support.ts';
import { request } from './transport.ts';

const unpack: Record<string, (data: Buffer) => Buffer> = {
  gzip: zlib.gunzipSync,
  deflate: zlib.inflateSync,
  br: zlib.brotliDecompressSync,
  zstd: zlib.zstdDecompressSync,
};

function unpacked(answer: Answer): string {
  return unpack[answer.headers['content-encoding'] ?? '']!(answer.body).toString();
}

test('answers are packed as the client accepts it, small and large', async (t) => {
  const server = await startTest(t);
  for (const encoding of Object.keys(unpack)) {
    const ask = (body: string) => server.send({ headers: { 'Accept-Encoding': encoding }, body });
    const small = await ask('SELECT 1');
    t.is(small.headers['content-encoding'], encoding);
    t.is(unpacked(small), '1\n');
    const large = await ask('SELECT number FROM numbers(500000)');
    t.is(large.headers['content-encoding'], encoding);
    const lines = unpacked(large).split('\n');
    t.is(lines.length, 500_001);
    t.is(lines[499_999], '499999');
    t.true(large.body.length < 2_000_000);
    const failed = await ask('SELECT nothing');
    t.is(failed.headers['content-encoding'], undefined);
    t.regex(failed.text, /Code: 47/);
  }
});

test('the codec is the one that the client likes best', async (t) => {
  const server = await startTest(t);
  const encoding = async (accept: string) =>
    (await server.send({ headers: { 'Accept-Encoding': accept }, body: 'SELECT 1' })).headers[
      'content-encoding'
    ];
  t.is(await encoding('gzip;q=1, zstd;q=0.5'), 'gzip');
  t.is(await encoding('gzip;q=0, br'), 'br');
  t.is(await encoding('GZIP'), 'gzip');
  t.is(await encoding('identity'), undefined);
  t.is(await encoding('rot13'), undefined);
  t.is(await encoding(''), undefined);
});

test('a packed stream reaches the client row by row', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (a int32)');
  for (const [encoding, open] of [
    ['gzip', () => zlib.createGunzip()],
    ['deflate', () => zlib.createInflate()],
    ['br', () => zlib.createBrotliDecompress()],
    ['zstd', () => zlib.createZstdDecompress()],
  ] as const) {
    const path = url({ query_id: `packed-${encoding}`, query: 'SELECT a FROM s' });
    let text = '';
    const sent = request(
      { port: server.port, method: 'POST', path, headers: { 'Accept-Encoding': encoding }, agent: false },
      (response) => {
        response.on('error', () => {});
        response.pipe(open()).on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
      },
    );
    sent.on('error', () => {});
    sent.end();
    await until('the query runs', () => server.runs(`packed-${encoding}`));
    for (let row = 1; row <= 3; row++) {
      await server.ok(`INSERT INTO s VALUES (${row})`);
      await until(`row ${row} with ${encoding}`, () => text.endsWith(`${row}\n`));
    }
    t.is(text, '1\n2\n3\n');
    sent.destroy();
    await server.idle();
  }
});
