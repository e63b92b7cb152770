import type { ParserRuleContext, Token } from 'antlr4ng';
import {
  CreateDatabaseContext,
  CreateFormatSchemaContext,
  CreateMaterializedViewContext,
  type CreateRoleContext,
  CreateScriptFunctionContext,
  CreateSqlFunctionContext,
  type CreateStatementContext,
  CreateStreamContext,
  CreateUserContext,
  CreateViewContext,
  SluiceParser,
} from '../../../generated/SluiceParser.ts';
import type {
  CreateDatabase,
  CreateFormatSchema,
  CreateFunction,
  CreateMaterializedView,
  CreateRole,
  CreateStream,
  CreateUser,
  CreateView,
  Statement,
  StreamVariant,
} from '../../ast/index.ts';
import {
  heredocValue,
  identifierText,
  looseName,
  objectName,
  optionalString,
  refuse,
  spanOf,
  stringValue,
} from './common.ts';
import { storageClauses, tableElements } from './definitions.ts';
import { expression } from './expressions.ts';
import { query, settingList, settingsOf } from './queries.ts';
import { normalTypeText } from './types.ts';
import { userOptions } from './users.ts';

export function createStatement(ctx: CreateStatementContext): Statement {
  if (ctx instanceof CreateStreamContext) return createStream(ctx);
  if (ctx instanceof CreateViewContext) return createView(ctx);
  if (ctx instanceof CreateMaterializedViewContext) return createMaterializedView(ctx);
  if (ctx instanceof CreateDatabaseContext) return createDatabase(ctx);
  if (ctx instanceof CreateSqlFunctionContext) return createSqlFunction(ctx);
  if (ctx instanceof CreateScriptFunctionContext) return createScriptFunction(ctx);
  if (ctx instanceof CreateFormatSchemaContext) return createFormatSchema(ctx);
  if (ctx instanceof CreateUserContext) return createUser(ctx);
  return createRole(ctx as CreateRoleContext);
}

/** Every CREATE that can be conditional; REPLACE is the second word of OR REPLACE. */
interface ConditionalContext extends ParserRuleContext {
  ifNotExists(): unknown;
  REPLACE(): unknown;
}

/** `IF NOT EXISTS` and `OR REPLACE`, which exclude each other. */
function conditions(ctx: ConditionalContext): {
  ifNotExists: boolean;
  orReplace: boolean;
} {
  const ifNotExists = ctx.ifNotExists() !== null;
  const orReplace = ctx.REPLACE() !== null;
  if (ifNotExists && orReplace) throw refuse(ctx, 'OR REPLACE and IF NOT EXISTS exclude each other');
  return { ifNotExists, orReplace };
}

const variants: ReadonlyMap<number, StreamVariant> = new Map([
  [SluiceParser.EXTERNAL, 'external'],
  [SluiceParser.MUTABLE, 'mutable'],
  [SluiceParser.RANDOM, 'random'],
  [SluiceParser.TEMPORARY, 'temporary'],
]);

function createStream(ctx: CreateStreamContext): CreateStream {
  const { columns, indexes, constraints, primaryKey } = tableElements(ctx.tableElements());
  const storage = storageClauses(ctx.storageClause());
  if (primaryKey.length > 0) {
    if (storage.primaryKey.length > 0) throw refuse(ctx, 'the primary key is given twice');
    storage.primaryKey = primaryKey;
  }
  storage.comment ??= optionalString(ctx._comment);
  const source = ctx.query();
  return {
    kind: 'create_stream',
    variant: variants.get(ctx._variant?.type ?? -1) ?? 'stream',
    object: ctx._object!.type === SluiceParser.TABLE ? 'table' : 'stream',
    name: objectName(ctx.objectName(0)!),
    uuid: optionalString(ctx._uuid),
    ...conditions(ctx),
    columns,
    indexes,
    constraints,
    storage,
    query: source === null ? null : query(source),
    like: ctx._like === undefined ? null : objectName(ctx._like),
    script: ctx._script ? heredocValue(ctx._script.text!) : null,
    pos: spanOf(ctx),
  };
}

