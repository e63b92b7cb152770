import test from 'ava';
import {
  findValueEnd,
  parseInsertHead,
  parseInsertTail,
  parseStatement,
  parseStatements,
} from '../../src/parser/index.ts';

/** The head of an INSERT: the text of its data, and what is known of it. */
function head(sql: string) {
  const found = parseInsertHead(sql);
  if (found === null) throw new Error('no INSERT');
  const { statement, offset } = found;
  return {
    statement,
    data: statement.data === null ? null : sql.slice(offset),
    format: statement.data?.format ?? null,
  };
}

test('data begins on the line behind FORMAT', (t) => {
  t.like(head('INSERT INTO t FORMAT JSONEachRow\n{"a": "it\'s"}\n'), {
    format: 'JSONEachRow',
    data: '{"a": "it\'s"}\n',
  });
  t.like(head("INSERT INTO t (a) FORMAT CSV\r\n1,'x\r\n"), { format: 'CSV', data: "1,'x\r\n" });
  t.like(head('insert into t format TSV  \n\t\n'), { format: 'TSV', data: '\t\n' });
  t.like(head('INSERT INTO t FORMAT JSONEachRow {"a":1}'), { data: '{"a":1}' });
  t.like(head('INSERT INTO t FORMAT CSV;\n1'), { data: '1' });
  t.like(head('INSERT INTO t FORMAT CSV'), { format: 'CSV', data: '' });
  t.like(head('INSERT INTO t FORMAT CSV\n\n1'), { data: '\n1' });
});

test('settings may stand before and behind the format', (t) => {
  const both = head("INSERT INTO t SETTINGS a = 1 FORMAT CSV SETTINGS b = 'x', c = -2\n,1\n");
  t.is(both.data, ',1\n');
  t.deepEqual(
    both.statement.settings.map((setting) => setting.name),
    ['a', 'b', 'c'],
  );
  t.is(head('INSERT INTO t FORMAT RawBLOB\nsettings are data').data, 'settings are data');
  t.is(head('INSERT INTO t FORMAT CSV SETTINGS a = [1, 2]\n1').data, '1');
});

test('the text behind VALUES is left to the reader of values', (t) => {
  t.like(head("INSERT INTO t VALUES (1, 'a'), (2, now())"), {
    format: 'Values',
    data: " (1, 'a'), (2, now())",
  });
  t.like(head('INSERT INTO t (a, b) SETTINGS x = 1 VALUES(1)'), { format: 'Values', data: '(1)' });
  t.like(head('INSERT INTO t FORMAT Values (1)'), { format: 'Values', data: '(1)' });
});

test('targets, columns and partitions', (t) => {
  t.like(head('INSERT INTO TABLE db.t (a, n.b) VALUES (1)').statement, {
    target: { database: 'db', name: 't' },
    columns: { asterisk: false, names: ['a', 'n.b'] },
  });
  t.like(head('INSERT INTO `values` VALUES (1)').statement, { target: { name: 'values' } });
  t.like(head('INSERT INTO t (*) VALUES (1)').statement, { columns: { asterisk: true, names: [] } });
  t.like(head('INSERT INTO t (* EXCEPT(a, b)) VALUES (1)').statement, {
    columns: { asterisk: true, names: ['a', 'b'] },
  });
  const made = head(
    "INSERT INTO FUNCTION s3('http://x/{_partition_id}.csv', 'k', 's', 'CSV') PARTITION BY a % 3 VALUES (1)",
  );
  t.like(made.statement, {
    target: { kind: 'table_function', name: 's3' },
    partitionBy: { kind: 'call', name: 'modulo' },
  });
  t.like(head('INSERT INTO TABLE FUNCTION remote(1) FORMAT CSV\n1').statement, {
    target: { kind: 'table_function' },
  });
});

test('files and queries have no inline data', (t) => {
  const file = head("INSERT INTO t FROM INFILE 'd.csv.gz' COMPRESSION 'gzip' FORMAT CSV");
  t.like(file.statement, { infile: { path: 'd.csv.gz', compression: 'gzip' }, format: 'CSV', data: null });
  t.like(head('INSERT INTO t SELECT 1').statement, { query: { kind: 'select' }, data: null });
  t.like(head('INSERT INTO t (a) (SELECT 1)').statement, {
    query: { kind: 'select' },
    columns: { names: ['a'] },
  });
  t.like(head('INSERT INTO t WITH x AS (SELECT 1) SELECT * FROM x').statement, { query: { kind: 'select' } });
  t.like(head('INSERT INTO t').statement, { query: null, data: null, format: null });
});

test('the data of an INSERT is neither read nor counted', (t) => {
  const sql = `/* c */ ; INSERT INTO t FORMAT CSV\n${"'(\0\ud800\n".repeat(100_000)}`;
  t.is(parseInsertHead(sql, { maxBytes: 100 })?.offset, sql.indexOf('\n') + 1);
  t.is(parseInsertHead('SELECT 1'), null);
});

test('errors in the head have the positions of the whole text', (t) => {
  t.throws(() => parseStatement('INSERT INTO t (a,) b VALUES (1)'), { message: /column 20 \('b'\)/ });
  t.throws(() => parseStatement("INSERT INTO t (a VALUES ('x"), { message: /not closed/ });
});

test('the end of a value and the tail of VALUES', (t) => {
  const sql = "(f(1, ')'), [2, {'a': 3}]) SETTINGS x = 1;";
  t.is(findValueEnd(sql, 1), sql.indexOf(', ['));
  t.is(findValueEnd(sql, 11), sql.indexOf(') SETTINGS'));
  t.throws(() => findValueEnd('1, 2', 3), { message: /not closed/ });
  t.is(parseInsertTail(sql, sql.indexOf(' SETTINGS'))[0]!.name, 'x');
  t.deepEqual(parseInsertTail(' ;; ', 0), []);
  t.throws(() => parseInsertTail('(1) x', 3), { message: /column 5/ });
});

test('scripts are split at semicolons outside of quotations', (t) => {
  const kinds = (sql: string) => parseStatements(sql).map((statement) => statement.kind);
  t.deepEqual(kinds(''), []);
  t.deepEqual(kinds(";; SELECT ';' ; -- ;\n USE d;"), ['query', 'use']);
  t.deepEqual(kinds('SET a = 1; INSERT INTO t FORMAT CSV\n1;2\nSELECT'), ['set', 'insert']);
  t.deepEqual(kinds('INSERT INTO t SELECT 1; SELECT 2'), ['insert', 'query']);
  const [, second] = parseStatements('USE a; SELECT 1');
  t.is(second!.pos.start, 7);
});
