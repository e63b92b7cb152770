import test from 'ava';
import protobuf from 'protobufjs';
import type { FormatSchemas } from '../../src/formats/index.ts';
import { createWriter } from '../../src/formats/index.ts';
import { blockOf, failure, randomFrom, readRows, schemaOf, settings, written } from './support.ts';

const text = `
syntax = "proto3";
package demo;
import "google/protobuf/timestamp.proto";
import "shared.proto";
enum Level { NONE = 0; LOW = 1; HIGH = 7; }
message Inner { int32 x = 1; string y = 2; Inner next = 3; repeated int64 zs = 4; }
message All {
  double d = 1; float f = 2; int32 i32 = 3; int64 i64 = 4; uint32 u32 = 5; uint64 u64 = 6;
  sint32 s32 = 7; sint64 s64 = 8; fixed32 f32 = 9; fixed64 f64 = 10; sfixed32 sf32 = 11; sfixed64 sf64 = 12;
  bool b = 13; string s = 14; bytes y = 15; Level level = 16; Inner inner = 17;
  repeated int32 list = 18; repeated string texts = 19; map<string, int64> counts = 20; optional int32 maybe = 21;
  oneof either { string left = 22; int64 right = 23; }
  repeated Inner inners = 24; google.protobuf.Timestamp at = 25; shared.Tag tag = 2000; map<int32, Inner> byId = 26;
  repeated Level levels = 27; repeated double loose = 28 [packed = false];
}
message Small { int32 a = 1; }
message Wide { Inner inner = 1; }
`;

const shared =
  'syntax = "proto3"; package shared; message Tag { string name = 1; } message Small { int32 b = 1; }';
const old = `syntax = "proto2";
message Old { required int32 id = 1; optional string name = 2 [default = "x"]; repeated int32 n = 3; optional group G = 4 { optional int32 q = 5; } extensions 100 to 199; }`;

const files: Record<string, string> = { all: text, shared, old };
const schemas: FormatSchemas = {
  text: (name) => files[name.replace(/\.proto$/, '')],
  names: () => Object.keys(files),
};
const reader = { schemas };

const root = new protobuf.Root();
protobuf.parse(shared, root, { keepCase: true });
root.addJSON(protobuf.common.get('google/protobuf/timestamp.proto')!.nested!);
protobuf.parse(text, root, { keepCase: true });
root.resolveAll();
const All = root.lookupType('demo.All');

/** Messages with their lengths, made by another implementation. */
function delimited(type: protobuf.Type, messages: readonly object[]): Buffer {
  return Buffer.concat(
    messages.map((message) => Buffer.from(type.encodeDelimited(type.fromObject(message)).finish())),
  );
}

const options = (message: string) => settings({ format_schema: message });

const columns = schemaOf(
  ['d', 'float64'],
  ['f', 'float32'],
  ['i32', 'int32'],
  ['i64', 'int64'],
  ['u32', 'uint32'],
  ['u64', 'uint64'],
  ['s32', 'int32'],
  ['s64', 'int64'],
  ['f32', 'uint32'],
  ['f64', 'uint64'],
  ['sf32', 'int32'],
  ['sf64', 'int64'],
  ['b', 'bool'],
  ['s', 'string'],
  ['y', 'string'],
  ['level', "enum8('LOW' = 3, 'NONE' = 5, 'HIGH' = 9)"],
  ['inner.x', 'int64'],
  ['inner_y', 'string'],
  ['list', 'array(int32)'],
  ['texts', 'array(string)'],
  ['counts', 'map(string, int64)'],
  ['maybe', 'nullable(int32)'],
  ['left', 'string'],
  ['right', 'int64'],
  ['inners', 'array(tuple(y string, x int32))'],
  ['at', 'datetime64(3)'],
  ['tag_name', 'string'],
  ['levels', 'array(string)'],
  ['loose', 'array(float64)'],
);

const big = ['-9223372036854775808', '9223372036854775807', '-1', '0', '4294967296', '-9007199254740993'];
const canonical = (value: bigint) =>
  value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;

