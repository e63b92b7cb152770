import test from 'ava';
import avro from 'avsc';
import {
  failure,
  randomFrom,
  randomValue,
  readBlocks,
  readRows,
  sampleTypes,
  schemaOf,
  settings,
  written,
} from './support.ts';

/** Keeps what a schema says beside its types, and the values as they are. */
class Annotated extends avro.types.LogicalType {
  readonly #schema: object;
  constructor(schema: avro.Schema, options: unknown) {
    super(schema, options);
    this.#schema = schema as object;
  }
  protected override _fromValue(value: unknown): unknown {
    return value;
  }
  protected override _toValue(value: unknown): unknown {
    return value;
  }
  protected override _export(attributes: avro.Schema): void {
    Object.assign(attributes as object, this.#schema);
  }
}

const logicalTypes = Object.fromEntries(
  ['date', 'timestamp-millis', 'timestamp-micros', 'decimal', 'uuid'].map((name) => [name, Annotated]),
);

/** A container file made by another implementation. */
function fileOf(
  schema: unknown,
  records: readonly unknown[],
  options: { codec?: string } = {},
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const type = avro.Type.forSchema(schema as avro.Schema, { wrapUnions: true, logicalTypes } as never);
    const encoder = new avro.streams.BlockEncoder(type, { codec: 'null', ...options } as never);
    const parts: Buffer[] = [];
    encoder.on('data', (part: Buffer) => parts.push(part));
    encoder.on('end', () => resolve(Buffer.concat(parts)));
    encoder.on('error', reject);
    for (const record of records) encoder.write(record);
    encoder.end();
  });
}

/** What another implementation reads from a container file. */
function recordsOf(bytes: Buffer): Promise<Record<string, unknown>[]> {
  return new Promise((resolve, reject) => {
    const decoder = new avro.streams.BlockDecoder();
    const records: Record<string, unknown>[] = [];
    decoder.on('data', (record: Record<string, unknown>) => records.push(record));
    decoder.on('end', () => resolve(records));
    decoder.on('error', reject);
    decoder.end(bytes);
  });
}

const record = (fields: readonly unknown[]) => ({ type: 'record', name: 'r', fields });

for (const codec of ['null', 'deflate', 'snappy', 'zstd']) {
  test(`what is written with codec ${codec} reads back, type by type`, (t) => {
    const options = settings({ output_format_avro_codec: codec, output_format_avro_sync_interval: '700' });
    for (const [index, type] of sampleTypes.entries()) {
      if (type === 'uint64' || type.includes('uint64)')) continue;
      const random = randomFrom(77 + index);
      const schema = schemaOf(['n', 'int32'], ['value', type], ['tail', 'string']);
      const rows = Array.from({ length: 120 }, (_, row) => [
        row,
        randomValue(schema[1]!.type, random),
        `t${row}`,
      ]);
      const bytes = written('Avro', schema, rows, options, 50);
      for (const chunk of [bytes.length, 1, 333])
        t.deepEqual(readRows('Avro', schema, bytes, { chunk }), rows, `${type} in chunks of ${chunk}`);
    }
  });
}

test('unsigned integers of 64 bits are written up to what a long holds, and refused above', (t) => {
  const schema = schemaOf(['n', 'uint64']);
  const rows = [[0], [9_223_372_036_854_775_807n]];
  t.deepEqual(readRows('Avro', schema, written('Avro', schema, rows)), rows);
  t.regex(
    failure(() => written('Avro', schema, [[9_223_372_036_854_775_808n]])),
    /Code: 321.*larger than an Avro long/,
  );
});

