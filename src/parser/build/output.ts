import type { OutputClauseContext } from '../../../generated/SluiceParser.ts';
import type { OutputClause } from '../../ast/index.ts';
import { identifierText, optionalString } from './common.ts';
import { settingsOf } from './queries.ts';

/** The output of statements that say nothing about it. */
export const noOutput: OutputClause = { outfile: null, format: null, settings: [] };

/** The name after FORMAT; that of the format Null is a keyword elsewhere. */
function formatName(ctx: OutputClauseContext): string | null {
  if (ctx._nothing) return 'Null';
  return ctx._format === undefined ? null : identifierText(ctx._format);
}

export function outputClause(ctx: OutputClauseContext): OutputClause {
  if (ctx.children.length === 0) return noOutput;
  return {
    outfile: optionalString(ctx._outfile),
    format: formatName(ctx),
    settings: settingsOf(ctx.settingsClause()),
  };
}
