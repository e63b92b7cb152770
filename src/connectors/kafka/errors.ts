import { SluiceError } from '../../base/index.ts';
import type { KafkaOptions } from './options.ts';

interface Failure {
  readonly message?: string;
  readonly code?: string;
  /** The broker's name of the condition, such as UNKNOWN_TOPIC_OR_PARTITION. */
  readonly apiId?: string;
  readonly serverErrorMessage?: string | null;
  readonly errors?: readonly Failure[];
  readonly cause?: Failure;
}

/** Every failure inside one, outermost first. */
function* within(thrown: unknown): Iterable<Failure> {
  if (typeof thrown !== 'object' || thrown === null) return;
  const failure = thrown as Failure;
  yield failure;
  for (const inner of failure.errors ?? []) yield* within(inner);
  if (failure.cause !== undefined) yield* within(failure.cause);
}

/** The broker's name of what went wrong; undefined when no broker said anything. */
export function brokerError(thrown: unknown): string | undefined {
  for (const failure of within(thrown)) if (failure.apiId !== undefined) return failure.apiId;
  return undefined;
}

/** Conditions that pass by themselves, once brokers have found their roles. */
const passing: ReadonlySet<string> = new Set([
  'UNKNOWN_TOPIC_OR_PARTITION',
  'UNKNOWN_TOPIC_ID',
  'INCONSISTENT_TOPIC_ID',
  'LEADER_NOT_AVAILABLE',
  'NOT_LEADER_OR_FOLLOWER',
  'FENCED_LEADER_EPOCH',
  'UNKNOWN_LEADER_EPOCH',
  'BROKER_NOT_AVAILABLE',
  'REPLICA_NOT_AVAILABLE',
  'LISTENER_NOT_FOUND',
  'REQUEST_TIMED_OUT',
  'NETWORK_EXCEPTION',
  'COORDINATOR_LOAD_IN_PROGRESS',
  'COORDINATOR_NOT_AVAILABLE',
  'NOT_COORDINATOR',
  'NOT_ENOUGH_REPLICAS',
  'NOT_ENOUGH_REPLICAS_AFTER_APPEND',
  'KAFKA_STORAGE_ERROR',
  'OFFSET_NOT_AVAILABLE',
  'UNSTABLE_OFFSET_COMMIT',
  'CONCURRENT_TRANSACTIONS',
]);

/** Whether the same may succeed when it is tried again. */
export function mayPass(thrown: unknown): boolean {
  if (thrown instanceof SluiceError) return false;
  const named = brokerError(thrown);
  if (named !== undefined) return passing.has(named);
  for (const failure of within(thrown)) {
    if (failure.code === 'PLT_KFK_AUTHENTICATION') return false;
    if (failure.code === 'PLT_KFK_NETWORK' || failure.code === 'PLT_KFK_TIMEOUT') return true;
  }
  return false;
}

function brokerNames({ brokers }: KafkaOptions): string {
  return brokers.map(({ host, port }) => `${host}:${port}`).join(',');
}

/** Messages of a failure, from what was tried to what the machine said. */
function reasons(thrown: unknown): string {
  const texts = new Set<string>();
  for (const failure of within(thrown)) {
    if (failure.apiId !== undefined) {
      const detail = failure.serverErrorMessage ? `: ${failure.serverErrorMessage}` : '';
      return `${failure.apiId}${detail}`;
    }
    const { message, errors } = failure;
    if (message !== undefined && message !== '' && errors === undefined)
      texts.add(message.replace(/\.$/, ''));
  }
  return [...texts].slice(0, 4).join(': ');
}

/** What a user is told of a failure. */
export function kafkaError(thrown: unknown, doing: string, options: KafkaOptions): SluiceError {
  if (thrown instanceof SluiceError) return thrown;
  const { topic } = options;
  const brokers = brokerNames(options);
  const named = brokerError(thrown);
  if (named === 'UNKNOWN_TOPIC_OR_PARTITION' || named === 'UNKNOWN_TOPIC_ID') {
    return new SluiceError(
      'BAD_ARGUMENTS',
      `Cannot ${doing}: the Kafka topic '${topic}' does not exist on ${brokers}`,
      { cause: thrown },
    );
  }
  const authentication = [...within(thrown)].some((each) => each.code === 'PLT_KFK_AUTHENTICATION');
  if (authentication) {
    return new SluiceError(
      'NETWORK_ERROR',
      `Cannot ${doing}: the Kafka brokers ${brokers} do not accept the user: check username, password and sasl_mechanism`,
      { cause: thrown },
    );
  }
  return new SluiceError(
    'NETWORK_ERROR',
    `Cannot ${doing} (Kafka topic '${topic}' on ${brokers}): ${reasons(thrown)}`,
    { cause: thrown },
  );
}
