import type {
  AlterAction,
  AlterStatement,
  ColumnDef,
  ConstraintDef,
  CreateDatabase,
  CreateFormatSchema,
  CreateFunction,
  CreateMaterializedView,
  CreateStream,
  CreateView,
  EngineSpec,
  IndexDef,
  ObjectName,
  StorageClauses,
  StreamVariant,
  TtlItem,
} from './nodes.ts';
import { printExpr, printExprs, printOperand, printParams, printUnaliased } from './print-expression.ts';
import { printAssignments, printQuery, printSettings } from './print-query.ts';
import { quoteName, quotePath, quoteString } from './quote.ts';

export function printObjectName(name: ObjectName): string {
  return quotePath(name.database === null ? [name.name] : [name.database, name.name]);
}

interface Conditions {
  readonly ifNotExists?: boolean;
  readonly orReplace?: boolean;
}

export function printCreate(what: string, name: string, { ifNotExists, orReplace }: Conditions): string {
  return `CREATE ${orReplace ? 'OR REPLACE ' : ''}${what} ${ifNotExists ? 'IF NOT EXISTS ' : ''}${name}`;
}

/** The nested name of a column, `a.b`. */
export function printColumnName(name: string): string {
  return quotePath(name.split('.'));
}

export function printColumnDef(column: ColumnDef): string {
  const parts = [printColumnName(column.name)];
  if (column.typeText !== null) parts.push(column.typeText);
  if (column.nullable !== null) parts.push(column.nullable ? 'NULL' : 'NOT NULL');
  if (column.default !== null) {
    const { type, expr } = column.default;
    parts.push(type.toUpperCase());
    if (expr !== null) parts.push(printUnaliased(expr));
  }
  if (column.comment !== null) parts.push(`COMMENT ${quoteString(column.comment)}`);
  if (column.codec !== null) parts.push(`CODEC(${column.codec})`);
  if (column.ttl !== null) parts.push(`TTL ${printUnaliased(column.ttl)}`);
  if (column.primaryKey) parts.push('PRIMARY KEY');
  if (column.settings.length > 0) parts.push(`SETTINGS (${printAssignments(column.settings)})`);
  return parts.join(' ');
}

function printIndex(index: IndexDef): string {
  const type = index.type === null ? '' : ` TYPE ${printIndexType(index.type)}`;
  const granularity = index.granularity === null ? '' : ` GRANULARITY ${printOperand(index.granularity)}`;
  return `${quoteName(index.name)} ${printUnaliased(index.expr)}${type}${granularity}`;
}

function printIndexType(type: NonNullable<IndexDef['type']>): string {
  return type.args.length === 0 ? quoteName(type.name) : printExpr(type);
}

function printConstraint(constraint: ConstraintDef): string {
  return `CONSTRAINT ${quoteName(constraint.name)} ${constraint.type.toUpperCase()} ${printUnaliased(constraint.expr)}`;
}

function printElements(elements: readonly string[]): string {
  return elements.length === 0 ? '' : ` (${elements.join(', ')})`;
}

export function printEngine(engine: EngineSpec): string {
  return `ENGINE = ${quoteName(engine.name)}${engine.args === null ? '' : `(${printExprs(engine.args)})`}`;
}

function printTtl(item: TtlItem): string {
  const action = item.action === null ? '' : ` ${item.action}`;
  return `${printUnaliased(item.expr)}${action}${item.where === null ? '' : ` WHERE ${printUnaliased(item.where)}`}`;
}

function printKey(exprs: StorageClauses['orderBy']): string {
  const [only] = exprs;
  return exprs.length === 1 && only!.kind !== 'tuple'
    ? printUnaliased(only!)
    : `(${exprs.map(printUnaliased).join(', ')})`;
}

function printStorage(storage: StorageClauses): string {
  const parts: string[] = [];
  if (storage.engine !== null) parts.push(printEngine(storage.engine));
  if (storage.partitionBy !== null) parts.push(`PARTITION BY ${printUnaliased(storage.partitionBy)}`);
  if (storage.primaryKey.length > 0) parts.push(`PRIMARY KEY ${printKey(storage.primaryKey)}`);
  if (storage.orderBy.length > 0) parts.push(`ORDER BY ${printKey(storage.orderBy)}`);
  if (storage.sampleBy !== null) parts.push(`SAMPLE BY ${printUnaliased(storage.sampleBy)}`);
  if (storage.ttl.length > 0) parts.push(`TTL ${storage.ttl.map(printTtl).join(', ')}`);
  if (storage.settings.length > 0) parts.push(printSettings(storage.settings));
  if (storage.comment !== null) parts.push(`COMMENT ${quoteString(storage.comment)}`);
  return parts.map((part) => ` ${part}`).join('');
}

