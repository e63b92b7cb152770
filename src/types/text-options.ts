/** What decides how the text of a value is read and written, beside its type. */
export interface TextOptions {
  /** The zone of dates and times whose type names none; the server's when empty or not given. */
  readonly timezone?: string;
  /** `basic` reads `YYYY-MM-DD hh:mm:ss` and numbers only; `best_effort`, the default, the usual other forms too. */
  readonly dateTimeInput?: 'basic' | 'best_effort';
  /** `simple` is the default: `2024-01-02 03:04:05.123`. */
  readonly dateTimeOutput?: 'simple' | 'iso' | 'unix_timestamp';
}
