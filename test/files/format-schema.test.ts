import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { errorOf, startCommand, startTest, temporaryDirectory, url } from '../http/support.ts';

const person = `CREATE FORMAT SCHEMA person AS $$
syntax = "proto3";
message Name { string first = 1; string last = 2; }
message Person { string email = 1; Name name = 2; int32 age = 3; map<string, int32> skills = 4; }
$$ TYPE Protobuf`;

test('a schema is made, shown, used and dropped', async (t) => {
  const server = await startTest(t);
  await server.ok(person);
  t.is(await server.ok('SHOW FORMAT SCHEMAS'), 'person\n');
  t.regex(
    await server.ok('SHOW CREATE FORMAT SCHEMA person FORMAT TSVRaw'),
    /^CREATE FORMAT SCHEMA person AS '.nsyntax = "proto3";.nmessage Name/,
  );
  t.is(
    await server.ok("SELECT name, type, position(schema, 'Person') > 0 FROM system.format_schemas"),
    'person\tProtobuf\ttrue\n',
  );
  t.is(errorOf(t, await server.sql(person)).code, 57);
  await server.ok(person.replace('SCHEMA', 'SCHEMA IF NOT EXISTS'));
  await server.ok(
    'CREATE STREAM people (email string, name_first string, `name.last` string, age int32, skills map(string, int32))',
  );
  await server.ok(
    "INSERT INTO people VALUES ('a@b', 'Ann', 'Bee', 40, {'sql': 3}), ('c@d', '', 'Dee', -1, {})",
  );
  const select = 'SELECT email, name_first, `name.last`, age, skills FROM table(people)';
  const answer = await server.sql(`${select} FORMAT Protobuf SETTINGS format_schema = 'person:Person'`);
  t.is(answer.status, 200, answer.text);
  t.is(answer.body[0], answer.body.indexOf('c@d') - 4);
  const insert = url({
    query: "INSERT INTO people SETTINGS format_schema = 'person.proto:Person' FORMAT Protobuf",
  });
  t.is((await server.send({ path: insert, body: answer.body })).status, 200);
  const both = await server.ok(`${select} ORDER BY email`);
  t.is(
    both,
    "a@b\tAnn\tBee\t40\t{'sql':3}\na@b\tAnn\tBee\t40\t{'sql':3}\nc@d\t\tDee\t-1\t{}\nc@d\t\tDee\t-1\t{}\n",
  );
  await server.ok(person.replace('CREATE', 'CREATE OR REPLACE').replace('int32 age', 'int32 years'));
  t.is(
    errorOf(t, await server.sql(`${select} FORMAT Protobuf SETTINGS format_schema = 'person:Person'`)).code,
    8,
  );
  await server.ok('DROP FORMAT SCHEMA person');
  await server.ok('DROP FORMAT SCHEMA IF EXISTS person');
  t.is(errorOf(t, await server.sql('DROP FORMAT SCHEMA person')).code, 36);
  t.is(await server.ok('SHOW FORMAT SCHEMAS'), '');
});

test('a schema that is wrong is refused, and so is one of another type', async (t) => {
  const server = await startTest(t);
  const failure = async (sql: string) => errorOf(t, await server.sql(sql));
  t.regex(
    (await failure("CREATE FORMAT SCHEMA x AS 'message {' TYPE Protobuf")).message,
    /'x' is wrong: illegal type name/,
  );
  t.is(
    (await failure('CREATE FORMAT SCHEMA x AS \'syntax = "proto3"; message A { B b = 1; }\' TYPE Protobuf'))
      .code,
    117,
  );
  t.is((await failure("CREATE FORMAT SCHEMA x AS '' TYPE CapnProto")).code, 48);
  t.is(await server.ok('SHOW FORMAT SCHEMAS'), '');
});

test('a schema is there after a restart, and can be imported', async (t) => {
  const directory = await temporaryDirectory(t);
  const first = await startCommand(t, directory);
  await first.client.ok(person);
  await first.client.ok(
    'CREATE FORMAT SCHEMA pair AS \'syntax = "proto3"; import "person.proto"; message Pair { Person one = 1; int32 id = 2; }\' TYPE Protobuf',
  );
  first.process.child.kill('SIGKILL');
  await first.process.exited;
  const { client } = await startCommand(t, directory);
  t.is(await client.ok('SHOW FORMAT SCHEMAS'), 'pair\nperson\n');
  const answer = await client.sql(
    "SELECT 7::int32 AS id, 'x@y' AS `one.email` FORMAT ProtobufSingle SETTINGS format_schema = 'pair:Pair'",
  );
  t.deepEqual([...answer.body], [16, 7, 10, 5, 10, 3, 0x78, 0x40, 0x79]);
});

test('schemas can be files, but only below their directory', async (t) => {
  const server = await startTest(t);
  const root = join(server.directory, 'data', 'format_schemas');
  await mkdir(join(root, 'sub'), { recursive: true });
  await writeFile(join(root, 'sub', 'n.proto'), 'syntax = "proto3"; message N { int32 n = 1; }');
  await writeFile(join(server.directory, 'outside.proto'), 'syntax = "proto3"; message N { int32 n = 1; }');
  await symlink(join(server.directory, 'outside.proto'), join(root, 'link.proto'));
  const ask = (schema: string) =>
    server.sql(`SELECT 5::int32 AS n FORMAT Protobuf SETTINGS format_schema = '${schema}'`);
  t.deepEqual([...(await ask('sub/n.proto:N')).body], [2, 8, 5]);
  t.deepEqual([...(await ask('sub/n:N')).body], [2, 8, 5]);
  for (const path of ['../../outside', 'sub/../../../outside.proto', 'link']) {
    const answer = await ask(`${path}:N`);
    t.is(answer.status, 403, path);
  }
  const failed = errorOf(t, await ask('sub/m:N'));
  t.is(failed.code, 36);
});
