import type {
  AlterUser,
  CreateRole,
  CreateUser,
  GrantScope,
  GrantStatement,
  InsertStatement,
  Node,
  ObjectKind,
  OutputClause,
  Query,
  ShowStatement,
  Statement,
  TableExpr,
  TableFunction,
  UserOptions,
} from './nodes.ts';
import {
  printAlter,
  printColumnName,
  printCreate,
  printCreateDatabase,
  printCreateFormatSchema,
  printCreateFunction,
  printCreateMaterializedView,
  printCreateStream,
  printCreateView,
  printObjectName,
} from './print-definition.ts';
import { printExpr, printOperand, printUnaliased } from './print-expression.ts';
import { printAssignments, printQuery, printSettings, printTable } from './print-query.ts';
import { quoteName, quoteString } from './quote.ts';
import { type StatementHandlers, visitStatement } from './visit.ts';

/** Any node as SQL, on one line, that parses to an equal node. The inline data of an INSERT is not part of it. */
export function printSql(node: Node): string {
  if (isStatement(node)) return visitStatement(node, statementPrinters);
  if (isQuery(node)) return printQuery(node);
  return isTable(node) ? printTable(node) : printExpr(node);
}

function isStatement(node: Node): node is Statement {
  return Object.hasOwn(statementPrinters, node.kind);
}

function isQuery(node: Node): node is Query {
  return node.kind === 'select' || node.kind === 'set_operation';
}

function isTable(node: Exclude<Node, Statement | Query>): node is TableExpr {
  return /^(?:table|table_function|table_subquery|join)$/.test(node.kind);
}

function words(kind: ObjectKind): string {
  return kind.replaceAll('_', ' ').toUpperCase();
}

function printOutput(output: OutputClause): string {
  let text = '';
  if (output.outfile !== null) text += ` INTO OUTFILE ${quoteString(output.outfile)}`;
  if (output.format !== null) text += ` FORMAT ${quoteName(output.format)}`;
  if (output.settings.length > 0) text += ` ${printSettings(output.settings)}`;
  return text;
}

function names(list: readonly string[]): string {
  return list.map(quoteName).join(', ');
}

/** Names of roles, where ALL, NONE and DEFAULT are words and not names. */
function roles(list: readonly string[]): string {
  return list.map((role) => (/^(?:ALL|NONE|DEFAULT)$/.test(role) ? role : quoteName(role))).join(', ');
}

