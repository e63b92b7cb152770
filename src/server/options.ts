import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { maybeYouMeant, SluiceError } from '../base/index.ts';

/** A port, or null when its door is closed. */
type Port = number | null;

export interface ServerOptions {
  readonly host: string;
  readonly httpPort: Port;
  readonly nativePort: Port;
  readonly httpsPort: Port;
  readonly tlsCert: string | null;
  readonly tlsKey: string | null;
  readonly dataDir: string;
  readonly usersFile: string | null;
  /** Hosts that url() and s3() may reach: `any`, `none`, or names with commas between them. */
  readonly outsideHosts: string;
  /** Bytes; null for no limit of our own. */
  readonly memoryLimit: number | null;
  readonly threads: number;
  readonly httpQueryMode: 'streaming' | 'table';
  readonly logLevel: 'error' | 'warning' | 'information' | 'debug';
}

/** Flags by name, with their default and what they are for. Each is also SLUICE_NAME in the environment. */
export const flags = {
  host: { default: '127.0.0.1', doc: 'address that the server listens on' },
  'http-port': { default: '8123', doc: "port of the HTTP interface, or 'off'" },
  'native-port': { default: '3218', doc: "second port, whose queries stream by default, or 'off'" },
  'https-port': { default: '8443', doc: 'port of the HTTPS interface, open when a certificate is given' },
  'tls-cert': { default: '', doc: 'file of the TLS certificate (PEM)' },
  'tls-key': { default: '', doc: "file of the certificate's key (PEM)" },
  'data-dir': { default: './data', doc: 'directory that holds all data' },
  'users-file': { default: '', doc: 'JSON file of the users that may log in' },
  'outside-hosts': {
    default: 'any',
    doc: "hosts that url() and s3() may reach: 'any', 'none', or names with commas between them",
  },
  'memory-limit': { default: '', doc: 'bytes of decoded data kept in memory, such as 2GiB' },
  threads: { default: '0', doc: 'threads for heavy queries; 0 leaves the choice to the server' },
  'http-query-mode': {
    default: 'streaming',
    doc: "how the HTTP port reads a plain stream name: 'streaming' or 'table'",
  },
  'log-level': { default: 'information', doc: 'error, warning, information or debug' },
  config: { default: '', doc: 'JSON file with any of these flags as keys' },
} as const;

type FlagName = keyof typeof flags;

function bad(message: string): SluiceError {
  return new SluiceError('BAD_ARGUMENTS', message);
}

function parsePort(name: string, text: string): Port {
  if (text === 'off') return null;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535 || text.trim() === '')
    throw bad(`--${name} must be a port from 0 to 65535 or 'off', not '${text}'`);
  return port;
}

function parseBytes(name: string, text: string): number | null {
  if (text === '') return null;
  const match = /^(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?$/i.exec(text.trim());
  if (match === null) throw bad(`--${name} must be a number of bytes such as 500MB or 2GiB, not '${text}'`);
  const power = ' kmgt'.indexOf((match[2] || ' ').toLowerCase());
  return Math.floor(Number(match[1]) * (match[3] ? 1024 : 1000) ** power);
}

function parseThreads(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw bad(`--threads must be a whole number from 0 to 9999, not '${text}'`);
  return Number(text);
}

function oneOf<Word extends string>(name: string, text: string, words: readonly Word[]): Word {
  const found = words.find((word) => word === text);
  if (found === undefined) throw bad(`--${name} must be one of ${words.join(', ')}, not '${text}'`);
  return found;
}

function configValues(path: string): Record<string, string> {
  if (path === '') return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(path, 'utf8'));
  } catch (thrown) {
    throw bad(`The configuration file ${path} cannot be read: ${(thrown as Error).message}`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw bad(`The configuration file ${path} must hold an object`);
  return Object.fromEntries(
    Object.entries(parsed).map(([key, value]) => {
      const name = key.replaceAll('_', '-');
      if (!Object.hasOwn(flags, name))
        throw bad(
          `The configuration file ${path} has an unknown key '${key}'${maybeYouMeant(name, Object.keys(flags))}`,
        );
      return [name, String(value)];
    }),
  );
}

/** Reads the server's options: flags before the environment, that before the configuration file. */
export function readOptions(args: readonly string[], environment: NodeJS.ProcessEnv): ServerOptions {
  const unknown = args.find(
    (argument) =>
      argument.startsWith('-') && !Object.hasOwn(flags, argument.replace(/^--?/, '').split('=')[0]!),
  );
  if (unknown !== undefined) {
    const name = unknown.replace(/^--?/, '').split('=')[0]!;
    throw bad(`Unknown flag ${unknown}${maybeYouMeant(name, Object.keys(flags))}`);
  }
  const options = Object.fromEntries(Object.keys(flags).map((name) => [name, { type: 'string' as const }]));
  let given: Record<string, string | undefined>;
  try {
    given = parseArgs({ args: [...args], options, strict: true }).values as Record<
      string,
      string | undefined
    >;
  } catch (thrown) {
    throw bad((thrown as Error).message);
  }
  const fromEnvironment = (name: FlagName) =>
    environment[`SLUICE_${name.toUpperCase().replaceAll('-', '_')}`];
  const config = configValues(given['config'] ?? fromEnvironment('config') ?? '');
  const value = (name: FlagName): string =>
    given[name] ?? fromEnvironment(name) ?? config[name] ?? flags[name].default;
  const tls = value('tls-cert') !== '' && value('tls-key') !== '';
  if (!tls && (value('tls-cert') !== '' || value('tls-key') !== ''))
    throw bad('--tls-cert and --tls-key belong together: only one of them is given');
  return {
    host: value('host'),
    httpPort: parsePort('http-port', value('http-port')),
    nativePort: parsePort('native-port', value('native-port')),
    httpsPort: tls ? parsePort('https-port', value('https-port')) : null,
    tlsCert: value('tls-cert') || null,
    tlsKey: value('tls-key') || null,
    dataDir: value('data-dir'),
    outsideHosts: value('outside-hosts'),
    usersFile: value('users-file') || null,
    memoryLimit: parseBytes('memory-limit', value('memory-limit')),
    threads: parseThreads(value('threads')),
    httpQueryMode: oneOf('http-query-mode', value('http-query-mode'), ['streaming', 'table']),
    logLevel: oneOf('log-level', value('log-level'), ['error', 'warning', 'information', 'debug']),
  };
}
