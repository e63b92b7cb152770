import type { CallExpr, Expr, Span } from './expression-nodes.ts';
import type { ObjectName, Query, SettingAssignment } from './query-nodes.ts';

export interface EngineSpec {
  readonly name: string;
  /** Null when no parentheses were written. */
  readonly args: readonly Expr[] | null;
}

export interface ColumnDefault {
  readonly type: 'default' | 'materialized' | 'alias' | 'ephemeral';
  /** Null only for a bare EPHEMERAL. */
  readonly expr: Expr | null;
}

export interface ColumnDef {
  readonly name: string;
  /** Null when the type is to be inferred from the default. */
  readonly typeText: string | null;
  /** True for NULL, false for NOT NULL, null when neither was written. */
  readonly nullable: boolean | null;
  readonly default: ColumnDefault | null;
  readonly codec: string | null;
  readonly ttl: Expr | null;
  readonly comment: string | null;
  readonly primaryKey: boolean;
  readonly settings: readonly SettingAssignment[];
  readonly pos: Span;
}

export interface IndexDef {
  readonly name: string;
  readonly expr: Expr;
  readonly type: CallExpr | null;
  readonly granularity: Expr | null;
}

export interface ConstraintDef {
  readonly name: string;
  readonly type: 'check' | 'assume';
  readonly expr: Expr;
}

/** `TTL expr [DELETE | TO DISK 'd' | TO VOLUME 'v'] [WHERE c]`; `action` is the source text of what is not DELETE. */
export interface TtlItem {
  readonly expr: Expr;
  readonly action: string | null;
  readonly where: Expr | null;
}

/** The clauses after the column list, in any order in the source. */
export interface StorageClauses {
  readonly engine: EngineSpec | null;
  readonly orderBy: readonly Expr[];
  readonly partitionBy: Expr | null;
  readonly primaryKey: readonly Expr[];
  readonly sampleBy: Expr | null;
  readonly ttl: readonly TtlItem[];
  readonly settings: readonly SettingAssignment[];
  readonly comment: string | null;
}

export interface CreateDatabase {
  readonly kind: 'create_database';
  readonly name: string;
  readonly ifNotExists: boolean;
  readonly engine: EngineSpec | null;
  readonly settings: readonly SettingAssignment[];
  readonly comment: string | null;
  readonly pos: Span;
}

export type StreamVariant = 'stream' | 'external' | 'mutable' | 'random' | 'temporary';

export interface CreateStream {
  readonly kind: 'create_stream';
  readonly variant: StreamVariant;
  /** `table` for CREATE TABLE and CREATE EXTERNAL TABLE. */
  readonly object: 'stream' | 'table';
  readonly name: ObjectName;
  readonly uuid: string | null;
  readonly ifNotExists: boolean;
  readonly orReplace: boolean;
  readonly columns: readonly ColumnDef[];
  readonly indexes: readonly IndexDef[];
  readonly constraints: readonly ConstraintDef[];
  readonly storage: StorageClauses;
  /** `AS SELECT ...`. */
  readonly query: Query | null;
  /** `AS other` and `CLONE AS other`. */
  readonly like: ObjectName | null;
  /** `AS $$ code $$` of an external stream that is written in a script language. */
  readonly script: string | null;
  readonly pos: Span;
}

export interface CreateView {
  readonly kind: 'create_view';
  readonly name: ObjectName;
  readonly ifNotExists: boolean;
  readonly orReplace: boolean;
  readonly columns: readonly ColumnDef[];
  readonly query: Query;
  readonly settings: readonly SettingAssignment[];
  readonly comment: string | null;
  readonly pos: Span;
}

export interface CreateMaterializedView {
  readonly kind: 'create_materialized_view';
  readonly name: ObjectName;
  readonly uuid: string | null;
  readonly ifNotExists: boolean;
  readonly orReplace: boolean;
  /** `INTO target` (`TO target`); null when the view keeps its rows itself. */
  readonly into: ObjectName | null;
  readonly columns: readonly ColumnDef[];
  readonly storage: StorageClauses;
  readonly populate: boolean;
  readonly query: Query;
  readonly pos: Span;
}

export interface FunctionParam {
  readonly name: string;
  /** Null for the parameters of an SQL lambda. */
  readonly typeText: string | null;
}

export interface CreateFunction {
  readonly kind: 'create_function';
  readonly name: string;
  readonly ifNotExists: boolean;
  readonly orReplace: boolean;
  readonly aggregate: boolean;
  readonly language: 'sql' | 'javascript' | 'python';
  readonly params: readonly FunctionParam[];
  readonly returns: string | null;
  /** The lambda's body for language `sql`, else null. */
  readonly expr: Expr | null;
  /** The code of a script language, else null. */
  readonly code: string | null;
  readonly settings: readonly SettingAssignment[];
  readonly pos: Span;
}

