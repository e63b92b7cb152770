import { type Code, instantiate, js, ModuleBuilder } from '../code/index.ts';
import { type JsonPath, type JsonScanner, jsonKinds, slowJsonScanner } from './json-scan.ts';

/*
 * A scanner that is generated for its paths: every object on the way to a value becomes a loop over its keys, in which the
 * wanted keys are compared byte by byte. A document with escapes in its keys is left to the scanner that is written by hand.
 */

/** Keys beyond this many bytes in all are not worth generated code. */
const generatedKeyBytesMax = 2_000;

interface Node {
  readonly keys: Map<string, Node>;
  readonly positions: Map<number, Node>;
  readonly slots: number[];
}

function treeOf(paths: readonly JsonPath[]): Node {
  const root: Node = { keys: new Map(), positions: new Map(), slots: [] };
  for (const [slot, path] of paths.entries()) {
    let node = root;
    for (const step of path) {
      const children = (typeof step === 'number' ? node.positions : node.keys) as Map<string | number, Node>;
      let child = children.get(step);
      if (child === undefined) {
        child = { keys: new Map(), positions: new Map(), slots: [] };
        children.set(step, child);
      }
      node = child;
    }
    node.slots.push(slot);
  }
  return root;
}

/**
 * The place after the closing quote of the string whose content begins at `at`, doubled, plus 1 when the content has escapes;
 * -1 when the string does not end.
 */
function stringEnd(data: Uint8Array, at: number, end: number): number {
  let escaped = 0;
  for (let place = at; place < end; place++) {
    const byte = data[place]!;
    if (byte === 0x22) return (place + 1) * 2 + escaped;
    if (byte === 0x5c) {
      place++;
      escaped = 1;
    }
  }
  return -1;
}

/** The place after the value that begins at `at`; -1 when it does not end. */
function valueEnd(data: Uint8Array, at: number, end: number): number {
  const first = data[at]!;
  if (first === 0x22) return stringEnd(data, at + 1, end) >> 1;
  if (first === 0x7b || first === 0x5b) return compoundEnd(data, at, end);
  let place = at;
  for (; place < end; place++) {
    const byte = data[place]!;
    if (byte === 0x2c || byte === 0x7d || byte === 0x5d || byte <= 0x20) break;
  }
  return place === at ? -1 : place;
}

function compoundEnd(data: Uint8Array, at: number, end: number): number {
  let depth = 0;
  for (let place = at; place < end; ) {
    const byte = data[place]!;
    if (byte === 0x22) {
      place = stringEnd(data, place + 1, end) >> 1;
      if (place < 0) return -1;
      continue;
    }
    place++;
    if (byte === 0x7b || byte === 0x5b) depth++;
    else if ((byte === 0x7d || byte === 0x5d) && --depth === 0) return place;
  }
  return -1;
}

class ScannerCode {
  readonly module = new ModuleBuilder();
  readonly data = this.module.name('data');
  readonly start = this.module.name('start');
  readonly end = this.module.name('end');
  readonly found = this.module.name('found');
  readonly at = this.module.name('at');
  readonly left = this.module.name('left');
  readonly #stringEnd = this.module.bind(stringEnd, 'stringEnd');
  readonly #valueEnd = this.module.bind(valueEnd, 'valueEnd');
  readonly #slow: Code;

  constructor(slow: JsonScanner) {
    this.#slow = this.module.bind(slow, 'slow');
  }

