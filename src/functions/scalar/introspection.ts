import { hostname } from 'node:os';
import { errorCodes, type SettingName, SluiceError, settingDefinitions } from '../../base/index.ts';
import {
  fromByteString,
  nullable,
  type SqlType,
  serverTimeZone,
  toByteString,
  typeName,
  types,
} from '../../types/index.ts';
import { constantOf } from '../checks.ts';
import { type QueryContext, type ScalarFunction, values } from '../definition.ts';
import { functionsOf } from './simple-function.ts';

const define = functionsOf('introspection');

function ofQuery(
  name: string,
  aliases: readonly string[],
  doc: string,
  example: readonly [string, string],
  read: (context: QueryContext) => string,
): ScalarFunction {
  return define({
    name,
    aliases,
    syntax: `${name}()`,
    doc,
    examples: [example],
    takes: [],
    returns: types.string,
    evaluation: 'per_query',
    contextual: true,
    kernel: () => (context: QueryContext) => toByteString(read(context)),
  });
}

function settingName(value: unknown): SettingName {
  const name = String(value);
  if (Object.hasOwn(settingDefinitions, name)) return name as SettingName;
  throw new SluiceError('UNKNOWN_SETTING', `Unknown setting '${name}'`);
}

function settingType(name: SettingName): SqlType {
  switch (settingDefinitions[name].kind) {
    case 'bool':
      return types.bool;
    case 'uint':
      return types.uint64;
    case 'seconds':
      return types.float64;
    case 'string':
    case 'enum':
      return types.string;
  }
}

const getSetting = define({
  name: 'get_setting',
  syntax: "get_setting('name')",
  doc: 'The value that a setting has in this query.',
  examples: [["get_setting('max_block_size')", '65536']],
  takes: ['string'],
  returns: (args) => settingType(settingName(constantOf('get_setting', args, 0))),
  evaluation: 'per_query',
  contextual: true,
  kernel: (args) => {
    const name = settingName(constantOf('get_setting', args, 0));
    return (context: QueryContext) => {
      const value: unknown = context.settings[name];
      return typeof value === 'boolean'
        ? Number(value)
        : typeof value === 'string'
          ? toByteString(value)
          : value;
    };
  },
});

/** A value as it is; `materialize` also hides that it is constant. */
function passing(name: string, evaluation: 'pure' | 'per_row', doc: string): ScalarFunction {
  return define({
    name,
    syntax: `${name}(value)`,
    doc,
    examples: [[`${name}(42)`, '42']],
    takes: ['any'],
    nulls: 'handled',
    evaluation,
    returns: (args) => args[0]!.type,
    emit: (_, args, type) => ({ ...values(args)[0]!, type }),
  });
}

const codeNames = new Map<number, string>(Object.entries(errorCodes).map(([name, { code }]) => [code, name]));

const barEighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A horizontal bar whose full length, in characters, stands for the greatest value. */
function bar(value: number, least: number, greatest: number, width: number): string {
  const share = (value - least) / (greatest - least);
  if (!(share > 0)) return '';
  const eighths = Math.floor(Math.min(1, share) * width * 8);
  return toByteString('█'.repeat(eighths >> 3) + barEighths[eighths & 7]!);
}

const barWidthMax = 1_000;

const barFunction = define({
  name: 'bar',
  syntax: 'bar(value, least, greatest[, width])',
  doc: 'A bar of block characters, from nothing for the least value to the width (80 unless given) for the greatest.',
  examples: [['bar(5, 0, 10, 4)', '██']],
  takes: ['number', 'number', 'number', 'number?'],
  returns: types.string,
  kernel:
    () =>
    (value: number, least: number, greatest: number, width: number = 80) => {
      const characters = Number(width);
      if (!(characters >= 1 && characters <= barWidthMax))
        throw new SluiceError('ARGUMENT_OUT_OF_BOUND', `The width of a bar must be from 1 to ${barWidthMax}`);
      return bar(Number(value), Number(least), Number(greatest), characters);
    },
});

const throwIf = define({
  name: 'throw_if',
  syntax: 'throw_if(condition[, message])',
  doc: 'Fails with the message where the condition holds; 0 elsewhere.',
  examples: [['throw_if(1 > 2)', '0']],
  takes: ['integer', 'string?', 'integer?'],
  returns: types.uint8,
  kernel: () => (condition: number | bigint, message?: string) => {
    if (condition)
      throw new SluiceError(
        'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO',
        message === undefined ? 'Value passed to throw_if is not zero' : fromByteString(message),
      );
    return 0;
  },
});

