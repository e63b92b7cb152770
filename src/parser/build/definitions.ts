import {
  CodecOptionContext,
  type ColumnDefContext,
  ColumnElementContext,
  type ColumnNameContext,
  type ColumnOptionContext,
  CommentOptionContext,
  ConstraintElementContext,
  type DefaultOptionContext,
  EngineClauseContext,
  EphemeralOptionContext,
  type IndexBodyContext,
  IndexElementContext,
  NotNullOptionContext,
  NullOptionContext,
  type PrimaryKeyElementContext,
  PrimaryKeyOptionContext,
  SettingsOptionContext,
  SluiceParser,
  type StorageClauseContext,
  type StorageCommentContext,
  type StorageKeyContext,
  StorageOrderByContext,
  StoragePartitionByContext,
  StoragePrimaryKeyContext,
  StorageSampleByContext,
  StorageSettingsContext,
  StorageTtlContext,
  type TableElementsContext,
  type TtlItemContext,
  TtlOptionContext,
} from '../../../generated/SluiceParser.ts';
import type {
  CallExpr,
  ColumnDef,
  ColumnDefault,
  ConstraintDef,
  EngineSpec,
  Expr,
  IndexDef,
  StorageClauses,
  TtlItem,
} from '../../ast/index.ts';
import { functionCall, plainCall } from './calls.ts';
import { identifierText, identifierTexts, refuse, spanOf, stringValue } from './common.ts';
import { expression, expressionList, optionalExpression, optionalOperand } from './expressions.ts';
import { settingList, settingsOf } from './queries.ts';
import { normalTypeText } from './types.ts';

export interface TableElements {
  readonly columns: ColumnDef[];
  readonly indexes: IndexDef[];
  readonly constraints: ConstraintDef[];
  readonly primaryKey: Expr[];
}

export function tableElements(ctx: TableElementsContext | null): TableElements {
  const elements: TableElements = { columns: [], indexes: [], constraints: [], primaryKey: [] };
  for (const item of ctx?.tableElement() ?? []) {
    if (item instanceof ColumnElementContext) elements.columns.push(columnDef(item.columnDef()));
    else if (item instanceof IndexElementContext)
      elements.indexes.push(indexDef(item.indexDef().indexBody()));
    else if (item instanceof ConstraintElementContext) {
      const { name, kind, expr } = constraintParts(item);
      elements.constraints.push({ name, type: kind, expr });
    } else {
      elements.primaryKey.push(
        ...flattenTuple(expressionList((item as PrimaryKeyElementContext).exprList())),
      );
    }
  }
  return elements;
}

function constraintParts(ctx: ConstraintElementContext): {
  name: string;
  kind: ConstraintDef['type'];
  expr: Expr;
} {
  const def = ctx.constraintDef();
  return {
    name: identifierText(def.identifier()),
    kind: def._kind!.type === SluiceParser.CHECK ? 'check' : 'assume',
    expr: expression(def.expr()),
  };
}

export function columnName(ctx: ColumnNameContext): string {
  return identifierTexts(ctx.identifier()).join('.');
}

type ColumnDraft = { -readonly [K in keyof ColumnDef]: ColumnDef[K] };

/** A column's definition; only ALTER may leave out both its type and its default expression. */
export function columnDef(ctx: ColumnDefContext, complete = true): ColumnDef {
  const type = ctx.dataType();
  const draft: ColumnDraft = {
    name: columnName(ctx.columnName()),
    typeText: type === null ? null : normalTypeText(type),
    nullable: null,
    default: null,
    codec: null,
    ttl: null,
    comment: null,
    primaryKey: false,
    settings: [],
    pos: spanOf(ctx),
  };
  for (const option of ctx.columnOption()) readColumnOption(draft, option);
  if (complete && draft.typeText === null && draft.default?.expr == null) {
    throw refuse(ctx, `expected a type or a default expression after the name of the column ${draft.name}`);
  }
  return draft;
}

function readColumnOption(draft: ColumnDraft, ctx: ColumnOptionContext): void {
  if (ctx instanceof NotNullOptionContext) draft.nullable = false;
  else if (ctx instanceof NullOptionContext) draft.nullable = true;
  else if (ctx instanceof CommentOptionContext) draft.comment = stringValue(ctx.STRING());
  else if (ctx instanceof CodecOptionContext) draft.codec = normalTypeText(ctx.typeParameters()).slice(1, -1);
  else if (ctx instanceof TtlOptionContext) draft.ttl = expression(ctx.expr());
  else if (ctx instanceof PrimaryKeyOptionContext) draft.primaryKey = true;
  else if (ctx instanceof SettingsOptionContext) draft.settings = settingList(ctx.settingList());
  else {
    if (draft.default !== null)
      throw refuse(ctx, `the column ${draft.name} already has a default expression`);
    draft.default = columnDefault(ctx as DefaultOptionContext | EphemeralOptionContext);
  }
}

