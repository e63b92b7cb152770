import protobuf from 'protobufjs';
import { maybeYouMeant, type Settings, SluiceError } from '../../base/index.ts';
import type { FormatSchemas } from '../format-schemas.ts';

export type MessageType = protobuf.Type;
export type FieldType = protobuf.Field;

/** Files that one schema may import, directly or not. */
const importsMax = 500;

function parseInto(root: protobuf.Root, name: string, text: string): readonly string[] {
  try {
    const { imports, weakImports } = protobuf.parse(text, root, { keepCase: true });
    return [...(imports ?? []), ...(weakImports ?? [])];
  } catch (thrown) {
    throw new SluiceError(
      'INCORRECT_DATA',
      `The Protobuf schema '${name}' is wrong: ${(thrown as Error).message}`,
      {
        cause: thrown,
      },
    );
  }
}

/** Adds what Google's own files define, such as timestamps; false when there is no such file. */
function addCommon(root: protobuf.Root, path: string): boolean {
  const known = protobuf.common.get(path);
  if (known?.nested === undefined) return false;
  root.addJSON(known.nested);
  return true;
}

/** Reads a schema and all that it imports; throws INCORRECT_DATA. */
export function parseProtobufSchema(name: string, text: string, schemas: FormatSchemas): protobuf.Root {
  const root = new protobuf.Root();
  const seen = new Set<string>([name.replace(/\.proto$/, '')]);
  const waiting = parseInto(root, name, text).map((path) => ({ path, from: name }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { path, from } = next;
    const key = path.replace(/\.proto$/, '');
    if (seen.has(key)) continue;
    seen.add(key);
    if (seen.size > importsMax)
      throw new SluiceError(
        'INCORRECT_DATA',
        `The Protobuf schema '${name}' imports more than ${importsMax} files`,
      );
    const imported = schemas.text(path);
    if (imported !== undefined)
      waiting.push(...parseInto(root, path, imported).map((each) => ({ path: each, from: path })));
    else if (!addCommon(root, path))
      throw new SluiceError(
        'INCORRECT_DATA',
        `The Protobuf schema '${from}' imports '${path}', which is not there`,
      );
  }
  try {
    root.resolveAll();
  } catch (thrown) {
    throw new SluiceError(
      'INCORRECT_DATA',
      `The Protobuf schema '${name}' is wrong: ${(thrown as Error).message}`,
      {
        cause: thrown,
      },
    );
  }
  return root;
}

function messagesOf(space: protobuf.NamespaceBase): MessageType[] {
  return space.nestedArray.flatMap((object) => {
    const inner = object instanceof protobuf.Namespace ? messagesOf(object) : [];
    return object instanceof protobuf.Type ? [object, ...inner] : inner;
  });
}

const plainName = (type: MessageType) => type.fullName.replace(/^\./, '');

function findMessage(root: protobuf.Root, name: string, schemaName: string): MessageType {
  const messages = messagesOf(root);
  const exact = messages.find((type) => plainName(type) === name);
  if (exact !== undefined) return exact;
  const suffixed = messages.filter((type) => plainName(type).endsWith(`.${name}`));
  if (suffixed.length === 1) return suffixed[0]!;
  if (suffixed.length > 1) {
    const all = suffixed.map((type) => `'${plainName(type)}'`).join(' and ');
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `'${name}' in the schema '${schemaName}' can be ${all}: name it in full`,
    );
  }
  const names = messages.map(plainName).filter((known) => !known.startsWith('google.protobuf.'));
  throw new SluiceError(
    'BAD_ARGUMENTS',
    `The Protobuf schema '${schemaName}' has no message '${name}': it has ${names.join(', ') || 'none'}${maybeYouMeant(name, names)}`,
  );
}

/** The message that the setting `format_schema` names as `schema:Message`; throws BAD_ARGUMENTS or INCORRECT_DATA. */
export function messageType(settings: Settings, schemas: FormatSchemas): MessageType {
  const setting = settings.format_schema;
  const colon = setting.lastIndexOf(':');
  if (colon <= 0 || colon === setting.length - 1) {
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `Protobuf needs the setting format_schema as 'schema:Message', with the name of a file or of a CREATE FORMAT SCHEMA and of a message in it; it is '${setting}'`,
    );
  }
  const name = setting.slice(0, colon);
  const text = schemas.text(name);
  if (text === undefined) {
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `There is no format schema '${name}': neither one made by CREATE FORMAT SCHEMA nor a file in the directory of format schemas${maybeYouMeant(name, schemas.names())}`,
    );
  }
  const kept = keptMessages(schemas);
  const known = kept.get(setting);
  if (known?.texts.every(([each, read]) => schemas.text(each) === read) === true) return known.type;
  const texts: [string, string | undefined][] = [];
  const noting: FormatSchemas = {
    text: (each) => {
      const read = schemas.text(each);
      texts.push([each, read]);
      return read;
    },
    names: () => schemas.names(),
  };
  const type = findMessage(
    parseProtobufSchema(name, noting.text(name)!, noting),
    setting.slice(colon + 1),
    name,
  );
  if (kept.size >= keptMax) kept.clear();
  kept.set(setting, { type, texts });
  return type;
}

/** Messages that are kept with the texts they were made of, because a broker's messages want theirs again and again. */
interface KeptMessage {
  readonly type: MessageType;
  /** What was read by which name; undefined for a file that was not there. */
  readonly texts: readonly (readonly [string, string | undefined])[];
}

const keptMax = 64;
const keptBySchemas = new WeakMap<FormatSchemas, Map<string, KeptMessage>>();

function keptMessages(schemas: FormatSchemas): Map<string, KeptMessage> {
  let kept = keptBySchemas.get(schemas);
  if (kept === undefined) {
    kept = new Map();
    keptBySchemas.set(schemas, kept);
  }
  return kept;
}
