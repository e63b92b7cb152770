import {
  DefaultDatabaseOptionContext,
  DefaultRoleOptionContext,
  type GrantScopeContext,
  type GrantStatementContext,
  HostOptionContext,
  IdentifiedOptionContext,
  NoPasswordOptionContext,
  type PrivilegeContext,
  type RenameOptionContext,
  type RevokeStatementContext,
  type RoleListContext,
  SluiceParser,
  type UserOptionContext,
  UserSettingsOptionContext,
} from '../../../generated/SluiceParser.ts';
import type { GrantScope, GrantStatement, Privilege, UserAuth, UserOptions } from '../../ast/index.ts';
import { identifierText, looseName, optionalString, refuse, spanOf, stringValue } from './common.ts';
import { columnName } from './definitions.ts';
import { settingsOf } from './queries.ts';

type Draft = { -readonly [K in keyof UserOptions]: UserOptions[K] };

export function userOptions(contexts: readonly UserOptionContext[]): UserOptions {
  const draft: Draft = {
    auth: null,
    hosts: null,
    defaultRoles: null,
    defaultDatabase: null,
    settings: [],
    renameTo: null,
  };
  for (const ctx of contexts) {
    if (ctx instanceof NoPasswordOptionContext) draft.auth = { method: 'no_password', secret: null };
    else if (ctx instanceof IdentifiedOptionContext) draft.auth = userAuth(ctx);
    else if (ctx instanceof HostOptionContext) draft.hosts = hosts(ctx);
    else if (ctx instanceof DefaultRoleOptionContext) draft.defaultRoles = roleList(ctx.roleList());
    else if (ctx instanceof DefaultDatabaseOptionContext)
      draft.defaultDatabase = identifierText(ctx.identifier());
    else if (ctx instanceof UserSettingsOptionContext) draft.settings = settingsOf(ctx.settingsClause());
    else draft.renameTo = looseName((ctx as RenameOptionContext).name());
  }
  return draft;
}

/** `IDENTIFIED BY 'p'` leaves the method to the server: it is hashed before it is stored. */
function userAuth(ctx: IdentifiedOptionContext): UserAuth {
  const method = ctx._method === undefined ? 'password' : identifierText(ctx._method).toLowerCase();
  const secret = optionalString(ctx._secret);
  if (secret === null && method !== 'no_password') throw refuse(ctx, "expected BY 'secret' after IDENTIFIED");
  return { method, secret };
}

function hosts(ctx: HostOptionContext): string[] {
  return ctx.hostItem().map((item) => {
    const word = item._word!.text!.toUpperCase();
    const value = item.STRING();
    return value === null ? word : `${word} ${value.symbol.text}`;
  });
}

/** Names of roles; ALL is the word. */
export function roleList(ctx: RoleListContext): string[] {
  const names = ctx.nameList();
  return names === null ? ['ALL'] : names.name().map(looseName);
}

export function grantStatement(ctx: GrantStatementContext): GrantStatement {
  const options = ctx.WITH().length === 0 ? [] : [ctx._option!.type];
  return {
    kind: 'grant',
    revoke: false,
    ...granted(ctx),
    grantees: ctx.nameList().name().map(looseName),
    grantOption: options.includes(SluiceParser.GRANT),
    adminOption: options.includes(SluiceParser.ADMIN),
    pos: spanOf(ctx),
  };
}

export function revokeStatement(ctx: RevokeStatementContext): GrantStatement {
  return {
    kind: 'grant',
    revoke: true,
    ...granted(ctx),
    grantees: ctx.nameList().name().map(looseName),
    grantOption: ctx._option?.type === SluiceParser.GRANT,
    adminOption: ctx._option?.type === SluiceParser.ADMIN,
    pos: spanOf(ctx),
  };
}

/** With ON privileges are granted, without it roles. */
function granted(
  ctx: GrantStatementContext | RevokeStatementContext,
): Pick<GrantStatement, 'privileges' | 'on' | 'roles'> {
  const scope = ctx.grantScope();
  if (scope !== null) return { privileges: ctx.privilege().map(privilege), on: grantScope(scope), roles: [] };
  const roles = ctx.privilege().map((item) => {
    const words = item.privilegeWord();
    if (words.length !== 1 || item.LPAREN() !== null)
      throw refuse(item, 'expected the name of a role, or ON after privileges');
    const token = words[0]!.start!;
    if (token.type === SluiceParser.STRING || token.type === SluiceParser.QUOTED_IDENTIFIER)
      return stringValue(token);
    return token.text!;
  });
  return { privileges: [], on: null, roles };
}

function privilege(ctx: PrivilegeContext): Privilege {
  const words = ctx.privilegeWord().map((word) => word.start!.text!.toUpperCase());
  return { name: words.join(' '), columns: ctx.columnName().map(columnName) };
}

function grantScope(ctx: GrantScopeContext): GrantScope {
  const names = ctx.identifier().map(identifierText);
  const dotted = ctx.DOT() !== null;
  if (names.length === 2) return { database: names[0]!, table: names[1]!, currentDatabase: false };
  if (names.length === 0) return { database: null, table: null, currentDatabase: !dotted };
  if (dotted) return { database: names[0]!, table: null, currentDatabase: false };
  return { database: null, table: names[0]!, currentDatabase: true };
}
