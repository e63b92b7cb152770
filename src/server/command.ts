import { text } from 'node:stream/consumers';
import { hashPassword } from '../access/index.ts';
import { maybeYouMeant, SluiceError, toSluiceError } from '../base/index.ts';
import { version } from '../engine/index.ts';
import { flags, readOptions } from './options.ts';
import { type Log, startServer } from './server.ts';

const levels = ['error', 'warning', 'information', 'debug'] as const;

function usage(): string {
  const lines = Object.entries(flags).map(([name, flag]) => {
    const preset = flag.default === '' ? '' : ` (${flag.default})`;
    return `  --${name.padEnd(16)} ${flag.doc}${preset}`;
  });
  return `sluice ${version}: a streaming SQL database over HTTP\n\nUsage: sluice serve [flags]\n       sluice hash-password < file  (prints the password_hash of a users file)\n       sluice cert [--host localhost,127.0.0.1] [--out-dir .] [--days 365] [--force]  (makes cert.pem and key.pem for HTTPS)\n       sluice version\n\nFlags, each also as SLUICE_... in the environment:\n${lines.join('\n')}\n`;
}

async function serve(args: readonly string[]): Promise<void> {
  if (args.includes('--help')) {
    process.stdout.write(usage());
    return;
  }
  const options = readOptions(args, process.env);
  const log: Log = (level, message) => {
    if (levels.indexOf(level) <= levels.indexOf(options.logLevel))
      process.stderr.write(`${new Date().toISOString()} ${level}: ${message}\n`);
  };
  const server = await startServer(options, log);
  const doors = Object.entries(server.ports).map(([door, port]) => `${door} on ${options.host}:${port}`);
  log('information', `sluice ${version} is ready: ${doors.join(', ')}; data in ${options.dataDir}`);
  // A failure that nobody waited for must not take the data of everybody else with it.
  process.on('unhandledRejection', (thrown) => {
    log('error', `unhandled: ${(thrown instanceof Error && thrown.stack) || String(thrown)}`);
  });
  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) process.exit(1);
    stopping = true;
    log('information', `${signal}: finishing inserts and ending streams`);
    server.close().then(
      () => process.exit(0),
      (thrown: unknown) => {
        log('error', toSluiceError(thrown).message);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
}

/** Prints the hash of the password on standard input, which unlike an argument no list of processes shows. */
async function printHash(): Promise<void> {
  const password = (await text(process.stdin)).replace(/\r?\n$/, '');
  if (password === '') throw new SluiceError('BAD_ARGUMENTS', 'There is no password on standard input');
  process.stdout.write(`${await hashPassword(password)}\n`);
}

async function cert(args: readonly string[]): Promise<void> {
  // What makes certificates is not loaded by a server that starts.
  const { makeCertificate } = await import('./certificate.ts');
  const { cert: certFile, key } = await makeCertificate(args);
  process.stdout.write(`${certFile} and ${key} are written. Serve with them:\n`);
  process.stdout.write(`  npm start -- --tls-cert ${certFile} --tls-key ${key}\n`);
}

/** Runs the command `sluice` with its arguments. */
export async function runCommand(args: readonly string[]): Promise<void> {
  const [command, ...rest] = args;
  try {
    if (command === 'serve') await serve(rest);
    else if (command === 'version' || command === '--version') process.stdout.write(`${version}\n`);
    else if (command === 'hash-password') await printHash();
    else if (command === 'cert') await cert(rest);
    else if (command === undefined || command === 'help' || command === '--help')
      process.stdout.write(usage());
    else {
      const hint = maybeYouMeant(command, ['serve', 'hash-password', 'cert', 'version', 'help']);
      process.stderr.write(`sluice: Unknown command '${command}'${hint}\n\n${usage()}`);
      process.exitCode = 1;
    }
  } catch (thrown) {
    process.stderr.write(`sluice: ${toSluiceError(thrown).message}\n`);
    process.exit(1);
  }
}
