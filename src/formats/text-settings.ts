import type { Settings } from '../base/index.ts';
import type { TextOptions } from '../types/index.ts';

/** How the settings of a query ask for values to be read and written. */
export function textOptions(settings: Settings): TextOptions {
  return {
    timezone: settings.session_timezone,
    dateTimeInput: settings.date_time_input_format as 'basic' | 'best_effort',
    dateTimeOutput: settings.date_time_output_format as 'simple' | 'iso' | 'unix_timestamp',
  };
}
