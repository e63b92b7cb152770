import { writeFile } from 'node:fs/promises';
import net from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import { readOptions } from '../../src/server/index.ts';
import { CommandProcess, startCommand, temporaryDirectory, until } from '../http/support.ts';

test('Flags and their defaults, by command line, environment and --config', async (t) => {
  const { host, httpPort, nativePort, httpsPort, dataDir, usersFile } = readOptions([], {});
  t.deepEqual(
    { host, httpPort, nativePort, httpsPort, dataDir, usersFile },
    {
      host: '127.0.0.1',
      httpPort: 8123,
      nativePort: 3218,
      httpsPort: null,
      dataDir: './data',
      usersFile: null,
    },
  );
  for (const flags of ['--memory-limit=1GiB', '--threads=2', '--http-query-mode=table', '--log-level=debug'])
    t.notThrows(() => readOptions([flags], {}), flags);
  t.is(readOptions(['--http-port', 'off'], {}).httpPort, null, "'off' closes a door");
  const file = join(await temporaryDirectory(t), 'config.json');
  await writeFile(file, '{"http_port": 1, "native-port": 1}');
  const given = readOptions(['--http-port', '3', '--config', file], { SLUICE_NATIVE_PORT: '2' });
  t.deepEqual([given.httpPort, given.nativePort], [3, 2], 'flags, then the environment, then the file');
});

test('A taken port is a clear error and exit code 1', async (t) => {
  const taken = net.createServer().listen(0, '127.0.0.1');
  await new Promise((listening) => taken.once('listening', listening));
  t.teardown(() => taken.close());
  const { port } = taken.address() as net.AddressInfo;
  const directory = await temporaryDirectory(t);
  const server = new CommandProcess(t, [
    'serve',
    '--http-port',
    String(port),
    '--native-port',
    'off',
    '--data-dir',
    directory,
  ]);
  t.is(await server.exited, 1);
  t.regex(server.output, new RegExp(`${port}.*(in use|taken)`));
});

test('Durability: every acknowledged row is there once after kill -9, others wholly or not at all', async (t) => {
  const directory = await temporaryDirectory(t);
  const first = await startCommand(t, directory);
  await first.client.ok('CREATE STREAM s (batch int32, row int32)');
  const acknowledged = new Set<number>();
  const write = async (from: number) => {
    for (let batch = from; ; batch += 4) {
      const rows = Array.from({ length: 10 }, (_, row) => `(${batch}, ${row})`).join(', ');
      await first.client.ok(`INSERT INTO s VALUES ${rows}`, { insert_deduplication_token: `batch-${batch}` });
      acknowledged.add(batch);
    }
  };
  const writers = [0, 1, 2, 3].map((from) => write(from).catch(() => {}));
  await until('inserts are acknowledged', () => acknowledged.size > 60);
  first.process.child.kill('SIGKILL');
  await Promise.all(writers);

  const second = await startCommand(t, directory);
  const lines = await second.client.ok('SELECT batch, count(), uniq_exact(row) FROM table(s) GROUP BY batch');
  const stored = new Map(
    lines
      .trim()
      .split('\n')
      .map((line) => {
        const [batch, ...counts] = line.split('\t').map(Number) as [number, number, number];
        return [batch, counts] as const;
      }),
  );
  for (const [batch, counts] of stored) t.deepEqual(counts, [10, 10], `batch ${batch} is whole, and once`);
  for (const batch of acknowledged) t.true(stored.has(batch), `batch ${batch} was acknowledged`);
  for (const batch of acknowledged)
    if (batch % 10 === 0)
      await second.client.ok(`INSERT INTO s VALUES (${batch}, 99)`, {
        insert_deduplication_token: `batch-${batch}`,
      });
  t.is(
    await second.client.ok('SELECT count() FROM table(s) WHERE row = 99'),
    '0\n',
    'a repeat is written no second time after a restart, either',
  );
  second.process.child.kill('SIGTERM');
  t.is(await second.process.exited, 0, 'SIGTERM drains and exits with 0');
});
