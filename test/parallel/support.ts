import type { Database } from '../../src/index.ts';
import { openTemporary, type TemporaryDatabase } from '../support/temporary-database.ts';

/** Rows of the stream that the tests query: enough for queries to be split. */
export const rows = 1_600_000;

/** Stored columns of many kinds of vectors, with NULLs, arrays and documents. */
const columns = [
  'number AS id',
  'number % 1000 - 500 AS small',
  '(number * 7919) % 50021 AS many',
  'number * 0.25 AS price',
  "concat('name ', to_string(number % 37)) AS name",
  "concat('text ', to_string((number * 31) % 30011)) AS text",
  'if(number % 5 = 0, NULL, number % 11) AS maybe',
  "if(number % 7 = 0, NULL, concat('m', to_string(number % 3))) AS maybe_name",
  '[number % 3, number % 5] AS pair',
  `concat('{"kind":"', if(number % 3 = 0, 'buy', 'view'), '","user":{"name":"u', to_string(number % 23), '"},"price":', to_string(number % 500), '}') AS doc`,
  'number * 9000000000000 AS big',
];

const types =
  'id uint32, small int32, many uint32, price float64, name string, text string, maybe nullable(int32), maybe_name nullable(string), pair array(uint8), doc string, big int64';

export type Filled = TemporaryDatabase;

/** A database with the stream `t`, whose queries wait for their helpers so that these are seen at work. */
export async function filledDatabase(threads: number): Promise<Filled> {
  const { database, remove } = await openTemporary({ threads });
  await database.run(`CREATE STREAM t (${types})`);
  const names = columns.map((column) => column.slice(column.lastIndexOf(' ') + 1)).join(', ');
  // Inserts of different sizes make blocks of different sizes and shapes.
  const sizes = [900_000, 500_000, 150_000, 1_000, 49_000];
  let from = 0;
  for (const size of sizes) {
    await database.run(
      `INSERT INTO t (${names}) SELECT ${columns.join(', ')} FROM numbers(${from}, ${size})`,
    );
    from += size;
  }
  database.engine.workers.waits = true;
  return { database, remove };
}

/** The rows of a query as arrays of values, run anew: kept results are not taken. */
export async function fresh(database: Database, sql: string, threads: number): Promise<unknown[][]> {
  const settings = { max_threads: threads, max_rows_to_read: rows * 100 };
  const found = await database.query(sql, { settings }).toArray();
  return found.map((row) => Object.values(row));
}
