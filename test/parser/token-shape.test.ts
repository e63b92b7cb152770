import test from 'ava';
import { SluiceLexer } from '../../generated/SluiceLexer.ts';
import { tokenShape } from '../../src/parser/index.ts';
import { Scanner } from '../../src/parser/scanner.ts';
import { TokenBuffer } from '../../src/parser/token-buffer.ts';
import { expressions, queries, statements } from './corpus.ts';

test('texts that differ in literals, white space and comments share a shape', (t) => {
  const one = tokenShape("SELECT a, 'x' FROM t WHERE b = 1.5 LIMIT 10");
  const two = tokenShape("SELECT a , 'it''s' -- c\nFROM t /* d */ WHERE b=.5 LIMIT 1_000");
  t.is(one.shape, 'SELECT a , ? FROM t WHERE b = ? LIMIT ? ');
  t.is(two.shape, one.shape);
  t.deepEqual(
    two.literals.map(({ kind, value }) => [kind, value]),
    [
      ['string', "it's"],
      ['float', 0.5],
      ['integer', 1000n],
    ],
  );
  const sql = "SELECT 'a\\n' + 5";
  t.deepEqual(
    tokenShape(sql).literals.map(({ start, end, text }) => [sql.slice(start, end) === text, text]),
    [
      [true, "'a\\n'"],
      [true, '5'],
    ],
  );
});

test('what decides types is no literal', (t) => {
  t.is(tokenShape("SELECT t.1, 5s, x'41', $$a$$, a.b").shape, "SELECT t .1 , 5s , x'41' , $$a$$ , a . b ");
});

test('the data of an INSERT is not part of the shape', (t) => {
  t.is(tokenShape('INSERT INTO t FORMAT CSV\n1,2\n').shape, 'INSERT INTO t FORMAT CSV ');
  t.is(tokenShape('INSERT INTO t (a) VALUES (1), (2)').shape, 'INSERT INTO t ( a ) VALUES ');
});

test('the scanner and the generated lexer split texts alike', (t) => {
  const buffer = new TokenBuffer();
  const odd = [
    '1.e5 1.5.2 1e 5sx 0x 0xfg 1__0 1a$b _a$ .5.5 5 .5',
    "a$$b $a$ 'x' $a$",
    "X'4g' b'01' b'2' é ñandú 名前",
  ];
  for (const sql of [...queries, ...statements, ...expressions, ...odd]) {
    buffer.open(sql, 0, sql.length, 1_000);
    const lexed = buffer.tokens.slice(0, -1).map((token) => token.text);
    const scanner = new Scanner(sql, 0, sql.length);
    const scanned: string[] = [];
    while (scanner.next() !== 'end') scanned.push(scanner.token);
    t.deepEqual(scanned, lexed, sql);
  }
  t.is(SluiceLexer.DEFAULT_MODE, 0);
});
