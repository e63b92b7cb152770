import { Token } from 'antlr4ng';
import { SluiceLexer } from '../../generated/SluiceLexer.ts';
import { isKeyword } from './token-checks.ts';

/** Where a statement went wrong: the token that could not stand there, and those before it. */
export interface Mistake {
  readonly sql: string;
  readonly token: Token;
  readonly before: Token | null;
  /** The first token of the statement. */
  readonly first: Token;
  readonly expected: ReadonlySet<number>;
}

const aStatement = 'expected a statement, such as SELECT, INSERT, CREATE or SHOW';

function isWord(token: Token | null, word: string): boolean {
  return token !== null && token.text?.toUpperCase() === word;
}

/** What to say of a text that does not begin as a statement does. */
function noStatement({ sql, token }: Mistake): string {
  if (/^\s*query\s*=/i.test(sql))
    return `${aStatement}: the body is the statement itself, without 'query=' before it`;
  if (token.text === '{' || token.text === '[')
    return `${aStatement}: rows of JSON go behind INSERT INTO <stream> FORMAT JSONEachRow`;
  return aStatement;
}

/**
 * What was meant, for mistakes that are made often: the whole detail of the message. Null when the list of what was
 * expected says more.
 */
export function commonMistake(mistake: Mistake): string | null {
  const { token, before, expected } = mistake;
  if (before === null && expected.has(SluiceLexer.SELECT) && expected.has(SluiceLexer.CREATE))
    return token.type === SluiceLexer.IDENTIFIER && !/^\s*query\s*=/i.test(mistake.sql)
      ? null
      : noStatement(mistake);
  if (before?.text === ';' && token.type !== Token.EOF)
    return 'expected the end: one statement is run at a time, send this one by itself';
  if (isWord(before, 'FORMAT') && expected.has(SluiceLexer.IDENTIFIER))
    return 'expected the name of a format, such as JSONEachRow, CSV or Pretty';
  if (isWord(before, 'TOP') && token.type === SluiceLexer.INTEGER)
    return `there is no TOP: write LIMIT ${token.text} at the end`;
  if (token.text === '?' && expected.has(SluiceLexer.IDENTIFIER))
    return 'expected an expression: placeholders are written {name:type}, their values come as param_name=...';
  return null;
}

/** What could follow the head of an INSERT, in place of the list of all that the grammar allows there; else null. */
export function insertExpected({ first, expected }: Mistake): string | null {
  if (
    first.type === SluiceLexer.INSERT &&
    expected.has(SluiceLexer.FORMAT) &&
    expected.has(SluiceLexer.VALUES)
  )
    return 'expected VALUES, SELECT, or FORMAT and the name of a format before its data, such as FORMAT JSONEachRow before rows of JSON';
  return null;
}

/** What to add where a name was expected and a keyword stood. */
export function keywordAsName({ token, expected }: Mistake): string {
  const takesName = expected.has(SluiceLexer.IDENTIFIER) && expected.has(SluiceLexer.QUOTED_IDENTIFIER);
  if (!takesName || !isKeyword(token.type) || expected.has(SluiceLexer.INTEGER)) return '';
  return `: ${token.text} is a keyword, as a name it is written \`${token.text}\``;
}
