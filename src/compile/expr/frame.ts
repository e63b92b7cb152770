import type { Code } from '../../code/index.ts';
import type { Operand } from '../../functions/index.ts';

/** A stretch of generated code that runs from top to bottom: what it has computed may be used again further down. */
export interface Frame {
  readonly statements: Code[];
  /** Operands by expression key. */
  readonly memo: Map<string, RowOperand>;
  readonly parent: Frame | null;
}

/** How an operand's string is found through a dictionary, for consumers that can work on codes. */
export interface DictionaryAccess {
  /** The code of the row's value; equal codes mean equal values. */
  readonly code: Code;
  /** An expression for the number of codes. */
  readonly size: Code;
  /** An object that is another one when codes mean something else. */
  readonly identity: Code;
  /** The array of byte strings by code, filled for every code that `code` has given so far. */
  readonly strings: Code;
}

/** An operand, and what more the compiler knows of it. */
export interface RowOperand extends Operand {
  readonly dictionary?: DictionaryAccess;
}

export function newFrame(parent: Frame | null): Frame {
  return { statements: [], memo: new Map(), parent };
}

export function findOperand(frame: Frame | null, key: string): RowOperand | undefined {
  for (let level = frame; level !== null; level = level.parent) {
    const known = level.memo.get(key);
    if (known !== undefined) return known;
  }
  return undefined;
}
