/** Where formats find the schemas that `format_schema` names. */
export interface FormatSchemas {
  /** The text of a schema, named with or without the ending of its file; undefined when there is none. Throws for names that lead outside. */
  text(name: string): string | undefined;
  /** The names there are, for messages. */
  names(): readonly string[];
}

/** No schemas at all. */
export const noSchemas: FormatSchemas = { text: () => undefined, names: () => [] };
