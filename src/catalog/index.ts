export { Catalog, viewPositionDocument, viewStateDocument } from './catalog.ts';
export { externalText, quotedName, streamText } from './create-text.ts';
export type {
  ConnectExternal,
  ExternalDefinition,
  ExternalSink,
  ExternalSource,
  ExternalStatus,
  ExternalTable,
  ReadRequest,
  ReadStart,
  SimpleCondition,
  WriteRequest,
} from './external.ts';
export {
  type CatalogObject,
  type ColumnDefinition,
  type ExternalObject,
  engineName,
  eventTimeColumn,
  kindName,
  type MaterializedViewObject,
  type StreamObject,
  type SystemTable,
  sequenceColumn,
  type Viewer,
  type ViewObject,
} from './objects.ts';
