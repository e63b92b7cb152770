/*
 * Generated source is only ever put together from `Code`: the text between the holes of the `js` tag, which is our own,
 * and what fills the holes, which is code again, a number or a boolean. Text of a query has no way in: a value becomes a
 * binding, a name is made fresh. This is the security boundary of the query compiler.
 */

/** A remark for people, shown beside the code it stands in and never part of what runs. */
export interface Note {
  readonly note: string;
}

/** A fragment of JavaScript source. */
export class Code {
  readonly parts: readonly (string | Note)[];

  /** Only this folder makes fragments from text; everybody else uses the `js` tag. */
  constructor(parts: readonly (string | Note)[]) {
    this.parts = parts;
  }

  get isEmpty(): boolean {
    return this.parts.every((part) => part === '');
  }
}

export type Hole = Code | number | boolean | readonly Code[];

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (Object.is(value, -0)) return '(-0)';
  return value < 0 ? `(${value})` : String(value);
}

function push(parts: (string | Note)[], hole: Hole): void {
  if (hole instanceof Code) {
    for (const part of hole.parts) parts.push(part);
  } else if (typeof hole === 'number') {
    parts.push(numberText(hole));
  } else if (typeof hole === 'boolean') {
    parts.push(String(hole));
  } else if (Array.isArray(hole)) {
    for (const code of hole) {
      push(parts, code as Code);
      parts.push('\n');
    }
  } else {
    throw new Error('Assertion failed: only code, numbers and booleans may be placed in generated source');
  }
}

/** Builds a fragment; the holes take fragments, lists of statements, numbers and booleans. */
export function js(strings: TemplateStringsArray, ...holes: readonly Hole[]): Code {
  const parts: (string | Note)[] = [strings[0]!];
  for (let index = 0; index < holes.length; index++) {
    push(parts, holes[index]!);
    parts.push(strings[index + 1]!);
  }
  return new Code(parts);
}

export const emptyCode = new Code([]);

/** A remark, for example the SQL that the following code computes. */
export function note(text: string): Code {
  return new Code([{ note: text }]);
}

/** The fragments with a separator of ours between them. */
export function joinCode(
  codes: readonly Code[],
  separator: ',' | ' & ' | ' && ' | ' || ' | '\n' | ' + ' = ',',
): Code {
  const parts: (string | Note)[] = [];
  for (const [index, code] of codes.entries()) {
    if (index > 0) parts.push(separator);
    parts.push(...code.parts);
  }
  return new Code(parts);
}

/** The text that runs. */
export function renderCode(code: Code): string {
  let text = '';
  for (const part of code.parts) if (typeof part === 'string') text += part;
  return text;
}
