import { SluiceError } from '../../base/index.ts';
import {
  fixedString,
  formatText,
  isString,
  nullable,
  parseText,
  type SqlType,
  tupleOf,
  types,
} from '../../types/index.ts';
import { illegalType } from '../checks.ts';
import type { ScalarFunction } from '../definition.ts';
import { functionsOf } from './simple-function.ts';
import { bigEndian, numberOfBytes } from './value-bytes.ts';

const define = functionsOf('uuid_and_ip');

/** The value of an address, or undefined where the text is none. */
function tryParse(type: SqlType, text: string): number | bigint | undefined {
  try {
    return parseText(type, text) as number | bigint;
  } catch (thrown) {
    if (thrown instanceof SluiceError) return undefined;
    throw thrown;
  }
}

const ipv4Pattern = /^\d{1,3}(\.\d{1,3}){3}$/;

function ipv4Of(text: string): number | undefined {
  return ipv4Pattern.test(text) ? (tryParse(types.ipv4, text) as number | undefined) : undefined;
}

/** An IPv6 address; not the IPv4 ones that its parser takes as well. */
function ipv6Of(text: string): bigint | undefined {
  return text.includes(':') ? (tryParse(types.ipv6, text) as bigint | undefined) : undefined;
}

function expectKinds(name: string, type: SqlType, kinds: readonly SqlType['kind'][], what: string): void {
  if (!kinds.includes(type.kind)) throw illegalType(name, 0, type, what);
}

/** The three forms of a parser: one fails, one gives NULL, one a default where the text is no address. */
function parsers(
  name: string,
  aliases: readonly string[],
  example: readonly [string, string],
  type: SqlType,
  parse: (text: string) => unknown,
  otherwise: unknown,
  what: string,
): ScalarFunction[] {
  const show = isString(type) ? (call: string) => `hex(${call})` : (call: string) => call;
  const forms = [
    { suffix: '', doc: 'an error', returns: type, fallback: undefined },
    { suffix: '_or_null', doc: 'NULL', returns: nullable(type), fallback: null },
    { suffix: '_or_default', doc: 'zero', returns: type, fallback: otherwise },
  ];
  return forms.map(({ suffix, doc, returns, fallback }) =>
    define({
      name: `${name}${suffix}`,
      aliases: suffix === '' ? aliases : [],
      syntax: `${name}${suffix}(text)`,
      doc: `The number of ${what} given as text; ${doc} where the text is none.`,
      examples: [[show(`${name}${suffix}('${example[0]}')`), example[1]]],
      takes: ['string'],
      returns,
      kernel: () => (text: string) => {
        const value = parse(text);
        if (value !== undefined) return value;
        if (fallback !== undefined) return fallback;
        throw new SluiceError(
          name.startsWith('ipv4') ? 'CANNOT_PARSE_IPV4' : 'CANNOT_PARSE_IPV6',
          `Cannot read the text given to ${name} as ${what}`,
        );
      },
    }),
  );
}

function ipv6Bytes(text: string): string | undefined {
  const value = ipv6Of(text) ?? (ipv4Of(text) === undefined ? undefined : tryParse(types.ipv6, text));
  return value === undefined ? undefined : bigEndian(value, 16);
}

/** An IPv6 address of a column of that type, or of its 16 bytes. */
function ipv6Reader(name: string, type: SqlType): (value: never) => bigint {
  expectKinds(name, type, ['ipv6', 'string', 'fixed_string'], 'an ipv6 or its 16 bytes');
  if (type.kind === 'ipv6') return (value: bigint) => value;
  return (bytes: string) => {
    if (bytes.length !== 16)
      throw new SluiceError('BAD_ARGUMENTS', `An IPv6 address has 16 bytes, not ${bytes.length}`);
    return numberOfBytes(bytes);
  };
}

function prefixOf(length: number | bigint, bits: number): number {
  return Math.min(bits, Math.max(0, Number(length)));
}

/** Least and greatest address with the same first bits. */
function rangeOf(address: bigint, prefix: number, bits: number): readonly [bigint, bigint] {
  const rest = (1n << BigInt(bits - prefix)) - 1n;
  return [address & ~rest, address | rest];
}

function isInRange(address: string, range: string): number {
  const slash = range.lastIndexOf('/');
  const prefix = /^\d{1,3}$/.test(range.slice(slash + 1)) ? Number(range.slice(slash + 1)) : -1;
  const network = slash < 0 ? '' : range.slice(0, slash);
  const [small, big] = [ipv4Of(network), ipv6Of(network)];
  const bits = small !== undefined ? 32 : 128;
  if ((small === undefined && big === undefined) || prefix < 0 || prefix > bits)
    throw new SluiceError('CANNOT_PARSE_TEXT', `'${range}' is no range of addresses such as 192.0.2.0/24`);
  const [ownSmall, ownBig] = [ipv4Of(address), ipv6Of(address)];
  if (ownSmall === undefined && ownBig === undefined)
    throw new SluiceError('CANNOT_PARSE_TEXT', `'${address}' is no IP address`);
  const value = bits === 32 ? ownSmall : ownBig;
  if (value === undefined) return 0;
  const [least, most] = rangeOf(BigInt(small ?? big!), prefix, bits);
  return BigInt(value) >= least && BigInt(value) <= most ? 1 : 0;
}

