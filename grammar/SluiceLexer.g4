/*
 * The tokens of Sluice's SQL. Keywords are case-insensitive; which of them may also be names is decided in the parser grammar.
 * Four tokens are never matched here, because they depend on other tokens; the token source makes them: TUPLE_INDEX of
 * FLOAT (`.1` right after a value), PATH_COLON of COLON (between two names), RANGE_OPEN and RANGE_CLOSE of two brackets of
 * different kinds that enclose a half-open range.
 */
lexer grammar SluiceLexer;

options {
    caseInsensitive = true;
}

tokens {
    TUPLE_INDEX,
    PATH_COLON,
    RANGE_OPEN,
    RANGE_CLOSE
}

@members {
    /** Takes the rest of a heredoc whose opening tag was just read, up to and including the same tag. */
    private finishHeredoc(): void {
        const input = this.inputStream;
        const tag = input.getTextFromRange(this.tokenStartCharIndex, input.index - 1);
        const rest = input.getTextFromRange(input.index, input.size - 1);
        const end = rest.indexOf(tag);
        input.seek(end < 0 ? input.size : input.index + end + tag.length);
    }
}

// ---- Keywords

ADD: 'ADD';
ADMIN: 'ADMIN';
AFTER: 'AFTER';
AGGREGATE: 'AGGREGATE';
ALERT: 'ALERT';
ALIAS: 'ALIAS';
ALL: 'ALL';
ALTER: 'ALTER';
AND: 'AND';
ANTI: 'ANTI';
ANY: 'ANY';
APPLY: 'APPLY';
ARRAY: 'ARRAY';
AS: 'AS';
ASC: 'ASC';
ASCENDING: 'ASCENDING';
ASOF: 'ASOF';
ASSUME: 'ASSUME';
ASYNC: 'ASYNC';
BATCH: 'BATCH';
BETWEEN: 'BETWEEN';
BOTH: 'BOTH';
BY: 'BY';
CASCADE: 'CASCADE';
CASE: 'CASE';
CAST: 'CAST';
CHANGELOG: 'CHANGELOG';
CHECK: 'CHECK';
CLEAR: 'CLEAR';
CLONE: 'CLONE';
CLOSE: 'CLOSE';
CLUSTER: 'CLUSTER';
CODEC: 'CODEC';
COLLATE: 'COLLATE';
COLLECTION: 'COLLECTION';
COLUMN: 'COLUMN';
COLUMNS: 'COLUMNS';
COMMENT: 'COMMENT';
COMPRESSION: 'COMPRESSION';
CONSTRAINT: 'CONSTRAINT';
CREATE: 'CREATE';
CROSS: 'CROSS';
CUBE: 'CUBE';
CURRENT: 'CURRENT';
DATABASE: 'DATABASE';
DATE: 'DATE';
DEDUPLICATE: 'DEDUPLICATE';
DEFAULT: 'DEFAULT';
DELAY: 'DELAY';
DELETE: 'DELETE';
DELTA: 'DELTA';
DESC: 'DESC';
DESCENDING: 'DESCENDING';
DESCRIBE: 'DESCRIBE';
DICTIONARY: 'DICTIONARY';
DISK: 'DISK';
DISTINCT: 'DISTINCT';
DIV: 'DIV';
DROP: 'DROP';
ELSE: 'ELSE';
EMIT: 'EMIT';
END: 'END';
ENGINE: 'ENGINE';
EPHEMERAL: 'EPHEMERAL';
EVENT: 'EVENT';
EXCEPT: 'EXCEPT';
EXISTS: 'EXISTS';
EXPIRE: 'EXPIRE';
EXPIRED: 'EXPIRED';
EXPLAIN: 'EXPLAIN';
EXTERNAL: 'EXTERNAL';
EXTRACT: 'EXTRACT';
FALSE: 'FALSE';
FETCH: 'FETCH';
FILL: 'FILL';
FILTER: 'FILTER';
FINAL: 'FINAL';
FIRST: 'FIRST';
FOLLOWING: 'FOLLOWING';
FOR: 'FOR';
FORMAT: 'FORMAT';
FROM: 'FROM';
FULL: 'FULL';
FUNCTION: 'FUNCTION';
GLOBAL: 'GLOBAL';
GRANT: 'GRANT';
GRANULARITY: 'GRANULARITY';
GROUP: 'GROUP';
GROUPING: 'GROUPING';
GROUPS: 'GROUPS';
HAVING: 'HAVING';
HOST: 'HOST';
IDENTIFIED: 'IDENTIFIED';
IF: 'IF';
IGNORE: 'IGNORE';
ILIKE: 'ILIKE';
IN: 'IN';
INDEX: 'INDEX';
INF: 'INF';
INFILE: 'INFILE';
INNER: 'INNER';
INSERT: 'INSERT';
INTERPOLATE: 'INTERPOLATE';
INTERSECT: 'INTERSECT';
INTERVAL: 'INTERVAL';
INTO: 'INTO';
IS: 'IS';
JOIN: 'JOIN';
KEY: 'KEY';
KILL: 'KILL';
LANGUAGE: 'LANGUAGE';
LAST: 'LAST';
LATEST: 'LATEST';
LEADING: 'LEADING';
LEFT: 'LEFT';
LIKE: 'LIKE';
LIMIT: 'LIMIT';
MATERIALIZE: 'MATERIALIZE';
MATERIALIZED: 'MATERIALIZED';
MAXSPAN: 'MAXSPAN';
MOD: 'MOD';
MODIFY: 'MODIFY';
MUTABLE: 'MUTABLE';
MUTATION: 'MUTATION';
NAMED: 'NAMED';
NAN: 'NAN';
NEXT: 'NEXT';
NO: 'NO';
NOT: 'NOT';
NULL: 'NULL';
NULLS: 'NULLS';
OFFSET: 'OFFSET';
ON: 'ON';
ONLY: 'ONLY';
OPTIMIZE: 'OPTIMIZE';
OPTION: 'OPTION';
OR: 'OR';
ORDER: 'ORDER';
OUTER: 'OUTER';
OUTFILE: 'OUTFILE';
OVER: 'OVER';
PARTITION: 'PARTITION';
PASTE: 'PASTE';
PER: 'PER';
PERIODIC: 'PERIODIC';
POLICY: 'POLICY';
POPULATE: 'POPULATE';
PRECEDING: 'PRECEDING';
PRECISION: 'PRECISION';
PREWHERE: 'PREWHERE';
PRIMARY: 'PRIMARY';
PROCTIME: 'PROCTIME';
PROFILE: 'PROFILE';
QUALIFY: 'QUALIFY';
QUERY: 'QUERY';
QUOTA: 'QUOTA';
RANDOM: 'RANDOM';
RANGE: 'RANGE';
RECURSIVE: 'RECURSIVE';
REGEXP: 'REGEXP';
REMOVE: 'REMOVE';
RENAME: 'RENAME';
REPEAT: 'REPEAT';
REPLACE: 'REPLACE';
RESET: 'RESET';
RESPECT: 'RESPECT';
RESTRICT: 'RESTRICT';
RETURNS: 'RETURNS';
REVOKE: 'REVOKE';
RIGHT: 'RIGHT';
ROLE: 'ROLE';
ROLLUP: 'ROLLUP';
ROW: 'ROW';
ROWS: 'ROWS';
SALT: 'SALT';
SAMPLE: 'SAMPLE';
SCHEMA: 'SCHEMA';
SELECT: 'SELECT';
SEMI: 'SEMI';
SESSION: 'SESSION';
SET: 'SET';
SETS: 'SETS';
SETTING: 'SETTING';
SETTINGS: 'SETTINGS';
SHOW: 'SHOW';
SHUFFLE: 'SHUFFLE';
SIGNED: 'SIGNED';
STALENESS: 'STALENESS';
STEP: 'STEP';
STORAGE_SETTINGS: 'STORAGE_SETTINGS';
STREAM: 'STREAM';
SYNC: 'SYNC';
SYSTEM: 'SYSTEM';
TABLE: 'TABLE';
TASK: 'TASK';
TEMPORARY: 'TEMPORARY';
TEST: 'TEST';
THEN: 'THEN';
TIES: 'TIES';
TIMEOUT: 'TIMEOUT';
TIMESTAMP: 'TIMESTAMP';
TO: 'TO';
TOTALS: 'TOTALS';
TRAILING: 'TRAILING';
TRIM: 'TRIM';
TRUE: 'TRUE';
TRUNCATE: 'TRUNCATE';
TTL: 'TTL';
TYPE: 'TYPE';
UNBOUNDED: 'UNBOUNDED';
UNION: 'UNION';
UNSIGNED: 'UNSIGNED';
UPDATE: 'UPDATE';
USE: 'USE';
USER: 'USER';
USING: 'USING';
UUID: 'UUID';
VALUES: 'VALUES';
VARYING: 'VARYING';
VIEW: 'VIEW';
VOLUME: 'VOLUME';
WATERMARK: 'WATERMARK';
WHEN: 'WHEN';
WHERE: 'WHERE';
WINDOW: 'WINDOW';
WITH: 'WITH';

