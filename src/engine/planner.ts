import type { Scope } from '../access/index.ts';
import type { Query, SettingAssignment } from '../ast/index.ts';
import { selectsOf } from '../ast/index.ts';
import { type Settings, SluiceError, settingsFrom } from '../base/index.ts';
import type { Catalog, Viewer } from '../catalog/index.ts';
import { constantValue } from '../compile/index.ts';
import type { QueryContext } from '../functions/index.ts';
import { parseQuery } from '../parser/index.ts';
import {
  type BoundExpr,
  type Column,
  type LogicalPlan,
  literalText,
  optimize,
  type PlanContext,
  type PreparedValue,
  planQuery,
  rulesWithout,
  type TableFunctions,
  visitBound,
} from '../plan/index.ts';
import type { SqlType } from '../types/index.ts';

/** Settings written in a statement, laid over those it came with. */
export function withAssignments(settings: Settings, assignments: readonly SettingAssignment[]): Settings {
  return settingsFrom(
    assignments.map(({ name, value }): [string, string] => [
      name,
      literalText(value, `The value of setting '${name}'`),
    ]),
    settings,
  );
}

/** The settings of a query's own SETTINGS clauses. */
export function querySettings(
  settings: Settings,
  query: Query,
  after: readonly SettingAssignment[] = [],
): Settings {
  const own =
    query.kind === 'select' ? query.settings : selectsOf(query).flatMap((select) => select.settings);
  return withAssignments(settings, [...own, ...after]);
}

/** What a query reads; who runs it has to have the right to. */
export interface QueryReads {
  readonly tables: readonly Scope[];
  /** Names of table functions. */
  readonly functions: readonly string[];
  /** Whether system tables are read, of which not every user sees the same rows. */
  readonly system: boolean;
}

/** A plan, rewritten by the rules, and what was learnt while it was made. */
export interface Planned {
  readonly plan: LogicalPlan;
  readonly values: readonly PreparedValue[];
  /** Uuids of the catalog objects that the plan was made of. */
  readonly dependencies: ReadonlySet<string>;
  readonly reads: QueryReads;
  /** False when the plan holds something of this moment (now in a constant list) or of one user. */
  readonly cacheable: boolean;
  /** Numbers of the literals whose values the plan depends on. */
  readonly pinned: ReadonlySet<number>;
}

export interface PlannerInput {
  readonly catalog: Pick<Catalog, 'find'>;
  readonly context: QueryContext;
  /** Who sees only part of the system tables; without it all of them are seen. */
  readonly viewer?: Viewer;
  /** None unless given. */
  readonly tableFunctions?: TableFunctions;
  readonly parameters: ReadonlyMap<string, string>;
  /** Numbers of the text's literals by where they start, for a plan that texts of one shape are to share. */
  readonly literals?: ReadonlyMap<number, number>;
}

/** What an analysis notes down as it goes. */
interface Learnt {
  readonly dependencies: Set<string>;
  readonly tables: Scope[];
  readonly functions: string[];
  system: boolean;
  volatile: boolean;
}

function nothingLearnt(): Learnt {
  return { dependencies: new Set(), tables: [], functions: [], system: false, volatile: false };
}

/** The planning context of a statement; `learnt` gathers what the plan depends on. */
export function planContext(input: PlannerInput, learnt: Learnt = nothingLearnt()): PlanContext {
  const { catalog, context, viewer } = input;
  let columns = 0;
  return {
    settings: context.settings,
    queryParameters: input.parameters,
    catalog: {
      findTable: (database, name, implied) => {
        const object = catalog.find(database ?? context.database, name);
        if (object.kind === 'system_table') {
          learnt.system = true;
          if (viewer === undefined) return object;
          learnt.volatile = true;
          return { ...object, rows: () => object.rows(viewer) };
        }
        learnt.dependencies.add(object.uuid);
        if (implied !== true) learnt.tables.push({ database: object.database, table: object.name });
        return object;
      },
    },
    tableFunctions: {
      names: input.tableFunctions?.names ?? [],
      call: (name, args) => {
        // What a table function gives is made of its arguments when it is planned.
        learnt.volatile = true;
        learnt.functions.push(name);
        return input.tableFunctions!.call(name, args);
      },
    },
    evaluate: (expr: BoundExpr) => {
      visitBound(expr, (inner) => {
        if (inner.kind === 'parameter' || inner.kind === 'in_set')
          throw new SluiceError('BAD_ARGUMENTS', 'A subquery cannot stand where a constant is needed');
        if (inner.kind === 'call' && inner.definition.evaluation === 'per_query') learnt.volatile = true;
      });
      return constantValue(expr, context);
    },
    parseQuery: (sql) => parseQuery(sql),
    parameters: [],
    literalTokens: input.literals ?? new Map(),
    pinnedTokens: new Set(),
    nextColumn: (name: string, type: SqlType): Column => ({ id: columns++, name, type }),
  };
}

/** The literals that did not become parameters, and those that did and are looked at all the same. */
function pinnedLiterals(context: PlanContext): Set<number> {
  const pinned = new Set(context.literalTokens.values());
  for (const value of context.parameters)
    if (value.kind === 'literal') for (const token of value.tokens) pinned.delete(token);
  for (const token of context.pinnedTokens) pinned.add(token);
  return pinned;
}

export function plan(input: PlannerInput, query: Query): Planned {
  const learnt = nothingLearnt();
  learnt.volatile = input.parameters.size > 0;
  const context = planContext(input, learnt);
  const rules = rulesWithout(context.settings.disabled_optimizer_rules);
  const planned = planQuery(context, query, null);
  return {
    plan: optimize(planned, rules),
    values: context.parameters.map((value) =>
      'plan' in value ? { ...value, plan: optimize(value.plan, rules) } : value,
    ),
    dependencies: learnt.dependencies,
    reads: { tables: learnt.tables, functions: learnt.functions, system: learnt.system },
    cacheable: !learnt.volatile,
    pinned: pinnedLiterals(context),
  };
}
