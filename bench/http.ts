/*
 * Requests a second over HTTP at 16 connections: `SELECT 1` and a filter over 100,000 rows, beside a Koa server that answers
 * with a constant. Servers run in a process of their own, one after the other.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { post, requestsPerSecond, wait } from './load.ts';
import { median, printTable, ratio } from './measure.ts';

const milliseconds = Number(process.env['MILLISECONDS'] ?? 3000);
const rounds = Number(process.env['ROUNDS'] ?? 3);
const connections = 16;
const here = import.meta.dirname;

async function constantServer(): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(join(here, 'http-constant.ts'));
  const port = await new Promise<number>((resolve) =>
    child.once('message', (message) => resolve((message as { port: number }).port)),
  );
  return { child, port };
}

const directory = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
const port = 18_123;
const sluice = spawn(
  process.execPath,
  [
    join(here, '../src/main.ts'),
    'serve',
    '--http-port',
    String(port),
    '--native-port',
    'off',
    '--data-dir',
    directory,
  ],
  { stdio: 'inherit' },
);
for (let tries = 0; tries < 100; tries++) {
  const up = await fetch(`http://127.0.0.1:${port}/ping`).then(
    (answer) => answer.ok,
    () => false,
  );
  if (up) break;
  await wait(100);
}
const run = async (sql: string) => {
  const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: sql });
  if (!answer.ok) throw new Error(await answer.text());
};
await run('CREATE STREAM t (k uint32, v float64)');
await run('INSERT INTO t SELECT number, number % 1000 FROM numbers(100000)');
const { child, port: constantPort } = await constantServer();

const work = [
  { name: 'Koa, constant', port: constantPort, request: post('/', 'SELECT 1') },
  { name: 'SELECT 1', port, request: post('/', 'SELECT 1') },
  {
    name: 'filter over 100,000 rows, result kept',
    port,
    request: post('/', 'SELECT count() FROM table(t) WHERE v > 500'),
  },
  {
    name: 'filter over 100,000 rows, run anew',
    port,
    request: post('/?use_result_cache=0', 'SELECT count() FROM table(t) WHERE v > 500'),
  },
];
const rates = new Map<string, number[]>();
for (let round = 0; round < rounds; round++) {
  for (const each of work) {
    const rate = await requestsPerSecond(each.port, each.request, connections, milliseconds);
    rates.set(each.name, [...(rates.get(each.name) ?? []), rate]);
  }
}
const constant = median(rates.get('Koa, constant')!);
printTable([
  ['work', 'requests/s', 'of the constant'],
  ...work.map(({ name }) => [
    name,
    Math.round(median(rates.get(name)!)).toString(),
    ratio(median(rates.get(name)!), constant),
  ]),
]);
child.kill();
sluice.kill();
await new Promise((resolve) => sluice.once('exit', resolve));
rmSync(directory, { recursive: true, force: true });
process.exit(0);
