import test from 'ava';
import { functions } from '../../src/functions/index.ts';

test('every function is documented', (t) => {
  for (const { name, doc, syntax, examples } of functions.definitions) {
    t.regex(name, /^[a-z][a-zA-Z0-9_]*$/, name);
    t.regex(doc, /^[A-Z0-9%'"`].*[.:)]$/s, `${name}: ${doc}`);
    t.true(syntax.length > 0, name);
    t.true(examples.length > 0, name);
  }
});

test('functions are found by their camelCase names and aliases without regard to case', (t) => {
  const wanted = [
    ['toInt32', 'to_int32'],
    ['notLike', 'not_like'],
    ['positionCaseInsensitive', 'position_case_insensitive'],
    ['LENGTH', 'length'],
    ['substr', 'substring'],
    ['JSONExtractString', 'json_extract_string'],
    ['isValidJSON', 'is_valid_json'],
    ['cityHash64', 'city_hash64'],
    ['murmurHash2_32', 'murmur_hash2_32'],
    ['IPv4NumToString', 'ipv4_num_to_string'],
    ['generateUUIDv4', 'generate_uuidv4'],
    ['visitParamExtractString', 'simple_json_extract_string'],
    ['MD5', 'md5'],
    ['currentUser', 'current_user'],
    ['replaceRegexpAll', 'replace_regexp_all'],
    ['cutToFirstSignificantSubdomain', 'cut_to_first_significant_subdomain'],
  ] as const;
  for (const [written, name] of wanted) t.is(functions.find(written)?.name, name, written);
});

test('an unknown name is answered with the nearest one', (t) => {
  const error = functions.unknown('lenght');
  t.is(error.code, 46);
  t.regex(error.message, /length/);
});
