import type { Clock } from '../base/index.ts';
import type { ColumnDefinition, ExternalDefinition, ExternalTable } from '../catalog/index.ts';
import type { FormatSchemas } from '../formats/index.ts';
import type { OutsidePolicy } from './outside-policy.ts';
import type { GivenSettings, SettingSpecs } from './settings.ts';

/** What connectors have of the server. */
export interface ConnectorServices {
  readonly clock: Clock;
  /** Where formats find their schemas. */
  readonly schemas: FormatSchemas;
  /** Which hosts the server may speak to. */
  readonly outside: OutsidePolicy;
}

/** A kind of outside system: one value of the setting `type`. */
export interface Connector {
  readonly type: string;
  /** Whether it stands behind external streams, external tables or both. */
  readonly variants: readonly ExternalDefinition['variant'][];
  /** Every setting it knows, beside `type`. */
  readonly settings: SettingSpecs;
  /**
   * Makes the table; contacts nobody, and throws BAD_ARGUMENTS for settings or columns that do not go together. What only
   * such tables need may be loaded first: a server without any starts faster.
   */
  connect(
    definition: ExternalDefinition,
    settings: GivenSettings,
    shown: Readonly<Record<string, string>>,
    services: ConnectorServices,
  ): ExternalTable | Promise<ExternalTable>;
  /** Asks the other side for the columns of a definition that lists none; without it they have to be listed. */
  findColumns?(
    definition: ExternalDefinition,
    settings: GivenSettings,
    services: ConnectorServices,
    signal: AbortSignal,
  ): Promise<readonly ColumnDefinition[]>;
}
