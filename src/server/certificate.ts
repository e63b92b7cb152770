import { writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { generate } from 'selfsigned';
import { SluiceError, systemClock, toSluiceError } from '../base/index.ts';

const dayMilliseconds = 86_400_000;

/** The flags of `sluice cert`. */
const certificateFlags = {
  host: { type: 'string', default: 'localhost,127.0.0.1' },
  'out-dir': { type: 'string', default: '.' },
  days: { type: 'string', default: '365' },
  force: { type: 'boolean', default: false },
} as const;

function readFlags(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: certificateFlags }).values;
  } catch (thrown) {
    throw new SluiceError('BAD_ARGUMENTS', `sluice cert: ${toSluiceError(thrown).message}`, {
      cause: thrown,
    });
  }
}

async function write(path: string, text: string, mode: number, force: boolean): Promise<void> {
  try {
    await writeFile(path, text, { mode, flag: force ? 'w' : 'wx' });
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    const why = code === 'EEXIST' ? 'it exists already (--force writes over it)' : message;
    throw new SluiceError('BAD_ARGUMENTS', `Cannot write ${path}: ${why}`, { cause: thrown });
  }
}

/** Makes a self-signed certificate (ECDSA, P-256) and its key as `cert.pem` and `key.pem`; gives their paths. */
export async function makeCertificate(args: readonly string[]): Promise<{ cert: string; key: string }> {
  const { host, 'out-dir': directory, days: daysText, force } = readFlags(args);
  const days = Number(daysText);
  if (!Number.isInteger(days) || days < 1 || days > 36_500)
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `--days must be a whole number from 1 to 36500, not '${daysText}'`,
    );
  const names = host
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const [first] = names;
  if (first === undefined) throw new SluiceError('BAD_ARGUMENTS', '--host must name at least one host');
  const pair = await generate([{ name: 'commonName', value: first }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notAfterDate: new Date(systemClock.now() + days * dayMilliseconds),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      {
        name: 'subjectAltName',
        // Type 2 is a host name, 7 an address.
        altNames: names.map((name) => (isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name })),
      },
    ],
  });
  const paths = { cert: join(directory, 'cert.pem'), key: join(directory, 'key.pem') };
  await write(paths.key, pair.private, 0o600, force);
  await write(paths.cert, pair.cert, 0o644, force);
  return paths;
}
