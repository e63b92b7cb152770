import type {
  ExternalObject,
  ExternalTable,
  SimpleCondition,
  StreamObject,
  SystemTable,
} from '../catalog/index.ts';
import type { AggregateCall, BoundExpr, Column } from './bound.ts';

/** Where a scan's rows come from. */
export type ScanSource =
  | { readonly kind: 'stream'; readonly stream: StreamObject; readonly streaming: boolean }
  | {
      readonly kind: 'external';
      readonly table: ExternalTable;
      /** Null for what a table function made. */
      readonly object: ExternalObject | null;
      readonly streaming: boolean;
    }
  | { readonly kind: 'system'; readonly table: SystemTable }
  | {
      readonly kind: 'numbers';
      readonly start: BoundExpr;
      readonly count: BoundExpr | null;
      readonly step: BoundExpr;
    }
  | { readonly kind: 'values'; readonly rows: readonly (readonly unknown[])[] };

/** One column of a scan, and its place in the source's schema. */
export interface ScanColumn {
  readonly column: Column;
  readonly source: number;
}

export interface Assignment {
  readonly column: Column;
  readonly expr: BoundExpr;
}

export interface SortKey {
  readonly expr: BoundExpr;
  readonly descending: boolean;
  readonly nullsFirst: boolean;
}

export interface OnePlan {
  readonly kind: 'one';
}

/** A simple condition whose value is known when the plan is executed. */
export type ScanCondition = Omit<SimpleCondition, 'value'> & { readonly value: BoundExpr };

export interface ScanPlan {
  readonly kind: 'scan';
  readonly source: ScanSource;
  readonly columns: readonly ScanColumn[];
  /** What the plan right above checks of the rows, and how many rows it takes at most: see the rule note_wishes. */
  readonly wishes?: { readonly conditions: readonly ScanCondition[]; readonly limit: BoundExpr | null };
}

export interface FilterPlan {
  readonly kind: 'filter';
  readonly input: LogicalPlan;
  readonly predicate: BoundExpr;
}

/** The outputs are all that is visible above. */
export interface ProjectPlan {
  readonly kind: 'project';
  readonly input: LogicalPlan;
  readonly outputs: readonly Assignment[];
}

export interface AggregateOutput {
  readonly column: Column;
  readonly call: AggregateCall;
}

export interface AggregatePlan {
  readonly kind: 'aggregate';
  readonly input: LogicalPlan;
  readonly keys: readonly Assignment[];
  readonly aggregates: readonly AggregateOutput[];
}

export interface DistinctPlan {
  readonly kind: 'distinct';
  readonly input: LogicalPlan;
  readonly on: readonly BoundExpr[];
}

export interface SortPlan {
  readonly kind: 'sort';
  readonly input: LogicalPlan;
  readonly keys: readonly SortKey[];
  /** Rows wanted at most, when a LIMIT follows: offset + limit. */
  readonly top: { readonly limit: BoundExpr; readonly offset: BoundExpr | null } | null;
}

export interface LimitPlan {
  readonly kind: 'limit';
  readonly input: LogicalPlan;
  readonly limit: BoundExpr | null;
  readonly offset: BoundExpr | null;
}

export interface LimitByPlan {
  readonly kind: 'limit_by';
  readonly input: LogicalPlan;
  readonly limit: BoundExpr;
  readonly offset: BoundExpr | null;
  readonly by: readonly BoundExpr[];
}

export interface JoinPlan {
  readonly kind: 'join';
  readonly type: 'inner' | 'left' | 'cross';
  /** At most one match for each row of the left side. */
  readonly any: boolean;
  readonly left: LogicalPlan;
  readonly right: LogicalPlan;
  readonly leftKeys: readonly BoundExpr[];
  readonly rightKeys: readonly BoundExpr[];
  /** The right side's columns as they are seen above, which are nullable under join_use_nulls. */
  readonly rightOutputs: readonly { readonly column: Column; readonly source: Column }[];
}

export interface UnionPlan {
  readonly kind: 'union';
  readonly inputs: readonly LogicalPlan[];
  readonly columns: readonly Column[];
}

export interface ArrayJoinPlan {
  readonly kind: 'array_join';
  readonly input: LogicalPlan;
  readonly left: boolean;
  readonly items: readonly Assignment[];
}

export type LogicalPlan =
  | OnePlan
  | ScanPlan
  | FilterPlan
  | ProjectPlan
  | AggregatePlan
  | DistinctPlan
  | SortPlan
  | LimitPlan
  | LimitByPlan
  | JoinPlan
  | UnionPlan
  | ArrayJoinPlan;

/** The columns that a plan gives, in order. */
export function outputColumns(plan: LogicalPlan): readonly Column[] {
  switch (plan.kind) {
    case 'one':
      return [];
    case 'scan':
      return plan.columns.map((entry) => entry.column);
    case 'filter':
    case 'distinct':
    case 'sort':
    case 'limit':
    case 'limit_by':
      return outputColumns(plan.input);
    case 'project':
      return plan.outputs.map((output) => output.column);
    case 'aggregate':
      return [...plan.keys.map((key) => key.column), ...plan.aggregates.map((output) => output.column)];
    case 'join':
      return [...outputColumns(plan.left), ...plan.rightOutputs.map((output) => output.column)];
    case 'union':
      return plan.columns;
    case 'array_join': {
      const replaced = new Set(plan.items.map((item) => item.column.id));
      const kept = outputColumns(plan.input).filter((column) => !replaced.has(column.id));
      return [...kept, ...plan.items.map((item) => item.column)];
    }
  }
}

/** The expressions that a node itself computes. */
export function planExpressions(plan: LogicalPlan): readonly BoundExpr[] {
  switch (plan.kind) {
    case 'one':
    case 'union':
      return [];
    case 'scan': {
      const { source } = plan;
      if (source.kind !== 'numbers') return [];
      return source.count === null ? [source.start, source.step] : [source.start, source.count, source.step];
    }
    case 'filter':
      return [plan.predicate];
    case 'project':
      return plan.outputs.map((output) => output.expr);
    case 'aggregate':
      return [
        ...plan.keys.map((key) => key.expr),
        ...plan.aggregates.flatMap(({ call }) =>
          call.condition === null ? call.args : [...call.args, call.condition],
        ),
      ];
    case 'distinct':
      return plan.on;
    case 'sort':
      return plan.keys.map((key) => key.expr);
    case 'limit':
      return [plan.limit, plan.offset].filter((expr) => expr !== null);
    case 'limit_by':
      return [...plan.by, plan.limit, ...(plan.offset === null ? [] : [plan.offset])];
    case 'join':
      return [...plan.leftKeys, ...plan.rightKeys];
    case 'array_join':
      return plan.items.map((item) => item.expr);
  }
}

export function planInputs(plan: LogicalPlan): readonly LogicalPlan[] {
  switch (plan.kind) {
    case 'one':
    case 'scan':
      return [];
    case 'join':
      return [plan.left, plan.right];
    case 'union':
      return plan.inputs;
    default:
      return [plan.input];
  }
}