const variantWords: { readonly [V in StreamVariant]: string } = {
  stream: '',
  external: 'EXTERNAL ',
  mutable: 'MUTABLE ',
  random: 'RANDOM ',
  temporary: 'TEMPORARY ',
};

export function printCreateStream(node: CreateStream): string {
  const what = `${variantWords[node.variant]}${node.object.toUpperCase()}`;
  const uuid = node.uuid === null ? '' : ` UUID ${quoteString(node.uuid)}`;
  const elements = printElements([
    ...node.columns.map(printColumnDef),
    ...node.indexes.map((index) => `INDEX ${printIndex(index)}`),
    ...node.constraints.map(printConstraint),
  ]);
  let text = `${printCreate(what, printObjectName(node.name), node)}${uuid}${elements}${printStorage(node.storage)}`;
  if (node.query !== null) text += ` AS ${printQuery(node.query)}`;
  if (node.like !== null) text += ` AS ${printObjectName(node.like)}`;
  if (node.script !== null) text += ` AS ${heredoc(node.script)}`;
  return text;
}

/** A heredoc whose tag does not occur in the text. */
function heredoc(text: string): string {
  let tag = '$$';
  for (let i = 1; text.includes(tag); i++) tag = `$code${i}$`;
  return `${tag}${text}${tag}`;
}

export function printCreateView(node: CreateView): string {
  const columns = printElements(node.columns.map(printColumnDef));
  const settings = node.settings.length === 0 ? '' : ` ${printSettings(node.settings)}`;
  const comment = node.comment === null ? '' : ` COMMENT ${quoteString(node.comment)}`;
  const head = printCreate('VIEW', printObjectName(node.name), node);
  return `${head}${columns}${settings}${comment} AS ${printQuery(node.query)}`;
}

export function printCreateMaterializedView(node: CreateMaterializedView): string {
  const uuid = node.uuid === null ? '' : ` UUID ${quoteString(node.uuid)}`;
  const into = node.into === null ? '' : ` INTO ${printObjectName(node.into)}`;
  const columns = printElements(node.columns.map(printColumnDef));
  const populate = node.populate ? ' POPULATE' : '';
  const head = printCreate('MATERIALIZED VIEW', printObjectName(node.name), node);
  return `${head}${uuid}${into}${columns}${printStorage(node.storage)}${populate} AS ${printQuery(node.query)}`;
}

export function printCreateDatabase(node: CreateDatabase): string {
  let text = printCreate('DATABASE', quoteName(node.name), node);
  if (node.engine !== null) text += ` ${printEngine(node.engine)}`;
  if (node.settings.length > 0) text += ` ${printSettings(node.settings)}`;
  if (node.comment !== null) text += ` COMMENT ${quoteString(node.comment)}`;
  return text;
}

export function printCreateFunction(node: CreateFunction): string {
  const head = printCreate(node.aggregate ? 'AGGREGATE FUNCTION' : 'FUNCTION', quoteName(node.name), node);
  if (node.expr !== null) {
    const params = printParams(node.params.map((param) => param.name));
    return `${head} AS ${params} -> ${printUnaliased(node.expr)}`;
  }
  const params = node.params.map((param) => `${quoteName(param.name)} ${param.typeText}`).join(', ');
  const settings = node.settings.length === 0 ? '' : ` ${printSettings(node.settings)}`;
  const language = node.language.toUpperCase();
  return `${head}(${params}) RETURNS ${node.returns} LANGUAGE ${language} AS ${heredoc(node.code ?? '')}${settings}`;
}

export function printCreateFormatSchema(node: CreateFormatSchema): string {
  const head = printCreate('FORMAT SCHEMA', quoteName(node.name), node);
  return `${head} AS ${quoteString(node.schema)} TYPE ${quoteName(node.type)}`;
}

