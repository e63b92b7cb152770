export { type Clock, SluiceError, systemClock, VirtualClock } from './base/index.ts';
export {
  Database,
  type DatabaseOptions,
  type QueryOptions,
  type Row,
  type RowStream,
  version,
} from './engine/index.ts';
