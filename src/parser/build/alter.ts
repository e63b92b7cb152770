import * as ctxs from '../../../generated/SluiceParser.ts';
import {
  type AlterActionContext,
  type AlterObjectContext,
  type AlterStatementContext,
  AlterStreamContext,
  type AlterUserContext,
  type AssignmentContext,
  type ColumnPlaceContext,
  SluiceParser,
} from '../../../generated/SluiceParser.ts';
import type { AlterAction, AlterStatement, AlterUser, Assignment } from '../../ast/index.ts';
import { identifierText, identifierTexts, looseName, objectName, spanOf, stringValue } from './common.ts';
import { columnDef, columnName, indexDef, storageKey, ttlItem } from './definitions.ts';
import { expression, operand } from './expressions.ts';
import { query, settingList } from './queries.ts';
import { userOptions } from './users.ts';

export function alterStatement(ctx: AlterStatementContext): AlterStatement | AlterUser {
  if (ctx instanceof AlterStreamContext) {
    return {
      kind: 'alter',
      object: alterObject(ctx.alterObject()),
      name: objectName(ctx.objectName()),
      ifExists: ctx.ifExists() !== null,
      actions: ctx.alterAction().map(alterAction),
      pos: spanOf(ctx),
    };
  }
  const user = ctx as AlterUserContext;
  return {
    kind: 'alter_user',
    names: user.nameList().name().map(looseName),
    ifExists: user.ifExists() !== null,
    options: userOptions(user.userOption()),
    pos: spanOf(ctx),
  };
}

function alterObject(ctx: AlterObjectContext): AlterStatement['object'] {
  if (ctx.STREAM() !== null) return 'stream';
  if (ctx.TABLE() !== null) return 'table';
  if (ctx.DATABASE() !== null) return 'database';
  return ctx.MATERIALIZED() === null ? 'view' : 'materialized_view';
}

export function assignment(ctx: AssignmentContext): Assignment {
  return { column: columnName(ctx.columnName()), expr: expression(ctx.expr()) };
}

function columnPlace(ctx: ColumnPlaceContext | null): { first: boolean; after: string | null } {
  if (ctx === null) return { first: false, after: null };
  const after = ctx.columnName();
  return after === null ? { first: true, after: null } : { first: false, after: columnName(after) };
}

function alterAction(ctx: AlterActionContext): AlterAction {
  return columnAction(ctx) ?? indexAction(ctx) ?? streamAction(ctx);
}

function columnAction(ctx: AlterActionContext): AlterAction | null {
  if (ctx instanceof ctxs.AddColumnContext) {
    const ifNotExists = ctx.ifNotExists() !== null;
    return {
      type: 'add_column',
      column: columnDef(ctx.columnDef()),
      ifNotExists,
      ...columnPlace(ctx.columnPlace()),
    };
  }
  if (ctx instanceof ctxs.ModifyColumnContext) {
    const [column, ifExists] = [columnDef(ctx.columnDef(), false), ctx.ifExists() !== null];
    return { type: 'modify_column', column, ifExists, ...columnPlace(ctx.columnPlace()) };
  }
  if (ctx instanceof ctxs.RemoveFromColumnContext) {
    const what = ctx._what!.text!.toLowerCase();
    return {
      type: 'remove_from_column',
      name: columnName(ctx.columnName()),
      what,
      ifExists: ctx.ifExists() !== null,
    };
  }
  if (ctx instanceof ctxs.DropColumnContext) {
    return { type: 'drop_column', name: columnName(ctx.columnName()), ifExists: ctx.ifExists() !== null };
  }
  if (ctx instanceof ctxs.ClearColumnContext) {
    return { type: 'clear_column', name: columnName(ctx.columnName()), ifExists: ctx.ifExists() !== null };
  }
  if (ctx instanceof ctxs.RenameColumnContext) {
    const [name, to] = [columnName(ctx._old!), columnName(ctx._changed!)];
    return { type: 'rename_column', name, to, ifExists: ctx.ifExists() !== null };
  }
  if (ctx instanceof ctxs.CommentColumnContext) {
    const comment = stringValue(ctx.STRING());
    return {
      type: 'comment_column',
      name: columnName(ctx.columnName()),
      comment,
      ifExists: ctx.ifExists() !== null,
    };
  }
  return null;
}

function indexAction(ctx: AlterActionContext): AlterAction | null {
  if (ctx instanceof ctxs.AddIndexContext) {
    return { type: 'add_index', index: indexDef(ctx.indexBody()), ifNotExists: ctx.ifNotExists() !== null };
  }
  if (ctx instanceof ctxs.DropIndexContext) {
    return { type: 'drop_index', name: identifierText(ctx.identifier()), ifExists: ctx.ifExists() !== null };
  }
  if (ctx instanceof ctxs.MaterializeIndexContext) {
    return {
      type: 'materialize_index',
      name: identifierText(ctx.identifier()),
      ifExists: ctx.ifExists() !== null,
    };
  }
  if (ctx instanceof ctxs.AddConstraintContext) {
    const kind = ctx._kind!.type === SluiceParser.CHECK ? 'check' : 'assume';
    const constraint = {
      name: identifierText(ctx.identifier()),
      type: kind,
      expr: expression(ctx.expr()),
    } as const;
    return { type: 'add_constraint', constraint, ifNotExists: ctx.ifNotExists() !== null };
  }
  if (ctx instanceof ctxs.DropConstraintContext) {
    return {
      type: 'drop_constraint',
      name: identifierText(ctx.identifier()),
      ifExists: ctx.ifExists() !== null,
    };
  }
  return null;
}

function streamAction(ctx: AlterActionContext): AlterAction {
  if (ctx instanceof ctxs.ModifyCommentContext)
    return { type: 'modify_comment', comment: stringValue(ctx.STRING()) };
  if (ctx instanceof ctxs.ModifySettingContext) {
    return { type: 'modify_setting', settings: settingList(ctx.settingList()) };
  }
  if (ctx instanceof ctxs.ModifyQuerySettingContext) {
    return { type: 'modify_query_setting', settings: settingList(ctx.settingList()) };
  }
  if (ctx instanceof ctxs.ResetSettingContext)
    return { type: 'reset_setting', names: identifierTexts(ctx.identifier()) };
  if (ctx instanceof ctxs.ModifyTtlContext) return { type: 'modify_ttl', ttl: ctx.ttlItem().map(ttlItem) };
  if (ctx instanceof ctxs.RemoveTtlContext) return { type: 'remove_ttl' };
  if (ctx instanceof ctxs.ModifyOrderByContext)
    return { type: 'modify_order_by', exprs: storageKey(ctx.storageKey()) };
  if (ctx instanceof ctxs.ModifyQueryContext) return { type: 'modify_query', query: query(ctx.query()) };
  if (ctx instanceof ctxs.DropPartitionContext)
    return { type: 'drop_partition', partition: operand(ctx.operand()) };
  if (ctx instanceof ctxs.DeleteActionContext) return { type: 'delete', where: expression(ctx.expr()) };
  const update = ctx as ctxs.UpdateActionContext;
  return {
    type: 'update',
    assignments: update.assignment().map(assignment),
    where: expression(update._where!),
  };
}
