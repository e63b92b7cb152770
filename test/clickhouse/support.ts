import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { until } from '../http/support.ts';

/** A real ClickHouse server: that of CLICKHOUSE_ADDRESS (host:port of its HTTP interface), else one that is started here. */
export interface ClickHouse {
  readonly address: string;
  /** Runs a statement as the user `default`; throws what the server says is wrong. */
  run(sql: string): Promise<string>;
}

const users = `<yandex>
  <profiles><default><max_memory_usage>2000000000</max_memory_usage></default></profiles>
  <users>
    <default><password></password><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota></default>
    <writer><password>s3cret</password><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota></writer>
  </users>
  <quotas><default><interval><duration>3600</duration><queries>0</queries><errors>0</errors><result_rows>0</result_rows><read_rows>0</read_rows><execution_time>0</execution_time></interval></default></quotas>
</yandex>`;

function config(directory: string, port: number, nativePort: number): string {
  return `<yandex>
  <logger><level>error</level><console>1</console></logger>
  <http_port>${port}</http_port><tcp_port>${nativePort}</tcp_port><listen_host>127.0.0.1</listen_host>
  <path>${directory}/data/</path><tmp_path>${directory}/tmp/</tmp_path>
  <users_config>users.xml</users_config>
  <default_profile>default</default_profile><default_database>default</default_database>
  <mark_cache_size>100000000</mark_cache_size>
</yandex>`;
}

/** A port that was free a moment ago. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

async function runOn(address: string, sql: string): Promise<string> {
  const answer = await fetch(`http://${address}/?allow_experimental_low_cardinality_type=1`, {
    method: 'POST',
    body: sql,
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}

async function start(): Promise<{ address: string; native: string; stop: () => Promise<void> }> {
  const found = spawnSync('clickhouse-server', ['--help'], { stdio: 'ignore' });
  if (found.error !== undefined)
    throw new Error(
      'These tests need a ClickHouse server: install one (apt-get install clickhouse-server), or name one with CLICKHOUSE_ADDRESS=host:port',
    );
  const directory = await mkdtemp(join(tmpdir(), 'sluice-clickhouse-'));
  const [port, native] = [await freePort(), await freePort()];
  for (const part of ['data', 'tmp']) await mkdir(join(directory, part));
  await writeFile(join(directory, 'config.xml'), config(directory, port, native));
  await writeFile(join(directory, 'users.xml'), users);
  let output = '';
  const child: ChildProcess = spawn('clickhouse-server', [`--config-file=${directory}/config.xml`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const address = `127.0.0.1:${port}`;
  await until('ClickHouse is up', async () => {
    if (child.exitCode !== null) throw new Error(`ClickHouse ended: ${output}`);
    return runOn(address, 'SELECT 1').then(
      () => true,
      () => false,
    );
  });
  return {
    address,
    native: `127.0.0.1:${native}`,
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** The server for all tests of a file. */
export function useClickHouse(): ClickHouse & { readonly native: string } {
  let started: Awaited<ReturnType<typeof start>> | null = null;
  const given = process.env['CLICKHOUSE_ADDRESS'];
  test.before('ClickHouse is started', async () => {
    if (given === undefined) started = await start();
  });
  test.after.always('ClickHouse is stopped', async () => {
    await started?.stop();
  });
  return {
    get address() {
      return given ?? started!.address;
    },
    get native() {
      return started?.native ?? '127.0.0.1:9000';
    },
    run(sql) {
      return runOn(this.address, sql);
    },
  };
}