const statementPrinters: StatementHandlers<string> = {
  query: (node) => printQuery(node.query) + printOutput(node.output),
  insert: printInsert,
  create_database: printCreateDatabase,
  create_stream: printCreateStream,
  create_view: printCreateView,
  create_materialized_view: printCreateMaterializedView,
  create_function: printCreateFunction,
  create_format_schema: printCreateFormatSchema,
  create_user: printUser,
  alter_user: printUser,
  create_role: printRole,
  alter: printAlter,
  drop: (node) => {
    const settings = node.settings.length === 0 ? '' : ` ${printSettings(node.settings)}`;
    const list = node.names.map(printObjectName).join(', ');
    const cascade = node.cascade ? ' CASCADE' : '';
    return `DROP ${words(node.object)} ${node.ifExists ? 'IF EXISTS ' : ''}${list}${cascade}${settings}`;
  },
  rename: (node) => {
    const pairs = node.pairs.map(({ from, to }) => `${printObjectName(from)} TO ${printObjectName(to)}`);
    return `RENAME ${words(node.object)} ${node.ifExists ? 'IF EXISTS ' : ''}${pairs.join(', ')}`;
  },
  truncate: (node) => {
    return `TRUNCATE ${words(node.object)} ${node.ifExists ? 'IF EXISTS ' : ''}${printObjectName(node.name)}`;
  },
  show: printShow,
  show_create: (node) =>
    `SHOW CREATE ${words(node.object)} ${printObjectName(node.name)}${printOutput(node.output)}`,
  describe: (node) => `DESCRIBE ${printTable(node.target)}${printOutput(node.output)}`,
  explain: (node) => {
    const settings = node.settings.length === 0 ? '' : `${printAssignments(node.settings)} `;
    const mode = node.mode.replace('_', ' ').toUpperCase();
    return `EXPLAIN ${mode} ${settings}${printSql(node.statement)}${printOutput(node.output)}`;
  },
  use: (node) => `USE ${quoteName(node.database)}`,
  set: (node) => `SET ${printAssignments(node.settings)}`,
  set_role: (node) => {
    if (node.default) return `SET DEFAULT ROLE ${roles(node.roles)} TO ${names(node.users)}`;
    return `SET ROLE ${roles(node.roles)}`;
  },
  kill: (node) => {
    const mode = node.mode === null ? '' : ` ${node.mode.toUpperCase()}`;
    return `KILL ${node.target.toUpperCase()} WHERE ${printUnaliased(node.where)}${mode}${printOutput(node.output)}`;
  },
  system: (node) => `SYSTEM ${node.command}${node.name === null ? '' : ` ${printObjectName(node.name)}`}`,
  view_control: (node) => {
    const condition = node.ifExists ? 'IF EXISTS ' : '';
    return `SYSTEM ${node.action.toUpperCase()} MATERIALIZED VIEW ${condition}${printObjectName(node.name)}`;
  },
  grant: printGrant,
  exists_statement: (node) =>
    `EXISTS ${words(node.object)} ${printObjectName(node.name)}${printOutput(node.output)}`,
  optimize: (node) => {
    const partition = node.partition === null ? '' : ` PARTITION ${printOperand(node.partition)}`;
    const flags = `${node.final ? ' FINAL' : ''}${node.deduplicate ? ' DEDUPLICATE' : ''}`;
    return `OPTIMIZE STREAM ${printObjectName(node.name)}${partition}${flags}`;
  },
  delete: (node) => {
    const where = node.where === null ? '' : ` WHERE ${printUnaliased(node.where)}`;
    const settings = node.settings.length === 0 ? '' : ` ${printSettings(node.settings)}`;
    return `DELETE FROM ${printObjectName(node.name)}${where}${settings}`;
  },
  update: (node) => {
    const list = node.assignments.map(
      ({ column, expr }) => `${printColumnName(column)} = ${printUnaliased(expr)}`,
    );
    const where = node.where === null ? '' : ` WHERE ${printUnaliased(node.where)}`;
    const settings = node.settings.length === 0 ? '' : ` ${printSettings(node.settings)}`;
    return `UPDATE ${printObjectName(node.name)} SET ${list.join(', ')}${where}${settings}`;
  },
  check: (node) => `CHECK STREAM ${printObjectName(node.name)}${printOutput(node.output)}`,
  unsupported_statement: (node) => node.text,
};

function isTableFunction(target: InsertStatement['target']): target is TableFunction {
  return 'kind' in target;
}

function printInsert(node: InsertStatement): string {
  const { target, columns, infile } = node;
  const into = isTableFunction(target) ? `FUNCTION ${printTable(target)}` : printObjectName(target);
  const parts = [`INSERT INTO ${into}`];
  if (columns !== null) {
    const list = columns.names.map(printColumnName).join(', ');
    const excluded = list === '' ? '(*)' : `(* EXCEPT(${list}))`;
    parts.push(columns.asterisk ? excluded : `(${list})`);
  }
  if (node.partitionBy !== null) parts.push(`PARTITION BY ${printUnaliased(node.partitionBy)}`);
  if (infile !== null) {
    const compression = infile.compression === null ? '' : ` COMPRESSION ${quoteString(infile.compression)}`;
    parts.push(`FROM INFILE ${quoteString(infile.path)}${compression}`);
  }
  if (node.settings.length > 0) parts.push(printSettings(node.settings));
  if (node.query !== null) parts.push(printQuery(node.query));
  else if (node.format !== null)
    parts.push(node.format === 'Values' ? 'VALUES' : `FORMAT ${quoteName(node.format)}`);
  return parts.join(' ');
}

