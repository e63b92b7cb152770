import { randomUUID } from 'node:crypto';
import { Grants, type Users } from '../access/index.ts';
import type { Statement } from '../ast/index.ts';
import { type Clock, type Settings, SluiceError, settingsFrom, toSluiceError } from '../base/index.ts';
import type { Catalog } from '../catalog/index.ts';
import type { Block } from '../column/index.ts';
import { type Connectors, StructureWanted } from '../connectors/index.ts';
import { Execution, type Progress } from '../exec/index.ts';
import type { UserFiles } from '../files/index.ts';
import type { QueryContext } from '../functions/index.ts';
import { parseStatement } from '../parser/index.ts';
import type { Store } from '../storage/index.ts';
import type { SchemaRegistry } from './format-schemas.ts';
import { InsertPlans } from './insert-plan.ts';
import { WorkerPool } from './parallel/worker-pool.ts';
import { type Process, Processes } from './processes.ts';
import { QueryCache } from './query-cache.ts';
import type { QueryOptions, Request, User } from './request.ts';
import type { Outcome, QueryResult } from './result.ts';
import { assertReadable, assertSource } from './rights.ts';
import { cachedQuery, select } from './select.ts';
import { Sessions } from './sessions.ts';
import { runStatement } from './statements/index.ts';
import { Views } from './views.ts';

/** Objects that the plan of one statement may need to be looked at. */
const structuresMax = 16;

export const version = '0.1.0';

/** Who runs what nobody logged in for: calls of the library, views. */
export const owner: User = { name: 'default', grants: Grants.all(), defaultDatabase: null };

/** Everything that statements run on: the store, the catalog, what is compiled and what is running. */
export class Engine {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly users: Users;
  readonly connectors: Connectors;
  readonly clock: Clock;
  readonly cache = new QueryCache();
  readonly processes = new Processes();
  readonly insertPlans = new InsertPlans();
  readonly sessions: Sessions;
  readonly views: Views;
  readonly workers: WorkerPool;
  readonly formatSchemas: SchemaRegistry;
  /** The files that queries may name. */
  readonly userFiles: UserFiles;
  /** Settings that every statement starts from. */
  readonly defaults: Settings;
  readonly #startedAt: number;

  /** `threads` work on heavy queries, the calling one included; 0 takes one for each core. */
  constructor(parts: {
    store: Store;
    catalog: Catalog;
    users: Users;
    connectors: Connectors;
    formatSchemas: SchemaRegistry;
    userFiles: UserFiles;
    clock: Clock;
    defaults: Settings;
    threads: number;
  }) {
    this.store = parts.store;
    this.catalog = parts.catalog;
    this.users = parts.users;
    this.connectors = parts.connectors;
    this.clock = parts.clock;
    this.defaults = parts.defaults;
    this.workers = new WorkerPool(parts.threads);
    this.formatSchemas = parts.formatSchemas;
    this.userFiles = parts.userFiles;
    this.#startedAt = parts.clock.monotonic();
    this.sessions = new Sessions(parts.clock);
    this.views = new Views(this);
    this.catalog.onChange((object) => {
      this.cache.invalidate(object);
      this.insertPlans.invalidate(object);
    });
  }

  get uptime(): number {
    return this.clock.monotonic() - this.#startedAt;
  }

  contextFor(request: Pick<Request, 'queryId' | 'user' | 'database' | 'settings'>): QueryContext {
    const { queryId, user, database, settings } = request;
    return {
      clock: this.clock,
      now: this.clock.now(),
      queryId,
      user: user.name,
      database,
      settings,
      version,
      uptime: this.uptime,
    };
  }