test('files of another implementation are read', async (t) => {
  const schema = record([
    { name: 'b', type: 'boolean' },
    { name: 'i', type: 'int' },
    { name: 'l', type: 'long' },
    { name: 'f', type: 'float' },
    { name: 'd', type: 'double' },
    { name: 's', type: 'string' },
    { name: 'y', type: 'bytes' },
    { name: 'n', type: ['null', 'int'] },
    { name: 'm', type: ['string', 'null'] },
    { name: 'e', type: { type: 'enum', name: 'colour', symbols: ['red', 'green'] } },
    { name: 'x', type: { type: 'fixed', name: 'four', size: 4 } },
    { name: 'a', type: { type: 'array', items: ['null', 'string'] } },
    { name: 'p', type: { type: 'map', values: 'long' } },
    {
      name: 'r',
      type: {
        type: 'record',
        name: 'inner',
        fields: [
          { name: 'u', type: 'int' },
          { name: 'v', type: 'string' },
        ],
      },
    },
    { name: 'u', type: ['null', 'int', 'string'] },
    { name: 'unread', type: { type: 'array', items: { type: 'map', values: ['null', 'double', 'colour'] } } },
    { name: 'day', type: { type: 'int', logicalType: 'date' } },
    { name: 'ms', type: { type: 'long', logicalType: 'timestamp-millis' } },
    { name: 'us', type: { type: 'long', logicalType: 'timestamp-micros' } },
    { name: 'dec', type: { type: 'bytes', logicalType: 'decimal', precision: 10, scale: 2 } },
    {
      name: 'decf',
      type: { type: 'fixed', name: 'nine', size: 9, logicalType: 'decimal', precision: 20, scale: 4 },
    },
    { name: 'id', type: { type: 'string', logicalType: 'uuid' } },
  ]);
  const rows = Array.from({ length: 1000 }, (_, index) => ({
    b: index % 2 === 0,
    i: (index - 500) * 4_000_000,
    l: (index - 500) * 9_000_000_000,
    f: index / 4,
    d: index / 3,
    s: `text ${index} é`,
    y: Buffer.from([index & 255, 200]),
    n: index % 3 === 0 ? null : { int: index },
    m: index % 5 === 0 ? null : { string: `m${index}` },
    e: index % 2 === 0 ? 'red' : 'green',
    x: Buffer.from('abcd'),
    a: [null, { string: 'q' }, { string: `${index}` }].slice(0, index % 4),
    p: { k: index },
    r: { u: index, v: `v${index}` },
    u: index % 3 === 0 ? null : index % 3 === 1 ? { int: index } : { string: 'w' },
    unread: [{ q: { double: 1 } }, { z: null, t: { colour: 'red' } }].slice(0, index % 3),
    day: index,
    ms: 1_700_000_000_000 + index,
    us: 1_700_000_000_000_000 + index,
    dec: Buffer.from([0xff, index & 127]),
    decf: Buffer.from([0, 0, 0, 0, 0, 0, 0, 1, index & 255]),
    id: '123e4567-e89b-12d3-a456-426614174000',
  }));
  const columns = schemaOf(
    ['u', 'nullable(string)'],
    ['b', 'bool'],
    ['i', 'int32'],
    ['l', 'int64'],
    ['f', 'float32'],
    ['d', 'float64'],
    ['s', 'string'],
    ['y', 'string'],
    ['n', 'nullable(int32)'],
    ['m', 'nullable(string)'],
    ['e', "enum8('red' = 4, 'green' = 9)"],
    ['x', 'fixed_string(4)'],
    ['a', 'array(nullable(string))'],
    ['p', 'map(string, uint16)'],
    ['r', 'tuple(v string, u int64)'],
    ['day', 'date'],
    ['ms', 'datetime64(6)'],
    ['us', 'datetime64(6)'],
    ['dec', 'decimal(12, 3)'],
    ['decf', 'decimal(30, 4)'],
    ['id', 'uuid'],
  );
  const bytes = await fileOf(schema, rows);
  const utf8 = (text: string) => Buffer.from(text).latin1Slice();
  const expected = rows.map((row, index) => [
    row.u === null ? null : index % 3 === 1 ? String(index) : 'w',
    row.b ? 1 : 0,
    row.i,
    row.l,
    row.f,
    row.d,
    utf8(row.s),
    row.y.latin1Slice(),
    row.n?.int ?? null,
    row.m?.string ?? null,
    row.e === 'red' ? 4 : 9,
    'abcd',
    row.a.map((item) => (item === null ? null : item.string)),
    [['k', index]],
    [row.r.v, row.r.u],
    row.day,
    row.ms * 1000,
    row.us,
    (-256 + (index & 127)) * 10,
    BigInt(256 + (index & 255)),
    0x123e4567e89b12d3a456426614174000n,
  ]);
  for (const chunk of [bytes.length, 100, 7])
    t.deepEqual(readRows('Avro', columns, bytes, { chunk }), expected);
  const deflated = await fileOf(schema, rows, { codec: 'deflate' });
  t.deepEqual(readRows('Avro', columns, deflated), expected);
});