function samples(count: number): { messages: object[]; rows: unknown[][] } {
  const random = randomFrom(9);
  const messages: object[] = [];
  const rows: unknown[][] = [];
  for (let index = 0; index < count; index++) {
    const i32 = Math.floor((random() - 0.5) * 2 ** 32);
    const i64 = big[index % big.length]!;
    const u64 = BigInt.asUintN(64, BigInt(i64));
    const list = Array.from({ length: index % 4 }, (_, place) => (place * i32) | 0);
    messages.push({
      d: i32 / 3,
      f: index / 2,
      i32,
      i64,
      u32: i32 >>> 0,
      u64: String(u64),
      s32: i32,
      s64: i64,
      f32: i32 >>> 0,
      f64: String(u64),
      sf32: i32,
      sf64: i64,
      b: index % 2 === 0,
      s: `é${index}`,
      y: Buffer.from([0, index & 255, 255]),
      level: index % 3 === 0 ? 'HIGH' : 'LOW',
      inner: { x: index, y: `in${index}`, zs: [1, 2] },
      list,
      texts: list.map(String),
      counts: { a: index, b: -index },
      ...(index % 2 === 0 ? { maybe: 0, left: 'l' } : { right: index }),
      inners: [{ x: 1, y: 'one' }, { y: 'two' }],
      at: { seconds: 1_700_000_000 + index, nanos: 123_456_789 },
      tag: { name: `t${index}` },
      levels: ['LOW', 'NONE'],
      loose: [1.5, 2.5],
    });
    const latin = (value: string) => Buffer.from(value).latin1Slice();
    rows.push([
      i32 / 3,
      index / 2,
      i32,
      canonical(BigInt(i64)),
      i32 >>> 0,
      canonical(u64),
      i32,
      canonical(BigInt(i64)),
      i32 >>> 0,
      canonical(u64),
      i32,
      canonical(BigInt(i64)),
      index % 2 === 0 ? 1 : 0,
      latin(`é${index}`),
      Buffer.from([0, index & 255, 255]).latin1Slice(),
      index % 3 === 0 ? 9 : 3,
      index,
      `in${index}`,
      list,
      list.map(String),
      [
        ['a', index],
        ['b', index === 0 ? 0 : -index],
      ],
      index % 2 === 0 ? 0 : null,
      index % 2 === 0 ? 'l' : '',
      index % 2 === 0 ? 0 : index,
      [
        ['one', 1],
        ['two', 0],
      ],
      1_700_000_000_123 + index * 1000,
      `t${index}`,
      ['LOW', 'NONE'],
      [1.5, 2.5],
    ]);
  }
  return { messages, rows };
}

test('messages of another implementation are read', (t) => {
  const { messages, rows } = samples(60);
  const bytes = delimited(All, messages);
  for (const chunk of [bytes.length, 1, 100, 4097])
    t.deepEqual(
      readRows('Protobuf', columns, bytes, { settings: options('all:All'), reader, chunk }),
      rows,
      `chunks of ${chunk}`,
    );
});

test('another implementation reads what is written, and so do we', (t) => {
  const { messages, rows } = samples(90);
  const format = createWriter('Protobuf', columns, options('all:demo.All'), schemas);
  const bytes = Buffer.concat([format.start(), format.block(blockOf(columns, rows)), format.finish()]);
  const cursor = protobuf.Reader.create(bytes);
  for (const message of messages) {
    const got = All.toObject(All.decodeDelimited(cursor), { longs: String, enums: String }) as Record<
      string,
      unknown
    >;
    const want = All.toObject(All.fromObject(message), { longs: String, enums: String }) as Record<
      string,
      unknown
    >;
    // The columns have milliseconds, and no column for these two.
    (want['at'] as { nanos: number }).nanos = 123_000_000;
    delete (want['inner'] as Record<string, unknown>)['zs'];
    for (const [name, value] of Object.entries(want)) {
      // What proto3 leaves out reads as the default.
      if (value === 0 || value === '0' || value === false) continue;
      t.deepEqual(got[name], value, name);
    }
  }
  t.deepEqual(readRows('Protobuf', columns, bytes, { settings: options('all:All'), reader }), rows);
});