function createView(ctx: CreateViewContext): CreateView {
  const storage = storageClauses(ctx.storageClause());
  return {
    kind: 'create_view',
    name: objectName(ctx.objectName()),
    ...conditions(ctx),
    columns: tableElements(ctx.tableElements()).columns,
    query: query(ctx.query()),
    settings: storage.settings,
    comment: storage.comment ?? optionalString(ctx._comment),
    pos: spanOf(ctx),
  };
}

function createMaterializedView(ctx: CreateMaterializedViewContext): CreateMaterializedView {
  const { columns, primaryKey } = tableElements(ctx.tableElements());
  const storage = storageClauses(ctx.storageClause());
  if (primaryKey.length > 0) storage.primaryKey = primaryKey;
  storage.comment ??= optionalString(ctx._comment);
  storage.settings = [...storage.settings, ...settingList(ctx.settingList())];
  return {
    kind: 'create_materialized_view',
    name: objectName(ctx.objectName(0)!),
    uuid: optionalString(ctx._uuid),
    ...conditions(ctx),
    into: ctx._into === undefined ? null : objectName(ctx._into),
    columns,
    storage,
    populate: ctx.POPULATE() !== null,
    query: query(ctx.query()),
    pos: spanOf(ctx),
  };
}

function createDatabase(ctx: CreateDatabaseContext): CreateDatabase {
  const storage = storageClauses(ctx.storageClause());
  const { ifNotExists, orReplace } = conditions(ctx);
  if (orReplace) throw refuse(ctx, 'OR REPLACE is not expected before DATABASE');
  return {
    kind: 'create_database',
    name: identifierText(ctx.identifier()),
    ifNotExists,
    engine: storage.engine,
    settings: storage.settings,
    comment: storage.comment,
    pos: spanOf(ctx),
  };
}

function createSqlFunction(ctx: CreateSqlFunctionContext): CreateFunction {
  const body = expression(ctx.expr());
  if (body.kind !== 'lambda') throw refuse(ctx.expr(), 'expected a lambda, such as (x, y) -> x + y');
  return {
    kind: 'create_function',
    name: identifierText(ctx.identifier()),
    ...conditions(ctx),
    aggregate: false,
    language: 'sql',
    params: body.params.map((name) => ({ name, typeText: null })),
    returns: null,
    expr: body.body,
    code: null,
    settings: [],
    pos: spanOf(ctx),
  };
}

const languages: ReadonlyMap<string, CreateFunction['language']> = new Map([
  ['JAVASCRIPT', 'javascript'],
  ['PYTHON', 'python'],
]);

function createScriptFunction(ctx: CreateScriptFunctionContext): CreateFunction {
  const word = ctx._language;
  const language = languages.get(word === undefined ? 'JAVASCRIPT' : identifierText(word).toUpperCase());
  if (language === undefined) throw refuse(word!, 'expected JAVASCRIPT or PYTHON');
  return {
    kind: 'create_function',
    name: identifierText(ctx.identifier(0)!),
    ...conditions(ctx),
    aggregate: ctx.AGGREGATE() !== null,
    language,
    params: ctx.functionParam().map((param) => ({
      name: identifierText(param.identifier()),
      typeText: normalTypeText(param.dataType()),
    })),
    returns: normalTypeText(ctx.dataType()),
    expr: null,
    code: scriptText(ctx._code!),
    settings: settingsOf(ctx.settingsClause()),
    pos: spanOf(ctx),
  };
}

function scriptText(token: Token): string {
  return token.type === SluiceParser.HEREDOC ? heredocValue(token.text!) : stringValue(token);
}

function createFormatSchema(ctx: CreateFormatSchemaContext): CreateFormatSchema {
  return {
    kind: 'create_format_schema',
    name: identifierText(ctx.identifier(0)!),
    ...conditions(ctx),
    schema: scriptText(ctx._schema!),
    type: identifierText(ctx._kind!),
    pos: spanOf(ctx),
  };
}

function createUser(ctx: CreateUserContext): CreateUser {
  return {
    kind: 'create_user',
    names: ctx.nameList().name().map(looseName),
    ...conditions(ctx),
    options: userOptions(ctx.userOption()),
    pos: spanOf(ctx),
  };
}

function createRole(ctx: CreateRoleContext): CreateRole {
  return {
    kind: 'create_role',
    names: ctx.nameList().name().map(looseName),
    ...conditions(ctx),
    settings: settingsOf(ctx.settingsClause()),
    pos: spanOf(ctx),
  };
}
