import { SluiceError } from '../base/index.ts';
import type { CatalogObject } from '../catalog/index.ts';
import type { Block, ColumnSchema } from '../column/index.ts';
import { constantVector } from '../column/index.ts';
import { lower, type PhysicalPlan } from '../compile/index.ts';
import { type Execution, runPlan, sourceOf } from '../exec/index.ts';
import { parseExpression } from '../parser/index.ts';
import {
  type Assignment,
  Binder,
  type BoundExpr,
  type Column,
  columnsOf,
  literalOf,
  type PlanContext,
  Scope,
} from '../plan/index.ts';
import { bareType, defaultValue, isNullable, type SqlType, typeName, types } from '../types/index.ts';
import type { TargetObject } from './target.ts';

/** The columns that an INSERT brings, and the mask of rows that lack one. */
export interface GivenColumn extends ColumnSchema {
  /** Whether some rows may lack a value, to be filled with the DEFAULT. */
  readonly mayBeOmitted: boolean;
}

/** How given columns become the rows of a stream. */
export interface InsertPlan {
  readonly plan: PhysicalPlan;
  /** The given columns that can be NULL where the stream's cannot, by their place among the vectors. */
  readonly required: readonly (ColumnSchema & { readonly index: number })[];
}

/** The expression as a column takes it; NULL for a column that is NOT NULL is an error when it comes. */
function fitted(binder: Binder, expr: BoundExpr, type: SqlType): BoundExpr {
  const cast = binder.castTo(expr, type);
  if (!isNullable(cast.type) || isNullable(type)) return cast;
  return binder.call('cast', [cast, literalOf(typeName(type), types.string)]);
}

/** The expression that fills a column nothing was given for. */
export function defaultExpression(
  binder: Binder,
  column: { name: string; type: SqlType; defaultText: string | null },
): BoundExpr {
  if (column.defaultText === null) return literalOf(defaultValue(column.type), column.type);
  const bound = binder.bindRow(parseExpression(column.defaultText), `the DEFAULT of column '${column.name}'`);
  if (bareType(bound.type).kind === 'nothing' && !isNullable(column.type))
    throw new SluiceError(
      'CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN',
      `The DEFAULT of column '${column.name}' is NULL, but ${typeName(column.type)} is not nullable: write nullable(${typeName(column.type)})`,
    );
  return fitted(binder, bound, column.type);
}

/** A DEFAULT may refer to other columns by name, given or themselves defaults. */
function makePlan(context: PlanContext, stream: TargetObject, given: readonly GivenColumn[]): InsertPlan {
  const inputs: Column[] = [];
  const values = new Map<string, { value: Column; mask: Column | null }>();
  for (const column of given) {
    const value = context.nextColumn(column.name, column.type);
    const mask = column.mayBeOmitted ? context.nextColumn(`${column.name} omitted`, types.bool) : null;
    inputs.push(value, ...(mask === null ? [] : [mask]));
    values.set(column.name, { value, mask });
  }
  const placeholders = stream.columns.map((column) => context.nextColumn(column.name, column.type));
  const binder = new Binder(
    context,
    new Scope([{ alias: null, database: null, name: stream.name, columns: placeholders, hidden: [] }], null),
  );
  const definitions: Assignment[] = stream.columns.map((column, index) => {
    const entry = values.get(column.name);
    const whole = (): BoundExpr =>
      fitted(binder, { kind: 'column', column: entry!.value, type: entry!.value.type }, column.type);
    if (entry === undefined) return { column: placeholders[index]!, expr: defaultExpression(binder, column) };
    if (entry.mask === null) return { column: placeholders[index]!, expr: whole() };
    const omitted: BoundExpr = { kind: 'column', column: entry.mask, type: types.bool };
    return {
      column: placeholders[index]!,
      expr: binder.call('if', [omitted, defaultExpression(binder, column), whole()]),
    };
  });
  assertNoCycle(definitions);
  const scan = {
    kind: 'scan' as const,
    source: { kind: 'values' as const, rows: [] },
    columns: inputs.map((column, source) => ({ column, source })),
  };
  const required = stream.columns.flatMap(({ name, type }) => {
    const entry = values.get(name);
    if (entry === undefined || isNullable(type) || !isNullable(entry.value.type)) return [];
    return [{ name, type, index: inputs.indexOf(entry.value) }];
  });
  return { plan: lower({ kind: 'project', input: scan, outputs: definitions }), required };
}

/** A DEFAULT that leads back to itself could never be computed. */
function assertNoCycle(definitions: readonly Assignment[]): void {
  const byId = new Map(definitions.map((definition) => [definition.column.id, definition]));
  const visiting = new Set<number>();
  const doneWith = new Set<number>();
  const visit = (definition: Assignment): void => {
    const { id, name } = definition.column;
    if (doneWith.has(id)) return;
    if (visiting.has(id))
      throw new SluiceError('BAD_ARGUMENTS', `The DEFAULT of column '${name}' depends on the column itself`);
    visiting.add(id);
    for (const inner of columnsOf(definition.expr)) {
      const next = byId.get(inner);
      if (next !== undefined) visit(next);
    }
    doneWith.add(id);
  };
  for (const definition of definitions) visit(definition);
}

/** Compiled plans for filling up inserted rows, by stream and given columns. */
export class InsertPlans {
  readonly #plans = new Map<string, Map<string, InsertPlan>>();

  invalidate(object: CatalogObject | null): void {
    if (object === null) this.#plans.clear();
    else this.#plans.delete(object.uuid);
  }

  plan(context: () => PlanContext, stream: TargetObject, given: readonly GivenColumn[]): InsertPlan {
    let plans = this.#plans.get(stream.uuid);
    if (plans === undefined) {
      plans = new Map();
      this.#plans.set(stream.uuid, plans);
    }
    const key = given
      .map((column) => `${column.name}${column.mayBeOmitted ? '?' : ''}:${JSON.stringify(column.type)}`)
      .join(',');
    let plan = plans.get(key);
    if (plan === undefined) {
      plan = makePlan(context(), stream, given);
      plans.set(key, plan);
    }
    return plan;
  }
}

/** Throws CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN when a column that is NOT NULL is given a NULL. */
function assertGiven({ required }: InsertPlan, block: Block): void {
  for (const { name, type, index } of required) {
    if (block.vectors[index]!.nulls?.includes(1) !== true) continue;
    throw new SluiceError(
      'CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN',
      `NULL is given for column '${name}', but ${typeName(type)} is not nullable: use coalesce(...) or make the column nullable(${typeName(type)})`,
    );
  }
}

/** The stream's rows made of one block of given columns. */
export async function fillBlock(insert: InsertPlan, block: Block, execution: Execution): Promise<Block> {
  const { plan } = insert;
  if (plan.kind !== 'pipeline') throw new Error('Assertion failed: an insert plan is a pipeline');
  assertGiven(insert, block);
  const source = runPlan(plan, execution, undefined, new Map([[plan.input, sourceOf([block])]]));
  const filled = await source.next();
  return filled ?? { rows: 0, vectors: [] };
}

/** The vector that says of every row whether a value was omitted. */
export function maskVector(mask: Uint8Array | null, rows: number) {
  if (mask === null) return constantVector(types.bool, 0, rows);
  return {
    kind: 'flat' as const,
    array: 'u8' as const,
    length: rows,
    nulls: null,
    data: mask,
    min: 0,
    max: 1,
  };
}
