/*
 * Random queries over the same rows in Sluice and in ClickHouse (chdb): the results have to be equal. SEED and QUERIES choose
 * the queries; a difference is printed with both results.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Session } from 'chdb';
import { createWriter } from '../src/formats/index.ts';
import { Database } from '../src/index.ts';

let state = Number(process.env['SEED'] ?? 1);
const queries = Number(process.env['QUERIES'] ?? 500);
const rows = Number(process.env['ROWS'] ?? 7000);

function random(most: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * most);
}

function pick<Item>(items: readonly Item[]): Item {
  return items[random(items.length)]!;
}

const numbers = ['i8', 'i32', 'i64', 'u64', 'n', 'f'];
const texts = ['s', 'sn', 'many'];

function number(depth: number): string {
  if (depth === 0) return random(3) === 0 ? String(random(200) - 50) : pick(numbers);
  switch (random(9)) {
    case 0:
      return `(${number(depth - 1)} + ${number(depth - 1)})`;
    case 1:
      return `(${number(depth - 1)} - ${number(depth - 1)})`;
    case 2:
      return `(${number(depth - 1)} * ${random(9)})`;
    case 3:
      return `intDiv(${pick(['i8', 'i32', 'i64', 'u64'])}, ${random(9) + 1})`;
    case 4:
      return `(${pick(['i8', 'i32', 'i64', 'u64'])} % ${random(20) + 1})`;
    case 5:
      return `if(${condition(depth - 1)}, ${number(depth - 1)}, ${number(depth - 1)})`;
    case 6:
      return `length(${text(depth - 1)})`;
    case 7:
      return `ifNull(n, ${random(10)})`;
    default:
      return `abs(${pick(['i8', 'i32', 'i64'])})`;
  }
}

function text(depth: number): string {
  if (depth === 0) return random(4) === 0 ? `'${pick(['a', 'b7', 'value 3', ''])}'` : pick(texts);
  switch (random(5)) {
    case 0:
      return `upper(${text(depth - 1)})`;
    case 1:
      return `concat(${text(depth - 1)}, '-', ${text(depth - 1)})`;
    case 2:
      return `substring(${text(depth - 1)}, ${random(4) + 1}, ${random(5)})`;
    case 3:
      return `toString(${pick(['i8', 'i32', 'i64', 'u64', 'n', 'd'])})`;
    default:
      return `if(${condition(depth - 1)}, ${text(depth - 1)}, ${text(depth - 1)})`;
  }
}

function condition(depth: number): string {
  const compare = pick(['=', '!=', '<', '<=', '>', '>=']);
  switch (random(depth === 0 ? 5 : 8)) {
    case 0:
      return `${number(Math.max(0, depth - 1))} ${compare} ${number(0)}`;
    case 1:
      return `${pick(texts)} ${compare} ${text(0)}`;
    case 2:
      return `${pick(texts)} ${pick(['LIKE', 'NOT LIKE'])} '${pick(['%1%', 'value%', '%7', 'a_'])}'`;
    case 3:
      return `${pick(['n', 'sn'])} IS ${pick(['', 'NOT '])}NULL`;
    case 4:
      return `${pick(['i8', 'i32', 'n'])} ${pick(['IN', 'NOT IN'])} (1, 2, 3, ${random(50)})`;
    case 5:
      return `NOT (${condition(depth - 1)})`;
    case 6:
      return `(${condition(depth - 1)} AND ${condition(depth - 1)})`;
    default:
      return `(${condition(depth - 1)} OR ${condition(depth - 1)})`;
  }
}

function aggregate(): string {
  const column = pick(['i8', 'i32', 'i64', 'u64', 'n']);
  return pick([
    'count()',
    'count(n)',
    `sum(${column})`,
    `min(${pick([...numbers, ...texts])})`,
    `max(${pick([...numbers, ...texts])})`,
    `avg(${pick(['i8', 'i32', 'n'])})`,
    `uniqExact(${pick([...numbers, ...texts])})`,
    `countIf(${condition(1)})`,
    `sumIf(${column}, ${condition(1)})`,
    `sum(${number(1)})`,
    `arraySort(groupUniqArray(${pick(['i8', 's'])}))`,
    `count(DISTINCT ${pick(['s', 'i8'])})`,
    `median(${column})`,
  ]);
}

function query(): string {
  const where = random(3) === 0 ? '' : ` WHERE ${condition(2)}`;
  if (random(2) === 0) {
    const keys = Array.from({ length: random(3) }, () =>
      pick([
        pick(['s', 'i8', 'n', 'sn', 'b', 'd', 'many', 'i32']),
        `${pick(['i32', 'u64'])} % ${random(9) + 1}`,
        text(1),
      ]),
    );
    const unique = [...new Set(keys)];
    const named = unique.map((key, index) => `${key} AS k${index}`);
    const outputs = [
      ...named,
      ...Array.from({ length: random(3) + 1 }, (_, index) => `${aggregate()} AS a${index}`),
    ];
    const group = unique.length === 0 ? '' : ` GROUP BY ${unique.map((_, index) => `k${index}`).join(', ')}`;
    return `SELECT ${outputs.join(', ')} FROM T${where}${group}`;
  }
  const outputs = Array.from(
    { length: random(3) + 1 },
    (_, index) => `${pick([() => number(2), () => text(2), () => condition(2)])()} AS c${index}`,
  );
  const distinct = random(4) === 0 ? 'DISTINCT ' : '';
  const order =
    distinct === '' && random(2) === 0
      ? ` ORDER BY c0${pick(['', ' DESC'])}, id LIMIT ${random(40) + 1}${random(2) === 0 ? '' : ` OFFSET ${random(20)}`}`
      : '';
  return `SELECT ${distinct}${outputs.join(', ')} FROM T${where}${order}`;
}

const directory = mkdtempSync(join(tmpdir(), 'sluice-oracle-'));
const clickhouse = new Session(join(directory, 'clickhouse'));
const sluice = await Database.open({ dataDir: join(directory, 'sluice') });
const columns =
  'id UInt32, i8 Int8, i32 Int32, i64 Int64, u64 UInt64, n Nullable(Int32), f Float64, s String, sn Nullable(String), many String, b Bool, d Date';
clickhouse.query('CREATE DATABASE bench');
clickhouse.query(`CREATE TABLE bench.t (${columns}) ENGINE = Memory`);
clickhouse.query(
  `INSERT INTO bench.t SELECT number, intHash64(number) % 256 - 128, intHash32(number) - 2147483648, toInt64(intHash64(number + 1)) , intHash64(number + 2), if(number % 7 = 0, NULL, number % 50), (intHash64(number + 3) % 2000) / 8 - 100, concat('value ', toString(intHash64(number + 4) % 12)), if(number % 5 = 0, NULL, toString(number % 9)), toString(intHash64(number + 5) % 5000), number % 3 = 0, toDate(19000 + number % 40) FROM numbers(${rows})`,
);
await sluice.run(`CREATE STREAM t (${columns})`);
const data = Buffer.from(String(clickhouse.query('SELECT * FROM bench.t ORDER BY id', 'TabSeparated')));
await sluice.run('INSERT INTO t FORMAT TabSeparated', { data });

/** Rows as ClickHouse would print them: conditions there are 0 and 1, and the last digits of floats may differ. */
function normal(output: string): string[] {
  const cell = (value: string) => {
    if (value === 'true') return '1';
    if (value === 'false') return '0';
    return /^-?\d+\.\d{6,}(e[+-]?\d+)?$/.test(value) || /e[+-]?\d+$/.test(value)
      ? Number(value).toPrecision(11)
      : value;
  };
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t').map(cell).join('\t'));
}

