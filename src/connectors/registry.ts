import { maybeYouMeant, SluiceError } from '../base/index.ts';
import type { ColumnDefinition, ExternalDefinition, ExternalTable } from '../catalog/index.ts';
import { clickHouseConnector } from './clickhouse/connector.ts';
import type { Connector, ConnectorServices } from './connector.ts';
import { ObjectFunctions, type ObjectServices } from './files/functions.ts';
import { kafkaConnector } from './kafka/connector.ts';
import { type GivenSettings, readSettings, shownSettings } from './settings.ts';

/** The outside systems that every server knows. */
const builtIn: readonly Connector[] = [clickHouseConnector, kafkaConnector];

function article({ variant }: ExternalDefinition): string {
  return `an external ${variant}`;
}

function connectorOf(connectors: readonly Connector[], definition: ExternalDefinition): Connector {
  const { type } = definition.settings;
  const suitable = connectors.filter((each) => each.variants.includes(definition.variant));
  const names = suitable.map((each) => each.type);
  const expected = `expected ${names.map((name) => `'${name}'`).join(' or ')}`;
  if (type === undefined || type === '')
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `Setting 'type' of ${article(definition)} is missing: ${expected}`,
    );
  const found = suitable.find((each) => each.type === type.toLowerCase());
  if (found !== undefined) return found;
  const elsewhere = connectors.find((each) => each.type === type.toLowerCase());
  if (elsewhere !== undefined) {
    const right = elsewhere.variants.map((variant) => `EXTERNAL ${variant.toUpperCase()}`).join(' or ');
    throw new SluiceError('BAD_ARGUMENTS', `Type '${type}' is for CREATE ${right}`);
  }
  throw new SluiceError(
    'BAD_ARGUMENTS',
    `Setting 'type' of ${article(definition)} cannot be '${type}': ${expected}${maybeYouMeant(type, names)}`,
  );
}

/** The outside systems that the server can reach. */
export class Connectors {
  readonly #services: ConnectorServices;
  /** Table functions whose rows come from outside, or go there. */
  readonly tableFunctions: ObjectFunctions;
  readonly #connectors: readonly Connector[];

  /** `further` are known beside those that every server knows. */
  constructor(services: ConnectorServices & ObjectServices, further: readonly Connector[] = []) {
    this.#services = services;
    this.tableFunctions = new ObjectFunctions(services);
    this.#connectors = [...builtIn, ...further];
  }

  #settings(connector: Connector, definition: ExternalDefinition): GivenSettings {
    const what = `${article(definition)} of type '${connector.type}'`;
    return readSettings(what, connector.settings, definition.settings);
  }

  /** Makes the table behind a definition; contacts nobody. Throws BAD_ARGUMENTS or UNKNOWN_SETTING. */
  async connect(definition: ExternalDefinition): Promise<ExternalTable> {
    const connector = connectorOf(this.#connectors, definition);
    const settings = this.#settings(connector, definition);
    const shown = shownSettings(connector.settings, definition.settings);
    return connector.connect(definition, settings, shown, this.#services);
  }

  /** The columns that the other side has, for a definition that lists none. */
  async findColumns(
    definition: ExternalDefinition,
    signal: AbortSignal,
  ): Promise<readonly ColumnDefinition[]> {
    const connector = connectorOf(this.#connectors, definition);
    const settings = this.#settings(connector, definition);
    if (connector.findColumns === undefined)
      throw new SluiceError(
        'BAD_ARGUMENTS',
        `${article(definition)} of type '${connector.type}' needs at least one column`.replace(/^a/, 'A'),
      );
    return connector.findColumns(definition, settings, this.#services, signal);
  }
}
