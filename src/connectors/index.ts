export type { Connector, ConnectorServices } from './connector.ts';
export { Connectors } from './registry.ts';
export type { GivenSettings, SettingSpec, SettingSpecs } from './settings.ts';
