import type { Database } from '../../src/index.ts';
import type { Column, Row, Table } from './model.ts';
import { Random } from './random.ts';
import { arrayOf, bytes, dateText, type, typeText, type Value } from './values.ts';

/** Rows from where values change their size, so that blocks of one stream have vectors of different kinds. */
const phaseRows = 60;

const words = ['', 'a', 'b7', 'value 3', 'Value 10', 'ünï', 'a%b', "it's", 'tab\tand\nline', '12', '-7'];

/** The columns of the main stream; each is there for a kind of vector, named beside it. */
const columns: readonly (Column & { readonly make: (random: Random, row: number) => Value })[] = [
  { name: 'id', type: type('uint32'), make: (_, row) => BigInt(row) },
  // Narrow integers, of a few values.
  { name: 'i8', type: type('int8'), make: (random) => BigInt(random.below(21) - 10) },
  // Integers whose width in memory differs from block to block, with values at the ends of the range.
  {
    name: 'i32',
    type: type('int32'),
    make: (random, row) =>
      random.oneIn(40)
        ? random.pick([2147483647n, -2147483648n])
        : BigInt(random.below([100, 60_000, 2_000_000_000][Math.floor(row / phaseRows) % 3]!) - 50),
  },
  // Exact as JavaScript numbers in some blocks, in others beyond 2^53 or at the ends of 64 bits.
  { name: 'i64', type: type('int64'), make: (random, row) => BigInt.asIntN(64, large(random, row)) },
  { name: 'u64', type: type('uint64'), make: (random, row) => BigInt.asUintN(64, large(random, row)) },
  // NULLs in every block but those of one phase.
  {
    name: 'n',
    type: type('int32', true),
    make: (random, row) =>
      Math.floor(row / phaseRows) % 3 !== 1 && random.oneIn(5) ? null : BigInt(random.below(50)),
  },
  { name: 'f', type: type('float64'), make: (random) => (random.below(4000) - 2000) / 8 },
  { name: 'f32', type: type('float32'), make: (random) => (random.below(400) - 200) / 4 },
  // Floats that are no numbers, or no finite ones.
  {
    name: 'z',
    type: type('float64'),
    make: (random) =>
      random.pick([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 1.5, -1e10]),
  },
  // A dictionary of few strings, the same with NULLs, and strings that hardly repeat.
  { name: 's', type: type('string'), make: (random) => bytes(random.pick(words)) },
  {
    name: 'sn',
    type: type('string', true),
    make: (random) => (random.oneIn(6) ? null : bytes(random.pick(['x', 'y', 'Zed', '7']))),
  },
  {
    name: 'many',
    type: type('string'),
    make: (random, row) => `${random.below(100_000)}${row % 7 === 0 ? ' k' : ''}`,
  },
  { name: 'b', type: type('bool'), make: (random) => random.oneIn(3) },
  { name: 'd', type: type('date'), make: (random) => BigInt(19_000 + random.below(60)) },
  // The same in all rows.
  { name: 'c', type: type('int32'), make: () => 7n },
  { name: 'cs', type: type('string'), make: () => 'constant' },
  {
    name: 'list',
    type: arrayOf(type('int32')),
    make: (random) => random.list(random.below(4), () => BigInt(random.below(9))),
  },
  { name: 'wide', type: type('int128'), make: (random, row) => large(random, row) * 1_000_000_007n },
  { name: 'doc', type: type('string'), make: (random, row) => documentText(random, row) },
];

function large(random: Random, row: number): bigint {
  const small = BigInt(random.below(1000) - 300);
  switch (Math.floor(row / phaseRows) % 3) {
    case 0:
      return small;
    case 1:
      return small * 7_000_000_000n;
    default:
      return random.oneIn(8)
        ? random.pick([2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n, 2n ** 53n + 1n, -1n])
        : small * 9_123_456_789_012_345n;
  }
}

function documentText(random: Random, row: number): string {
  if (random.oneIn(25)) return random.pick(['', '{', 'no document', '[1,2]', '7']);
  const tags = random.list(random.below(4), () => random.pick(['red', 'b"q', 'ü']));
  const document: Record<string, unknown> = {
    a: { b: tags, c: { d: random.below(5) } },
    n: random.below(900) / 4,
  };
  if (random.oneIn(3)) document['s'] = random.pick(['x', 'line\nbreak', '']);
  if (random.oneIn(4)) document['n'] = null;
  if (random.oneIn(4)) document['items'] = [{ p: row }, { p: random.below(9), q: true }];
  if (random.oneIn(9)) document['a'] = random.pick([null, 5, 'flat', []]);
  return bytes(JSON.stringify(document));
}

export function mainTable(seed: number, rows: number): Table {
  const random = new Random(seed);
  return {
    name: 't',
    columns,
    rows: random.list(rows, (row) =>
      Object.fromEntries(columns.map(({ name, make }) => [name, make(random, row)])),
    ),
  };
}

/** A smaller stream whose keys meet those of the main one: some not at all, some several times. */
export function sideTable(seed: number, rows: number): Table {
  const random = new Random(seed + 1);
  const side: readonly Column[] = [
    { name: 'k', type: type('int32') },
    { name: 'kn', type: type('int64', true) },
    { name: 'ks', type: type('string') },
    { name: 'v', type: type('float64') },
    { name: 'name', type: type('string', true) },
  ];
  const make = (row: number): Row => ({
    k: BigInt(random.below(16) - 8),
    kn: random.oneIn(5) ? null : BigInt(random.below(60)),
    ks: bytes(random.pick(words.slice(0, 7))),
    v: random.below(100) / 4,
    name: random.oneIn(4) ? null : `name ${row}`,
  });
  return { name: 'u', columns: side, rows: random.list(rows, make) };
}

/** A stream of the main one's columns that has no rows. */
export function emptyTable(): Table {
  return { name: 'e', columns, rows: [] };
}

function fieldText(value: Value): string {
  if (value === null) return '\\N';
  if (typeof value === 'string')
    return value.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n');
  if (Array.isArray(value)) return `[${value.join(',')}]`;
  if (typeof value === 'number' && !Number.isFinite(value))
    return String(value).replace('Infinity', 'inf').toLowerCase();
  return String(value);
}

function lines(table: Table, from: number, to: number): Buffer {
  const text = table.rows
    .slice(from, to)
    .map((row) =>
      table.columns
        .map(({ name, type: of }) =>
          of.base === 'date' ? dateText(row[name] as bigint) : fieldText(row[name]!),
        )
        .join('\t'),
    );
  return Buffer.from(`${text.join('\n')}\n`, 'latin1');
}

/** Makes the stream and fills it, `blockRows` rows an INSERT; each INSERT becomes a block. */
export async function store(database: Database, table: Table, blockRows: number): Promise<void> {
  const definitions = table.columns.map(({ name, type: of }) => `${name} ${typeText(of)}`);
  await database.run(`CREATE STREAM ${table.name} (${definitions.join(', ')})`);
  for (let row = 0; row < table.rows.length; row += blockRows)
    await database.run(`INSERT INTO ${table.name} FORMAT TabSeparated`, {
      data: lines(table, row, row + blockRows),
    });
}