test('another implementation reads what is written', async (t) => {
  const schema = schemaOf(
    ['b', 'bool'],
    ['i', 'int64'],
    ['f', 'float64'],
    ['s', 'string'],
    ['n', 'nullable(int16)'],
    ['a', 'array(string)'],
    ['m', 'map(string, int32)'],
    ['r', 'tuple(x int32, y nullable(string))'],
    ['e', "enum8('one' = 1, 'two' = 2)"],
    ['d', 'date'],
    ['t', 'datetime64(3)'],
    ['z', 'fixed_string(2)'],
  );
  const rows = Array.from({ length: 300 }, (_, index) => [
    index % 2,
    (index - 100) * 1e12,
    index / 7,
    `s${index}`,
    index % 4 === 0 ? null : index,
    ['p', `${index}`],
    [['k', index]],
    [index, index % 3 === 0 ? null : 'y'],
    (index % 2) + 1,
    index,
    1_700_000_000_000 + index,
    'zz',
  ]);
  for (const codec of ['null', 'deflate']) {
    const options = settings({
      output_format_avro_codec: codec,
    });
    const records = await recordsOf(written('Avro', schema, rows, options, 64));
    t.is(records.length, 300);
    for (const index of [0, 3, 4, 299]) {
      const got = JSON.parse(JSON.stringify(records[index])) as Record<string, unknown>;
      t.deepEqual(got, {
        b: index % 2 === 1,
        i: (index - 100) * 1e12,
        f: index / 7,
        s: `s${index}`,
        n: index % 4 === 0 ? null : index,
        a: ['p', `${index}`],
        m: { k: index },
        r: { x: index, y: index % 3 === 0 ? null : 'y' },
        e: index % 2 === 0 ? 'one' : 'two',
        d: index,
        t: 1_700_000_000_000 + index,
        z: { type: 'Buffer', data: [122, 122] },
      });
    }
  }
});

test('values are converted where they can be, and refused where not', async (t) => {
  const file = await fileOf(
    record([
      { name: 'whole', type: 'long' },
      { name: 'text', type: 'string' },
      { name: 'time', type: { type: 'long', logicalType: 'timestamp-micros' } },
      { name: 'list', type: { type: 'array', items: 'int' } },
    ]),
    [{ whole: 300, text: '42', time: 1_700_000_000_123_456, list: [1, 2] }],
  );
  const read = (...columns: [string, string][]) => readRows('Avro', schemaOf(...columns), file);
  t.deepEqual(read(['whole', 'string'], ['text', 'uint8']), [['300', 42]]);
  t.deepEqual(read(['whole', 'float32']), [[300]]);
  t.deepEqual(read(['time', 'datetime'], ['text', 'decimal(5, 1)']), [[1_700_000_000, 420]]);
  t.deepEqual(read(['time', 'date'], ['list', 'string']), [[19_675, '[1,2]']]);
  t.deepEqual(read(['list', 'array(string)'], ['whole', 'datetime']), [[['1', '2'], 300]]);
  t.regex(
    failure(() => read(['whole', 'int8'])),
    /Code: 321.*row 1, column 'whole'.*300 is out of range of int8/,
  );
  t.regex(
    failure(() => read(['list', 'int32'])),
    /Code: 53.*array\(int32\) does not become int32/,
  );
  t.regex(
    failure(() => read(['text', 'uuid'])),
    /Code: 376.*column 'text'/,
  );
});

test('fields that are missing take the DEFAULT, or are told', async (t) => {
  const file = await fileOf(record([{ name: 'a', type: ['null', 'int'] }]), [{ a: { int: 1 } }, { a: null }]);
  const withDefault = [
    ...schemaOf(['a', 'nullable(int32)']),
    ...schemaOf(['b', 'string']).map((column) => ({ ...column, hasDefault: true })),
  ];
  const [block] = readBlocks('Avro', withDefault, file);
  t.deepEqual([...block!.omitted[1]!], [1, 1]);
  t.regex(
    failure(() => readRows('Avro', schemaOf(['a', 'nullable(int32)'], ['b', 'string']), file)),
    /Code: 8\..*no field for column 'b'.*its fields are: a/,
  );
  const allowed = settings({ input_format_avro_allow_missing_fields: '1' });
  t.deepEqual(
    readRows('Avro', schemaOf(['a', 'nullable(int32)'], ['b', 'string']), file, { settings: allowed }),
    [
      [1, ''],
      [null, ''],
    ],
  );
  t.regex(
    failure(() => readRows('Avro', schemaOf(['a', 'int32']), file)),
    /Code: 349.*row 2, column 'a'/,
  );
  const asDefault = settings({ input_format_null_as_default: '1' });
  t.deepEqual(readRows('Avro', schemaOf(['a', 'int32']), file, { settings: asDefault }), [[1], [0]]);
});