const sleep = define({
  name: 'sleep',
  aliases: ['sleep_each_row'],
  syntax: 'sleep(seconds)',
  doc: 'Not supported, for a query that sleeps would hold up all others; sleep(0) gives 0.',
  examples: [['sleep(0)', '0']],
  takes: ['number'],
  returns: types.uint8,
  kernel: () => (seconds: number | bigint) => {
    if (seconds > 0) throw new SluiceError('NOT_IMPLEMENTED', 'sleep is not supported');
    return 0;
  },
});

export const introspectionFunctions: readonly ScalarFunction[] = [
  ofQuery(
    'version',
    [],
    'The version of the server.',
    ["version() != ''", 'true'],
    (context) => context.version,
  ),
  ofQuery(
    'current_user',
    ['user'],
    'The user who runs the query.',
    ['current_user()', 'default'],
    (context) => context.user,
  ),
  ofQuery(
    'current_database',
    ['database', 'schema', 'current_schema'],
    'The database in which names without one are looked up.',
    ['current_database()', 'default'],
    (context) => context.database,
  ),
  ofQuery(
    'query_id',
    ['initial_query_id'],
    'The id of the query.',
    ["query_id() != ''", 'true'],
    (context) => context.queryId,
  ),
  ofQuery(
    'timezone',
    [],
    'The time zone in which times without one are shown.',
    ['timezone()', 'UTC'],
    (context) => context.settings.session_timezone || serverTimeZone,
  ),
  ofQuery(
    'server_timezone',
    [],
    'The time zone of the server.',
    ['server_timezone()', 'UTC'],
    () => serverTimeZone,
  ),
  ofQuery('hostname', ['host_name', 'fqdn'], 'The name of the machine.', ["hostname() != ''", 'true'], () =>
    hostname(),
  ),
  define({
    name: 'uptime',
    syntax: 'uptime()',
    doc: 'Seconds since the server started.',
    examples: [['uptime() >= 0', 'true']],
    takes: [],
    returns: types.uint32,
    evaluation: 'per_query',
    contextual: true,
    kernel: () => (context: QueryContext) => Math.floor(context.uptime / 1000),
  }),
  getSetting,
  passing('identity', 'pure', 'The value itself.'),
  passing('materialize', 'per_row', 'The value itself, computed for each row even if it is constant.'),
  define({
    name: 'ignore',
    syntax: 'ignore(value, ...)',
    doc: '0, whatever the arguments are.',
    examples: [["ignore(1, 'a', NULL)", '0']],
    takes: ['any*'],
    nulls: 'handled',
    returns: types.uint8,
    kernel: () => () => 0,
  }),
  throwIf,
  sleep,
  define({
    name: 'error_code_to_name',
    syntax: 'error_code_to_name(code)',
    doc: 'The name of an error code; empty for a code that is not known.',
    examples: [['error_code_to_name(60)', 'UNKNOWN_TABLE']],
    takes: ['integer'],
    returns: types.string,
    kernel: () => (code: number | bigint) => codeNames.get(Number(code)) ?? '',
  }),
  define({
    name: 'to_column_type_name',
    syntax: 'to_column_type_name(value)',
    doc: "The name of the value's type, in const(...) when the value is constant.",
    examples: [['to_column_type_name(1)', 'const(uint8)']],
    takes: ['any'],
    nulls: 'handled',
    returns: types.string,
    kernel: (args) => {
      const { type, constant } = args[0]!;
      const name = typeName(type.kind === 'nothing' ? nullable(types.nothing) : type);
      return () => (constant === undefined ? name : `const(${name})`);
    },
  }),
  define({
    name: 'is_constant',
    syntax: 'is_constant(value)',
    doc: 'Whether the value is known before the query runs.',
    examples: [
      ['is_constant(1 + 2)', 'true'],
      ['is_constant(rand())', 'false'],
    ],
    takes: ['any'],
    nulls: 'handled',
    returns: types.bool,
    kernel: (args) => {
      const result = args[0]!.constant === undefined ? 0 : 1;
      return () => result;
    },
  }),
  barFunction,
];
