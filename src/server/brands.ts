import type { IncomingHttpHeaders } from 'node:http';

/**
 * The brands whose headers and paths are understood, so that clients of other servers work unchanged. The first is our
 * own. Header names are in lower case, as Node gives them.
 */
const headerBrands = ['x-svc-', 'x-clickhouse-', 'x-proton-', 'x-timeplus-'] as const;

/** Prefixes of the structured interface. */
export const restPrefixes = ['/svc/v1', '/svcd/v1', '/proton/v1', '/timeplusd/v1'] as const;

/** A request header by its name after the brand, whatever brand it comes under. */
export function brandedHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  for (const brand of headerBrands) {
    const value = headers[brand + name];
    if (typeof value === 'string') return value;
  }
  return undefined;
}

/** The spelling of a response header's brand for a request: always ours, and ClickHouse's when the request used it. */
export function responseBrands(headers: IncomingHttpHeaders): readonly string[] {
  for (const name in headers) if (name.startsWith('x-clickhouse-')) return ['X-Svc-', 'X-ClickHouse-'];
  return ['X-Svc-'];
}
