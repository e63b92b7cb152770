import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { printSql } from '../ast/index.ts';
import { maybeYouMeant, SluiceError } from '../base/index.ts';
import { type FormatSchemas, parseProtobufSchema } from '../formats/index.ts';
import type { Store } from '../storage/index.ts';

const documentPrefix = 'format-schema-';
const schemaBytesMax = 4_194_304;

/** A schema that was made by CREATE FORMAT SCHEMA. */
export interface StoredSchema {
  readonly name: string;
  /** `Protobuf`. */
  readonly type: string;
  readonly text: string;
}

function documentName(name: string): string {
  return `${documentPrefix}${Buffer.from(name).toString('hex')}`;
}

const withoutEnding = (name: string) => name.replace(/\.proto$/, '');

/** Schemas made by statements, which are kept in the store, and files in a directory beside it. */
export class SchemaRegistry implements FormatSchemas {
  readonly #store: Store;
  readonly #directory: string;
  readonly #stored = new Map<string, StoredSchema>();

  constructor(store: Store) {
    this.#store = store;
    this.#directory = join(store.directory, 'format_schemas');
    for (const document of store.listDocuments(documentPrefix)) {
      const schema = store.readDocument(document) as StoredSchema;
      this.#stored.set(schema.name, schema);
    }
  }

  /** The schemas made by statements, by name. */
  get stored(): readonly StoredSchema[] {
    return [...this.#stored.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
  }

  text(name: string): string | undefined {
    return this.#stored.get(withoutEnding(name))?.text ?? this.#fileText(name);
  }

  names(): readonly string[] {
    let files: string[] = [];
    try {
      files = readdirSync(this.#directory).filter((file) => file.endsWith('.proto'));
    } catch {
      // Nobody has to make the directory.
    }
    return [...this.#stored.keys(), ...files];
  }

  #fileText(name: string): string | undefined {
    const path = join(this.#directory, name.endsWith('.proto') ? name : `${name}.proto`);
    const denied = () =>
      new SluiceError(
        'DATABASE_ACCESS_DENIED',
        `The format schema '${name}' is not inside the directory of format schemas`,
      );
    if (name.includes('\0') || !path.startsWith(this.#directory + sep)) throw denied();
    try {
      if (!realpathSync(path).startsWith(realpathSync(this.#directory) + sep)) throw denied();
      const status = statSync(path);
      if (!status.isFile()) return undefined;
      if (status.size > schemaBytesMax)
        throw new SluiceError(
          'BAD_ARGUMENTS',
          `The format schema '${name}' has more than ${schemaBytesMax} bytes`,
        );
      return readFileSync(path, 'utf8');
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
      if (thrown instanceof SluiceError) throw thrown;
      throw new SluiceError(
        'CANNOT_READ_FROM_FILE',
        `The format schema '${name}' cannot be read: ${(thrown as Error).message}`,
      );
    }
  }

  /** Keeps a schema; throws INCORRECT_DATA when it is wrong, TABLE_ALREADY_EXISTS unless it may be replaced. */
  async create(
    schema: StoredSchema,
    conditions: { orReplace: boolean; ifNotExists: boolean },
  ): Promise<void> {
    const { name, type, text } = schema;
    if (type.toLowerCase() !== 'protobuf')
      throw new SluiceError(
        'NOT_IMPLEMENTED',
        `Format schemas of TYPE ${type} are not supported: only Protobuf is`,
      );
    if (this.#stored.has(name) && !conditions.orReplace) {
      if (conditions.ifNotExists) return;
      throw new SluiceError('TABLE_ALREADY_EXISTS', `Format schema ${name} already exists`);
    }
    parseProtobufSchema(name, text, this);
    const stored = { name, type: 'Protobuf', text };
    await this.#store.writeDocument(documentName(name), stored);
    this.#stored.set(name, stored);
  }

  /** Removes a schema; throws BAD_ARGUMENTS when there is none. */
  async drop(name: string, ifExists: boolean): Promise<void> {
    if (ifExists && !this.#stored.has(name)) return;
    this.find(name);
    await this.#store.deleteDocument(documentName(name));
    this.#stored.delete(name);
  }

  /** The schema of that name; throws BAD_ARGUMENTS. */
  find(name: string): StoredSchema {
    const schema = this.#stored.get(name);
    if (schema !== undefined) return schema;
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `Format schema ${name} doesn't exist${maybeYouMeant(name, this.#stored.keys())}`,
    );
  }

  /** The statement that makes a schema. */
  createText(name: string): string {
    const { type, text } = this.find(name);
    return printSql({
      kind: 'create_format_schema',
      name,
      ifNotExists: false,
      orReplace: false,
      schema: text,
      type,
      pos: { start: 0, end: 0 },
    });
  }
}