test('a field that is missing takes the default; nothing at all is a message too', (t) => {
  const few = schemaOf(
    ['i32', 'int32'],
    ['s', 'string'],
    ['maybe', 'nullable(int32)'],
    ['list', 'array(int32)'],
    ['level', "enum8('LOW' = 1, 'NONE' = 0)"],
  );
  t.deepEqual(readRows('ProtobufSingle', few, '', { settings: options('all:All'), reader }), [
    [0, '', null, [], 0],
  ]);
  t.deepEqual(readRows('Protobuf', few, '', { settings: options('all:All'), reader }), []);
  t.deepEqual(
    readRows('Protobuf', few, Buffer.from([0, 0]), { settings: options('all:All'), reader }).length,
    2,
  );
});

test('one message without its length', (t) => {
  const { messages, rows } = samples(1);
  const bytes = Buffer.from(All.encode(All.fromObject(messages[0]!)).finish());
  for (const chunk of [1, 30, bytes.length])
    t.deepEqual(
      readRows('ProtobufSingle', columns, bytes, { settings: options('all:All'), reader, chunk }),
      rows,
    );
  const small = schemaOf(['a', 'int32']);
  const format = createWriter('ProtobufSingle', small, options('all:demo.Small'), schemas);
  t.deepEqual([...format.block(blockOf(small, [[300]]))], [8, 0xac, 2]);
  t.regex(
    failure(() => format.block(blockOf(small, [[1]]))),
    /one message/,
  );
});

test('a message inside itself is JSON; compound values become tuples, maps and JSON', (t) => {
  const message = { inner: { x: 1, next: { x: 2, next: { x: 3 } } }, byId: { 5: { x: 9 } } };
  const bytes = delimited(All, [message]);
  const read = (...wanted: [string, string][]) =>
    readRows('Protobuf', schemaOf(...wanted), bytes, { settings: options('all:All'), reader });
  const [[inner]] = read(['inner', 'tuple(x int32, next string)']) as [[[number, string]]];
  t.is(inner[0], 1);
  t.is((JSON.parse(inner[1]) as { x: number }).x, 2);
  t.deepEqual(read(['inner.next.x', 'int32'], ['inner_x', 'int32']), [[2, 1]]);
  t.deepEqual(read(['byId', 'map(int32, tuple(x int32))']), [[[[5, [9]]]]]);
  t.is((JSON.parse((read(['inner', 'string']) as [[string]])[0][0]) as { x: number }).x, 1);
});

test('proto2: required, defaults, groups and unpacked lists', (t) => {
  const type = protobuf
    .parse(old.replace(/optional group.*?}/, ''), new protobuf.Root(), { keepCase: true })
    .root.lookupType('Old');
  const bytes = Buffer.concat([
    delimited(type, [{ id: 5, n: [1, 2] }]),
    // A group, and a field that nobody knows.
    Buffer.from([9, 8, 7, 0x23, 0x28, 1, 0x24, 0xa0, 6, 1]),
  ]);
  const wanted = schemaOf(['id', 'int32'], ['name', 'string'], ['n', 'array(int32)']);
  t.deepEqual(readRows('Protobuf', wanted, bytes, { settings: options('old.proto:Old'), reader }), [
    [5, '', [1, 2]],
    [7, '', []],
  ]);
  t.regex(
    failure(() => createWriter('Protobuf', schemaOf(['name', 'string']), options('old:Old'), schemas)),
    /field 'id', which is required/,
  );
});

