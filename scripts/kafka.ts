import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Admin } from '@platformatic/kafka';

/** A Kafka broker of this machine, for tests and benchmarks: its jars come through Maven, once. */

const kafkaVersion = '3.9.1';

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>sluice</groupId>
  <artifactId>kafka-broker</artifactId>
  <version>1</version>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${kafkaVersion}</version></dependency>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-reload4j</artifactId><version>1.7.36</version></dependency>
  </dependencies>
</project>
`;

const needed =
  'A Kafka broker is needed: install Java 17 or later, Maven and openssl (on Debian: apt-get install default-jre-headless maven openssl), or name a broker in KAFKA_BROKERS';

function assertInstalled(command: string, argument: string): void {
  if (spawnSync(command, [argument], { stdio: 'ignore' }).status !== 0)
    throw new Error(`${needed}; ${command} is not there`);
}

/** Milliseconds that fetching the jars may take. */
const fetchMilliseconds = 300_000;

/** The folder with the broker's jars; fetches them when it is not there yet, one process at a time. */
async function jarFolder(): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'sluice');
  const folder = join(cache, `kafka-${kafkaVersion}`);
  assertInstalled('java', '-version');
  assertInstalled('openssl', 'version');
  if (existsSync(folder)) return folder;
  assertInstalled('mvn', '-version');
  mkdirSync(cache, { recursive: true });
  const lock = `${folder}.lock`;
  while (!locked(lock)) {
    await delay(200);
    if (existsSync(folder)) return folder;
  }
  const making = mkdtempSync(join(cache, 'making-'));
  try {
    if (existsSync(folder)) return folder;
    writeFileSync(join(making, 'pom.xml'), pom);
    const jars = join(making, 'jars');
    const goal = ['-q', '-B', 'dependency:copy-dependencies', `-DoutputDirectory=${jars}`];
    const options = { cwd: making, timeout: fetchMilliseconds };
    await promisify(execFile)('mvn', [...goal, '-DincludeScope=runtime'], options);
    renameSync(jars, folder);
    return folder;
  } finally {
    rmSync(making, { recursive: true, force: true });
    rmSync(lock, { recursive: true, force: true });
  }
}

/** Takes the lock when it is free, or was left behind by a process that ended. */
function locked(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > fetchMilliseconds) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

/** A port that was free a moment ago. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Runs a command that ends with its parent, however that ends: its input is then closed. SIGTERM is handed on to it. */
const withParent = `
exec 3<&0
"$@" < /dev/null &
pid=$!
(cat <&3 > /dev/null; kill -9 $pid 2> /dev/null) &
trap 'kill $pid' TERM
wait $pid
wait $pid
`;

export class KafkaBroker {
  /** `host:port` for clients without a password. */
  readonly brokers: string;
  /** `host:port` for the user `alice`, whose password is `alice-secret`, by PLAIN. */
  readonly saslBrokers: string;
  /** `host:port` over TLS for the user `bob`, whose password is `bob-secret`, by SCRAM. */
  readonly tlsBrokers: string;
  /** The certificate that stands behind the TLS one. */
  readonly certificate: string;
  readonly #folder: string;
  readonly #jars: string;
  #process: ChildProcess | null = null;

  private constructor(folder: string, jars: string, ports: readonly number[], certificate: string) {
    this.#folder = folder;
    this.#jars = jars;
    [this.brokers, this.saslBrokers, this.tlsBrokers] = ports.map((port) => `127.0.0.1:${port}`) as [
      string,
      string,
      string,
    ];
    this.certificate = certificate;
  }

  /** A certificate of its own for 127.0.0.1, and the file with it and its key. */
  static async #certify(folder: string): Promise<{ certificate: string; store: string }> {
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
    const what = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=127.0.0.1'];
    const files = ['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', certificate];
    await promisify(execFile)('openssl', [...what, ...files]);
    const text = readFileSync(certificate, 'utf8');
    const store = join(folder, 'store.pem');
    writeFileSync(store, readFileSync(key, 'utf8') + text);
    return { certificate: text, store };
  }

  /** Makes a broker with an empty store and starts it. */
  static async start(): Promise<KafkaBroker> {
    const jars = await jarFolder();
    const folder = mkdtempSync(join(tmpdir(), 'sluice-kafka-'));
    const ports = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
    const { certificate, store } = await KafkaBroker.#certify(folder);
    const listeners = ['PLAINTEXT', 'SASL_PLAINTEXT', 'SASL_SSL', 'CONTROLLER'].map(
      (name, index) => `${name}://127.0.0.1:${ports[index]}`,
    );
    const login =
      'org.apache.kafka.common.security.plain.PlainLoginModule required user_alice="alice-secret";';
    const scram = 'org.apache.kafka.common.security.scram.ScramLoginModule required;';
    const properties = {
      'process.roles': 'broker,controller',
      'node.id': '1',
      'controller.quorum.voters': `1@127.0.0.1:${ports[3]}`,
      listeners: listeners.join(','),
      'advertised.listeners': listeners.slice(0, 3).join(','),
      'controller.listener.names': 'CONTROLLER',
      'listener.security.protocol.map':
        'PLAINTEXT:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL,CONTROLLER:PLAINTEXT',
      'listener.name.sasl_plaintext.sasl.enabled.mechanisms': 'PLAIN',
      'listener.name.sasl_ssl.sasl.enabled.mechanisms': 'SCRAM-SHA-256,SCRAM-SHA-512',
      'listener.name.sasl_ssl.scram-sha-256.sasl.jaas.config': scram,
      'listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config': scram,
      'ssl.keystore.type': 'PEM',
      'ssl.keystore.location': store,
      'listener.name.sasl_plaintext.plain.sasl.jaas.config': login,
      'log.dirs': join(folder, 'data'),
      'auto.create.topics.enable': 'false',
      'offsets.topic.replication.factor': '1',
      'offsets.topic.num.partitions': '1',
      'transaction.state.log.replication.factor': '1',
      'transaction.state.log.min.isr': '1',
      'transaction.state.log.num.partitions': '1',
      'group.initial.rebalance.delay.ms': '0',
      'log.cleaner.backoff.ms': '100',
      'log.cleaner.dedupe.buffer.size': '4000000',
      'num.network.threads': '2',
      'num.io.threads': '2',
      'controlled.shutdown.enable': 'false',
      // A broker that was killed may come back at once.
      'broker.session.timeout.ms': '1000',
      'broker.heartbeat.interval.ms': '200',
      'initial.broker.registration.timeout.ms': '30000',
      'controller.quorum.election.timeout.ms': '300',
      'controller.quorum.fetch.timeout.ms': '500',
      'controller.quorum.election.backoff.max.ms': '200',
    };
    const text = Object.entries(properties).map(([name, value]) => `${name}=${value}`);
    writeFileSync(join(folder, 'server.properties'), text.join('\n'));
    writeFileSync(
      join(folder, 'log4j.properties'),
      'log4j.rootLogger=WARN, out\nlog4j.appender.out=org.apache.log4j.ConsoleAppender\nlog4j.appender.out.layout=org.apache.log4j.PatternLayout\nlog4j.appender.out.layout.ConversionPattern=%p %c %m%n\n',
    );
    const broker = new KafkaBroker(folder, jars, ports, certificate);
    const id = Buffer.from('sluice-test-kafk').toString('base64url');
    const users = ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
      '--add-scram',
      `${mechanism}=[name=bob,password=bob-secret]`,
    ]);
    const format = ['format', '-t', id, '-c', join(folder, 'server.properties'), ...users];
    await promisify(execFile)('java', broker.#command('kafka.tools.StorageTool', format));
    await broker.resume();
    return broker;
  }

  #command(main: string, args: readonly string[]): string[] {
    const log = `-Dlog4j.configuration=file:${join(this.#folder, 'log4j.properties')}`;
    const lean = ['-Xmx384m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto'];
    return [...lean, log, '-cp', join(this.#jars, '*'), main, ...args];
  }

  /** Starts the broker over the store that it has; resolves when it answers. */
  async resume(): Promise<void> {
    const args = this.#command('kafka.Kafka', [join(this.#folder, 'server.properties')]);
    const command = ['-c', withParent, 'sh', 'java', ...args];
    const child = spawn('sh', command, { stdio: ['pipe', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output = (output + chunk).slice(-20_000);
      });
    this.#process = child;
    const deadline = Date.now() + 60_000;
    while (!(await this.#answers())) {
      if (child.exitCode !== null) throw new Error(`The Kafka broker ended:\n${output}`);
      if (Date.now() > deadline) throw new Error(`The Kafka broker does not answer:\n${output}`);
      await delay(50);
    }
  }

  async #answers(): Promise<boolean> {
    const admin = this.admin(0);
    try {
      await admin.listTopics();
      return true;
    } catch {
      return false;
    } finally {
      await admin.close();
    }
  }

  /** The client library's means to make and delete topics. */
  admin(retries = 3): Admin {
    return new Admin({ clientId: 'test', bootstrapBrokers: [this.brokers], retries });
  }

  /** Ends the broker and leaves its store. */
  async pause(signal: 'SIGTERM' | 'SIGKILL' = 'SIGKILL'): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (child === null || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    if (signal === 'SIGTERM') child.kill('SIGTERM');
    else child.stdin!.end();
    await ended;
  }

  /** Ends the broker and removes its store. */
  async stop(): Promise<void> {
    await this.pause();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
