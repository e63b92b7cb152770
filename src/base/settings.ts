import { SluiceError } from './errors.ts';
import { maybeYouMeant } from './nearest.ts';

export type SettingKind = 'bool' | 'uint' | 'seconds' | 'float' | 'string' | 'enum';

interface SettingDefinition {
  readonly kind: SettingKind;
  readonly default: boolean | number | string;
  readonly doc: string;
  /** The accepted words of an `enum` setting. */
  readonly words?: readonly string[];
}

/** Every setting a query can be given, by URL, header, SETTINGS clause, SET or user profile. */
export const settingDefinitions = {
  query_mode: {
    kind: 'enum',
    default: 'streaming',
    words: ['streaming', 'table'],
    doc: 'Whether a plain stream name in FROM keeps running (streaming) or reads what is stored (table).',
  },
  seek_to: {
    kind: 'string',
    default: 'latest',
    doc: "Where a streaming query starts: 'latest', 'earliest', a timestamp, or a relative time such as '-2h'.",
  },
  shards: {
    kind: 'string',
    default: '',
    doc: "Numbers of the partitions that are read of external streams, such as '0,2'; empty for all.",
  },
  max_execution_time: { kind: 'seconds', default: 0, doc: 'Seconds a query may run; 0 means no limit.' },
  max_rows_to_read: { kind: 'uint', default: 0, doc: 'Rows a query may read; 0 means no limit.' },
  max_bytes_to_read: { kind: 'uint', default: 0, doc: 'Bytes a query may read; 0 means no limit.' },
  max_result_rows: { kind: 'uint', default: 0, doc: 'Rows a result may have; 0 means no limit.' },
  max_result_bytes: { kind: 'uint', default: 0, doc: 'Bytes a result may have; 0 means no limit.' },
  max_query_size: { kind: 'uint', default: 262144, doc: 'Bytes of SQL text that are parsed.' },
  max_block_size: { kind: 'uint', default: 65536, doc: 'Rows in one block of a result, 65536 at most.' },
  max_threads: {
    kind: 'uint',
    default: 0,
    doc: 'Threads one query may use; 0 leaves the choice to the server.',
  },
  readonly: { kind: 'uint', default: 0, doc: '1 forbids everything that writes or changes settings.' },
  default_format: { kind: 'string', default: '', doc: 'Output format of a query that has no FORMAT clause.' },
  wait_end_of_query: {
    kind: 'bool',
    default: false,
    doc: 'Hold the response back until the query has ended.',
  },
  buffer_size: { kind: 'uint', default: 1048576, doc: 'Bytes of response gathered before they are sent.' },
  session_id: { kind: 'string', default: '', doc: 'Name of the HTTP session that the query belongs to.' },
  session_timeout: { kind: 'seconds', default: 60, doc: 'Seconds an idle HTTP session is kept.' },
  enable_http_compression: { kind: 'bool', default: false, doc: 'Accepted for clients that send it.' },
  send_progress_in_http_headers: { kind: 'bool', default: false, doc: 'Accepted for clients that send it.' },
  http_headers_progress_interval_ms: {
    kind: 'uint',
    default: 100,
    doc: 'Accepted for clients that send it.',
  },
  cancel_http_readonly_queries_on_client_close: {
    kind: 'bool',
    default: true,
    doc: 'Accepted for clients that send it: a query ends with its client in any case.',
  },
  async_insert: {
    kind: 'bool',
    default: false,
    doc: 'Accepted for clients that send it: concurrent inserts share a write to disk in any case.',
  },
  wait_for_async_insert: {
    kind: 'bool',
    default: true,
    doc: 'Accepted for clients that send it: an INSERT is answered when its rows are on disk in any case.',
  },
  insert_deduplication_token: {
    kind: 'string',
    default: '',
    doc: 'A name for the inserted data; the same name is written once.',
  },
  periodic_emit_interval: {
    kind: 'seconds',
    default: 2,
    doc: 'Seconds between the results of a streaming aggregation that names no EMIT policy.',
  },
  session_timezone: {
    kind: 'string',
    default: '',
    doc: 'Time zone of dates and times without one of their own.',
  },
  use_query_cache: { kind: 'bool', default: true, doc: 'Whether compiled queries are kept and reused.' },
  use_result_cache: {
    kind: 'bool',
    default: true,
    doc: 'Whether small results are kept and given again as long as what they were made of is unchanged.',
  },
  disabled_optimizer_rules: {
    kind: 'string',
    default: '',
    doc: "Rules of rewriting plans that are left out, by name and separated by commas, or 'all'; for finding out which rule a difference comes from.",
  },
  input_format_skip_unknown_fields: {
    kind: 'bool',
    default: false,
    doc: 'Ignore input fields that are no column of the target.',
  },
  input_format_null_as_default: {
    kind: 'bool',
    default: false,
    doc: 'Store the DEFAULT when a NULL is given for a NOT NULL column.',
  },
  input_format_import_nested_json: {
    kind: 'bool',
    default: false,
    doc: 'Accept nested JSON for tuple columns.',
  },
  input_format_defaults_for_omitted_fields: {
    kind: 'bool',
    default: true,
    doc: 'Fill omitted fields with the DEFAULT expression of their column.',
  },
  input_format_allow_errors_num: {
    kind: 'uint',
    default: 0,
    doc: 'Bad rows that are skipped before failing.',
  },
  input_format_csv_delimiter: { kind: 'string', default: ',', doc: 'Field delimiter of CSV input.' },
  format_csv_delimiter: { kind: 'string', default: ',', doc: 'Field delimiter of CSV input and output.' },
  engine_file_truncate_on_insert: {
    kind: 'bool',
    default: false,
    doc: 'INSERT INTO FUNCTION file replaces a file that is there already.',
  },
  s3_truncate_on_insert: {
    kind: 'bool',
    default: false,
    doc: 'INSERT INTO FUNCTION s3 replaces an object that is there already.',
  },
  format_schema: {
    kind: 'string',
    default: '',
    doc: "The schema of formats that need one: 'name:Message', the name being that of a CREATE FORMAT SCHEMA or of a file.",
  },
  input_format_avro_allow_missing_fields: {
    kind: 'bool',
    default: false,
    doc: 'Fill columns that an Avro file has no field for with their type default, also without a DEFAULT.',
  },
  output_format_avro_codec: {
    kind: 'enum',
    default: 'snappy',
    words: ['null', 'deflate', 'snappy', 'zstd', 'zstandard'],
    doc: 'How the blocks of Avro output are compressed.',
  },
  output_format_avro_sync_interval: {
    kind: 'uint',
    default: 16384,
    doc: 'Bytes of records in a block of Avro output, before they are compressed.',
  },
  one_message_per_row: {
    kind: 'bool',
    default: false,
    doc: 'Each inserted row becomes a message of its own.',
  },
  output_format_json_quote_64bit_integers: {
    kind: 'bool',
    default: false,
    doc: 'Write 64-bit integers as strings.',
  },
  output_format_json_quote_denormals: {
    kind: 'bool',
    default: false,
    doc: 'Write nan and inf as strings, not null.',
  },
  output_format_json_escape_forward_slashes: { kind: 'bool', default: true, doc: 'Write / as \\/ in JSON.' },
  output_format_json_named_tuples_as_objects: {
    kind: 'bool',
    default: true,
    doc: 'Write named tuples as objects.',
  },
  output_format_pretty_max_rows: { kind: 'uint', default: 10000, doc: 'Rows that Pretty formats print.' },
  date_time_input_format: {
    kind: 'enum',
    default: 'best_effort',
    words: ['basic', 'best_effort'],
    doc: 'How text is read as a date and time.',
  },
  date_time_output_format: {
    kind: 'enum',
    default: 'simple',
    words: ['simple', 'iso', 'unix_timestamp'],
    doc: 'How dates and times are written.',
  },
  join_use_nulls: { kind: 'bool', default: false, doc: 'Fill unmatched columns of an outer join with NULL.' },
  replica_id: { kind: 'uint', default: 0, doc: 'Accepted for clients that send it.' },
  log_comment: { kind: 'string', default: '', doc: 'A remark kept with the query in the list of processes.' },
} as const satisfies Record<string, SettingDefinition>;