  request(text: string, options: QueryOptions, controller: AbortController): Request {
    const user = options.user ?? owner;
    const given = Object.entries(options.settings ?? {}).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]);
    const own = settingsFrom(given, this.defaults);
    const session = this.sessions.use(user.name, own.session_id, own.session_timeout);
    const settings =
      session === undefined || session.settings.size === 0
        ? own
        : settingsFrom([...session.settings, ...given], this.defaults);
    return {
      text,
      user,
      database: options.database || session?.database || user.defaultDatabase || 'default',
      settings,
      parameters: new Map(Object.entries(options.parameters ?? {})),
      queryId: options.queryId || randomUUID(),
      signal: controller.signal,
      data: options.data instanceof Uint8Array ? [options.data] : (options.data ?? []),
      isDataInline: options.isDataInline === true,
      readonly: options.readonly === true || settings.readonly !== 0,
      session,
    };
  }

  /** Runs one statement; resolves when its columns are known, and throws SluiceError. */
  async execute(text: string, options: QueryOptions = {}): Promise<QueryResult> {
    const controller = options.controller ?? new AbortController();
    const request = this.request(text, options, controller);
    const release = follow(options.signal, controller);
    const process: Process = {
      queryId: request.queryId,
      text,
      user: request.user.name,
      database: request.database,
      startedAt: this.clock.now(),
      controller,
      progress: emptyProgress(),
      finishes: false,
    };
    this.processes.add(process);
    const end = () => {
      this.processes.remove(process);
      release();
    };
    try {
      const outcome = await this.#run(request, process);
      return new RunningResult(outcome, process, end);
    } catch (thrown) {
      end();
      throw toSluiceError(thrown);
    }
  }

  async #run(request: Request, process: Process): Promise<Outcome> {
    const cached = cachedQuery(this, request);
    if (cached === undefined) {
      this.catalog.assertDatabase(request.database);
      const statement = parseStatement(request.text, { maxBytes: request.settings.max_query_size });
      return this.#runPlanned(request, statement, process);
    }
    const { query, output } = cached.compiled.statement;
    const outcome = await select(this, request, query, output, cached);
    process.progress = outcome.execution.progress;
    process.reads = outcome.reads;
    return outcome;
  }

  /** Runs a statement; objects whose columns its plan needs are looked at first. */
  async #runPlanned(request: Request, statement: Statement, process: Process): Promise<Outcome> {
    for (let looks = 0; ; looks++) {
      try {
        return await runStatement(this, request, statement, process);
      } catch (thrown) {
        if (!(thrown instanceof StructureWanted) || looks === structuresMax) throw thrown;
        assertSource(request.user, thrown.functionName);
        const settings = thrown.settings ?? request.settings;
        await this.execution(request, settings).whileWanted(thrown.find(settings, request.signal));
      }
    }
  }

  /** Ends what a user runs and has no right to any more, or all of it when the user is gone. */
  recheckRights(name: string): void {
    const user = this.users.get(name);
    for (const process of this.processes.list) {
      if (process.user !== name) continue;
      try {
        if (user === undefined) throw new SluiceError('ACCESS_DENIED', `The user '${name}' was dropped`);
        if (process.reads !== undefined) assertReadable(user, process.reads);
      } catch (thrown) {
        process.controller.abort(toSluiceError(thrown));
      }
    }
  }

  /** An execution that nobody waits for row by row: for statements that read to the end themselves. */
  execution(request: Request, settings: Settings): Execution {
    return new Execution(this.contextFor({ ...request, settings }), [], request.signal);
  }

  async close(): Promise<void> {
    for (const process of this.processes.list) {
      process.controller.abort(new SluiceError('QUERY_WAS_CANCELLED', 'The server is shutting down'));
    }
    await this.workers.close();
    await this.views.stop();
    await this.catalog.close();
    await this.store.close();
  }
}

function emptyProgress(): Progress {
  return { readRows: 0, readBytes: 0, resultRows: 0, resultBytes: 0, writtenRows: 0, writtenBytes: 0 };
}

/** Aborts the controller when the outer signal does. */
function follow(outer: AbortSignal | undefined, controller: AbortController): () => void {
  if (outer === undefined) return () => {};
  const abort = () => controller.abort(outer.reason);
  if (outer.aborted) abort();
  outer.addEventListener('abort', abort, { once: true });
  return () => outer.removeEventListener('abort', abort);
}

/** A statement's result while it is being read. */
class RunningResult implements QueryResult {
  readonly queryId: string;
  readonly columns: Outcome['columns'];
  readonly hasRows: boolean;
  readonly streaming: boolean;
  readonly format: string | null;
  readonly settings: Settings;
  readonly #source: Outcome['source'];
  readonly kept: Outcome['kept'];
  readonly #process: Process;
  readonly #end: () => void;
  #closed = false;

  constructor(outcome: Outcome, process: Process, end: () => void) {
    this.queryId = process.queryId;
    this.columns = outcome.columns;
    this.hasRows = outcome.hasRows;
    this.streaming = outcome.streaming;
    this.format = outcome.format;
    this.settings = outcome.settings;
    this.kept = outcome.kept;
    this.#source = outcome.source;
    this.#process = process;
    this.#end = end;
    if (!outcome.hasRows) this.close();
  }

  get progress(): Progress {
    return this.#process.progress;
  }

  get signal(): AbortSignal {
    return this.#process.controller.signal;
  }

  next(): Block | null | Promise<Block | null> {
    if (this.#closed) return null;
    try {
      const block = this.#source.next();
      if (!(block instanceof Promise)) return this.#given(block);
      return block.then(
        (value) => this.#given(value),
        (thrown) => this.#failed(thrown),
      );
    } catch (thrown) {
      return this.#failed(thrown);
    }
  }

  #given(block: Block | null): Block | null {
    if (block === null) {
      this.close();
      return null;
    }
    const { progress } = this.#process;
    progress.resultRows += block.rows;
    const most = this.settings.max_result_rows;
    if (most > 0 && progress.resultRows > most) {
      return this.#failed(
        new SluiceError('TOO_MANY_ROWS', `Limit for result rows exceeded: max_result_rows = ${most}`),
      );
    }
    return block;
  }

  #failed(thrown: unknown): never {
    this.close();
    throw toSluiceError(thrown);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#source.close();
    this.#end();
  }
}
