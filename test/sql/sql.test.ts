import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import test from 'ava';
import { inOrder, readScript, runStep, writeScript } from '../support/sql-script.ts';
import { temporaryDatabase } from '../support/temporary-database.ts';

/*
 * Runs every script below this folder, each on a database of its own. UPDATE=1 writes the rows that queries give into the
 * scripts, for review; SCRIPT=name runs the scripts whose path holds the name.
 */
const scripts = readdirSync(import.meta.dirname, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.slt'))
  .map((entry) => join(entry.parentPath, entry.name))
  .filter((path) => path.includes(process.env['SCRIPT'] ?? ''))
  .sort();

for (const path of scripts) {
  test(relative(import.meta.dirname, path), async (t) => {
    const database = await temporaryDatabase(t);
    const done = [];
    for (const step of readScript(path)) {
      const { text, code } = await runStep(database, step);
      done.push({ ...step, actual: text });
      const where = `${relative(process.cwd(), path)}:${step.line}\n${step.sql}`;
      if (step.kind === 'error') {
        t.is(code, step.code, `${where}\n${text}`);
        t.true(
          text.includes(step.expected),
          `${where}\nexpected a message with: ${step.expected}\ngot: ${text}`,
        );
        continue;
      }
      t.is(code, 0, `${where}\n${text}`);
      if (step.kind === 'query' && process.env['UPDATE'] === undefined)
        t.is(inOrder(text, step.sorted), inOrder(step.expected, step.sorted), where);
    }
    if (process.env['UPDATE'] !== undefined) writeScript(path, done);
  });
}
