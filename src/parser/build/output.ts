import type { OutputClauseContext } from '../../../generated/SluiceParser.ts';
import type { OutputClause } from '../../ast/index.ts';
import { identifierText, optionalString } from './common.ts';
import { settingsOf } from './queries.ts';

/** The output of statements that say nothing about it. */
export const noOutput: OutputClause = { outfile: null, format: null, settings: [] };

export function outputClause(ctx: OutputClauseContext): OutputClause {
  if (ctx.children.length === 0) return noOutput;
  return {
    outfile: optionalString(ctx._outfile),
    format: ctx._format === undefined ? null : identifierText(ctx._format),
    settings: settingsOf(ctx.settingsClause()),
  };
}
