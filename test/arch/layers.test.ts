import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import test from 'ava';

/** The layers of src/: a folder imports only from folders above it in this list, those of one line do not see each other. */
const layers: readonly (readonly string[])[] = [
  ['base'],
  ['types'],
  ['column', 'code', 'ast', 'compression'],
  ['runtime', 'parser', 'formats', 'storage', 'files'],
  ['functions'],
  ['catalog', 'access'],
  ['plan'],
  ['compile'],
  ['exec', 'connectors'],
  ['engine'],
  ['server', 'tools'],
];

const root = resolve(import.meta.dirname, '../../src');
const levelOf = new Map(
  layers.flatMap((folders, level) => folders.map((folder): [string, number] => [folder, level])),
);

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.d.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
}

function imports(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return Array.from(text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g), (match) => match[1]!);
}

test('folders import only from lower layers, through their index', (t) => {
  const wrong: string[] = [];
  for (const file of sources(root)) {
    const place = relative(root, file);
    const folder = place.includes('/') ? place.split('/')[0]! : null;
    if (folder === null) continue;
    t.true(levelOf.has(folder), `src/${folder} has no layer`);
    for (const specifier of imports(file)) {
      const target = relative(root, resolve(dirname(file), specifier));
      if (target.startsWith('..')) {
        if (!(folder === 'parser' && target.startsWith('../generated/')))
          wrong.push(`${place} -> ${specifier}`);
        continue;
      }
      const other = target.split('/')[0]!;
      if (other === folder) continue;
      const lower = (levelOf.get(other) ?? 99) < levelOf.get(folder)!;
      if (!lower || target !== `${other}/index.ts`) wrong.push(`${place} -> ${target}`);
    }
  }
  t.deepEqual(wrong, []);
});

test('source text becomes code in one file only', (t) => {
  const makers = sources(root).filter((file) =>
    /new Function\b|\beval\(|vm\.(run|Script)/.test(readFileSync(file, 'utf8')),
  );
  t.deepEqual(
    makers.map((file) => relative(root, file)),
    ['code/instantiate.ts'],
  );
});

test('time is read and waited for through the clock', (t) => {
  const users = sources(root).filter((file) =>
    /\b(Date\.now|setTimeout|setInterval|performance\.now)\(/.test(readFileSync(file, 'utf8')),
  );
  t.deepEqual(
    users.map((file) => relative(root, file)),
    ['base/clock.ts'],
  );
});

test('files have one subject: at most 500 lines', (t) => {
  const long = sources(root).filter((file) => readFileSync(file, 'utf8').split('\n').length > 500);
  t.deepEqual(long, []);
});
