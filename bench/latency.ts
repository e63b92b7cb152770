/*
 * Time from the acknowledgement of an insert to the arrival of its rows at a streaming client, at 10,000 rows a second. A
 * row may arrive before its insert's acknowledgement, which counts as 0.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wait } from './load.ts';
import { printTable } from './measure.ts';

const rowsPerSecond = Number(process.env['ROWS_PER_SECOND'] ?? 10_000);
const seconds = Number(process.env['SECONDS'] ?? 10);
const batch = 50;
const port = 18_124;
const directory = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
const server = spawn(
  process.execPath,
  [
    join(import.meta.dirname, '../src/main.ts'),
    'serve',
    '--http-port',
    String(port),
    '--native-port',
    'off',
    '--data-dir',
    directory,
  ],
  { stdio: 'ignore' },
);
const agent = new Agent({ keepAlive: true, maxSockets: 8 });

function post(body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, method: 'POST', path: '/', agent }, (answer) => {
      let text = '';
      answer.on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => (answer.statusCode === 200 ? resolve(text) : reject(new Error(text))));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

while (
  !(await fetch(`http://127.0.0.1:${port}/ping`).then(
    (answer) => answer.ok,
    () => false,
  ))
)
  await wait(50);
await post('CREATE STREAM s (n int64, text string)');

const acknowledged = new Map<number, number>();
const arrived = new Map<number, number>();
const total = rowsPerSecond * seconds;
const reader = request({ port, method: 'POST', path: '/' }, (answer) => {
  let rest = '';
  answer.on('data', (chunk) => {
    const now = performance.now();
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    for (const line of lines) arrived.set(Number(line), now);
  });
});
reader.end(`SELECT n FROM s WHERE n % 2 < 2 LIMIT ${total}`);
while (!(await post('SELECT query FROM system.processes')).includes('FROM s WHERE')) await wait(10);

const start = performance.now();
const pending: Promise<void>[] = [];
for (let from = 0; from < total; from += batch) {
  const due = start + (from / rowsPerSecond) * 1000;
  const left = due - performance.now();
  if (left > 0) await wait(left);
  const rows = Array.from({ length: batch }, (_, index) => `(${from + index}, 'some text')`).join(',');
  pending.push(
    post(`INSERT INTO s VALUES ${rows}`).then(() => {
      const now = performance.now();
      for (let index = 0; index < batch; index++) acknowledged.set(from + index, now);
    }),
  );
}
await Promise.all(pending);
while (arrived.size < total) await wait(10);
const taken = Array.from(arrived, ([n, at]) => Math.max(0, at - acknowledged.get(n)!)).sort(
  (left, right) => left - right,
);
const at = (share: number) =>
  `${taken[Math.min(taken.length - 1, Math.floor(taken.length * share))]!.toFixed(2)} ms`;
console.log(`${total} rows at ${rowsPerSecond} rows/s, inserts of ${batch} rows`);
printTable([
  ['p50', 'p90', 'p99', 'p99.9', 'max'],
  [at(0.5), at(0.9), at(0.99), at(0.999), at(1)],
]);
server.kill();
await new Promise((resolve) => server.once('exit', resolve));
rmSync(directory, { recursive: true, force: true });
process.exit(0);
