import {
  BailErrorStrategy,
  ParseCancellationException,
  type Parser,
  type ParserRuleContext,
  PredictionMode,
  RecognitionException,
  Token,
} from 'antlr4ng';
import { SluiceLexer } from '../../generated/SluiceLexer.ts';
import { SluiceParser } from '../../generated/SluiceParser.ts';
import { maybeYouMeant, SluiceError } from '../base/index.ts';
import { commonMistake, insertExpected, keywordAsName } from './advice.ts';
import { describeExpected, expectedTokens, type ParserState, tokenName } from './expected.ts';
import { describePosition, syntaxError } from './syntax-error.ts';
import { TokenBuffer } from './token-buffer.ts';
import { isKeyword } from './token-checks.ts';

/** Parses one entry rule of the grammar. */
export type Entry<T extends ParserRuleContext> = (parser: SluiceParser) => T;

/** A parser that remembers where it stood, so that an error can say everything that was possible there. */
class DiagnosingParser extends SluiceParser {
  last: ParserState | null = null;

  override consume(): Token {
    const { state, context } = this;
    const token = super.consume();
    this.last = { state, context, tokenType: token.type };
    return token;
  }
}

const buffer = new TokenBuffer();
const quick = prepare(new SluiceParser(buffer), PredictionMode.SLL);
let thorough: DiagnosingParser | null = null;

function prepare<T extends Parser>(parser: T, mode: number): T {
  parser.removeErrorListeners();
  parser.errorHandler = new BailErrorStrategy();
  parser.interpreter.predictionMode = mode;
  return parser;
}

/**
 * Recognises `sql[start, end)`. The parser objects are shared and their contexts are only valid until the next call, so
 * `build` makes what it needs of the context at once. SLL prediction is tried first; what it refuses is parsed again
 * with full prediction, which either succeeds or knows best what is wrong. Errors: SYNTAX_ERROR, TOO_DEEP_AST.
 */
export function recognize<C extends ParserRuleContext, T>(
  sql: string,
  start: number,
  end: number,
  depthMax: number,
  entry: Entry<C>,
  build: (context: C) => T,
): T {
  buffer.open(sql, start, end, depthMax);
  try {
    return build(parse(sql, entry));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new SluiceError('TOO_DEEP_AST', 'The query is nested too deeply', { cause: error });
  }
}

function parse<C extends ParserRuleContext>(sql: string, entry: Entry<C>): C {
  quick.reset();
  try {
    return entry(quick);
  } catch (error) {
    if (!(error instanceof ParseCancellationException)) throw error;
  }
  thorough ??= prepare(new DiagnosingParser(buffer), PredictionMode.LL);
  buffer.seek(0);
  thorough.reset();
  thorough.last = null;
  try {
    return entry(thorough);
  } catch (error) {
    if (!(error instanceof ParseCancellationException)) throw error;
    throw explain(sql, thorough, error.cause);
  }
}

function explain(sql: string, parser: DiagnosingParser, cause: unknown): SluiceError {
  const token =
    cause instanceof RecognitionException
      ? (cause.offendingToken ?? parser.getCurrentToken())
      : parser.getCurrentToken();
  if (token.type === SluiceLexer.RANGE_OPEN) return mismatchedBracket(sql, token);
  const expected = expectedTokens(parser, cause, parser.last);
  const before = token.tokenIndex > 0 ? buffer.get(token.tokenIndex - 1) : null;
  const mistake = { sql, token, before, first: buffer.get(0), expected };
  const detail =
    commonMistake(mistake) ??
    (insertExpected(mistake) ?? describeExpected(parser, expected)) +
      keywordAsName(mistake) +
      misspelling(parser, token, expected);
  return syntaxError(sql, token.start, token.type === Token.EOF ? '' : token.text!, detail);
}

/** Suggests a keyword for the offending word or for the one before it, which may have been taken for an alias. */
function misspelling(parser: SluiceParser, token: Token, expected: ReadonlySet<number>): string {
  const before = token.tokenIndex > 0 ? buffer.get(token.tokenIndex - 1) : null;
  const keywordsHere = [...expected].filter(isKeyword).map((type) => tokenName(parser, type));
  if (token.type === SluiceLexer.IDENTIFIER) {
    const here = maybeYouMeant(token.text!, keywordsHere);
    if (here !== '') return here;
  }
  // Short names are near to too many keywords.
  return before?.type === SluiceLexer.IDENTIFIER && before.text.length > 2
    ? maybeYouMeant(before.text, keywordsHere)
    : '';
}

/** Brackets of different kinds are only right around the range of a session window, which this one was not. */
function mismatchedBracket(sql: string, opener: Token): SluiceError {
  let depth = 0;
  let closer = opener;
  for (let i = opener.tokenIndex; i < buffer.size; i++) {
    closer = buffer.get(i);
    if (/^[[({]$/.test(closer.text!)) depth++;
    else if (/^[\])}]$/.test(closer.text!) && --depth === 0) break;
  }
  const wanted = opener.text === '(' ? ')' : ']';
  const where = describePosition(sql, opener.start);
  return syntaxError(
    sql,
    closer.start,
    closer.text!,
    `expected ${wanted}, which would close the ${opener.text} at ${where}`,
  );
}
