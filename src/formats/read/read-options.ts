import { type Settings, SluiceError } from '../../base/index.ts';
import { type SqlType, type TextOptions, typeName } from '../../types/index.ts';
import { textOptions } from '../text-settings.ts';

/** The settings that readers look at, taken apart once. */
export interface ReadOptions {
  readonly settings: Settings;
  readonly text: TextOptions;
  readonly skipUnknownFields: boolean;
  readonly nullAsDefault: boolean;
  readonly nestedJson: boolean;
  /** Whether DEFAULT expressions fill what the input leaves out. */
  readonly fillDefaults: boolean;
  readonly errorsAllowed: number;
}

export function readOptions(settings: Settings): ReadOptions {
  return {
    settings,
    text: textOptions(settings),
    skipUnknownFields: settings.input_format_skip_unknown_fields,
    nullAsDefault: settings.input_format_null_as_default,
    nestedJson: settings.input_format_import_nested_json,
    fillDefaults: settings.input_format_defaults_for_omitted_fields,
    errorsAllowed: settings.input_format_allow_errors_num,
  };
}

/** The failure of a NULL for a type that has none. */
export function nullRefused(type: SqlType): SluiceError {
  return new SluiceError(
    'CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN',
    `NULL is given, but ${typeName(type)} is not nullable`,
  );
}
