import { type KillStatement, type NamedTable, selectFrom } from '../../ast/index.ts';
import { SluiceError } from '../../base/index.ts';
import { vectorReader } from '../../column/index.ts';
import { fromByteString, toByteString } from '../../types/index.ts';
import type { Engine } from '../engine.ts';
import type { Request } from '../request.ts';
import type { Outcome } from '../result.ts';
import { rowsOutcome, textColumns } from '../rows-outcome.ts';
import { compileQuery, runPrepared } from '../select.ts';

/**
 * Ends the statements that a condition over system.processes picks, and says which they were. A user sees there, and so
 * can end, their own; KILL QUERY is the right to see those of others.
 */
export async function kill(engine: Engine, request: Request, statement: KillStatement): Promise<Outcome> {
  if (statement.target !== 'query')
    throw new SluiceError('NOT_IMPLEMENTED', 'KILL MUTATION is not supported');
  const { pos } = statement;
  const processes: NamedTable = {
    kind: 'table',
    database: 'system',
    name: 'processes',
    alias: null,
    final: false,
    sample: null,
    pos,
  };
  const query = selectFrom([{ kind: 'column', parts: ['query_id'], pos }], processes, pos, statement.where);
  const { prepared } = compileQuery(engine, request, query, request.settings);
  const { source } = await runPrepared(engine, request, prepared, query, request.settings);
  const rows: string[][] = [];
  for (let block = await source.next(); block !== null; block = await source.next()) {
    const read = vectorReader(block.vectors[0]!);
    for (let row = 0; row < block.rows; row++) {
      const process = engine.processes.get(fromByteString(read(row) as string));
      if (process === undefined || process.queryId === request.queryId) continue;
      if (statement.mode !== 'test') engine.processes.kill(process);
      rows.push([
        'killed',
        toByteString(process.queryId),
        toByteString(process.user),
        toByteString(process.text),
      ]);
    }
  }
  return rowsOutcome(
    textColumns('kill_status', 'query_id', 'user', 'query'),
    rows,
    statement.output,
    request.settings,
  );
}