// ---- Literals

DURATION: DIGITS ('ns' | 'us' | 'ms' | 's' | 'm' | 'h' | 'd' | 'w' | 'q' | 'y');
HEX_INTEGER: '0x' [0-9a-f] ('_'? [0-9a-f])*;
BIN_INTEGER: '0b' [01] ('_'? [01])*;
INTEGER: DIGITS;
FLOAT: DIGITS '.' DIGITS? EXPONENT? | '.' DIGITS EXPONENT? | DIGITS EXPONENT;
HEX_STRING: 'x\'' [0-9a-f]* '\'';
BIN_STRING: 'b\'' [01]* '\'';
STRING: '\'' (~['\\] | '\\' . | '\'\'')* '\'';
HEREDOC: '$' [a-z0-9_]* '$' { this.finishHeredoc(); };

fragment DIGITS: [0-9] ('_'? [0-9])*;
fragment EXPONENT: 'e' [+-]? DIGITS;

// ---- Names. A name may begin with a digit when it cannot be a number.

IDENTIFIER: [0-9]* NAME_START (NAME_START | [0-9$])*;
QUOTED_IDENTIFIER: '`' (~[`\\] | '\\' . | '``')* '`' | '"' (~["\\] | '\\' . | '""')* '"';

fragment NAME_START: [a-z_] | [\u00AA-\u1FFF] | [\u2C00-\u2FEF] | [\u3040-\uD7FF] | [\uF900-\uFDFF];

// ---- Operators and punctuation

DOUBLE_COLON: '::';
COLON: ':';
QUESTION: '?';
ARROW: '->';
CONCAT: '||';
NULL_SAFE_EQ: '<=>';
EQ: '==' | '=';
NE: '!=' | '<>';
LE: '<=';
GE: '>=';
LT: '<';
GT: '>';
PLUS: '+';
MINUS: '-';
STAR: '*';
SLASH: '/';
PERCENT: '%';
DOT: '.';
COMMA: ',';
SEMICOLON: ';';
LPAREN: '(';
RPAREN: ')';
LBRACKET: '[';
RBRACKET: ']';
LBRACE: '{';
RBRACE: '}';

// ---- What separates tokens

LINE_COMMENT: ('--' | '#!' | '# ') ~[\r\n]* -> skip;
BLOCK_COMMENT: '/*' .*? '*/' -> skip;
SPACE: [ \t\r\n\f\u000B\u00A0\u2000-\u200B\u202F\u3000\uFEFF]+ -> skip;

UNKNOWN: .;
