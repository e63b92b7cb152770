import { maybeYouMeant, SluiceError } from '../base/index.ts';

/** A setting of a CREATE EXTERNAL statement. */
export interface SettingSpec {
  readonly kind: 'string' | 'bool' | 'uint' | 'seconds' | 'enum';
  readonly doc: string;
  readonly required?: boolean;
  /** The accepted words of an `enum` setting, in the form that the connector is given; case does not matter. */
  readonly words?: readonly string[];
  /** Why the setting cannot be given, for settings that are known elsewhere. */
  readonly refused?: string;
  /** Never shown. */
  readonly secret?: boolean;
  /** What is shown of a value that holds a secret among other things. */
  readonly show?: (value: string) => string;
}

export type SettingSpecs = Readonly<Record<string, SettingSpec>>;

/** Settings of a definition as values; those that were not given are undefined. */
export interface GivenSettings {
  text(name: string): string | undefined;
  flag(name: string): boolean | undefined;
  number(name: string): number | undefined;
}

const hidden = '[HIDDEN]';

function bad(what: string, spec: SettingSpec, name: string, text: string, expected: string): SluiceError {
  const given =
    spec.secret === true || spec.show !== undefined
      ? 'has a value that does not suit'
      : `cannot be '${text}'`;
  return new SluiceError('BAD_ARGUMENTS', `Setting '${name}' of ${what} ${given}: expected ${expected}`);
}

function parse(what: string, spec: SettingSpec, name: string, text: string): string | number | boolean {
  switch (spec.kind) {
    case 'string':
      return text;
    case 'enum': {
      const word = spec.words!.find((each) => each.toLowerCase() === text.toLowerCase());
      if (word !== undefined) return word;
      throw bad(
        what,
        spec,
        name,
        text,
        `one of ${spec.words!.join(', ')}${maybeYouMeant(text, spec.words!)}`,
      );
    }
    case 'bool': {
      const folded = text.toLowerCase();
      if (folded === '1' || folded === 'true') return true;
      if (folded === '0' || folded === 'false') return false;
      throw bad(what, spec, name, text, 'true, false, 1 or 0');
    }
    case 'uint':
    case 'seconds': {
      const value = text.trim() === '' ? Number.NaN : Number(text);
      const right = spec.kind === 'uint' ? Number.isSafeInteger(value) : Number.isFinite(value);
      if (right && value >= 0) return value;
      throw bad(what, spec, name, text, spec.kind === 'uint' ? 'a whole number from 0' : 'a number from 0');
    }
  }
}

/**
 * Reads the settings of a definition; throws UNKNOWN_SETTING for one that nobody knows, BAD_ARGUMENTS for one that is missing
 * or malformed. `what` names the definition, such as "an external stream of type 'kafka'".
 */
export function readSettings(
  what: string,
  specs: SettingSpecs,
  given: Readonly<Record<string, string>>,
): GivenSettings {
  const values = new Map<string, string | number | boolean>();
  for (const [name, text] of Object.entries(given)) {
    if (name === 'type') continue;
    const spec = Object.hasOwn(specs, name) ? specs[name] : undefined;
    if (spec === undefined) {
      const hint = maybeYouMeant(name, Object.keys(specs));
      throw new SluiceError('UNKNOWN_SETTING', `Unknown setting '${name}' of ${what}${hint}`);
    }
    if (spec.refused !== undefined)
      throw new SluiceError('NOT_IMPLEMENTED', `Setting '${name}' of ${what} ${spec.refused}`);
    values.set(name, parse(what, spec, name, text));
  }
  for (const [name, spec] of Object.entries(specs)) {
    if (spec.required !== true || (values.get(name) ?? '') !== '') continue;
    throw new SluiceError('BAD_ARGUMENTS', `Setting '${name}' of ${what} is missing: ${spec.doc}`);
  }
  return {
    text: (name) => values.get(name) as string | undefined,
    flag: (name) => values.get(name) as boolean | undefined,
    number: (name) => values.get(name) as number | undefined,
  };
}

/** Settings as they may be shown. */
export function shownSettings(
  specs: SettingSpecs,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).map(([name, text]): [string, string] => {
      const spec = Object.hasOwn(specs, name) ? specs[name] : undefined;
      if (spec?.secret === true) return [name, hidden];
      return [name, spec?.show?.(text) ?? text];
    }),
  );
}
