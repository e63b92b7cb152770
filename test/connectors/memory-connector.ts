import type { SluiceError } from '../../src/base/index.ts';
import type { ExternalSink, ExternalSource, ExternalTable, ReadRequest } from '../../src/catalog/index.ts';
import { type Block, blockRows, columnBuilder } from '../../src/column/index.ts';
import type { Connector } from '../../src/connectors/index.ts';

/** Rows of one "server", which outlive the database that connects to it. */
export class MemoryServer {
  readonly rows: (readonly unknown[])[] = [];
  readonly positions = new Map<string, unknown>();
  readonly requests: ReadRequest[] = [];
  open = 0;
  /** Rows that readers were given. */
  given = 0;
  failure: SluiceError | null = null;
  #waiting: (() => void)[] = [];

  add(rows: readonly (readonly unknown[])[]): void {
    this.rows.push(...rows);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  more(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

function startOf(server: MemoryServer, { start }: Pick<ReadRequest, 'start'>): number {
  switch (start.kind) {
    case 'latest':
      return server.rows.length;
    case 'sequence':
      return start.sequences[0]!;
    case 'position':
      return (start.position as { next: number }).next;
    default:
      return 0;
  }
}

class MemorySource implements ExternalSource {
  readonly #server: MemoryServer;
  readonly #request: ReadRequest;
  readonly #table: ExternalTable;
  #next: number;

  constructor(server: MemoryServer, table: ExternalTable, request: ReadRequest) {
    this.#server = server;
    this.#table = table;
    this.#request = request;
    this.#next = startOf(server, request);
    server.open++;
  }

  get position(): unknown {
    return { next: this.#next };
  }

  async next(): Promise<Block | null> {
    while (this.#next >= this.#server.rows.length) {
      if (!this.#request.streaming) return null;
      await this.#server.more();
    }
    const row = this.#server.rows[this.#next]!;
    const all = [...this.#table.columns, ...this.#table.virtualColumns];
    const vectors = this.#request.columns.map((place) => {
      const builder = columnBuilder(all[place]!.type);
      builder.append(place < this.#table.columns.length ? row[place] : this.#next);
      return builder.finish();
    });
    this.#next++;
    this.#server.given++;
    return { rows: 1, vectors };
  }

  close(): void {
    this.#server.open--;
  }
}

/** An outside system in memory: `type='memory'`, over the given server. */
export function memoryConnector(server: MemoryServer): Connector {
  return {
    type: 'memory',
    variants: ['stream'],
    settings: {
      place: { kind: 'string', required: true, doc: 'Where the rows are.' },
      password: { kind: 'string', secret: true, doc: 'A secret.' },
      depth: { kind: 'uint', doc: 'A number.' },
    },
    connect: ({ columns }, _, shown) => {
      const table: ExternalTable = {
        type: 'memory',
        columns,
        virtualColumns: [{ name: '_tp_sn', type: { kind: 'int', bits: 64, signed: true } }],
        endless: true,
        shownSettings: shown,
        read: (request) => {
          server.requests.push(request);
          return new MemorySource(server, table, request);
        },
        write: ({ writer }): ExternalSink => {
          let rows: (readonly unknown[])[] = [];
          return {
            add: async (block) => {
              rows.push(...blockRows(block));
            },
            flush: async (position) => {
              if (server.failure !== null) throw server.failure;
              if (writer !== undefined) server.positions.set(writer, position);
              server.add(rows);
              rows = [];
            },
            abort: async () => {
              rows = [];
            },
            close: async () => {},
          };
        },
        startPosition: async (start) => ({ next: startOf(server, { start }) }),
        writerPosition: async (writer) => server.positions.get(writer),
        status: () => ({ state: 'idle', error: '' }),
        close: async () => {},
      };
      return table;
    },
  };
}