  #skipSpace(): Code {
    const { data, at, end } = this;
    return js`while (${at} < ${end} && ${data}[${at}] <= 32) ${at}++;\nif (${at} >= ${end}) return;`;
  }

  #note(node: Node, kind: Code, from: Code, to: Code): Code {
    const { found, left } = this;
    const notes = node.slots.map(
      (slot) =>
        js`if (${found}[${slot * 3}] === 0) {\n${found}[${slot * 3}] = ${kind};\n${found}[${slot * 3 + 1}] = ${from};\n${found}[${slot * 3 + 2}] = ${to};\n${left}--;\n}`,
    );
    return js`${notes}if (${left} === 0) return;`;
  }

  /** The value at the present place, which some path leads into or ends at; the place moves behind it. */
  #value(node: Node): Code {
    const { data, at, end } = this;
    const from = this.module.name('from');
    const first = this.module.name('first');
    const inner: Code[] = [];
    if (node.keys.size > 0) inner.push(js`if (${first} === 123) {\n${this.#object(node)}\n} else`);
    if (node.positions.size > 0) inner.push(js`if (${first} === 91) {\n${this.#array(node)}\n} else`);
    const note = (kind: Code, start: Code, stop: Code) =>
      node.slots.length === 0 ? js`` : this.#note(node, kind, start, stop);
    const ending = this.module.name('ending');
    const escaped = js`${jsonKinds.string} + (${ending} & 1)`;
    const kind = js`${first} === 123 || ${first} === 91 ? ${jsonKinds.compound} : ${first} === 110 ? ${jsonKinds.null} : ${jsonKinds.literal}`;
    return js`const ${from} = ${at}, ${first} = ${data}[${at}];
${inner}if (${first} === 34) {
const ${ending} = ${this.#stringEnd}(${data}, ${at} + 1, ${end});
if (${ending} < 0) return;
${at} = ${ending} >> 1;
${note(escaped, js`${from} + 1`, js`${at} - 1`)}
} else {
${at} = ${this.#valueEnd}(${data}, ${at}, ${end});
if (${at} < 0) return;
}
if (${first} !== 34) {
${note(kind, from, at)}
}`;
  }

  #keyTest(key: string): Code {
    const { data, at } = this;
    let test = js`${data}[${at} + ${key.length + 1}] === 34`;
    for (let index = 0; index < key.length; index++)
      test = js`${test} && ${data}[${at} + ${index + 1}] === ${key.charCodeAt(index)}`;
    return test;
  }

  #toValue(): Code {
    const { data, at } = this;
    return js`${this.#skipSpace()}\nif (${data}[${at}] !== 58) return;\n${at}++;\n${this.#skipSpace()}`;
  }

  #object(node: Node): Code {
    const { data, at, end } = this;
    const byte = this.module.name('byte');
    const key = this.module.name('key');
    const branches = Array.from(
      node.keys,
      ([name, child]) =>
        js`if (${this.#keyTest(name)}) {\n${at} += ${name.length + 2};\n${this.#toValue()}\n${this.#value(child)}\n} else`,
    );
    return js`${at}++;
while (true) {
${this.#skipSpace()}
const ${byte} = ${data}[${at}];
if (${byte} === 44) { ${at}++; continue; }
if (${byte} === 125) { ${at}++; break; }
if (${byte} !== 34) return;
${branches}{
const ${key} = ${this.#stringEnd}(${data}, ${at} + 1, ${end});
if (${key} < 0) return;
if (${key} & 1) { ${this.#slow}(${data}, ${this.start}, ${end}, ${this.found}); return; }
${at} = ${key} >> 1;
${this.#toValue()}
${at} = ${this.#valueEnd}(${data}, ${at}, ${end});
if (${at} < 0) return;
}
}`;
  }

  #array(node: Node): Code {
    const { data, at, end } = this;
    const byte = this.module.name('byte');
    const position = this.module.name('position');
    const branches = Array.from(
      node.positions,
      ([wanted, child]) => js`if (${position} === ${wanted}) {\n${this.#value(child)}\n} else`,
    );
    return js`${at}++;
let ${position} = 0;
while (true) {
${this.#skipSpace()}
const ${byte} = ${data}[${at}];
if (${byte} === 44) { ${at}++; continue; }
if (${byte} === 93) { ${at}++; break; }
${position}++;
${branches}{
${at} = ${this.#valueEnd}(${data}, ${at}, ${end});
if (${at} < 0) return;
}
}`;
  }

  build(root: Node, paths: number): JsonScanner {
    const { data, start, end, found, at, left } = this;
    const clear = Array.from({ length: paths }, (_, slot) => js`${found}[${slot * 3}] = 0;`);
    const state = this.module.name('state');
    const body = js`return (${data}, ${start}, ${end}, ${found}) => {\nlet ${at} = ${start}, ${left} = ${paths};\n${clear}${this.#skipSpace()}\n${this.#value(root)}\n};`;
    return instantiate<null, JsonScanner>(this.module.finish(state, body))([], null);
  }
}

/** A scanner for the paths: generated code, unless there are too many keys for that. */
export function jsonScanner(paths: readonly JsonPath[]): JsonScanner {
  const slow = slowJsonScanner(paths);
  const bytes = paths
    .flat()
    .reduce<number>((sum, step) => sum + (typeof step === 'string' ? step.length : 1), 0);
  if (bytes > generatedKeyBytesMax) return slow;
  return new ScannerCode(slow).build(treeOf(paths), paths.length);
}
