import type { ObjectName, Statement } from '../../ast/index.ts';
import { SluiceError } from '../../base/index.ts';
import type { Request } from '../request.ts';

/** Statements that only look. */
const reading = new Set<Statement['kind']>([
  'query',
  'show',
  'show_create',
  'describe',
  'explain',
  'exists_statement',
  'use',
  'set',
]);

/** What a statement that is no INSERT or DROP has to be granted, by its kind; others are named by their kind. */
const rights: Partial<Record<Statement['kind'], string>> = {
  create_stream: 'CREATE STREAM',
  create_view: 'CREATE VIEW',
  create_materialized_view: 'CREATE MATERIALIZED VIEW',
  create_database: 'CREATE DATABASE',
  kill: 'KILL QUERY',
};

function place(request: Request, name: Partial<ObjectName> & { readonly name: string }): string {
  return ` ON ${name.database ?? request.database}.${name.name}`;
}

/** The right that a statement needs, as GRANT would name it. */
function rightOf(request: Request, statement: Statement): string {
  const right = rights[statement.kind] ?? statement.kind.replaceAll('_', ' ').toUpperCase();
  switch (statement.kind) {
    case 'insert':
      return right + ('kind' in statement.target ? '' : place(request, statement.target));
    case 'drop': {
      const what = `DROP ${statement.object.replaceAll('_', ' ').toUpperCase()}`;
      const [first] = statement.names;
      if (first === undefined) return what;
      return what + (statement.object === 'database' ? ` ON ${first.name}.*` : place(request, first));
    }
    case 'create_stream':
    case 'create_view':
    case 'create_materialized_view':
    case 'truncate':
    case 'optimize':
      return right + place(request, statement.name);
    default:
      return right;
  }
}

/**
 * Refuses what the request or its user may not do: READONLY for a request that may only look (GET, the setting readonly),
 * ACCESS_DENIED for a user who may.
 */
export function assertAllowed(request: Request, statement: Statement): void {
  if (reading.has(statement.kind)) return;
  if (request.readonly) {
    throw new SluiceError(
      'READONLY',
      `Cannot execute ${rightOf(request, statement)} in readonly mode: GET requests and the setting readonly only read, send it as POST`,
    );
  }
  if (request.user.readonly) {
    throw new SluiceError(
      'ACCESS_DENIED',
      `${request.user.name}: Not enough privileges. To execute this query, it's necessary to have the grant ${rightOf(request, statement)}`,
    );
  }
}