export type SettingName = keyof typeof settingDefinitions;

type ValueOf<Definition> = Definition extends { kind: 'bool' }
  ? boolean
  : Definition extends { kind: 'uint' | 'seconds' | 'float' }
    ? number
    : string;

/** The value of every setting, defaults included. */
export type Settings = { readonly [Name in SettingName]: ValueOf<(typeof settingDefinitions)[Name]> };

const defaults = Object.fromEntries(
  Object.entries(settingDefinitions).map(([name, definition]) => [name, definition.default]),
) as unknown as Settings;

function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settingDefinitions, name);
}

function bad(name: string, text: string, expected: string): SluiceError {
  return new SluiceError('BAD_ARGUMENTS', `Setting '${name}' cannot be '${text}': expected ${expected}`);
}

function parseNumber(name: string, text: string, kind: SettingKind): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (kind === 'uint' && !(Number.isSafeInteger(value) && value >= 0))
    throw bad(name, text, 'a whole number from 0');
  if (!Number.isFinite(value) || value < 0) throw bad(name, text, 'a number from 0');
  return value;
}

/** Reads one setting given as text; throws UNKNOWN_SETTING or BAD_ARGUMENTS. */
export function parseSetting(name: string, text: string): boolean | number | string {
  if (!isSettingName(name)) {
    const hint = maybeYouMeant(name, Object.keys(settingDefinitions));
    throw new SluiceError('UNKNOWN_SETTING', `Unknown setting '${name}'${hint}`);
  }
  const definition: SettingDefinition = settingDefinitions[name];
  switch (definition.kind) {
    case 'bool': {
      const folded = text.toLowerCase();
      if (folded === '1' || folded === 'true' || folded === '') return true;
      if (folded === '0' || folded === 'false') return false;
      throw bad(name, text, 'true, false, 1 or 0');
    }
    case 'uint':
    case 'seconds':
    case 'float':
      return parseNumber(name, text, definition.kind);
    case 'enum':
      if (!definition.words!.includes(text)) throw bad(name, text, `one of ${definition.words!.join(', ')}`);
      return text;
    case 'string':
      return text;
  }
}

/** Settings with `texts` laid over `base`; the first unknown or malformed one throws. */
export function settingsFrom(
  texts: Iterable<readonly [string, string]>,
  base: Settings = defaults,
): Settings {
  let result: Record<string, boolean | number | string> | undefined;
  for (const [name, text] of texts) {
    result ??= { ...base };
    result[name] = parseSetting(name, text);
  }
  return result === undefined ? base : (result as unknown as Settings);
}
