import type {
  AlterStatement,
  AlterUser,
  Assignment,
  CreateDatabase,
  CreateFormatSchema,
  CreateFunction,
  CreateMaterializedView,
  CreateRole,
  CreateStream,
  CreateUser,
  CreateView,
} from './definition-nodes.ts';
import type { Expr, Span } from './expression-nodes.ts';
import type { ObjectName, Query, SettingAssignment, TableExpr, TableFunction } from './query-nodes.ts';

/** The tail of every statement that returns rows; `settings` are those written after FORMAT. */
export interface OutputClause {
  readonly outfile: string | null;
  readonly format: string | null;
  readonly settings: readonly SettingAssignment[];
}

export interface QueryStatement {
  readonly kind: 'query';
  readonly query: Query;
  readonly output: OutputClause;
  readonly pos: Span;
}

/** `(a, b)`, `(*)` and `(* EXCEPT(a))`: with `asterisk`, the listed names are the excluded ones. */
export interface InsertColumns {
  readonly asterisk: boolean;
  readonly names: readonly string[];
}

/** Where inline data begins: the text from `offset` on is in `format` and was never tokenised. */
export interface InlineData {
  readonly format: string;
  readonly offset: number;
}

export interface InsertStatement {
  readonly kind: 'insert';
  readonly target: ObjectName | TableFunction;
  readonly columns: InsertColumns | null;
  readonly partitionBy: Expr | null;
  readonly infile: { readonly path: string; readonly compression: string | null } | null;
  readonly settings: readonly SettingAssignment[];
  /** The FORMAT name as written; `Values` when VALUES was written; null with a query or without either. */
  readonly format: string | null;
  readonly query: Query | null;
  readonly data: InlineData | null;
  readonly pos: Span;
}

/** What DROP, SHOW CREATE, EXISTS, TRUNCATE and RENAME name. */
export type ObjectKind =
  | 'database'
  | 'stream'
  | 'table'
  | 'view'
  | 'materialized_view'
  | 'function'
  | 'format_schema'
  | 'user'
  | 'role'
  | 'dictionary'
  | 'named_collection'
  | 'task'
  | 'alert'
  | 'disk'
  | 'quota'
  | 'settings_profile'
  | 'row_policy'
  | 'index';

export interface DropStatement {
  readonly kind: 'drop';
  readonly object: ObjectKind;
  readonly names: readonly ObjectName[];
  readonly ifExists: boolean;
  readonly cascade: boolean;
  readonly settings: readonly SettingAssignment[];
  readonly pos: Span;
}

export interface RenameStatement {
  readonly kind: 'rename';
  readonly object: ObjectKind;
  readonly ifExists: boolean;
  readonly pairs: readonly { readonly from: ObjectName; readonly to: ObjectName }[];
  readonly pos: Span;
}

export interface TruncateStatement {
  readonly kind: 'truncate';
  readonly object: 'stream' | 'table' | 'database';
  readonly name: ObjectName;
  readonly ifExists: boolean;
  readonly pos: Span;
}

/** The plural word of a SHOW list, in lower case with underscores. `tables` and `streams` are kept apart. */
export type ShowList =
  | 'databases'
  | 'streams'
  | 'tables'
  | 'views'
  | 'columns'
  | 'indexes'
  | 'functions'
  | 'aggregate_functions'
  | 'settings'
  | 'processlist'
  | 'users'
  | 'roles'
  | 'current_roles'
  | 'enabled_roles'
  | 'grants'
  | 'privileges'
  | 'quotas'
  | 'profiles'
  | 'policies'
  | 'access'
  | 'clusters'
  | 'engines'
  | 'formats'
  | 'format_schemas'
  | 'dictionaries'
  | 'tasks'
  | 'alerts'
  | 'disks'
  | 'named_collections'
  | 'materialized_views';

export interface LikeClause {
  readonly pattern: string;
  readonly negated: boolean;
  readonly caseInsensitive: boolean;
}

export interface ShowStatement {
  readonly kind: 'show';
  readonly list: ShowList;
  readonly full: boolean;
  /** `CHANGED` of SHOW CHANGED SETTINGS. */
  readonly changed: boolean;
  /** The database of `FROM db`; for columns and indexes the whole name of the stream. */
  readonly from: ObjectName | null;
  /** The users of `SHOW GRANTS FOR u`; empty when absent. */
  readonly for: readonly string[];
  readonly like: LikeClause | null;
  readonly where: Expr | null;
  readonly limit: Expr | null;
  readonly output: OutputClause;
  readonly pos: Span;
}

export interface ShowCreate {
  readonly kind: 'show_create';
  readonly object: ObjectKind;
  readonly name: ObjectName;
  readonly output: OutputClause;
  readonly pos: Span;
}

export interface DescribeStatement {
  readonly kind: 'describe';
  readonly target: TableExpr;
  readonly output: OutputClause;
  readonly pos: Span;
}