function columnDefault(ctx: DefaultOptionContext | EphemeralOptionContext): ColumnDefault {
  if (ctx instanceof EphemeralOptionContext)
    return { type: 'ephemeral', expr: optionalExpression(ctx.expr()) };
  const word = ctx._word!.type;
  const type =
    word === SluiceParser.DEFAULT ? 'default' : word === SluiceParser.ALIAS ? 'alias' : 'materialized';
  return { type, expr: expression(ctx.expr()) };
}

export function indexDef(ctx: IndexBodyContext): IndexDef {
  return {
    name: identifierText(ctx.identifier()),
    expr: expression(ctx.expr()),
    type: indexType(ctx),
    granularity: optionalOperand(ctx._granularity),
  };
}

function indexType(ctx: IndexBodyContext): CallExpr | null {
  const type = ctx._kind;
  if (type === undefined) return null;
  const call = type.functionCall();
  if (call === null) return plainCall(identifierText(type.identifier()!), [], spanOf(type));
  const built = functionCall(call);
  if (built.kind !== 'call')
    throw refuse(type, 'expected the type of an index, such as minmax or bloom_filter(0.01)');
  return built;
}

const noStorage: StorageClauses = {
  engine: null,
  orderBy: [],
  partitionBy: null,
  primaryKey: [],
  sampleBy: null,
  ttl: [],
  settings: [],
  comment: null,
};

type StorageDraft = { -readonly [K in keyof StorageClauses]: StorageClauses[K] };

export function storageClauses(contexts: readonly StorageClauseContext[]): StorageDraft {
  const draft: StorageDraft = { ...noStorage };
  for (const ctx of contexts) readStorageClause(draft, ctx);
  return draft;
}

function readStorageClause(draft: StorageDraft, ctx: StorageClauseContext): void {
  const once = (absent: boolean) => {
    if (!absent) throw refuse(ctx, 'this clause is already given');
  };
  if (ctx instanceof EngineClauseContext) {
    once(draft.engine === null);
    draft.engine = engineSpec(ctx);
  } else if (ctx instanceof StorageOrderByContext) {
    once(draft.orderBy.length === 0);
    draft.orderBy = storageKey(ctx.storageKey());
  } else if (ctx instanceof StoragePartitionByContext) {
    once(draft.partitionBy === null);
    draft.partitionBy = expression(ctx.expr());
  } else if (ctx instanceof StoragePrimaryKeyContext) {
    once(draft.primaryKey.length === 0);
    draft.primaryKey = storageKey(ctx.storageKey());
  } else if (ctx instanceof StorageSampleByContext) {
    once(draft.sampleBy === null);
    draft.sampleBy = expression(ctx.expr());
  } else if (ctx instanceof StorageTtlContext) {
    once(draft.ttl.length === 0);
    draft.ttl = ctx.ttlItem().map(ttlItem);
  } else if (ctx instanceof StorageSettingsContext) {
    draft.settings = [...draft.settings, ...settingsOf(ctx.settingsClause())];
  } else {
    once(draft.comment === null);
    draft.comment = stringValue((ctx as StorageCommentContext).STRING());
  }
}

function engineSpec(ctx: EngineClauseContext): EngineSpec {
  const args = ctx.LPAREN() === null ? null : expressionList(ctx.exprList());
  return { name: identifierText(ctx.identifier()), args };
}

/** `ORDER BY (a, b)` and `ORDER BY a, b` give the same list; `ORDER BY tuple()` gives an empty one. */
export function storageKey(ctx: StorageKeyContext): Expr[] {
  return flattenTuple(ctx.expr().map(expression));
}

function flattenTuple(items: Expr[]): Expr[] {
  const [only] = items;
  if (items.length !== 1 || only === undefined) return items;
  if (only.kind === 'tuple') return [...only.items];
  const emptyTuple = only.kind === 'call' && only.name.toLowerCase() === 'tuple' && only.args.length === 0;
  return emptyTuple ? [] : items;
}

export function ttlItem(ctx: TtlItemContext): TtlItem {
  const target = ctx._target;
  const word = target?.type === SluiceParser.DISK ? 'DISK' : 'VOLUME';
  return {
    expr: expression(ctx.expr(0)!),
    action: target ? `TO ${word} ${ctx.STRING()!.symbol.text}` : null,
    where: optionalExpression(ctx._where),
  };
}