function printUser(node: CreateUser | AlterUser): string {
  const list = names(node.names);
  const options = printUserOptions(node.options);
  if (node.kind === 'create_user') return `${printCreateAccess('USER', list, node)}${options}`;
  return `ALTER USER ${node.ifExists ? 'IF EXISTS ' : ''}${list}${options}`;
}

function printRole(node: CreateRole): string {
  const settings = node.settings.length === 0 ? '' : ` ${printSettings(node.settings)}`;
  return `${printCreateAccess('ROLE', names(node.names), node)}${settings}`;
}

/** For users and roles OR REPLACE stands behind the word. */
function printCreateAccess(what: string, list: string, node: CreateUser | CreateRole): string {
  const plain = printCreate(what, list, { ifNotExists: node.ifNotExists });
  return node.orReplace ? plain.replace(`CREATE ${what}`, `CREATE ${what} OR REPLACE`) : plain;
}

function printUserOptions(options: UserOptions): string {
  const parts: string[] = [];
  const { auth } = options;
  if (options.renameTo !== null) parts.push(`RENAME TO ${quoteName(options.renameTo)}`);
  if (auth !== null) {
    const method = auth.method === 'password' ? '' : ` WITH ${quoteName(auth.method)}`;
    parts.push(`IDENTIFIED${method}${auth.secret === null ? '' : ` BY ${quoteString(auth.secret)}`}`);
  }
  if (options.hosts !== null) parts.push(`HOST ${options.hosts.join(', ')}`);
  if (options.defaultRoles !== null) parts.push(`DEFAULT ROLE ${roles(options.defaultRoles)}`);
  if (options.defaultDatabase !== null) parts.push(`DEFAULT DATABASE ${quoteName(options.defaultDatabase)}`);
  if (options.settings.length > 0) parts.push(printSettings(options.settings));
  return parts.map((part) => ` ${part}`).join('');
}

function printScope(scope: GrantScope): string {
  const table = scope.table === null ? '*' : quoteName(scope.table);
  if (scope.currentDatabase) return table;
  return `${scope.database === null ? '*' : quoteName(scope.database)}.${table}`;
}

function printGrant(node: GrantStatement): string {
  const option = node.grantOption ? 'GRANT' : node.adminOption ? 'ADMIN' : null;
  const privileges = node.privileges.map(({ name, columns }) => {
    return columns.length === 0 ? name : `${name}(${columns.map(printColumnName).join(', ')})`;
  });
  const what = node.on === null ? names(node.roles) : `${privileges.join(', ')} ON ${printScope(node.on)}`;
  if (node.revoke) {
    return `REVOKE ${option === null ? '' : `${option} OPTION FOR `}${what} FROM ${names(node.grantees)}`;
  }
  return `GRANT ${what} TO ${names(node.grantees)}${option === null ? '' : ` WITH ${option} OPTION`}`;
}

function printShow(node: ShowStatement): string {
  const parts = [`SHOW ${node.full ? 'FULL ' : ''}${node.changed ? 'CHANGED ' : ''}`];
  parts[0] += node.list.replaceAll('_', ' ').toUpperCase();
  if (node.from !== null) parts.push(`FROM ${printObjectName(node.from)}`);
  if (node.for.length > 0) parts.push(`FOR ${names(node.for)}`);
  if (node.like !== null) {
    const { negated, caseInsensitive, pattern } = node.like;
    parts.push(`${negated ? 'NOT ' : ''}${caseInsensitive ? 'ILIKE' : 'LIKE'} ${quoteString(pattern)}`);
  }
  if (node.where !== null) parts.push(`WHERE ${printUnaliased(node.where)}`);
  if (node.limit !== null) parts.push(`LIMIT ${printUnaliased(node.limit)}`);
  return parts.join(' ') + printOutput(node.output);
}
