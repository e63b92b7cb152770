import type { ParserRuleContext } from 'antlr4ng';
import {
  AlterStatementContext,
  CheckStatementContext,
  CreateStatementContext,
  DeleteStatementContext,
  DescribeStatementContext,
  DropStatementContext,
  ExistsStatementContext,
  ExplainStatementContext,
  type ForeignStatementContext,
  GrantStatementContext,
  InsertStatementContext,
  KillStatementContext,
  OptimizeStatementContext,
  QueryStatementContext,
  RenameStatementContext,
  RevokeStatementContext,
  SetDefaultRoleContext,
  SetRoleContext,
  type SetSettingsContext,
  SetStatementContext,
  ShowStatementContext,
  type StatementContext,
  SystemStatementContext,
  TruncateStatementContext,
  UpdateStatementContext,
  UseStatementContext,
  type ViewControlStatementContext,
} from '../../../generated/SluiceParser.ts';
import type {
  ExplainStatement,
  OutputClause,
  SetRoleStatement,
  SetStatement,
  Statement,
} from '../../ast/index.ts';
import { alterStatement, assignment } from './alter.ts';
import { identifierText, looseName, objectName, refuse, spanOf } from './common.ts';
import { createStatement } from './create.ts';
import { expression, optionalExpression, optionalOperand } from './expressions.ts';
import { insertStatement } from './insert.ts';
import {
  dropStatement,
  existsStatement,
  renameStatement,
  showStatement,
  truncateStatement,
} from './objects.ts';
import { noOutput, outputClause } from './output.ts';
import { query, settingList, settingsOf } from './queries.ts';
import { systemStatement, unsupportedStatement, viewControlStatement } from './system.ts';
import { describeTarget } from './tables.ts';
import { grantStatement, revokeStatement, roleList } from './users.ts';

export function statement(ctx: StatementContext): Statement {
  const inner = ctx.children[0] as ParserRuleContext;
  if (inner instanceof QueryStatementContext) {
    return {
      kind: 'query',
      query: query(inner.query()),
      output: outputClause(inner.outputClause()),
      pos: spanOf(inner),
    };
  }
  if (inner instanceof InsertStatementContext) return insertStatement(inner);
  return definition(inner) ?? administration(inner) ?? modification(inner);
}

export function foreignStatement(ctx: ForeignStatementContext): Statement {
  return unsupportedStatement(ctx);
}

function definition(ctx: ParserRuleContext): Statement | null {
  if (ctx instanceof CreateStatementContext) return createStatement(ctx);
  if (ctx instanceof AlterStatementContext) return alterStatement(ctx);
  if (ctx instanceof DropStatementContext) return dropStatement(ctx);
  if (ctx instanceof RenameStatementContext) return renameStatement(ctx);
  if (ctx instanceof TruncateStatementContext) return truncateStatement(ctx);
  return null;
}

function administration(ctx: ParserRuleContext): Statement | null {
  if (ctx instanceof ShowStatementContext) return showStatement(ctx);
  if (ctx instanceof DescribeStatementContext) {
    const target = describeTarget(ctx.describeTarget());
    return { kind: 'describe', target, output: outputClause(ctx.outputClause()), pos: spanOf(ctx) };
  }
  if (ctx instanceof ExplainStatementContext) return explainStatement(ctx);
  if (ctx instanceof ExistsStatementContext) return existsStatement(ctx);
  if (ctx instanceof UseStatementContext) {
    return { kind: 'use', database: identifierText(ctx.identifier()), pos: spanOf(ctx) };
  }
  if (ctx instanceof SetStatementContext) return setStatement(ctx);
  if (ctx instanceof KillStatementContext) return killStatement(ctx);
  if (ctx instanceof SystemStatementContext) return systemStatement(ctx);
  if (ctx instanceof GrantStatementContext) return grantStatement(ctx);
  if (ctx instanceof RevokeStatementContext) return revokeStatement(ctx);
  return null;
}

