import { SluiceError } from '../base/index.ts';

/**
 * Offsets of IANA time zones, from the zone data that comes with the JavaScript engine. A zone is asked once per
 * quarter hour that a query meets (offsets only ever change on one), and answers are kept.
 */
export class TimeZone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat | undefined;
  readonly #offsets = new Map<number, number>();
  #lastQuarter = Number.NaN;
  #lastOffset = 0;

  constructor(name: string) {
    this.name = name;
    this.#format = isUtc(name)
      ? undefined
      : new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
          timeZone: name,
          hourCycle: 'h23',
          era: 'short',
          year: 'numeric',
          month: 'numeric',
          day: 'numeric',
          hour: 'numeric',
          minute: 'numeric',
          second: 'numeric',
        });
  }

  get isUtc(): boolean {
    return this.#format === undefined;
  }

  /** Seconds to add to UTC seconds to get the zone's wall clock at that instant. */
  offsetAt(utcSeconds: number): number {
    if (this.#format === undefined) return 0;
    const quarter = Math.floor(utcSeconds / 900);
    if (quarter === this.#lastQuarter) return this.#lastOffset;
    let offset = this.#offsets.get(quarter);
    if (offset === undefined) {
      offset = this.#compute(quarter * 900);
      if (this.#offsets.size > 200_000) this.#offsets.clear();
      this.#offsets.set(quarter, offset);
    }
    this.#lastQuarter = quarter;
    this.#lastOffset = offset;
    return offset;
  }

  /** UTC seconds of a wall-clock time given as seconds since 1970 on that wall clock; of two, the earlier one. */
  toUtc(wallSeconds: number): number {
    if (this.#format === undefined) return wallSeconds;
    const before = this.offsetAt(wallSeconds - 86_400);
    const first = wallSeconds - before;
    if (this.offsetAt(first) === before) return first;
    const second = wallSeconds - this.offsetAt(first);
    // In the gap of a spring change neither offset agrees with itself; the wall time is then read with the old offset.
    return this.offsetAt(second) === wallSeconds - second ? second : first;
  }

  #compute(utcSeconds: number): number {
    const parts: Record<string, string> = {};
    for (const part of this.#format!.formatToParts(utcSeconds * 1000)) parts[part.type] = part.value;
    const year = parts['era'] === 'BC' ? 1 - Number(parts['year']) : Number(parts['year']);
    const wall = Date.UTC(
      year,
      Number(parts['month']) - 1,
      Number(parts['day']),
      Number(parts['hour']),
      Number(parts['minute']),
      Number(parts['second']),
    );
    return Math.round(wall / 1000) - utcSeconds;
  }
}

const zones = new Map<string, TimeZone>();

function isUtc(name: string): boolean {
  return /^(etc\/)?(utc|gmt|zulu|universal|greenwich|uct)$/i.test(name);
}

/** The zone of an IANA name; throws BAD_ARGUMENTS for an unknown one. */
export function timeZone(name: string): TimeZone {
  const known = zones.get(name);
  if (known !== undefined) return known;
  let zone: TimeZone;
  try {
    zone = new TimeZone(name);
  } catch (thrown) {
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `Unknown time zone '${name}': expected an IANA name such as 'Europe/Vienna'`,
      {
        cause: thrown,
      },
    );
  }
  zones.set(name, zone);
  return zone;
}

export function assertTimeZone(name: string): void {
  timeZone(name);
}

/** The zone that dates and times without a zone of their own are read and written in. */
export const serverTimeZone = 'UTC';
