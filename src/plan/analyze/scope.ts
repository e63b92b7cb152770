import type { AliasExpr, Expr, QueryCte } from '../../ast/index.ts';
import { maybeYouMeant, SluiceError } from '../../base/index.ts';
import type { BoundExpr, Column } from '../bound.ts';
import type { LogicalPlan } from '../logical.ts';

/** The columns of one table of FROM, and the names that qualify them. */
export interface ScopeTable {
  readonly alias: string | null;
  readonly database: string | null;
  readonly name: string | null;
  readonly columns: readonly Column[];
  /** Columns that can be named but are not part of `*`. */
  readonly hidden: readonly Column[];
}

/** The common table expressions and named expressions that a query sees. */
export interface WithScope {
  readonly parent: WithScope | null;
  readonly queries: ReadonlyMap<string, QueryCte & { readonly scope: WithScope | null }>;
  readonly exprs: ReadonlyMap<string, Expr>;
}

function unknownColumn(written: string, scope: Scope, isDoubleQuoted: boolean): SluiceError {
  const known = scope.tables.flatMap((table) =>
    [...table.columns, ...table.hidden].map((column) => column.name),
  );
  const hint = maybeYouMeant(written, [...known, ...scope.aliases.keys()]);
  const quoted = isDoubleQuoted ? '. Double quotes make it a name: a string stands in single quotes' : '';
  const listed =
    known.length === 0
      ? ''
      : `. Known columns: ${known.slice(0, 20).join(', ')}${known.length > 20 ? ', ...' : ''}`;
  return new SluiceError('UNKNOWN_IDENTIFIER', `Unknown column '${written}'${hint}${quoted}${listed}`);
}

export interface ResolvedColumn {
  readonly column: Column;
  /** The parts of the name that are left: elements of a tuple column. */
  readonly rest: readonly string[];
}

/** What names mean inside one SELECT. */
export class Scope {
  readonly tables: readonly ScopeTable[];
  readonly aliases = new Map<string, Expr>();
  readonly bound = new Map<string, BoundExpr>();
  /** Aliases being bound right now: inside their own definition they stand for the column of that name. */
  readonly binding = new Set<string>();
  readonly with: WithScope | null;

  constructor(tables: readonly ScopeTable[], withScope: WithScope | null) {
    this.tables = tables;
    this.with = withScope;
  }

  /** Makes an alias known; two different meanings of one name are an error where the name is used. */
  addAlias(alias: AliasExpr): void {
    if (!this.aliases.has(alias.name)) this.aliases.set(alias.name, alias.expr);
  }

  findNamedExpr(name: string): Expr | undefined {
    for (let scope = this.with; scope !== null; scope = scope.parent) {
      const expr = scope.exprs.get(name);
      if (expr !== undefined) return expr;
    }
    return undefined;
  }

  #matches(table: ScopeTable, qualifier: readonly string[]): boolean {
    if (qualifier.length === 1)
      return (
        table.alias === qualifier[0] ||
        (table.alias === null && table.name === qualifier[0]) ||
        table.name === qualifier[0]
      );
    return qualifier.length === 2 && table.database === qualifier[0] && table.name === qualifier[1];
  }

  /** The tables that a qualifier such as `t` or `db.t` names. */
  tablesOf(qualifier: readonly string[]): readonly ScopeTable[] {
    const exact = this.tables.filter((table) => qualifier.length === 1 && table.alias === qualifier[0]);
    return exact.length > 0 ? exact : this.tables.filter((table) => this.#matches(table, qualifier));
  }

  #named(tables: readonly ScopeTable[], name: string, written: string): Column | undefined {
    const found: Column[] = [];
    for (const table of tables) {
      const column =
        table.columns.find((entry) => entry.name === name) ??
        table.hidden.find((entry) => entry.name === name);
      if (column !== undefined && !found.includes(column)) found.push(column);
    }
    const visible = found.filter((column) => tables.some((table) => table.columns.includes(column)));
    if (visible.length > 1 && !name.startsWith('_tp_')) {
      throw new SluiceError(
        'AMBIGUOUS_IDENTIFIER',
        `Column '${written}' is in several tables: name the table before it`,
      );
    }
    return visible[0] ?? found[0];
  }

  find(parts: readonly string[]): ResolvedColumn | undefined {
    const written = parts.join('.');
    // A column whose own name has dots, such as a flattened nested column, wins over any splitting of it.
    const whole = this.#named(this.tables, written, written);
    if (whole !== undefined) return { column: whole, rest: [] };
    for (let qualifier = Math.min(2, parts.length - 1); qualifier >= 1; qualifier--) {
      const tables = this.tablesOf(parts.slice(0, qualifier));
      if (tables.length === 0) continue;
      const column = this.#named(tables, parts[qualifier]!, written);
      if (column !== undefined) return { column, rest: parts.slice(qualifier + 1) };
    }
    const column = this.#named(this.tables, parts[0]!, written);
    return column === undefined ? undefined : { column, rest: parts.slice(1) };
  }

  unknown(parts: readonly string[], isDoubleQuoted = false): SluiceError {
    return unknownColumn(parts.join('.'), this, isDoubleQuoted);
  }
}

/** The rows of FROM and the names under which their columns are seen. */
export interface FromResult {
  readonly plan: LogicalPlan;
  readonly tables: readonly ScopeTable[];
}
