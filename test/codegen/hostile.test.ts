import test from 'ava';
import { quoteName, quoteString } from '../../src/ast/index.ts';
import { js, renderCode } from '../../src/code/index.ts';
import { pipelinesOf } from '../../src/compile/index.ts';
import { temporaryDatabase } from '../support/temporary-database.ts';

/** Texts that would do harm if they became part of generated source; each sets a mark that is looked for afterwards. */
const hostile = [
  "'); globalThis.harmed = 1; ('",
  '"; globalThis.harmed = 1; "',
  '`; globalThis.harmed = 1; `',
  ['$', '{globalThis.harmed = 1}'].join(''),
  '*/ globalThis.harmed = 1; /*',
  '\n globalThis.harmed = 1; //',
  '\u2028globalThis.harmed = 1',
  '];globalThis.harmed=1;[',
  '__proto__',
  'constructor',
  'this',
  '</script>',
  '\\u0027;globalThis.harmed=1',
];

test('nothing of a query becomes part of the source that runs', async (t) => {
  const database = await temporaryDatabase(t);
  const sources = new Set<string>();
  for (const [index, text] of hostile.entries()) {
    const name = quoteName(text);
    const literal = quoteString(text);
    await database.run(`CREATE STREAM s${index} (${name} string, raw string, n int32)`);
    await database.run(
      `INSERT INTO s${index} (${name}, raw, n) VALUES (${literal}, ${quoteString(JSON.stringify({ [text]: { [text]: text } }))}, 1), ('x', '{}', 2)`,
    );
    const queries = [
      `SELECT ${name} AS ${quoteName(`${text}!`)}, count() FROM table(s${index}) WHERE ${name} = ${literal} GROUP BY ${name}`,
      `SELECT raw:${name}.${name} AS a FROM table(s${index}) WHERE raw:${name}.${name} = ${literal}`,
      `SELECT concat(${name}, ${literal}) AS c, lower(${name}) LIKE ${literal} AS d, array_map(${name} -> ${name}, [${literal}]) AS e FROM table(s${index}) ORDER BY c LIMIT 5`,
      `SELECT l.${name} AS k FROM table(s${index}) AS l JOIN table(s${index}) AS r ON l.${name} = r.${name} WHERE l.n = 1`,
      `SELECT ${name} IN (${literal}, 'y') AS f, if(n = 1, ${literal}, ${name}) AS g FROM table(s${index}) WHERE n = 1`,
    ];
    for (const sql of queries) {
      const rows = await database.query(sql).toArray();
      t.true(rows.length >= 1, sql);
      const cached = database.engine.cache.findText(
        { database: 'default', queryMode: 'streaming', joinUseNulls: false, disabledRules: '' },
        sql,
      );
      for (const pipeline of cached === undefined ? [] : pipelinesOf(cached.compiled.prepared.plan)) {
        for (const module of pipeline.modules.values()) sources.add(module.source);
      }
    }
    t.is(
      (
        await database.query(`SELECT raw:${name}.${name} AS a FROM table(s${index}) WHERE n = 1`).toArray()
      )[0]!['a'],
      text,
    );
  }
  t.true(sources.size > 20, 'the sources were looked at');
  for (const source of sources) {
    for (const text of hostile) if (/[^A-Za-z_]/.test(text)) t.false(source.includes(text), text);
    // Names are made of letters, digits and a counter; a query leaves nothing else behind.
    t.notRegex(source, /globalThis\.|harmed ?=/);
  }
  t.false('harmed' in globalThis);
});

test('only code, numbers and booleans fit the holes of generated source', (t) => {
  t.is(renderCode(js`a ${1} ${-2} ${true} ${js`b`}`), 'a 1 (-2) true b');
  for (const value of ['text', null, undefined, { parts: ['x'] }, 1n, Symbol('s')]) {
    t.throws(() => js`a ${value as never}`, { message: /may be placed in generated source/ });
  }
});