export function printAlter(node: AlterStatement): string {
  const object = node.object.replace('_', ' ').toUpperCase();
  const name = printObjectName(node.name);
  return `ALTER ${object} ${node.ifExists ? 'IF EXISTS ' : ''}${name} ${node.actions.map(printAction).join(', ')}`;
}

function condition(words: 'IF EXISTS ' | 'IF NOT EXISTS ', wanted: boolean): string {
  return wanted ? words : '';
}

function place(action: { readonly first: boolean; readonly after: string | null }): string {
  if (action.first) return ' FIRST';
  return action.after === null ? '' : ` AFTER ${printColumnName(action.after)}`;
}

type ActionPrinters = {
  readonly [T in AlterAction['type']]: (action: Extract<AlterAction, { readonly type: T }>) => string;
};

const actionPrinters: ActionPrinters = {
  add_column: (a) =>
    `ADD COLUMN ${condition('IF NOT EXISTS ', a.ifNotExists)}${printColumnDef(a.column)}${place(a)}`,
  modify_column: (a) =>
    `MODIFY COLUMN ${condition('IF EXISTS ', a.ifExists)}${printColumnDef(a.column)}${place(a)}`,
  remove_from_column: (a) => {
    return `MODIFY COLUMN ${condition('IF EXISTS ', a.ifExists)}${printColumnName(a.name)} REMOVE ${a.what.toUpperCase()}`;
  },
  drop_column: (a) => `DROP COLUMN ${condition('IF EXISTS ', a.ifExists)}${printColumnName(a.name)}`,
  clear_column: (a) => `CLEAR COLUMN ${condition('IF EXISTS ', a.ifExists)}${printColumnName(a.name)}`,
  rename_column: (a) => {
    const names = `${printColumnName(a.name)} TO ${printColumnName(a.to)}`;
    return `RENAME COLUMN ${condition('IF EXISTS ', a.ifExists)}${names}`;
  },
  comment_column: (a) => {
    const column = printColumnName(a.name);
    return `COMMENT COLUMN ${condition('IF EXISTS ', a.ifExists)}${column} ${quoteString(a.comment)}`;
  },
  modify_comment: (a) => `MODIFY COMMENT ${quoteString(a.comment)}`,
  modify_setting: (a) => `MODIFY SETTING ${printAssignments(a.settings)}`,
  modify_query_setting: (a) => `MODIFY QUERY SETTING ${printAssignments(a.settings)}`,
  reset_setting: (a) => `RESET SETTING ${a.names.map(quoteName).join(', ')}`,
  modify_ttl: (a) => `MODIFY TTL ${a.ttl.map(printTtl).join(', ')}`,
  remove_ttl: () => 'REMOVE TTL',
  modify_order_by: (a) => `MODIFY ORDER BY ${printKey(a.exprs)}`,
  modify_query: (a) => `MODIFY QUERY ${printQuery(a.query)}`,
  add_index: (a) => `ADD INDEX ${condition('IF NOT EXISTS ', a.ifNotExists)}${printIndex(a.index)}`,
  drop_index: (a) => `DROP INDEX ${condition('IF EXISTS ', a.ifExists)}${quoteName(a.name)}`,
  materialize_index: (a) => `MATERIALIZE INDEX ${condition('IF EXISTS ', a.ifExists)}${quoteName(a.name)}`,
  add_constraint: (a) => {
    const constraint = printConstraint(a.constraint).slice('CONSTRAINT '.length);
    return `ADD CONSTRAINT ${condition('IF NOT EXISTS ', a.ifNotExists)}${constraint}`;
  },
  drop_constraint: (a) => `DROP CONSTRAINT ${condition('IF EXISTS ', a.ifExists)}${quoteName(a.name)}`,
  drop_partition: (a) => `DROP PARTITION ${printOperand(a.partition)}`,
  delete: (a) => `DELETE WHERE ${printUnaliased(a.where)}`,
  update: (a) => {
    const assignments = a.assignments.map(
      ({ column, expr }) => `${printColumnName(column)} = ${printUnaliased(expr)}`,
    );
    return `UPDATE ${assignments.join(', ')} WHERE ${printUnaliased(a.where)}`;
  },
};

function printAction(action: AlterAction): string {
  return (actionPrinters[action.type] as (action: AlterAction) => string)(action);
}