function modification(ctx: ParserRuleContext): Statement {
  const pos = spanOf(ctx);
  if (ctx instanceof DeleteStatementContext) {
    const where = optionalExpression(ctx.expr());
    return {
      kind: 'delete',
      name: objectName(ctx.objectName()),
      where,
      settings: settingsOf(ctx.settingsClause()),
      pos,
    };
  }
  if (ctx instanceof UpdateStatementContext) {
    return {
      kind: 'update',
      name: objectName(ctx.objectName()),
      assignments: ctx.assignment().map(assignment),
      where: optionalExpression(ctx.expr()),
      settings: settingsOf(ctx.settingsClause()),
      pos,
    };
  }
  if (ctx instanceof OptimizeStatementContext) {
    return {
      kind: 'optimize',
      name: objectName(ctx.objectName()),
      partition: optionalOperand(ctx.operand()),
      final: ctx.FINAL() !== null,
      deduplicate: ctx.DEDUPLICATE() !== null,
      pos,
    };
  }
  if (ctx instanceof CheckStatementContext) {
    return {
      kind: 'check',
      name: objectName(ctx.objectName()),
      output: outputClause(ctx.outputClause()),
      pos,
    };
  }
  return viewControlStatement(ctx as ViewControlStatementContext);
}

const explainModes: ReadonlyMap<string, ExplainStatement['mode']> = new Map([
  ['', 'plan'],
  ['PLAN', 'plan'],
  ['AST', 'ast'],
  ['SYNTAX', 'syntax'],
  ['PIPELINE', 'pipeline'],
  ['COMPILED', 'compiled'],
  ['ESTIMATE', 'estimate'],
  ['QUERY TREE', 'query_tree'],
]);

/** A FORMAT at the end belongs to EXPLAIN, not to the query that is explained. */
function explainStatement(ctx: ExplainStatementContext): ExplainStatement {
  const words = [ctx._kind, ctx._second].flatMap((token) => (token ? [token.text!.toUpperCase()] : []));
  const mode = explainModes.get(words.join(' '));
  if (mode === undefined) {
    throw refuse(ctx._kind!, 'expected AST, SYNTAX, PLAN, PIPELINE, COMPILED, ESTIMATE or a statement');
  }
  const inner = statement(ctx.statement());
  const settings = settingList(ctx.settingList());
  const hasOutput = inner.kind === 'query' || inner.kind === 'explain';
  const output: OutputClause = hasOutput ? inner.output : noOutput;
  const explained = hasOutput ? { ...inner, output: noOutput } : inner;
  return { kind: 'explain', mode, settings, statement: explained, output, pos: spanOf(ctx) };
}

function setStatement(ctx: SetStatementContext): SetStatement | SetRoleStatement {
  const pos = spanOf(ctx);
  if (ctx instanceof SetDefaultRoleContext) {
    const users = ctx.nameList().name().map(looseName);
    return { kind: 'set_role', default: true, roles: roleList(ctx.roleList()), users, pos };
  }
  if (ctx instanceof SetRoleContext) {
    const list = ctx.roleList();
    return {
      kind: 'set_role',
      default: false,
      roles: list === null ? ['DEFAULT'] : roleList(list),
      users: [],
      pos,
    };
  }
  return { kind: 'set', settings: settingList((ctx as SetSettingsContext).settingList()), pos };
}

function killStatement(ctx: KillStatementContext): Statement {
  const mode =
    ctx.SYNC() !== null ? 'sync' : ctx.ASYNC() !== null ? 'async' : ctx.TEST() !== null ? 'test' : null;
  return {
    kind: 'kill',
    target: ctx.MUTATION() === null ? 'query' : 'mutation',
    where: expression(ctx.expr()),
    mode,
    output: outputClause(ctx.outputClause()),
    pos: spanOf(ctx),
  };
}
