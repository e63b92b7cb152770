import type { IncomingHttpHeaders } from 'node:http';
import type { SluiceError } from '../base/index.ts';

/**
 * The brands whose headers and paths are understood, so that clients of other servers work unchanged. The first is our
 * own. Header names are in lower case, as Node gives them.
 */
const headerBrands = ['x-svc-', 'x-clickhouse-', 'x-proton-', 'x-timeplus-'] as const;

/** Prefixes of the structured interface. */
export const restPrefixes = ['/svc/v1', '/svcd/v1', '/proton/v1', '/timeplusd/v1'] as const;

/** What branded request headers are called after their brand. */
const headerNames = ['user', 'key', 'query-id', 'database', 'format'] as const;

/** The names under which a header may come, made once: they are looked up in every request. */
const spellings = new Map(headerNames.map((name) => [name, headerBrands.map((brand) => brand + name)]));

/** A request header by its name after the brand, whatever brand it comes under. */
export function brandedHeader(
  headers: IncomingHttpHeaders,
  name: (typeof headerNames)[number],
): string | undefined {
  for (const spelling of spellings.get(name)!) {
    const value = headers[spelling];
    if (typeof value === 'string') return value;
  }
  return undefined;
}

/** Whether a request comes from a client that was written for ClickHouse, going by its headers. */
export function isClickHouseClient(headers: IncomingHttpHeaders): boolean {
  if (headers['user-agent']?.toLowerCase().includes('clickhouse') === true) return true;
  for (const name in headers) if (name.startsWith('x-clickhouse-')) return true;
  return false;
}

/** The spelling of a response header's brand for a request: always ours, and ClickHouse's for its clients. */
export function responseBrands(headers: IncomingHttpHeaders): readonly string[] {
  return isClickHouseClient(headers) ? ['X-Svc-', 'X-ClickHouse-'] : ['X-Svc-'];
}

/** The text of an error as the request's client reads it: clients for ClickHouse look for the error's name at the end. */
export function exceptionText(headers: IncomingHttpHeaders, error: SluiceError): string {
  if (!isClickHouseClient(headers)) return error.exceptionText;
  const stop = error.message.endsWith('.') ? '' : '.';
  return `${error.exceptionText}${stop} (${error.errorName})`;
}