export interface ExplainStatement {
  readonly kind: 'explain';
  readonly mode: 'ast' | 'syntax' | 'plan' | 'pipeline' | 'compiled' | 'estimate' | 'query_tree';
  readonly settings: readonly SettingAssignment[];
  readonly statement: Statement;
  readonly output: OutputClause;
  readonly pos: Span;
}

export interface UseStatement {
  readonly kind: 'use';
  readonly database: string;
  readonly pos: Span;
}

export interface SetStatement {
  readonly kind: 'set';
  readonly settings: readonly SettingAssignment[];
  readonly pos: Span;
}

/** `SET ROLE r`, `SET DEFAULT ROLE r TO u`; `roles` may be the words `ALL`, `NONE` or `DEFAULT`. */
export interface SetRoleStatement {
  readonly kind: 'set_role';
  readonly default: boolean;
  readonly roles: readonly string[];
  readonly users: readonly string[];
  readonly pos: Span;
}

export interface KillStatement {
  readonly kind: 'kill';
  readonly target: 'query' | 'mutation';
  readonly where: Expr;
  readonly mode: 'sync' | 'async' | 'test' | null;
  readonly output: OutputClause;
  readonly pos: Span;
}

/** `SYSTEM FLUSH LOGS`, `SYSTEM PAUSE MATERIALIZED VIEW db.v`: the command's words in upper case, then its object. */
export interface SystemStatement {
  readonly kind: 'system';
  readonly command: string;
  readonly name: ObjectName | null;
  readonly pos: Span;
}

/** `PAUSE MATERIALIZED VIEW v`, with or without SYSTEM before it. */
export interface ViewControlStatement {
  readonly kind: 'view_control';
  readonly action: 'pause' | 'resume' | 'abort' | 'recover';
  readonly name: ObjectName;
  readonly ifExists: boolean;
  readonly pos: Span;
}

/** `SELECT(a, b)` or `ALL`: the privilege's words in upper case. */
export interface Privilege {
  readonly name: string;
  readonly columns: readonly string[];
}

/** What rights are on; null stands for `*`. `currentDatabase` tells `ON t` and `ON *` from `ON db.t` and `ON *.*`. */
export interface GrantScope {
  readonly database: string | null;
  readonly table: string | null;
  readonly currentDatabase: boolean;
}

/** GRANT and REVOKE of privileges (`privileges`, `on`) or of roles (`roles`). */
export interface GrantStatement {
  readonly kind: 'grant';
  readonly revoke: boolean;
  readonly privileges: readonly Privilege[];
  readonly on: GrantScope | null;
  readonly roles: readonly string[];
  readonly grantees: readonly string[];
  /** WITH GRANT OPTION, or GRANT OPTION FOR of REVOKE. */
  readonly grantOption: boolean;
  /** WITH ADMIN OPTION, or ADMIN OPTION FOR of REVOKE. */
  readonly adminOption: boolean;
  readonly pos: Span;
}

export interface ExistsStatement {
  readonly kind: 'exists_statement';
  readonly object: ObjectKind;
  readonly name: ObjectName;
  readonly output: OutputClause;
  readonly pos: Span;
}

export interface OptimizeStatement {
  readonly kind: 'optimize';
  readonly name: ObjectName;
  readonly partition: Expr | null;
  readonly final: boolean;
  readonly deduplicate: boolean;
  readonly pos: Span;
}

export interface DeleteStatement {
  readonly kind: 'delete';
  readonly name: ObjectName;
  readonly where: Expr | null;
  readonly settings: readonly SettingAssignment[];
  readonly pos: Span;
}

export interface UpdateStatement {
  readonly kind: 'update';
  readonly name: ObjectName;
  readonly assignments: readonly Assignment[];
  readonly where: Expr | null;
  readonly settings: readonly SettingAssignment[];
  readonly pos: Span;
}

export interface CheckStatement {
  readonly kind: 'check';
  readonly name: ObjectName;
  readonly output: OutputClause;
  readonly pos: Span;
}

/** A statement that is part of the dialect but not of this engine; `what` names it, such as `BACKUP`. */
export interface UnsupportedStatement {
  readonly kind: 'unsupported_statement';
  readonly what: string;
  /** The source text, so that the statement can still be shown. */
  readonly text: string;
  readonly pos: Span;
}

export type Statement =
  | QueryStatement
  | InsertStatement
  | CreateDatabase
  | CreateStream
  | CreateView
  | CreateMaterializedView
  | CreateFunction
  | CreateFormatSchema
  | CreateUser
  | CreateRole
  | AlterUser
  | AlterStatement
  | DropStatement
  | RenameStatement
  | TruncateStatement
  | ShowStatement
  | ShowCreate
  | DescribeStatement
  | ExplainStatement
  | UseStatement
  | SetStatement
  | SetRoleStatement
  | KillStatement
  | SystemStatement
  | ViewControlStatement
  | GrantStatement
  | ExistsStatement
  | OptimizeStatement
  | DeleteStatement
  | UpdateStatement
  | CheckStatement
  | UnsupportedStatement;
