import { Scanner } from './scanner.ts';
import { syntaxError } from './syntax-error.ts';

/** A part of an SQL text, in UTF-16 offsets. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Where the head of an INSERT ends for the parser, and where its data begins. */
export interface DataPosition {
  readonly headEnd: number;
  readonly offset: number;
}

/**
 * Finds the inline data of an INSERT without reading it: behind VALUES, or behind `FORMAT <name> [SETTINGS ...]`. Null
 * for other statements, for INSERT ... SELECT and for FROM INFILE.
 */
export function findInlineData(sql: string, range: TextRange): DataPosition | null {
  const scanner = firstToken(sql, range);
  if (!scanner.is('INSERT')) return null;
  scanner.next();
  if (scanner.is('INTO')) scanner.next();
  skipTarget(scanner);
  let inFile = false;
  for (; scanner.kind !== 'end'; scanner.next()) {
    if (scanner.isSymbol('(')) {
      const opening = scanner.start;
      scanner.next();
      if (startsQuery(scanner)) return null;
      skipBrackets(scanner, opening);
    } else if (scanner.is('SELECT') || scanner.is('WITH')) {
      return null;
    } else if (scanner.is('FROM')) {
      scanner.next();
      if (!scanner.is('INFILE')) return null;
      inFile = true;
    } else if (scanner.is('VALUES')) {
      return { headEnd: scanner.end, offset: scanner.end };
    } else if (scanner.is('FORMAT')) {
      return inFile ? null : afterFormat(sql, scanner);
    } else if (scanner.isSymbol(';')) {
      return null;
    }
  }
  return null;
}

function firstToken(sql: string, range: TextRange): Scanner {
  const scanner = new Scanner(sql, range.start, range.end);
  do scanner.next();
  while (scanner.isSymbol(';'));
  return scanner;
}

/** Whether the text begins with an INSERT, which may be the head of data that is no SQL. */
export function startsInsert(sql: string): boolean {
  return firstToken(sql, { start: 0, end: sql.length }).is('INSERT');
}

function startsQuery(scanner: Scanner): boolean {
  return scanner.is('SELECT') || scanner.is('WITH') || scanner.is('FROM') || scanner.isSymbol('(');
}

/** Words that cannot be the target when they stand behind TABLE or FUNCTION, which then is the target itself. */
const clauseWords: readonly string[] = [
  'VALUES',
  'FORMAT',
  'SELECT',
  'WITH',
  'SETTINGS',
  'PARTITION',
  'FROM',
];

/** Whether the token behind the current one is a name, so that the current one is a keyword. */
function precedesName(scanner: Scanner): boolean {
  const ahead = new Scanner(scanner.text, scanner.end, scanner.limit);
  ahead.next();
  if (ahead.kind === 'quoted_name') return true;
  return ahead.kind === 'word' && !clauseWords.some((word) => ahead.is(word));
}

/** Goes past `[TABLE] [FUNCTION] name[.name][(...)]` to the token behind it. */
function skipTarget(scanner: Scanner): void {
  if (scanner.is('TABLE') && precedesName(scanner)) scanner.next();
  const isFunction = scanner.is('FUNCTION') && precedesName(scanner);
  if (isFunction) scanner.next();
  scanner.next();
  if (scanner.isSymbol('.')) {
    scanner.next();
    scanner.next();
  }
  if (isFunction && scanner.isSymbol('(')) {
    const opening = scanner.start;
    scanner.next();
    skipBrackets(scanner, opening);
    scanner.next();
  }
}

/** From behind an opening parenthesis to its closing one. */
function skipBrackets(scanner: Scanner, opening: number): void {
  let depth = 1;
  for (; ; scanner.next()) {
    if (scanner.kind === 'end') {
      throw syntaxError(scanner.text, opening, '(', 'the bracket that opens here is not closed, expected )');
    }
    if (scanner.kind !== 'symbol') continue;
    if (scanner.isSymbol('(')) depth++;
    else if (scanner.isSymbol(')') && --depth === 0) return;
  }
}

