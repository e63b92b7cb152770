import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import test from 'ava';
import { checkScript, writeScript } from '../support/sql-script.ts';
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
    const done = await checkScript(t, database, path, process.env['UPDATE'] === undefined);
    if (process.env['UPDATE'] !== undefined) writeScript(path, done);
  });
}