const macPattern = /^[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5}$/;

/** IPv6 text with its last bytes zero; how many depends on whether it is an IPv4 address in IPv6 form. */
function cutIpv6(address: bigint, bytesOfIpv6: number, bytesOfIpv4: number): string {
  const isMapped = address >> 32n === 0xffffn;
  const cut = BigInt(8 * Math.min(16, isMapped ? bytesOfIpv4 : bytesOfIpv6));
  return formatText(types.ipv6, (address >> cut) << cut);
}

const ipv4Kinds = ['int', 'ipv4'] as const;

export const ipFunctions: readonly ScalarFunction[] = [
  define({
    name: 'ipv4_num_to_string',
    aliases: ['inet_ntoa'],
    syntax: 'ipv4_num_to_string(number)',
    doc: 'The text of an IPv4 address given as a number.',
    examples: [['ipv4_num_to_string(3221225985)', '192.0.2.1']],
    takes: ['any'],
    returns: (args) => {
      expectKinds('ipv4_num_to_string', args[0]!.type, ipv4Kinds, 'a number');
      return types.string;
    },
    kernel: () => (value: number | bigint) =>
      formatText(types.ipv4, Number(BigInt.asUintN(32, BigInt(value)))),
  }),
  define({
    name: 'ipv4_num_to_string_class_c',
    syntax: 'ipv4_num_to_string_class_c(number)',
    doc: 'As ipv4_num_to_string, with xxx for the last number.',
    examples: [['ipv4_num_to_string_class_c(3221225985)', '192.0.2.xxx']],
    takes: ['any'],
    returns: (args) => {
      expectKinds('ipv4_num_to_string_class_c', args[0]!.type, ipv4Kinds, 'a number');
      return types.string;
    },
    kernel: () => (value: number | bigint) =>
      formatText(types.ipv4, Number(BigInt.asUintN(32, BigInt(value)))).replace(/\d+$/, 'xxx'),
  }),
  ...parsers(
    'ipv4_string_to_num',
    ['inet_aton'],
    ['192.0.2.1', '3221225985'],
    types.uint32,
    ipv4Of,
    0,
    'an IPv4 address',
  ),
  define({
    name: 'ipv6_num_to_string',
    aliases: ['inet6_ntoa'],
    syntax: 'ipv6_num_to_string(bytes)',
    doc: 'The text of an IPv6 address given as its 16 bytes.',
    examples: [["ipv6_num_to_string(ipv6_string_to_num('2001:db8::1'))", '2001:db8::1']],
    takes: ['any'],
    returns: (args) => {
      ipv6Reader('ipv6_num_to_string', args[0]!.type);
      return types.string;
    },
    kernel: (args) => {
      const read = ipv6Reader('ipv6_num_to_string', args[0]!.type);
      return (value: never) => formatText(types.ipv6, read(value));
    },
  }),
  ...parsers(
    'ipv6_string_to_num',
    ['inet6_aton'],
    ['2001:db8::1', '20010DB8000000000000000000000001'],
    fixedString(16),
    ipv6Bytes,
    '\0'.repeat(16),
    'an IPv6 address',
  ),
  define({
    name: 'ipv4_to_ipv6',
    syntax: 'ipv4_to_ipv6(address)',
    doc: 'An IPv4 address in IPv6 form.',
    examples: [['ipv4_to_ipv6(3221225985)', '::ffff:192.0.2.1']],
    takes: ['any'],
    returns: (args) => {
      expectKinds('ipv4_to_ipv6', args[0]!.type, ipv4Kinds, 'a number or an ipv4');
      return types.ipv6;
    },
    kernel: () => (value: number | bigint) => 0xffff_0000_0000n | BigInt.asUintN(32, BigInt(value)),
  }),
  define({
    name: 'cut_ipv6',
    syntax: 'cut_ipv6(address, bytes_of_ipv6, bytes_of_ipv4)',
    doc: 'The text of an IPv6 address with so many of its last bytes zero.',
    examples: [["cut_ipv6(to_ipv6('2001:db8::1:2:3'), 2, 0)", '2001:db8::1:2:0']],
    takes: ['any', 'integer', 'integer'],
    returns: (args) => {
      ipv6Reader('cut_ipv6', args[0]!.type);
      return types.string;
    },
    kernel: (args) => {
      const read = ipv6Reader('cut_ipv6', args[0]!.type);
      return (value: never, six: number | bigint, four: number | bigint) =>
        cutIpv6(read(value), Number(six), Number(four));
    },
  }),
  define({
    name: 'is_ipv4_string',
    syntax: 'is_ipv4_string(text)',
    doc: 'Whether a text is an IPv4 address.',
    examples: [["is_ipv4_string('192.0.2.1')", 'true']],
    takes: ['string'],
    returns: types.bool,
    kernel: () => (text: string) => (ipv4Of(text) === undefined ? 0 : 1),
  }),
  define({
    name: 'is_ipv6_string',
    syntax: 'is_ipv6_string(text)',
    doc: 'Whether a text is an IPv6 address.',
    examples: [["is_ipv6_string('2001:db8::1')", 'true']],
    takes: ['string'],
    returns: types.bool,
    kernel: () => (text: string) => (ipv6Of(text) === undefined ? 0 : 1),
  }),
  define({
    name: 'is_ip_address_in_range',
    syntax: 'is_ip_address_in_range(address, range)',
    doc: 'Whether an address is in a range such as 192.0.2.0/24.',
    examples: [
      ["is_ip_address_in_range('192.0.2.7', '192.0.2.0/24')", 'true'],
      ["is_ip_address_in_range('192.0.3.7', '192.0.2.0/24')", 'false'],
    ],
    takes: ['any', 'string'],
    returns: (args) => {
      expectKinds(
        'is_ip_address_in_range',
        args[0]!.type,
        ['string', 'ipv4', 'ipv6'],
        'an address or its text',
      );
      return types.bool;
    },
    kernel: (args) => {
      const { type } = args[0]!;
      if (type.kind === 'string') return isInRange;
      return (value: never, range: string) => isInRange(formatText(type, value), range);
    },
  }),
  define({
    name: 'ipv4_cidr_to_range',
    syntax: 'ipv4_cidr_to_range(address, bits)',
    doc: 'The least and the greatest IPv4 address that have the first bits of an address.',
    examples: [["ipv4_cidr_to_range(to_ipv4('192.0.2.7'), 24)", "('192.0.2.0','192.0.2.255')"]],
    takes: ['any', 'integer'],
    returns: (args) => {
      expectKinds('ipv4_cidr_to_range', args[0]!.type, ipv4Kinds, 'an ipv4');
      return tupleOf([types.ipv4, types.ipv4]);
    },
    kernel: () => (address: number | bigint, bits: number | bigint) =>
      rangeOf(BigInt.asUintN(32, BigInt(address)), prefixOf(bits, 32), 32).map(Number),
  }),
  define({
    name: 'ipv6_cidr_to_range',
    syntax: 'ipv6_cidr_to_range(address, bits)',
    doc: 'The least and the greatest IPv6 address that have the first bits of an address.',
    examples: [["ipv6_cidr_to_range(to_ipv6('2001:db8::'), 112)", "('2001:db8::','2001:db8::ffff')"]],
    takes: ['any', 'integer'],
    returns: (args) => {
      ipv6Reader('ipv6_cidr_to_range', args[0]!.type);
      return tupleOf([types.ipv6, types.ipv6]);
    },
    kernel: (args) => {
      const read = ipv6Reader('ipv6_cidr_to_range', args[0]!.type);
      return (value: never, bits: number | bigint) => rangeOf(read(value), prefixOf(bits, 128), 128);
    },
  }),
  define({
    name: 'mac_num_to_string',
    syntax: 'mac_num_to_string(number)',
    doc: 'The text of a MAC address given as a number.',
    examples: [['mac_num_to_string(149809441867716)', '88:40:3A:91:07:C4']],
    takes: ['integer'],
    returns: types.string,
    kernel: () => (value: number | bigint) =>
      BigInt.asUintN(48, BigInt(value)).toString(16).padStart(12, '0').toUpperCase().match(/../g)!.join(':'),
  }),
  define({
    name: 'mac_string_to_num',
    syntax: 'mac_string_to_num(text)',
    doc: 'The number of a MAC address; 0 where the text is none.',
    examples: [["mac_string_to_num('01:02:03:04:05:06')", '1108152157446']],
    takes: ['string'],
    returns: types.uint64,
    kernel: () => (text: string) =>
      macPattern.test(text) ? Number.parseInt(text.replaceAll(':', ''), 16) : 0,
  }),
  define({
    name: 'mac_string_to_oui',
    syntax: 'mac_string_to_oui(text)',
    doc: 'The number of the first three bytes of a MAC address, which tell its maker; 0 where the text is none.',
    examples: [["mac_string_to_oui('01:02:03:04:05:06')", '66051']],
    takes: ['string'],
    returns: types.uint64,
    kernel: () => (text: string) =>
      macPattern.test(text) ? Number.parseInt(text.slice(0, 8).replaceAll(':', ''), 16) : 0,
  }),
];
