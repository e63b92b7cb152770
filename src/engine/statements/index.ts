import type { SetStatement, Statement } from '../../ast/index.ts';
import { parseSetting, SluiceError, unreachable } from '../../base/index.ts';
import { literalText } from '../../plan/index.ts';
import type { Engine } from '../engine.ts';
import { insert } from '../insert.ts';
import type { Process } from '../processes.ts';
import type { Request } from '../request.ts';
import { done, type Outcome } from '../result.ts';
import { assertAllowed } from '../rights.ts';
import { select } from '../select.ts';
import { neededSession } from '../sessions.ts';
import { createDatabase, createStream } from './create.ts';
import { createMaterializedView, createView } from './create-view.ts';
import { describe, existsStatement, show, showCreate } from './describe.ts';
import { drop, rename, truncate } from './drop.ts';
import { explain } from './explain.ts';
import { kill } from './kill.ts';
import { alterUser, createUser, dropUser, grant } from './users.ts';

/** Keeps settings for the statements after it in the same session; all are right or none is kept. */
function setSettings(request: Request, statement: SetStatement): Outcome {
  const session = neededSession(request.session, 'SET');
  const texts = statement.settings.map(({ name, value }): [string, string] => [
    name,
    literalText(value, `The value of setting '${name}'`),
  ]);
  for (const [name, text] of texts) parseSetting(name, text);
  for (const [name, text] of texts) session.settings.set(name, text);
  return done(request.settings);
}

function refuse(what: string): never {
  throw new SluiceError('NOT_IMPLEMENTED', `${what} is not supported`);
}

/** Runs a parsed statement. */
export async function runStatement(
  engine: Engine,
  request: Request,
  statement: Statement,
  process: Process,
): Promise<Outcome> {
  assertAllowed(request, statement);
  switch (statement.kind) {
    case 'query': {
      const outcome = await select(engine, request, statement.query, statement.output);
      process.progress = outcome.execution.progress;
      process.reads = outcome.reads;
      return outcome;
    }
    case 'insert':
      return insert(engine, request, statement, process);
    case 'create_database':
      return createDatabase(engine, request, statement);
    case 'create_stream':
      return createStream(engine, request, statement, process);
    case 'create_view':
      return createView(engine, request, statement);
    case 'create_materialized_view':
      return createMaterializedView(engine, request, statement);
    case 'create_user':
      return createUser(engine, request, statement);
    case 'alter_user':
      return alterUser(engine, request, statement);
    case 'grant':
      return grant(engine, request, statement);
    case 'drop':
      return statement.object === 'user'
        ? dropUser(engine, request, statement)
        : drop(engine, request, statement);
    case 'rename':
      return rename(engine, request, statement);
    case 'truncate':
      return truncate(engine, request, statement);
    case 'show':
      return show(engine, request, statement);
    case 'show_create':
      return showCreate(engine, request, statement);
    case 'describe':
      return describe(engine, request, statement);
    case 'exists_statement':
      return existsStatement(engine, request, statement);
    case 'explain':
      return explain(engine, request, statement);
    case 'kill':
      return kill(engine, request, statement);
    case 'use':
      engine.catalog.assertDatabase(statement.database);
      neededSession(request.session, 'USE').database = statement.database;
      return done(request.settings);
    case 'set':
      return setSettings(request, statement);
    case 'optimize': {
      if (statement.partition !== null) return refuse('OPTIMIZE ... PARTITION');
      if (statement.deduplicate) return refuse('OPTIMIZE ... DEDUPLICATE');
      const object = engine.catalog.find(statement.name.database ?? request.database, statement.name.name);
      if (object.kind === 'stream') await object.log.compactNow();
      return done(request.settings);
    }
    case 'unsupported_statement':
      return refuse(statement.what);
    case 'create_format_schema': {
      const { name, type, schema: text } = statement;
      await engine.formatSchemas.create({ name, type, text }, statement);
      return done(request.settings);
    }
    case 'create_function':
    case 'create_role':
    case 'alter':
    case 'set_role':
    case 'system':
    case 'view_control':
    case 'delete':
    case 'update':
    case 'check':
      return refuse(statement.kind.replaceAll('_', ' ').toUpperCase());
    default:
      return unreachable(statement);
  }
}
