import { SluiceError } from '../../base/index.ts';
import { fromByteString, types } from '../../types/index.ts';
import type { Argument, ScalarFunction } from '../definition.ts';
import { compactAt, entriesAt, entryAtStep, kindAt, quoteJson, skipBlank, stringAt } from './json-text.ts';
import { functionsOf } from './simple-function.ts';

const define = functionsOf('json');

/** A step of a JSONPath: a member, every element, or ranges [from, to) of elements that count from 0. */
type PathStep =
  | { readonly kind: 'member'; readonly key: string }
  | { readonly kind: 'all' }
  | { readonly kind: 'ranges'; readonly ranges: readonly (readonly [number, number])[] };

const stepPattern =
  /^(?:\.([A-Za-z_\x80-\xff][\w\x80-\xff-]*)|\.?\["((?:[^"\\]|\\.)*)"\]|\."((?:[^"\\]|\\.)*)"|\[\s*(\*)\s*\]|\[([\d\s,to]+)\])/;

function parseRanges(text: string, path: string): readonly (readonly [number, number])[] {
  return text.split(',').map((part) => {
    const range = /^\s*(\d+)(?:\s+to\s+(\d+))?\s*$/.exec(part);
    if (range === null) throw malformed(path);
    const from = Number(range[1]);
    return [from, range[2] === undefined ? from + 1 : Number(range[2])];
  });
}

function malformed(path: string): SluiceError {
  return new SluiceError(
    'BAD_ARGUMENTS',
    `Cannot read the JSONPath '${fromByteString(path)}': expected $ and steps like .name, ["name"], [0], [0, 2], [0 to 2] or [*]`,
  );
}

function parsePath(path: string): readonly PathStep[] {
  if (!path.startsWith('$')) throw malformed(path);
  const steps: PathStep[] = [];
  let rest = path.slice(1);
  while (rest !== '') {
    const match = stepPattern.exec(rest);
    if (match === null) throw malformed(path);
    const [whole, plain, bracketed, quoted, star, ranges] = match;
    const key = plain ?? bracketed?.replace(/\\(.)/g, '$1') ?? quoted?.replace(/\\(.)/g, '$1');
    if (key !== undefined) steps.push({ kind: 'member', key });
    else if (star !== undefined) steps.push({ kind: 'all' });
    else steps.push({ kind: 'ranges', ranges: parseRanges(ranges!, path) });
    rest = rest.slice(whole.length);
  }
  return steps;
}

function follow(text: string, at: number, step: PathStep): readonly number[] {
  if (step.kind === 'member') {
    const entry = entryAtStep(text, at, step.key);
    return entry === undefined ? [] : [entry.value];
  }
  if (kindAt(text, at) !== 'array') return [];
  const places = Array.from(entriesAt(text, at), (entry) => entry.value);
  if (step.kind === 'all') return places;
  return step.ranges.flatMap(([from, to]) => places.slice(from, to));
}

/** The places of all values that a path leads to. */
function find(text: string, steps: readonly PathStep[]): readonly number[] {
  const start = skipBlank(text, 0);
  let places: readonly number[] = start < text.length && kindAt(text, start) !== 'none' ? [start] : [];
  for (const step of steps) places = places.flatMap((at) => follow(text, at, step));
  return places;
}

/** Parses a path once when it is constant. */
function pathsOf(args: readonly Argument[]): (path: string) => readonly PathStep[] {
  const constant = args[1]?.constant;
  if (constant === undefined || constant.value === null) return parsePath;
  const steps = parsePath(constant.value as string);
  return () => steps;
}

function firstScalar(text: string, places: readonly number[]): string {
  const at = places.find((place) => !['object', 'array'].includes(kindAt(text, place)));
  if (at === undefined) return '';
  return kindAt(text, at) === 'string' ? stringAt(text, at) : compactAt(text, at);
}

/** A document with the members of a patch put over its own, objects in objects likewise. */
function mergePatch(text: string, at: number, patch: string, patchAt: number): string {
  const members = new Map<string, string>();
  const places = new Map<string, number>();
  for (const entry of entriesAt(text, at)) {
    const key = stringAt(text, entry.key);
    places.set(key, entry.value);
    members.set(key, compactAt(text, entry.value));
  }
  for (const entry of entriesAt(patch, patchAt)) {
    const key = stringAt(patch, entry.key);
    const own = places.get(key) ?? -1;
    const bothObjects = kindAt(text, own) === 'object' && kindAt(patch, entry.value) === 'object';
    members.set(key, bothObjects ? mergePatch(text, own, patch, entry.value) : compactAt(patch, entry.value));
  }
  return `{${Array.from(members, ([key, value]) => `${quoteJson(key)}:${value}`).join(',')}}`;
}

function mergeAll(documents: readonly string[]): string {
  let result = '';
  for (const document of documents) {
    const at = skipBlank(document, 0);
    if (kindAt(document, at) !== 'object')
      throw new SluiceError('BAD_ARGUMENTS', 'json_merge_patch takes JSON objects only');
    result = result === '' ? compactAt(document, at) : mergePatch(result, 0, document, at);
  }
  return result;
}

const sample = `'{"a": [1, {"b": "x"}]}'`;

export const jsonPathFunctions: readonly ScalarFunction[] = [
  define({
    name: 'json_value',
    syntax: 'json_value(json, path)',
    doc: 'The first scalar that a JSONPath leads to, as text; empty when there is none.',
    examples: [[`json_value(${sample}, '$.a[1].b')`, 'x']],
    takes: ['string', 'string'],
    returns: types.string,
    kernel: (args) => {
      const paths = pathsOf(args);
      return (text: string, path: string) => firstScalar(text, find(text, paths(path)));
    },
  }),
  define({
    name: 'json_query',
    syntax: 'json_query(json, path)',
    doc: 'A JSON array of all values that a JSONPath leads to; empty when there is none.',
    examples: [[`json_query(${sample}, '$.a[*]')`, '[1, {"b":"x"}]']],
    takes: ['string', 'string'],
    returns: types.string,
    kernel: (args) => {
      const paths = pathsOf(args);
      return (text: string, path: string) => {
        const places = find(text, paths(path));
        return places.length === 0 ? '' : `[${places.map((at) => compactAt(text, at)).join(', ')}]`;
      };
    },
  }),
  define({
    name: 'json_exists',
    syntax: 'json_exists(json, path)',
    doc: 'Whether a JSONPath leads to a value.',
    examples: [[`json_exists(${sample}, '$.a[*].b')`, 'true']],
    takes: ['string', 'string'],
    returns: types.bool,
    kernel: (args) => {
      const paths = pathsOf(args);
      return (text: string, path: string) => (find(text, paths(path)).length > 0 ? 1 : 0);
    },
  }),
  define({
    name: 'json_merge_patch',
    syntax: 'json_merge_patch(json, ...)',
    doc: 'One JSON object out of several: members of later ones replace those of earlier ones, objects are merged.',
    examples: [[`json_merge_patch('{"a": 1}', '{"b": 2}')`, '{"a":1,"b":2}']],
    takes: ['string', 'string*'],
    returns: types.string,
    kernel:
      () =>
      (...documents: string[]) =>
        mergeAll(documents),
  }),
];
