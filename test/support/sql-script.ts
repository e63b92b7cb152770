import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { ExecutionContext } from 'ava';
import { SluiceError } from '../../src/base/index.ts';
import { createWriter } from '../../src/formats/index.ts';
import type { Database } from '../../src/index.ts';

/**
 * One step of an SQL script:
 *
 *     statement ok          query                error 60
 *     CREATE STREAM ...     SELECT ...           SELECT ...
 *                           ----                 ----
 *                           rows, TabSeparated   a part of the message
 *
 * Steps are separated by blank lines; lines that begin with # are remarks. `query sorted` compares the rows in any order.
 */
export interface ScriptStep {
  readonly kind: 'statement' | 'query' | 'error';
  readonly sorted: boolean;
  readonly code: number;
  readonly sql: string;
  readonly expected: string;
  /** Number of the step's first line. */
  readonly line: number;
  /** Lines of the step, and the part of them before the expectation. */
  readonly head: string;
}

export function readScript(path: string): ScriptStep[] {
  const steps: ScriptStep[] = [];
  let line = 1;
  for (const part of readFileSync(path, 'utf8').split(/\n{2,}/)) {
    const lines = part.split('\n').filter((text) => !text.startsWith('#'));
    const start = line;
    line += part.split('\n').length + 1;
    if (lines.join('').trim() === '') continue;
    const [head, ...rest] = lines;
    const match = /^(statement ok|query(?: sorted)?|error (\d+))$/.exec(head!.trim());
    if (match === null)
      throw new Error(`${path}:${start}: expected 'statement ok', 'query' or 'error <code>', not '${head}'`);
    const bar = rest.indexOf('----');
    const sql = (bar < 0 ? rest : rest.slice(0, bar)).join('\n');
    const expected =
      bar < 0
        ? ''
        : rest
            .slice(bar + 1)
            .join('\n')
            .trimEnd();
    const kind = head!.startsWith('error') ? 'error' : head!.startsWith('query') ? 'query' : 'statement';
    const before = part.includes('\n----') ? part.slice(0, part.indexOf('\n----')) : part;
    steps.push({
      kind,
      sorted: head!.includes('sorted'),
      code: Number(match[2] ?? 0),
      sql,
      expected,
      line: start,
      head: before,
    });
  }
  return steps;
}

/** The rows of a statement as TabSeparated text. */
export async function rowsText(database: Database, sql: string): Promise<string> {
  const result = await database.engine.execute(sql);
  const writer = createWriter('TabSeparated', result.columns, result.settings);
  let text = '';
  for (let block = await result.next(); block !== null; block = await result.next())
    text += Buffer.from(writer.block(block)).toString('utf8');
  return text.trimEnd();
}

/** What a step gives: rows, or the code and message of the error. */
export async function runStep(database: Database, step: ScriptStep): Promise<{ text: string; code: number }> {
  try {
    return { text: await rowsText(database, step.sql), code: 0 };
  } catch (thrown) {
    if (!(thrown instanceof SluiceError)) throw thrown;
    return { text: thrown.message, code: thrown.code };
  }
}

/** Writes a script anew with the rows that its queries give. */
export function writeScript(
  path: string,
  steps: readonly (ScriptStep & { readonly actual: string })[],
): void {
  const text = steps.map((step) =>
    step.kind === 'statement'
      ? step.head
      : `${step.head}\n----\n${step.kind === 'error' ? step.expected : step.actual}`,
  );
  writeFileSync(path, `${text.map((part) => part.trimEnd()).join('\n\n')}\n`);
}

export function inOrder(text: string, sorted: boolean): string {
  return sorted ? text.split('\n').sort().join('\n') : text;
}

/** Runs a script, comparing what each step gives with what it expects unless `compare` is false; gives the steps as done. */
export async function checkScript(
  t: ExecutionContext,
  database: Database,
  path: string,
  compare = true,
): Promise<(ScriptStep & { readonly actual: string })[]> {
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
    if (step.kind === 'query' && compare)
      t.is(inOrder(text, step.sorted), inOrder(step.expected, step.sorted), where);
  }
  return done;
}
