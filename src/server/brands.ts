import type { IncomingHttpHeaders } from 'node:http';

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

/** The spelling of a response header's brand for a request: always ours, and ClickHouse's when the request used it. */
export function responseBrands(headers: IncomingHttpHeaders): readonly string[] {
  for (const name in headers) if (name.startsWith('x-clickhouse-')) return ['X-Svc-', 'X-ClickHouse-'];
  return ['X-Svc-'];
}