async function own(sql: string): Promise<string> {
  const result = await sluice.engine.execute(sql);
  const writer = createWriter('TabSeparated', result.columns, result.settings);
  let output = '';
  for (let block = await result.next(); block !== null; block = await result.next())
    output += Buffer.from(writer.block(block)).toString('utf8');
  return output;
}

let compared = 0;
let different = 0;
let refused = 0;
for (let count = 0; count < queries; count++) {
  const sql = query();
  let theirs: string;
  try {
    theirs = String(clickhouse.query(sql.replace(' FROM T', ' FROM bench.t'), 'TabSeparated'));
  } catch {
    refused++;
    continue;
  }
  compared++;
  let ours: string;
  try {
    ours = await own(sql.replace(' FROM T', ' FROM table(t)'));
  } catch (thrown) {
    different++;
    console.log(`\n${sql}\n  refused by Sluice: ${(thrown as Error).message.slice(0, 300)}`);
    continue;
  }
  const ordered = sql.includes('ORDER BY');
  const [left, right] = [normal(ours), normal(theirs)];
  if (!ordered) {
    left.sort();
    right.sort();
  }
  const at = left.findIndex((line, index) => line !== right[index]);
  if (left.length === right.length && at < 0) continue;
  different++;
  console.log(
    `\n${sql}\n  rows: ${left.length} and ${right.length}; first difference at ${at}:\n  Sluice:     ${left[at]}\n  ClickHouse: ${right[at]}`,
  );
}
console.log(`\n${compared} queries compared, ${different} different, ${refused} refused by ClickHouse`);
await sluice.close();
clickhouse.cleanup();
rmSync(directory, { recursive: true, force: true });
process.exit(different === 0 ? 0 : 1);
