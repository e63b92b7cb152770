import test from 'ava';
import { equalNodes, printSql } from '../../src/ast/index.ts';
import { parseExpression, parseStatement } from '../../src/parser/index.ts';
import { expressions, queries, statements } from './corpus.ts';

for (const sql of [...queries, ...statements]) {
  test(`statement: ${sql.replace(/\s+/g, ' ')}`, (t) => {
    const parsed = parseStatement(sql);
    const printed = printSql(parsed);
    t.true(equalNodes(parseStatement(printed), parsed), printed);
  });
}

for (const sql of expressions) {
  test(`expression: ${sql}`, (t) => {
    const parsed = parseExpression(sql);
    const printed = printSql(parsed);
    t.true(equalNodes(parseExpression(printed), parsed), printed);
  });
}
