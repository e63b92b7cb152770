import {
  type ATN,
  type ATNConfig,
  type ATNState,
  InputMismatchException,
  type IntervalSet,
  NoViableAltException,
  type ParserRuleContext,
  Token,
} from 'antlr4ng';
import { SluiceLexer } from '../../generated/SluiceLexer.ts';
import { SluiceParser } from '../../generated/SluiceParser.ts';
import { isKeyword } from './token-checks.ts';

/** Where the parser stood when it last took a token. */
export interface ParserState {
  readonly state: number;
  readonly context: ParserRuleContext | null;
  readonly tokenType: number;
}

/** The kinds of tokens that could have stood where the parser failed. */
export function expectedTokens(parser: SluiceParser, error: unknown, last: ParserState | null): Set<number> {
  if (error instanceof NoViableAltException && error.offendingToken !== error.startToken) {
    return tokensAfter(parser.atn, error.deadEndConfigs ?? []);
  }
  if (last !== null) return toSet(parser.atn.getExpectedTokens(stateAfter(parser.atn, last), last.context));
  if (error instanceof NoViableAltException || error instanceof InputMismatchException) {
    return toSet(parser.atn.getExpectedTokens(error.offendingState, error.ctx));
  }
  return new Set();
}

/** The state behind the transition by which the last token was taken. */
function stateAfter(atn: ATN, last: ParserState): number {
  const state = atn.states[last.state];
  const taken = state?.transitions.find(
    (transition) => !transition.isEpsilon && transition.matches(last.tokenType, 1, atn.maxTokenType),
  );
  return taken === undefined ? last.state : taken.target.stateNumber;
}

function toSet(intervals: IntervalSet): Set<number> {
  return new Set(intervals.toArray());
}

/** What could follow in any of the ways that were still open when lookahead failed. */
function tokensAfter(atn: ATN, configs: Iterable<ATNConfig>): Set<number> {
  const result = new Set<number>();
  const seen = new Set<ATNState>();
  const visit = (state: ATNState, config: ATNConfig): void => {
    if (seen.has(state)) return;
    seen.add(state);
    for (const type of atn.nextTokens(state).toArray()) {
      if (type !== Token.EPSILON) result.add(type);
      else visitFollowing(config);
    }
  };
  const visitFollowing = (config: ATNConfig): void => {
    const context = config.context;
    for (let i = 0; i < (context?.length ?? 0); i++) {
      const returnState = atn.states[context!.getReturnState(i)];
      if (returnState) visit(returnState, config);
    }
  };
  for (const config of configs) visit(config.state, config);
  return result;
}

/** The names of kinds of tokens that no keyword or punctuation names. */
const tokenNames: ReadonlyMap<number, string> = new Map([
  [Token.EOF, 'end of query'],
  [SluiceLexer.EQ, "'='"],
  [SluiceLexer.NE, "'!='"],
  [SluiceLexer.STRING, 'a string'],
  [SluiceLexer.HEREDOC, 'a heredoc'],
  [SluiceLexer.INTEGER, 'a number'],
  [SluiceLexer.DURATION, ''],
  [SluiceLexer.HEX_STRING, ''],
  [SluiceLexer.BIN_STRING, ''],
  [SluiceLexer.TUPLE_INDEX, ''],
  [SluiceLexer.PATH_COLON, ''],
  [SluiceLexer.RANGE_OPEN, ''],
  [SluiceLexer.RANGE_CLOSE, ''],
  [SluiceLexer.UNKNOWN, ''],
]);

const operators: readonly number[] = [
  SluiceLexer.EQ,
  SluiceLexer.NE,
  SluiceLexer.LT,
  SluiceLexer.LE,
  SluiceLexer.GT,
  SluiceLexer.GE,
  SluiceLexer.NULL_SAFE_EQ,
  SluiceLexer.PLUS,
  SluiceLexer.MINUS,
  SluiceLexer.STAR,
  SluiceLexer.SLASH,
  SluiceLexer.PERCENT,
  SluiceLexer.DIV,
  SluiceLexer.MOD,
  SluiceLexer.CONCAT,
  SluiceLexer.AND,
  SluiceLexer.OR,
  SluiceLexer.NOT,
  SluiceLexer.IS,
  SluiceLexer.IN,
  SluiceLexer.LIKE,
  SluiceLexer.ILIKE,
  SluiceLexer.REGEXP,
  SluiceLexer.BETWEEN,
  SluiceLexer.GLOBAL,
  SluiceLexer.QUESTION,
  SluiceLexer.ARROW,
  SluiceLexer.LBRACKET,
  SluiceLexer.DOT,
  SluiceLexer.TUPLE_INDEX,
  SluiceLexer.DOUBLE_COLON,
  SluiceLexer.PATH_COLON,
];

