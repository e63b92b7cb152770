export { Catalog } from './catalog.ts';
export { quotedName, streamText } from './create-text.ts';
export {
  type CatalogObject,
  type ColumnDefinition,
  eventTimeColumn,
  type MaterializedViewObject,
  type StreamObject,
  type SystemTable,
  sequenceColumn,
  type ViewObject,
} from './objects.ts';
