import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import test from 'ava';
import type { Database } from '../../src/index.ts';
import { temporaryDatabase } from '../support/temporary-database.ts';
import { drift } from './drift.ts';
import { queries, statements } from './queries.ts';

/*
 * The plans of chosen queries and the code that is generated for them, kept as text beside this file, so that a change of
 * either is seen by whoever makes it. UPDATE=1 writes them anew, for review.
 */
async function explained(database: Database, mode: string, sql: string): Promise<string> {
  const lines = await database.query(`EXPLAIN ${mode} ${sql}`).toArray();
  return lines.map((line) => line['explain']).join('\n');
}

async function snapshot(database: Database, group: readonly string[]): Promise<string> {
  const parts: string[] = [];
  for (const sql of group) {
    const [plan, code] = [await explained(database, 'PLAN', sql), await explained(database, 'COMPILED', sql)];
    parts.push(`==== ${sql}\n\n${plan}\n\n${code}\n`);
  }
  return parts.join('\n');
}

for (const [name, group] of Object.entries(queries)) {
  test.serial(name, async (t) => {
    const database = await temporaryDatabase(t);
    for (const sql of statements) await database.run(sql);
    const path = join(import.meta.dirname, `${name}.txt`);
    const found = await snapshot(database, group);
    if (process.env['UPDATE'] !== undefined) writeFileSync(path, found);
    const kept = existsSync(path) ? readFileSync(path, 'utf8') : '';
    const what = drift(kept, found);
    t.is(what, null, `test/snapshots/${name}.txt, UPDATE=1 writes it anew; ${what}`);
  });
}

test.serial('every file belongs to a group of queries', (t) => {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.txt'));
  t.deepEqual(files.map((file) => basename(file, '.txt')).sort(), Object.keys(queries).sort());
});

test.serial('every step of a pipeline, and every way to group rows, is in one of the files', (t) => {
  const all = Object.keys(queries).map((name) =>
    readFileSync(join(import.meta.dirname, `${name}.txt`), 'utf8'),
  );
  const text = all.join('\n');
  const steps = [
    'filter',
    'distinct',
    'limit',
    'limit_by',
    'array_join',
    'join_probe',
    'join_build',
    'sort',
    'top',
    'aggregate',
    'emit',
  ];
  for (const step of steps) t.regex(text, new RegExp(`^// pipeline .*\\b${step}\\b`, 'm'), step);
  for (const way of ['dense', 'codes', 'table'])
    t.true(text.includes(`// for blocks of shape: ${way}:`), way);
});

test('a drift is shown with the lines around it', (t) => {
  t.is(drift('a\nb\nc', 'a\nb\nc'), null);
  t.is(drift('a\nb\nc\nd', 'a\nB\nB\nc\nd'), 'line 2:\n  a\n- b\n+ B\n+ B\n  c\n  d');
});