test('a packed list is read also where the schema has it loose, and the other way round', (t) => {
  const type = protobuf
    .parse('syntax = "proto3"; message L { repeated int32 n = 1 [packed = false]; }', new protobuf.Root())
    .root.lookupType('L');
  const loose = Buffer.from(type.encode(type.fromObject({ n: [1, 300, -1] })).finish());
  files['list'] = 'syntax = "proto3"; message L { repeated int32 n = 1; }';
  const wanted = schemaOf(['n', 'array(int32)']);
  t.deepEqual(readRows('ProtobufSingle', wanted, loose, { settings: options('list:L'), reader }), [
    [[1, 300, -1]],
  ]);
  files['list2'] = 'syntax = "proto3"; message L { repeated int32 n = 1 [packed = false]; }';
  t.deepEqual(
    readRows('ProtobufSingle', wanted, Buffer.from([10, 2, 5, 6]), { settings: options('list2:L'), reader }),
    [[[5, 6]]],
  );
});

test('what does not fit is told with row and column', (t) => {
  const { messages } = samples(3);
  const bytes = delimited(All, messages);
  const read = (wanted: [string, string][], message = 'all:All', data: Uint8Array = bytes) =>
    failure(() => readRows('Protobuf', schemaOf(...wanted), data, { settings: options(message), reader }));
  t.regex(read([['i64', 'int8']]), /Code: 321.*row 1, column 'i64'.*out of range of int8/);
  t.regex(
    read([['nothing', 'int8']]),
    /Code: 8\..*no field for column 'nothing'.*its fields are: d, f, i32/s,
  );
  t.regex(read([['list', 'int8']]), /Code: 53/);
  t.regex(read([['a', 'int32']], ''), /Code: 36.*format_schema as 'schema:Message'/);
  t.regex(read([['a', 'int32']], 'al:All'), /Code: 36.*no format schema 'al'.*all/s);
  t.regex(read([['a', 'int32']], 'all:Al'), /Code: 36.*no message 'Al'/);
  t.regex(
    read([['a', 'int32']], 'all:Small'),
    /'demo\.Small' and 'shared\.Small': name it in full|'shared\.Small' and 'demo\.Small'/,
  );
  t.regex(read([['i32', 'int32']], 'all:All', Buffer.from([2, 0x1a, 0])), /Code: 117|no failure/);
  files['broken'] = 'message {';
  t.regex(read([['a', 'int32']], 'broken:A'), /Code: 117.*'broken' is wrong: illegal type name/);
  files['lost'] = 'syntax = "proto3"; import "gone.proto"; message A { int32 a = 1; }';
  t.regex(read([['a', 'int32']], 'lost:A'), /imports 'gone\.proto', which is not there/);
  files['untyped'] = 'syntax = "proto3"; message A { Nowhere a = 1; }';
  t.regex(read([['a', 'int32']], 'untyped:A'), /Code: 117.*Nowhere/);
});

test('messages that are cut or damaged are refused, and never hang', (t) => {
  const { messages, rows } = samples(8);
  const bytes = delimited(All, messages);
  for (let length = 0; length < bytes.length; length += 7) {
    const got = failure(() =>
      t.true(
        readRows('Protobuf', columns, bytes.subarray(0, length), { settings: options('all:All'), reader })
          .length < rows.length,
      ),
    );
    if (got !== 'no failure') t.regex(got, /Code: 33\./);
  }
  const random = randomFrom(3);
  for (let trial = 0; trial < 300; trial++) {
    const damaged = Buffer.from(bytes);
    const at = Math.floor(random() * damaged.length);
    damaged[at] = damaged[at]! ^ (1 << Math.floor(random() * 8));
    const got = failure(() =>
      readRows('Protobuf', columns, damaged, { settings: options('all:All'), reader }),
    );
    if (got !== 'no failure')
      t.regex(
        got,
        /Code: (33|117|321|691|376|27|41|131|53)\. DB::Exception: Cannot read the input at row/,
        `byte ${at}`,
      );
  }
});

test('a column that the message has no field for is told when writing', (t) => {
  t.regex(
    failure(() => createWriter('Protobuf', schemaOf(['zz', 'int32']), options('all:demo.Small'), schemas)),
    /Code: 8\..*no field for the column 'zz'/,
  );
  t.regex(
    failure(() => written('Protobuf', schemaOf(['a', 'int32']), [[1]])),
    /Code: 36.*format_schema/,
  );
});
