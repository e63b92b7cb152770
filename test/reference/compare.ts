import type { Database, QueryOptions } from '../../src/index.ts';
import type { Result } from './evaluate.ts';
import type { Query } from './model.ts';
import { dateText, text, typeText, type Value } from './values.ts';

/** A result as text: the schema, and a line for each row. */
export interface Shown {
  readonly columns: readonly string[];
  readonly rows: readonly string[];
}

/** A value as both sides show it. The last digits of floats depend on the order of additions. */
function cellText(value: unknown): string {
  if (value === null) return 'NULL';
  if (Array.isArray(value)) return `[${value.map(cellText).join(', ')}]`;
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'number') return String(value);
  if (Number.isSafeInteger(value)) return String(BigInt(value));
  return Number(value.toPrecision(11)).toString();
}

function referenceValue(value: Value, base: string, element?: string): unknown {
  if (Array.isArray(value)) return value.map((item) => referenceValue(item as Value, element!));
  if (typeof value === 'string') return text(value);
  if (base === 'date' && value !== null) return dateText(value as bigint);
  return value;
}

export function showReference({ columns, rows }: Result): Shown {
  return {
    columns: columns.map(({ name, type }) => `${name} ${typeText(type)}`),
    rows: rows.map((row) =>
      row
        .map((value, index) => {
          const { base, element } = columns[index]!.type;
          return cellText(referenceValue(value, base, element?.base));
        })
        .join(' | '),
    ),
  };
}

/** What the database gives; an error is shown in place of a result. */
export async function showDatabase(
  database: Database,
  sql: string,
  options: QueryOptions = {},
): Promise<Shown> {
  try {
    const stream = database.query(sql, options);
    const rows = await stream.toArray();
    const columns = await stream.columns;
    return {
      columns: columns.map(({ name, type }) => `${name} ${type}`),
      rows: rows.map((row) => columns.map(({ name }) => cellText(row[name])).join(' | ')),
    };
  } catch (thrown) {
    return { columns: [], rows: [`failed: ${(thrown as Error).message}`] };
  }
}

/** Whether the order of a query's rows is part of what it says. */
export function isOrdered(query: Query): boolean {
  return query.kind === 'select' && query.order.length > 0;
}

/** What differs, in words; null when nothing does. */
export function difference(expected: Shown, found: Shown, ordered: boolean): string | null {
  const [columns, others] = [expected.columns.join(', '), found.columns.join(', ')];
  if (found.rows[0]?.startsWith('failed: ')) return found.rows[0];
  if (columns !== others) return `columns\n  expected: ${columns}\n  found:    ${others}`;
  const lists = [expected.rows, found.rows].map((rows) => (ordered ? rows : [...rows].sort()));
  const [wanted, given] = lists as [readonly string[], readonly string[]];
  const at = Array.from({ length: Math.max(wanted.length, given.length) }, (_, index) => index).find(
    (index) => wanted[index] !== given[index],
  );
  if (at === undefined) return null;
  return `${wanted.length} rows expected, ${given.length} found; the first difference is at row ${at}\n  expected: ${wanted[at] ?? 'no row'}\n  found:    ${given[at] ?? 'no row'}`;
}