export interface CreateFormatSchema {
  readonly kind: 'create_format_schema';
  readonly name: string;
  readonly ifNotExists: boolean;
  readonly orReplace: boolean;
  readonly schema: string;
  /** `Protobuf`, `Avro`. */
  readonly type: string;
  readonly pos: Span;
}

/** How a user proves who they are. `method` is lower case: `password` when only BY was written, `no_password`,
 * `plaintext_password`, `sha256_password`, ... */
export interface UserAuth {
  readonly method: string;
  readonly secret: string | null;
}

/** The shared parts of CREATE USER and ALTER USER. */
export interface UserOptions {
  /** Null when no IDENTIFIED clause was written. */
  readonly auth: UserAuth | null;
  /** Source text of each HOST item, such as `ANY`, `LOCAL` or `IP '10.0.0.0/8'`; null when absent. */
  readonly hosts: readonly string[] | null;
  /** Null when absent; `['ALL']` and `['NONE']` are the words. */
  readonly defaultRoles: readonly string[] | null;
  readonly defaultDatabase: string | null;
  readonly settings: readonly SettingAssignment[];
  readonly renameTo: string | null;
}

export interface CreateUser {
  readonly kind: 'create_user';
  readonly names: readonly string[];
  readonly ifNotExists: boolean;
  readonly orReplace: boolean;
  readonly options: UserOptions;
  readonly pos: Span;
}

export interface AlterUser {
  readonly kind: 'alter_user';
  readonly names: readonly string[];
  readonly ifExists: boolean;
  readonly options: UserOptions;
  readonly pos: Span;
}

export interface CreateRole {
  readonly kind: 'create_role';
  readonly names: readonly string[];
  readonly ifNotExists: boolean;
  readonly orReplace: boolean;
  readonly settings: readonly SettingAssignment[];
  readonly pos: Span;
}

export type AlterAction =
  | {
      readonly type: 'add_column';
      readonly column: ColumnDef;
      readonly ifNotExists: boolean;
      readonly first: boolean;
      readonly after: string | null;
    }
  | {
      readonly type: 'modify_column';
      readonly column: ColumnDef;
      readonly ifExists: boolean;
      readonly first: boolean;
      readonly after: string | null;
    }
  | {
      /** `MODIFY COLUMN name REMOVE DEFAULT`; `what` is default, materialized, alias, codec, ttl or comment. */
      readonly type: 'remove_from_column';
      readonly name: string;
      readonly what: string;
      readonly ifExists: boolean;
    }
  | { readonly type: 'drop_column'; readonly name: string; readonly ifExists: boolean }
  | { readonly type: 'clear_column'; readonly name: string; readonly ifExists: boolean }
  | { readonly type: 'rename_column'; readonly name: string; readonly to: string; readonly ifExists: boolean }
  | {
      readonly type: 'comment_column';
      readonly name: string;
      readonly comment: string;
      readonly ifExists: boolean;
    }
  | { readonly type: 'modify_comment'; readonly comment: string }
  | { readonly type: 'modify_setting'; readonly settings: readonly SettingAssignment[] }
  | { readonly type: 'modify_query_setting'; readonly settings: readonly SettingAssignment[] }
  | { readonly type: 'reset_setting'; readonly names: readonly string[] }
  | { readonly type: 'modify_ttl'; readonly ttl: readonly TtlItem[] }
  | { readonly type: 'remove_ttl' }
  | { readonly type: 'modify_order_by'; readonly exprs: readonly Expr[] }
  | { readonly type: 'modify_query'; readonly query: Query }
  | { readonly type: 'add_index'; readonly index: IndexDef; readonly ifNotExists: boolean }
  | { readonly type: 'drop_index'; readonly name: string; readonly ifExists: boolean }
  | { readonly type: 'materialize_index'; readonly name: string; readonly ifExists: boolean }
  | { readonly type: 'add_constraint'; readonly constraint: ConstraintDef; readonly ifNotExists: boolean }
  | { readonly type: 'drop_constraint'; readonly name: string; readonly ifExists: boolean }
  | { readonly type: 'drop_partition'; readonly partition: Expr }
  | { readonly type: 'delete'; readonly where: Expr }
  | { readonly type: 'update'; readonly assignments: readonly Assignment[]; readonly where: Expr };

export interface AlterStatement {
  readonly kind: 'alter';
  readonly object: 'stream' | 'table' | 'view' | 'materialized_view' | 'database';
  readonly name: ObjectName;
  readonly ifExists: boolean;
  readonly actions: readonly AlterAction[];
  readonly pos: Span;
}

export interface Assignment {
  readonly column: string;
  readonly expr: Expr;
}
