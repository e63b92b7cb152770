import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { readOptions } from '../../src/server/index.ts';
import { temporaryDirectory } from '../http/support.ts';

test('every flag has its default', (t) => {
  t.deepEqual(readOptions([], {}), {
    host: '127.0.0.1',
    httpPort: 8123,
    nativePort: 3218,
    httpsPort: null,
    tlsCert: null,
    tlsKey: null,
    dataDir: './data',
    usersFile: null,
    outsideHosts: 'any',
    memoryLimit: null,
    threads: 0,
    httpQueryMode: 'streaming',
    logLevel: 'information',
  });
  t.is(readOptions(['--tls-cert', 'c', '--tls-key', 'k'], {}).httpsPort, 8443);
});

test('flags are read from the command line and the environment', (t) => {
  t.is(readOptions(['--http-port=off'], {}).httpPort, null);
  t.is(readOptions(['--http-port', '0'], { SLUICE_HTTP_PORT: '1' }).httpPort, 0);
  t.is(readOptions([], { SLUICE_NATIVE_PORT: 'off' }).nativePort, null);
  t.is(readOptions([], { SLUICE_DATA_DIR: '/d' }).dataDir, '/d');
  const bytes = {
    '1000': 1000,
    '5kB': 5000,
    '500MB': 500_000_000,
    '2GiB': 2_147_483_648,
    '1.5MiB': 1_572_864,
  };
  for (const [text, value] of Object.entries(bytes))
    t.is(readOptions(['--memory-limit', text], {}).memoryLimit, value, text);
});

test('wrong flags are told with what was expected', (t) => {
  const wrong: [string[], RegExp][] = [
    [['--http-prot', '1'], /Unknown flag --http-prot\. Maybe you meant 'http-port'/],
    [['--constructor', '1'], /Unknown flag --constructor/],
    [['--http-port', '65536'], /--http-port must be a port from 0 to 65535 or 'off', not '65536'/],
    [['--http-port=-1'], /--http-port/],
    [['--http-port', ''], /--http-port must be a port/],
    [['--native-port', 'on'], /--native-port must be a port/],
    [['--memory-limit', 'much'], /--memory-limit must be a number of bytes/],
    [['--log-level', 'loud'], /--log-level must be one of error, warning, information, debug/],
    [['--http-query-mode', 'x'], /--http-query-mode must be one of streaming, table/],
    [['--threads', '1.5'], /--threads must be a whole number/],
    [['--tls-cert', 'x'], /--tls-cert and --tls-key belong together/],
    [['extra'], /extra/],
    [['--config', '/nowhere.json'], /configuration file \/nowhere\.json cannot be read/],
  ];
  for (const [args, message] of wrong) t.throws(() => readOptions(args, {}), { message }, args.join(' '));
  t.throws(() => readOptions([], { SLUICE_HTTP_PORT: 'x' }), { message: /--http-port must be a port/ });
});

test('a configuration file holds flags, under dashes or underscores', async (t) => {
  const config = join(await temporaryDirectory(t), 'sluice.json');
  const read = async (content: string, args: readonly string[] = []) => {
    await writeFile(config, content);
    return readOptions(['--config', config, ...args], {});
  };
  t.is((await read('{"http_port": 5}')).httpPort, 5);
  t.is((await read('{"http-port": "off"}', ['--http-port', '7'])).httpPort, 7);
  await t.throwsAsync(read('{"http-prt": 1}'), {
    message: /unknown key 'http-prt'\. Maybe you meant 'http-port'/,
  });
  await t.throwsAsync(read('{"__proto__x": 1}'), { message: /unknown key/ });
  await t.throwsAsync(read('[]'), { message: /must hold an object/ });
  await t.throwsAsync(read('{'), { message: /cannot be read/ });
});