/** Keywords that a reader most probably wanted come first; the others follow in the order of the alphabet. */
const commonFirst: readonly number[] = [
  SluiceLexer.SELECT,
  SluiceLexer.FROM,
  SluiceLexer.WHERE,
  SluiceLexer.GROUP,
  SluiceLexer.ORDER,
  SluiceLexer.LIMIT,
  SluiceLexer.EMIT,
  SluiceLexer.STREAM,
  SluiceLexer.VIEW,
  SluiceLexer.MATERIALIZED,
  SluiceLexer.DATABASE,
  SluiceLexer.TABLE,
  SluiceLexer.SETTINGS,
  SluiceLexer.FORMAT,
  SluiceLexer.JOIN,
  SluiceLexer.HAVING,
  SluiceLexer.UNION,
  SluiceLexer.INSERT,
  SluiceLexer.CREATE,
  SluiceLexer.SHOW,
];

/** How many things a message lists. */
const listedMax = 8;

/** The first tokens of a rule of the grammar. */
function firstTokens(parser: SluiceParser, rule: number): Set<number> {
  return toSet(parser.atn.nextTokens(parser.atn.ruleToStartState[rule]!));
}

/** Says what was expected: kinds of things first, then punctuation, then keywords, at most eight in all. */
export function describeExpected(parser: SluiceParser, expected: ReadonlySet<number>): string {
  const left = new Set(expected);
  const listed: string[] = [];
  const takeGroup = (tokens: ReadonlySet<number>, name: string): boolean => {
    for (const type of tokens) if (!left.has(type)) return false;
    for (const type of tokens) left.delete(type);
    listed.push(name);
    return true;
  };
  if (takeGroup(firstTokens(parser, SluiceParser.RULE_operand), 'an expression')) {
    left.delete(SluiceLexer.NOT);
  } else {
    if (!takeGroup(firstTokens(parser, SluiceParser.RULE_identifier), 'an identifier')) {
      takeGroup(firstTokens(parser, SluiceParser.RULE_implicitAlias), 'an alias');
    }
  }
  takeGroup(firstTokens(parser, SluiceParser.RULE_number), 'a number');
  if (left.has(SluiceLexer.EQ) && left.has(SluiceLexer.PLUS))
    takeGroup(new Set(operators.filter((type) => left.has(type))), 'an operator');
  if (left.has(SluiceLexer.IDENTIFIER)) {
    left.delete(SluiceLexer.QUOTED_IDENTIFIER);
    left.delete(SluiceLexer.IDENTIFIER);
    listed.push('an identifier');
  }
  const rank = (type: number) => {
    const common = commonFirst.indexOf(type);
    if (type === Token.EOF) return 1_000;
    return common >= 0 ? common : type >= SluiceLexer.DURATION ? 20 : 100 + type;
  };
  for (const type of [...left].sort((a, b) => rank(a) - rank(b))) {
    const name = tokenName(parser, type);
    if (name !== '') listed.push(name);
  }
  const unique = [...new Set(listed)];
  if (unique.length === 1) return `expected ${unique[0]}`;
  const shown = unique.slice(0, listedMax).join(', ');
  return `expected one of: ${shown}${unique.length > listedMax ? ', ...' : ''}`;
}

/** `FROM` for a keyword, `')'` for punctuation, `a string` for what is neither. */
export function tokenName(parser: SluiceParser, type: number): string {
  const special = tokenNames.get(type);
  if (special !== undefined) return special;
  const literal = parser.vocabulary.getLiteralName(type);
  if (literal === null) return parser.vocabulary.getSymbolicName(type) ?? '';
  return isKeyword(type) ? literal.replaceAll("'", '') : literal;
}
