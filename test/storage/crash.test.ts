import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { logId, openAt, randomOf, range, rowOf, rowsOf, schema, temporaryDirectory } from './helpers.ts';

const script = fileURLToPath(new URL('crash-writer.ts', import.meta.url));
const rounds = 15;

/** What one append was acknowledged with. */
interface Acknowledged {
  readonly caller: number;
  readonly count: number;
  readonly firstSequence: number;
  readonly rows: number;
}

/** Runs the writer until it has printed so many lines, then kills it; resolves to what it had acknowledged. */
async function runAndKill(directory: string, seed: number, lines: number): Promise<Acknowledged[]> {
  const child = spawn(process.execPath, [script, directory, String(seed)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<NodeJS.Signals | null>((resolve) =>
    child.on('close', (_, signal) => resolve(signal)),
  );
  const acknowledged: Acknowledged[] = [];
  let seen = 0;
  // Lines that were printed before the kill count even when they are read after it.
  for await (const line of createInterface({ input: child.stdout })) {
    if (seen++ === lines) child.kill('SIGKILL');
    const [caller, count, firstSequence, rows] = line.split(' ').map(Number);
    if (rows !== undefined)
      acknowledged.push({ caller: caller!, count: count!, firstSequence: firstSequence!, rows });
  }
  const signal = await ended;
  if (signal !== 'SIGKILL') throw new Error(`the writer ended by itself: ${signal}`);
  return acknowledged;
}

test('a process that is killed at any moment loses no acknowledged row and keeps no half append', async (t) => {
  t.timeout(120_000);
  const directory = temporaryDirectory(t);
  const random = randomOf(20_260_101);
  const acknowledged: Acknowledged[] = [];
  for (let round = 0; round < rounds; round++) {
    acknowledged.push(...(await runAndKill(directory, round, Math.floor(random() ** 3 * 600))));
    const store = await openAt(t, directory);
    const log = await store.openLog(logId, schema);
    const rows = await rowsOf(t, log.snapshot());
    t.deepEqual(
      store.problems.filter(({ kind }) => kind !== 'torn-tail'),
      [],
    );
    t.is(rows.length, log.end);
    const numbers = rows.map((row) => row[0] as number);
    t.is(new Set(numbers).size, numbers.length);
    for (const { caller, count, firstSequence, rows: length } of acknowledged) {
      const expected = range(0, length).map((row) => (caller * 10_000 + count) * 64 + row);
      t.deepEqual(numbers.slice(firstSequence, firstSequence + length), expected);
    }
    for (const caller of range(0, 8)) {
      // Position and rows agree: as many appends are there as the writer believes, each whole.
      const position = Number(log.originPosition(`caller ${caller}`) ?? 0);
      const counts = numbers
        .filter((n) => Math.floor(n / 640_000) === caller)
        .map((n) => Math.floor(n / 64) % 10_000);
      t.deepEqual([...new Set(counts)], range(0, position));
    }
    if (round === rounds - 1) for (const row of rows) t.deepEqual(row, rowOf(row[0] as number));
    if (random() < 0.3) await log.compactNow();
    await store.close();
  }
  t.true(acknowledged.length > rounds);
});
