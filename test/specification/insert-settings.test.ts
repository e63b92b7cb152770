import test, { type ExecutionContext } from 'ava';
import { type Answer, errorOf, startTest, type TestServer, url } from '../http/support.ts';

/** The ways in which a setting can come with an INSERT of data; `%` is the setting, or nothing. */
const forms: Readonly<
  Record<
    string,
    (server: TestServer, head: string, setting: string, format: string, data: string) => Promise<Answer>
  >
> = {
  'before FORMAT': (server, head, setting, format, data) =>
    server.sql(`${head} SETTINGS ${setting} FORMAT ${format}\n${data}`),
  'after FORMAT, data on the next line': (server, head, setting, format, data) =>
    server.sql(`${head} FORMAT ${format} SETTINGS ${setting}\n${data}`),
  'after FORMAT, data in the same line': (server, head, setting, format, data) =>
    server.sql(`${head} FORMAT ${format} SETTINGS ${setting} ${data}`),
  'in the URL': (server, head, setting, format, data) =>
    server.sql(`${head} FORMAT ${format}\n${data}`, settingsOf(setting)),
  'before FORMAT, statement in the URL': (server, head, setting, format, data) =>
    server.sql(data, { query: `${head} SETTINGS ${setting} FORMAT ${format}` }),
  'after FORMAT, statement in the URL': (server, head, setting, format, data) =>
    server.sql(data, { query: `${head} FORMAT ${format} SETTINGS ${setting}` }),
};

function settingsOf(setting: string): Record<string, string> {
  const [name, value] = setting.split(/\s*=\s*/) as [string, string];
  return { [name]: value };
}

async function inserts(
  t: ExecutionContext,
  server: TestServer,
  setup: { head: string; setting: string; data: string; select: string; result: string },
): Promise<void> {
  for (const [form, send] of Object.entries(forms)) {
    await server.ok('TRUNCATE STREAM s');
    const answer = await send(server, setup.head, setup.setting, 'JSONEachRow', setup.data);
    t.deepEqual([answer.status, answer.text], [200, ''], `${setup.setting} ${form}`);
    t.is(await server.ok(setup.select), setup.result, `${setup.setting} ${form}`);
  }
}

test('input_format_skip_unknown_fields: 1 ignores unknown input fields, else they are an error', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (id int32, name string)');
  const setup = {
    head: 'INSERT INTO s',
    data: '{"id":1,"name":"a","more":[1,{"x":2}]}',
    select: 'SELECT id, name FROM table(s)',
    result: '1\ta\n',
  };
  for (const setting of ['input_format_skip_unknown_fields=1', 'input_format_skip_unknown_fields = true'])
    await inserts(t, server, { ...setup, setting });
  await inserts(t, server, {
    ...setup,
    head: 'INSERT INTO s (name, id)',
    setting: 'input_format_skip_unknown_fields=1',
  });
  for (const [form, send] of Object.entries(forms)) {
    const answer = await send(
      server,
      setup.head,
      'input_format_skip_unknown_fields=0',
      'JSONEachRow',
      setup.data,
    );
    t.is(answer.status, 400, form);
    const told = errorOf(t, answer);
    t.is(told.code, 117);
    t.regex(told.message, /Unknown field 'more'.*input_format_skip_unknown_fields=1/);
  }
});

test('input_format_import_nested_json: 1 accepts nested JSON', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (id int32, place tuple(city string, zip int32))');
  await inserts(t, server, {
    head: 'INSERT INTO s',
    setting: 'input_format_import_nested_json=1',
    data: '{"id":1,"place":{"city":"Ulm","zip":89073}}',
    select: 'SELECT id, place.city, place.zip FROM table(s)',
    result: '1\tUlm\t89073\n',
  });
  await server.ok('DROP STREAM s');
  await server.ok('CREATE STREAM s (id int32, `place.city` string, `place.zip` int32)');
  await inserts(t, server, {
    head: 'INSERT INTO s',
    setting: 'input_format_import_nested_json=1',
    data: '{"id":1,"place":{"city":"Ulm","zip":89073}}',
    select: 'SELECT id, `place.city`, `place.zip` FROM table(s)',
    result: '1\tUlm\t89073\n',
  });
});

test('one_message_per_row is true or false', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (id int32)');
  for (const value of ['true', 'false', '1', '0']) {
    await inserts(t, server, {
      head: 'INSERT INTO s',
      setting: `one_message_per_row=${value}`,
      data: '{"id":1}\n{"id":2}',
      select: 'SELECT id FROM table(s)',
      result: '1\n2\n',
    });
  }
  const wrong = await server.sql(
    'INSERT INTO s SETTINGS one_message_per_row=maybe FORMAT JSONEachRow {"id":1}',
  );
  t.is(wrong.status, 400);
  t.regex(errorOf(t, wrong).message, /one_message_per_row/);
});

test('seek_to: an INSERT SELECT starts where it says, by URL and clause, before and after the SELECT', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM source (id int32)');
  await server.ok('CREATE STREAM s (id int32)');
  await server.ok('INSERT INTO source VALUES (1), (2), (3)');
  for (const [text, parameters] of [
    ["INSERT INTO s SELECT id FROM source LIMIT 2 SETTINGS seek_to='earliest'", {}],
    ["INSERT INTO s SETTINGS seek_to='earliest' SELECT id FROM source LIMIT 2", {}],
    ['INSERT INTO s SELECT id FROM source LIMIT 2', { seek_to: 'earliest' }],
    ["INSERT INTO s (id) SELECT id FROM source LIMIT 2 SETTINGS seek_to = '-1h'", {}],
    ["INSERT INTO s SELECT id FROM source LIMIT 2 SETTINGS seek_to='earliest', one_message_per_row=true", {}],
  ] as const) {
    await server.ok('TRUNCATE STREAM s');
    t.is(await server.ok(text, { max_execution_time: '10', ...parameters }), '', text);
    t.is(await server.ok('SELECT id FROM table(s)'), '1\n2\n', text);
  }
  const wrong = await server.sql("INSERT INTO s SELECT id FROM source SETTINGS seek_to='yesterday'");
  t.is(wrong.status, 400);
  t.regex(errorOf(t, wrong).message, /seek_to cannot be 'yesterday': expected 'earliest', 'latest'/);
});

test('settings of an INSERT hold for VALUES and for a form, too; unknown ones are named', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (id int32 DEFAULT 7, name string)');
  await server.ok("INSERT INTO s SETTINGS input_format_null_as_default=1 VALUES (NULL, 'a')");
  await server.ok(
    "INSERT INTO s (id, name) SETTINGS input_format_null_as_default=1 FORMAT Values (NULL, 'b')",
  );
  t.is(await server.ok('SELECT id, name FROM table(s) ORDER BY name'), '7\ta\n7\tb\n');
  for (const text of [
    'INSERT INTO s SETTINGS input_format_skip_unknown_field=1 FORMAT JSONEachRow {}',
    'INSERT INTO s FORMAT JSONEachRow SETTINGS input_format_skip_unknown_field=1\n{}',
  ]) {
    const told = errorOf(t, await server.sql(text));
    t.is(told.code, 115);
    t.regex(told.message, /Maybe you meant 'input_format_skip_unknown_fields'/);
  }
  t.is(
    (await server.send({ path: url({ input_format_skip_unknown_field: '1' }), body: 'SELECT 1' })).status,
    400,
  );
});
