import { type ErrorName, errorCodes } from './error-codes.ts';

/** A failure that is the query's, the data's or the environment's, told to the client with its code and status. */
export class SluiceError extends Error {
  readonly errorName: ErrorName;
  readonly code: number;
  readonly status: number;

  constructor(errorName: ErrorName, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SluiceError';
    this.errorName = errorName;
    this.code = errorCodes[errorName].code;
    this.status = errorCodes[errorName].status;
  }

  /** The text every client sees: `Code: <n>. DB::Exception: <message>`. */
  get exceptionText(): string {
    return `Code: ${this.code}. DB::Exception: ${this.message}`;
  }

  /** The same error with the message extended, for callers that know where the value stood. */
  within(context: string): SluiceError {
    return new SluiceError(this.errorName, `${this.message}: ${context}`, { cause: this });
  }
}

/** Turns whatever was thrown into a SluiceError; anything unforeseen becomes code 1002. */
export function toSluiceError(thrown: unknown): SluiceError {
  if (thrown instanceof SluiceError) return thrown;
  if (
    thrown instanceof RangeError &&
    /call stack|Invalid (array|string|typed array) length/i.test(thrown.message)
  ) {
    return new SluiceError('TOO_DEEP_AST', 'The query or a value in it is too large or too deeply nested', {
      cause: thrown,
    });
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new SluiceError('UNKNOWN_EXCEPTION', message, { cause: thrown });
}

/** Fails on a state that no input may reach: a bug of ours, never the user's error. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Assertion failed: ${message}`);
}

/** Marks the branch that the types say cannot be reached. */
export function unreachable(value: never): never {
  throw new Error(`Assertion failed: unexpected value ${String(value)}`);
}
