import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { maybeYouMeant, SluiceError } from '../../base/index.ts';
import type { OutsidePolicy } from '../outside-policy.ts';
import type { GivenSettings, SettingSpecs } from '../settings.ts';

const unsupported = 'is not supported yet';

/** The settings of an external stream of type `kafka`, named as in Timeplus Proton where it has them. */
export const kafkaSettings: SettingSpecs = {
  brokers: { kind: 'string', required: true, doc: 'a list of brokers such as host1:9092,host2:9092' },
  topic: { kind: 'string', required: true, doc: 'the name of the topic' },
  data_format: { kind: 'string', doc: 'How messages are read and written; RawBLOB takes them as they are.' },
  format_schema: { kind: 'string', doc: "The schema of a format that needs one, as 'name:Message'." },
  one_message_per_row: {
    kind: 'bool',
    doc: 'Whether each row that is written becomes a message of its own.',
  },
  kafka_max_message_size: { kind: 'uint', doc: 'Bytes that a message of several rows has at most.' },
  security_protocol: {
    kind: 'enum',
    words: ['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL'],
    doc: 'How brokers are talked to.',
  },
  sasl_mechanism: {
    kind: 'enum',
    words: ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'],
    doc: 'How the user is made known.',
  },
  username: { kind: 'string', doc: 'The user.' },
  password: { kind: 'string', secret: true, doc: 'Their password.' },
  ssl_ca_pem: { kind: 'string', doc: 'The certificate of the authority, in PEM form.' },
  ssl_ca_cert_file: { kind: 'string', doc: 'A file of the server with that certificate.' },
  skip_ssl_cert_check: { kind: 'bool', doc: 'Whether any certificate is accepted.' },
  properties: {
    kind: 'string',
    doc: "Further properties as 'name=value;name=value'.",
    show: (value) => value.replace(/((?:^|;)[^=;]*(?:password|secret|key)[^=;]*=)[^;]*/gi, '$1[HIDDEN]'),
  },
  connection_timeout: {
    kind: 'seconds',
    doc: 'Seconds after which brokers that cannot be reached, or a topic that does not exist, are an error.',
  },
  on_error: {
    kind: 'enum',
    words: ['fail', 'skip'],
    doc: 'What becomes of a message that cannot be read: an error, or nothing.',
  },
  config_file: { kind: 'string', refused: unsupported, doc: '' },
  kafka_schema_registry_url: { kind: 'string', refused: unsupported, doc: '' },
  kafka_schema_registry_credentials: { kind: 'string', secret: true, refused: unsupported, doc: '' },
};

/** Properties under their names of librdkafka that are taken; others are refused rather than passed over. */
interface Properties {
  readonly 'client.id': string;
  readonly 'compression.type': 'none' | 'gzip' | 'snappy' | 'lz4' | 'zstd';
  /** Bytes of one answer with messages, and of one partition in it. */
  readonly 'fetch.max.bytes': number;
  readonly 'max.partition.fetch.bytes': number;
  readonly 'fetch.wait.max.ms': number;
  /** Bytes of a batch of messages as it is sent. */
  readonly 'message.max.bytes': number;
  readonly 'transaction.timeout.ms': number;
  readonly 'isolation.level': 'read_committed' | 'read_uncommitted';
}

const defaultProperties: Properties = {
  'client.id': 'sluice',
  'compression.type': 'none',
  'fetch.max.bytes': 8 * 1024 * 1024,
  'max.partition.fetch.bytes': 4 * 1024 * 1024,
  'fetch.wait.max.ms': 500,
  'message.max.bytes': 1_000_000,
  'transaction.timeout.ms': 60_000,
  'isolation.level': 'read_committed',
};

const propertyWords: Partial<Record<string, readonly string[]>> = {
  'compression.type': ['none', 'gzip', 'snappy', 'lz4', 'zstd'],
  'isolation.level': ['read_committed', 'read_uncommitted'],
};

function readProperties(text: string): Properties {
  const properties: Record<string, string | number> = { ...defaultProperties };
  for (const part of text.split(';')) {
    if (part.trim() === '') continue;
    const at = part.indexOf('=');
    const name = part.slice(0, at < 0 ? undefined : at).trim();
    const known = properties[name];
    if (known === undefined || at < 0) {
      const hint = at < 0 ? ': expected name=value' : maybeYouMeant(name, Object.keys(properties));
      throw new SluiceError('BAD_ARGUMENTS', `Unknown Kafka property '${name}' in 'properties'${hint}`);
    }
    const value = part.slice(at + 1).trim();
    const words = propertyWords[name];
    if (words !== undefined && !words.includes(value))
      throw new SluiceError('BAD_ARGUMENTS', `Kafka property '${name}' must be one of ${words.join(', ')}`);
    if (typeof known === 'number' && !(Number.isSafeInteger(Number(value)) && Number(value) > 0))
      throw new SluiceError('BAD_ARGUMENTS', `Kafka property '${name}' must be a whole number above 0`);
    properties[name] = typeof known === 'number' ? Number(value) : value;
  }
  return properties as unknown as Properties;
}

