import { SluiceError } from '../../base/index.ts';
import type { Connector, ConnectorServices } from '../connector.ts';
import type { GivenSettings, SettingSpecs } from '../settings.ts';
import { ClickHouseServer, type ServerAddress } from './server.ts';
import { ClickHouseTable, remoteColumns, type TablePlace } from './table.ts';

const settings: SettingSpecs = {
  address: {
    kind: 'string',
    required: true,
    doc: "host and port of the server's HTTP interface, such as '127.0.0.1:8123'",
  },
  table: { kind: 'string', required: true, doc: 'name of the table there' },
  database: { kind: 'string', doc: "its database; 'default' unless given" },
  user: { kind: 'string', doc: "'default' unless given" },
  password: { kind: 'string', secret: true, doc: 'empty unless given' },
  secure: { kind: 'bool', doc: 'whether to speak TLS' },
  skip_ssl_cert_check: { kind: 'bool', doc: 'whether a certificate that cannot be verified is accepted' },
  connect_timeout: { kind: 'seconds', doc: 'seconds until a connection has to be there; 10 unless given' },
  receive_timeout: { kind: 'seconds', doc: 'seconds until something has to come over it; 300 unless given' },
};

function addressOf(given: GivenSettings): ServerAddress {
  const secure = given.flag('secure') ?? false;
  const text = given.text('address')!;
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]/\s]+))(?::(\d{1,5}))?$/i.exec(text);
  const port = match?.[3] === undefined ? (secure ? 8443 : 8123) : Number(match[3]);
  if (match === null || port < 1 || port > 65_535)
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `Setting 'address' cannot be '${text}': expected host:port, the port being that of the server's HTTP interface`,
    );
  return {
    host: match[1] ?? match[2]!,
    port,
    secure,
    verify: given.flag('skip_ssl_cert_check') !== true,
    user: given.text('user') ?? 'default',
    password: given.text('password') ?? '',
    connectSeconds: given.number('connect_timeout') ?? 10,
    receiveSeconds: given.number('receive_timeout') ?? 300,
  };
}

function placeOf(given: GivenSettings, services: ConnectorServices): TablePlace {
  return {
    server: new ClickHouseServer(addressOf(given), services),
    database: given.text('database') ?? 'default',
    table: given.text('table')!,
  };
}

/** Tables of a ClickHouse server, over its HTTP interface. */
export const clickHouseConnector: Connector = {
  type: 'clickhouse',
  variants: ['table'],
  settings,
  connect: (definition, given, shown, services) =>
    new ClickHouseTable(placeOf(given, services), definition.columns, shown),
  findColumns: async (_definition, given, services, signal) => {
    const place = placeOf(given, services);
    try {
      const columns = await remoteColumns(place, signal);
      return columns.map((column) => ({ ...column, defaultText: null, comment: '' }));
    } finally {
      place.server.close();
    }
  },
};
