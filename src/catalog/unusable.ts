import { toSluiceError } from '../base/index.ts';
import type { ExternalDefinition, ExternalTable } from './external.ts';

/** Stands for an external object that cannot be connected any more, so that the server starts and it can be dropped. */
export function unusableTable(definition: ExternalDefinition, thrown: unknown): ExternalTable {
  const error = toSluiceError(thrown);
  const fail = (): never => {
    throw error;
  };
  return {
    type: 'unusable',
    columns: definition.columns,
    virtualColumns: [],
    endless: definition.variant === 'stream',
    shownSettings: {},
    read: fail,
    write: fail,
    status: () => ({ state: 'waiting', error: error.exceptionText }),
    close: async () => {},
  };
}