/** From the word FORMAT past the name of the format and its SETTINGS. */
function afterFormat(sql: string, scanner: Scanner): DataPosition {
  scanner.next();
  const limit = scanner.limit;
  let headEnd = scanner.end;
  const ahead = new Scanner(sql, headEnd, limit);
  if (tryNext(ahead) && ahead.is('SETTINGS')) headEnd = settingsEnd(sql, ahead);
  return { headEnd, offset: dataStart(sql, headEnd, limit) };
}

/** What follows may be data in any format, in which quotes need not match. */
function tryNext(scanner: Scanner): boolean {
  const { text, end } = scanner;
  if (!/^\s*settings\s+[\w.`"]+\s*=/i.test(text.slice(end, end + 512))) return false;
  scanner.next();
  return true;
}

/** The end of `SETTINGS a = 1, b = 'x'`, which goes on only while a comma follows on the same line. */
function settingsEnd(sql: string, scanner: Scanner): number {
  for (;;) {
    scanner.next();
    scanner.next();
    if (!scanner.isSymbol('=') && !scanner.isSymbol('==')) return scanner.end;
    scanner.next();
    if (scanner.isSymbol('-') || scanner.isSymbol('+')) scanner.next();
    if (scanner.isSymbol('[') || scanner.isSymbol('(') || scanner.isSymbol('{')) skipValueBrackets(scanner);
    const end = scanner.end;
    let at = end;
    while (sql[at] === ' ' || sql[at] === '\t') at++;
    if (sql[at] !== ',') return end;
    scanner.next();
  }
}

function skipValueBrackets(scanner: Scanner): void {
  let depth = 0;
  do {
    if (scanner.kind === 'symbol') {
      if (/^[[({]$/.test(scanner.token)) depth++;
      else if (/^[\])}]$/.test(scanner.token)) depth--;
    }
  } while (depth > 0 && scanner.next() !== 'end');
}

/** Data begins behind the blanks, one semicolon and one line end that may follow the head. */
function dataStart(sql: string, headEnd: number, limit: number): number {
  let at = headEnd;
  const skipBlanks = () => {
    while (at < limit && (sql[at] === ' ' || sql[at] === '\t')) at++;
  };
  skipBlanks();
  if (sql[at] === ';' && at < limit) {
    at++;
    skipBlanks();
  }
  if (sql[at] === '\r' && sql[at + 1] === '\n') at++;
  if (sql[at] === '\n' && at < limit) at++;
  return Math.min(at, limit);
}

/** The statements of a script. Empty ones are left out; an INSERT with inline data extends to the end of the text. */
export function splitStatements(sql: string): TextRange[] {
  const ranges: TextRange[] = [];
  const scanner = new Scanner(sql, 0, sql.length);
  let start = 0;
  let empty = true;
  for (;;) {
    const kind = scanner.next();
    if (kind === 'end' || scanner.isSymbol(';')) {
      if (!empty) ranges.push({ start, end: scanner.start });
      if (kind === 'end') return ranges;
      start = scanner.end;
      empty = true;
      continue;
    }
    if (empty && scanner.is('INSERT')) {
      const rest = { start, end: sql.length };
      if (findInlineData(sql, rest) !== null) return [...ranges, rest];
    }
    empty = false;
  }
}

/** The end of the value of a VALUES row that begins at `offset`: where its comma or closing parenthesis stands. */
export function findValueEnd(sql: string, offset: number): number {
  const scanner = new Scanner(sql, offset, sql.length);
  let depth = 0;
  for (;;) {
    const kind = scanner.next();
    if (kind === 'end') throw syntaxError(sql, sql.length, '', 'the row of VALUES is not closed, expected )');
    if (kind !== 'symbol') continue;
    if (depth === 0 && (scanner.isSymbol(',') || scanner.isSymbol(')'))) return scanner.start;
    if (/^[[({]$/.test(scanner.token)) depth++;
    else if (/^[\])}]$/.test(scanner.token)) depth--;
  }
}
