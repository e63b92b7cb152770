export type { Connector, ConnectorServices } from './connector.ts';
export { partitionColumn } from './files/format-table.ts';
export { StructureWanted } from './files/functions.ts';
export { OutsidePolicy } from './outside-policy.ts';
export { Connectors } from './registry.ts';
export type { GivenSettings, SettingSpec, SettingSpecs } from './settings.ts';
