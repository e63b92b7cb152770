import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { UserAccount } from '../access/index.ts';
import { limits, SluiceError } from '../base/index.ts';

/** URL parameters that are no settings. */
const ownParameters = new Set(['query', 'database', 'query_id', 'user', 'password', 'quota_key', 'role']);

/** What a request's URL says. */
export interface RequestParameters {
  readonly query: string | null;
  readonly database: string | undefined;
  readonly queryId: string | undefined;
  readonly settings: Readonly<Record<string, string>>;
  /** Values of `{name:type}` placeholders. */
  readonly parameters: Readonly<Record<string, string>>;
}

const noParameters: RequestParameters = {
  query: null,
  database: undefined,
  queryId: undefined,
  settings: {},
  parameters: {},
};

/** Takes the URL apart: the statement, where it runs, values of its placeholders, and settings. */
export function readParameters(querystring: string): RequestParameters {
  if (querystring === '') return noParameters;
  const settings: [string, string][] = [];
  const parameters: [string, string][] = [];
  const url = new URLSearchParams(querystring);
  const role = url.get('role');
  if (role) throw new SluiceError('UNKNOWN_ROLE', `There is no role '${role}': rights are granted to users`);
  for (const [name, value] of url) {
    if (ownParameters.has(name)) continue;
    if (name.startsWith('param_')) parameters.push([name.slice('param_'.length), value]);
    else settings.push([name, value]);
  }
  return {
    query: url.get('query'),
    database: url.get('database') ?? undefined,
    queryId: url.get('query_id') ?? undefined,
    // Entries make own properties of every name, `__proto__` included, which is then an unknown setting like any other.
    settings: Object.fromEntries(settings),
    parameters: Object.fromEntries(parameters),
  };
}

/** The id that a client gave, or a new one. It goes back as a header, so it is printable ASCII; throws BAD_ARGUMENTS. */
export function requestIdentity(given: string | undefined): string {
  if (!given) return randomUUID();
  if (/^[\x21-\x7e](?:[\x20-\x7e]{0,254}[\x21-\x7e])?$/.test(given)) return given;
  throw new SluiceError('BAD_ARGUMENTS', 'A query id must be 1 to 256 printable characters of ASCII');
}

/** The longest statement that a request may send, in bytes; a malformed setting is told of when settings are read. */
export function statementBytesMax(...settings: readonly Readonly<Record<string, string>>[]): number {
  for (const each of settings) {
    const given = Number(each['max_query_size'] || Number.NaN);
    if (Number.isSafeInteger(given) && given > 0) return given;
  }
  return limits.query_text_bytes_max;
}

/** The settings of a request: the user's, then what headers and the URL say. Throws READONLY. */
export function requestSettings(
  user: UserAccount,
  headers: IncomingHttpHeaders,
  { settings }: Pick<RequestParameters, 'settings'>,
): Record<string, string> {
  const bound = user.settings['readonly'];
  const asked = settings['readonly'];
  if (bound !== undefined && bound !== '0' && asked !== undefined && asked !== bound)
    throw new SluiceError('READONLY', `Cannot change the setting 'readonly' of the user ${user.name}`);
  const key = headers['idempotency-key'];
  return {
    ...user.settings,
    ...(typeof key === 'string' && key !== '' ? { insert_deduplication_token: key } : {}),
    ...settings,
  };
}