/** How a topic is reached and what its messages are. */
export interface KafkaOptions {
  readonly brokers: readonly { readonly host: string; readonly port: number }[];
  /** Throws ACCESS_DENIED for a broker that the server may not speak to. */
  readonly assertAllowed: (broker: { readonly host: string; readonly port: number }) => void;
  readonly topic: string;
  /** RawBLOB when none was given. */
  readonly format: string;
  /** Name of the format's schema; empty when none was given. */
  readonly formatSchema: string;
  readonly oneMessagePerRow: boolean | undefined;
  readonly messageBytesMax: number;
  readonly tls:
    | { readonly ca?: string; readonly caFile?: string; readonly rejectUnauthorized: boolean }
    | undefined;
  readonly sasl:
    | {
        readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512';
        readonly username: string;
        readonly password: string;
      }
    | undefined;
  /** Milliseconds after which what cannot be reached is an error. */
  readonly patience: number;
  readonly skipBadMessages: boolean;
  readonly properties: Properties;
}

function readBrokers(text: string): KafkaOptions['brokers'] {
  return text.split(',').map((part) => {
    const match = /^\s*(?:\[([0-9a-fA-F:.]+)\]|([^\s:,]+))(?::(\d{1,5}))?\s*$/.exec(part);
    const port = Number(match?.[3] ?? 9092);
    if (match === null || port < 1 || port > 65_535) {
      throw new SluiceError(
        'BAD_ARGUMENTS',
        `Setting 'brokers' has '${part.trim()}' in it: expected host:port, several of them with commas between`,
      );
    }
    return { host: match[1] ?? match[2]!, port };
  });
}

/** The certificate authorities to trust; a file is read when a connection is made. */
export function trustedAuthorities({ tls }: KafkaOptions): string | undefined {
  if (tls?.caFile === undefined) return tls?.ca;
  try {
    return readFileSync(tls.caFile, 'utf8');
  } catch (thrown) {
    throw new SluiceError('CANNOT_READ_FROM_FILE', "The file of 'ssl_ca_cert_file' cannot be read", {
      cause: thrown,
    });
  }
}

/** Takes the settings apart; throws BAD_ARGUMENTS for those that do not go together. */
export function kafkaOptions(settings: GivenSettings, outside: OutsidePolicy): KafkaOptions {
  const topic = settings.text('topic')!;
  if (!/^[A-Za-z0-9._-]{1,249}$/.test(topic) || topic === '.' || topic === '..')
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `Setting 'topic' cannot be '${topic}': expected letters, digits, '.', '_' and '-', 249 at most`,
    );
  const protocol = settings.text('security_protocol') ?? 'PLAINTEXT';
  const [username, password] = [settings.text('username'), settings.text('password')];
  const needsUser = protocol.startsWith('SASL');
  const refuse = (message: string): never => {
    throw new SluiceError('BAD_ARGUMENTS', message);
  };
  if (needsUser && (username === undefined || password === undefined))
    refuse(`security_protocol='${protocol}' needs 'username' and 'password'`);
  if (!needsUser && (username ?? password ?? settings.text('sasl_mechanism')) !== undefined)
    refuse(
      `'username', 'password' and 'sasl_mechanism' need security_protocol='SASL_SSL' or 'SASL_PLAINTEXT'`,
    );
  const encrypted = protocol.endsWith('SSL');
  const [ca, caFile] = [settings.text('ssl_ca_pem'), settings.text('ssl_ca_cert_file')];
  if (!encrypted && (ca ?? caFile ?? settings.flag('skip_ssl_cert_check')) !== undefined)
    refuse(`Settings of certificates need security_protocol='SSL' or 'SASL_SSL'`);
  if (ca !== undefined && caFile !== undefined)
    refuse(`Only one of 'ssl_ca_pem' and 'ssl_ca_cert_file' can be given`);
  const properties = readProperties(settings.text('properties') ?? '');
  const assertAllowed: KafkaOptions['assertAllowed'] = ({ host, port }) => {
    outside.assertHost(host, String(port));
    if (isIP(host) !== 0) outside.assertAddress(host, host);
  };
  const brokers = readBrokers(settings.text('brokers')!);
  for (const broker of brokers) assertAllowed(broker);
  return {
    brokers,
    assertAllowed,
    topic,
    format: settings.text('data_format') || 'RawBLOB',
    formatSchema: settings.text('format_schema') ?? '',
    oneMessagePerRow: settings.flag('one_message_per_row'),
    messageBytesMax: Math.min(
      settings.number('kafka_max_message_size') || Number.POSITIVE_INFINITY,
      // A message goes out in a batch whose head and lengths take room beside it.
      Math.max(1, properties['message.max.bytes'] - 512),
    ),
    tls: encrypted
      ? {
          ...(ca === undefined ? {} : { ca }),
          ...(caFile === undefined ? {} : { caFile }),
          rejectUnauthorized: settings.flag('skip_ssl_cert_check') !== true,
        }
      : undefined,
    sasl: needsUser
      ? {
          mechanism: (settings.text('sasl_mechanism') ?? 'PLAIN') as 'PLAIN',
          username: username!,
          password: password!,
        }
      : undefined,
    patience: (settings.number('connection_timeout') ?? 10) * 1000,
    skipBadMessages: settings.text('on_error') === 'skip',
    properties,
  };
}