test('records inside records go to columns of their path, tuples or JSON; those inside themselves are JSON', async (t) => {
  const node = record([
    { name: 'id', type: 'int' },
    {
      name: 'at',
      type: {
        type: 'record',
        name: 'place',
        fields: [
          { name: 'x', type: 'int' },
          { name: 'y', type: 'int' },
        ],
      },
    },
    { name: 'next', type: ['null', 'r'] },
  ]);
  const value = (id: number, next: unknown): unknown => ({
    id,
    at: { x: id, y: -id },
    next: next === null ? null : { r: next },
  });
  const file = await fileOf(node, [value(1, value(2, value(3, null)))]);
  t.deepEqual(readRows('Avro', schemaOf(['at.y', 'int32'], ['at_x', 'int8'], ['id', 'int32']), file), [
    [-1, 1, 1],
  ]);
  t.deepEqual(readRows('Avro', schemaOf(['at', 'tuple(y int32, x int32)']), file), [[[-1, 1]]]);
  t.deepEqual(readRows('Avro', schemaOf(['at', 'string']), file), [['{"x":1,"y":-1}']]);
  const [[next]] = readRows('Avro', schemaOf(['next', 'nullable(string)']), file) as [[string]];
  const inner = JSON.parse(next) as { id: number; next: string };
  t.is(inner.id, 2);
  t.is((JSON.parse(inner.next) as { id: number }).id, 3);
});

test('files that are cut or damaged anywhere are refused, and never hang', (t) => {
  const schema = schemaOf(['i', 'int64'], ['s', 'string'], ['a', 'array(int32)']);
  const rows = Array.from({ length: 200 }, (_, index) => [index * 1e10, `some text ${index}`, [index, 1]]);
  for (const codec of ['null', 'snappy', 'zstd', 'deflate']) {
    const bytes = written(
      'Avro',
      schema,
      rows,
      settings({ output_format_avro_codec: codec, output_format_avro_sync_interval: '600' }),
    );
    for (let length = 0; length < bytes.length; length += 13) {
      // A file may end behind any of its blocks; all rows before are whole.
      const got = failure(() => t.true(readRows('Avro', schema, bytes.subarray(0, length)).length < 200));
      if (got !== 'no failure') t.regex(got, /Code: (33|117)\./, `${codec} ${length}`);
    }
    const random = randomFrom(5);
    let noticed = 0;
    for (let trial = 0; trial < 150; trial++) {
      const damaged = Buffer.from(bytes);
      const at = Math.floor(random() * damaged.length);
      damaged[at] = damaged[at]! ^ (1 << Math.floor(random() * 8));
      const got = failure(() => readRows('Avro', schema, damaged));
      if (got === 'no failure') continue;
      noticed++;
      t.regex(got, /Code: \d+\. DB::Exception: Cannot read the input at row/, `${codec} byte ${at}`);
      t.notRegex(got, /Code: 1002/, `${codec} byte ${at}`);
    }
    t.true(noticed > 20);
  }
});

test('what is no Avro file is told', async (t) => {
  const schema = schemaOf(['i', 'int64']);
  const good = written('Avro', schema, [[1], [2]], settings({ output_format_avro_codec: 'null' }));
  t.regex(
    failure(() => readRows('Avro', schema, 'i,j\n1,2\n')),
    /does not begin with 'Obj'/,
  );
  t.regex(
    failure(() => readRows('Avro', schema, '')),
    /Code: 33.*is empty/,
  );
  const sync = Buffer.from(good);
  sync[sync.length - 3]! ^= 1;
  t.regex(
    failure(() => readRows('Avro', schema, sync)),
    /Code: 117.*sync marker/,
  );
  const codec = Buffer.from(good.latin1Slice().replace('avro.codec\x08null', 'avro.codec\x08lzma'), 'latin1');
  t.regex(
    failure(() => readRows('Avro', schema, codec)),
    /Code: 89.*'lzma': known are null, deflate, snappy, zstandard/,
  );
  t.regex(
    failure(() => written('Avro', schemaOf(['count()', 'int64']), [[1]])),
    /Code: 36.*give the column another one with AS/,
  );
  const notRecords = await fileOf('int', [1]);
  t.regex(
    failure(() => readRows('Avro', schema, notRecords)),
    /values of type int, not records/,
  );
});
