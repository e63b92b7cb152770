import test from 'ava';
import { equalNodes, printSql } from '../../src/ast/index.ts';
import { SluiceError } from '../../src/base/index.ts';
import { parseStatement, parseStatements, tokenShape } from '../../src/parser/index.ts';
import { expressions, queries, statements } from './corpus.ts';

/** Numbers below `n` that follow from the seed. */
function randomSource(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % n;
  };
}

const sources = [...queries, ...statements, ...expressions.map((expression) => `SELECT ${expression}`)];
const pieces = (sql: string) => sql.match(/\s+|\w+|'[^']*'|[\s\S]/g) ?? [];
const pool = sources.flatMap(pieces);

function mutate(random: (n: number) => number): string {
  const parts = [...pieces(sources[random(sources.length)]!)];
  for (let changes = 1 + random(3); changes > 0; changes--) {
    const at = random(parts.length + 1);
    const other = pieces(sources[random(sources.length)]!);
    const from = random(other.length);
    if (random(2) === 0) parts.splice(at, random(2), pool[random(pool.length)]!);
    else parts.splice(at, random(4), ...other.slice(from, from + random(5)));
  }
  return parts.join('');
}

/** Only errors that are told to the user may leave the parser. */
function allowed<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof SluiceError) return null;
    throw error;
  }
}

for (const seed of [1, 2, 3]) {
  test(`mangled statements give errors or trees that print and parse alike, seed ${seed}`, (t) => {
    const random = randomSource(seed);
    let parsedCount = 0;
    for (let i = 0; i < 1_500; i++) {
      const sql = mutate(random);
      allowed(() => tokenShape(sql));
      allowed(() => parseStatements(sql));
      const parsed = allowed(() => parseStatement(sql));
      if (parsed === null || parsed.kind === 'unsupported_statement' || parsed.kind === 'insert') continue;
      parsedCount++;
      const printed = printSql(parsed);
      if (!equalNodes(parseStatement(printed), parsed)) t.fail(`${sql}\n${printed}`);
    }
    t.true(parsedCount > 100);
  });
}
