import type { Settings } from '../base/index.ts';
import { type Block, blockBytes } from '../column/index.ts';
import type { PhysicalPlan } from '../compile/index.ts';
import { type BlockSource, sourceOf } from '../exec/index.ts';
import { type LogicalPlan, planExpressions, planInputs, visitBound } from '../plan/index.ts';
import type { StreamLog } from '../storage/index.ts';

/** Bytes of a result above which it is not kept. */
const keptBytesMax = 65_536;

/** A result, and the state of the logs that it was made of. */
export interface KeptResult {
  readonly version: string;
  readonly blocks: readonly Block[];
  /** What was sent of it, by format, for requests with the same settings. */
  readonly bodies: Map<string, KeptBody>;
}

/** A whole response body. */
export interface KeptBody {
  readonly settings: Settings;
  readonly contentType: string;
  readonly body: Buffer | string;
  readonly rows: number;
}

/** Whether a plan gives the same result as long as what it reads stays the same. */
export function isRepeatable(plan: LogicalPlan): boolean {
  for (const expr of planExpressions(plan)) {
    let pure = true;
    visitBound(expr, (inner) => {
      if (inner.kind === 'call' && (inner.definition.evaluation ?? 'pure') !== 'pure') pure = false;
    });
    if (!pure) return false;
  }
  if (plan.kind === 'scan' && (plan.source.kind === 'system' || plan.source.kind === 'external'))
    return false;
  return planInputs(plan).every(isRepeatable);
}

/** The logs that a plan which completes reads. */
export function logsOf(plan: PhysicalPlan): StreamLog[] {
  switch (plan.kind) {
    case 'one':
      return [];
    case 'scan':
      return plan.scan.source.kind === 'stream' ? [plan.scan.source.stream.log] : [];
    case 'union':
      return plan.inputs.flatMap(logsOf);
    case 'pipeline':
      return [...plan.joins.flatMap((join) => logsOf(join.input)), ...logsOf(plan.input)];
  }
}

/** Logs only grow, or lose rows: where they end and how many rows they hold tells whether they are as they were. */
export function versionOf(logs: readonly StreamLog[]): string {
  let version = '';
  for (const log of logs) version += `${log.end}:${log.rows} `;
  return version;
}

/** Whether a kept result will do: limits on what is read can only be kept by reading. */
export function mayReuse(settings: Settings): boolean {
  return settings.use_result_cache && settings.max_rows_to_read === 0 && settings.max_bytes_to_read === 0;
}

/** The source, with its blocks kept by `keep` when it has ended and they are few. */
export function keepingSource(
  source: BlockSource,
  version: () => string,
  keep: (result: KeptResult) => void,
): BlockSource {
  const before = version();
  let blocks: Block[] | null = [];
  let bytes = 0;
  const note = (block: Block | null): Block | null => {
    if (blocks === null) return block;
    if (block === null) {
      // Rows that came while the query ran may or may not be in its result.
      if (version() === before) keep({ version: before, blocks, bodies: new Map() });
      blocks = null;
      return null;
    }
    bytes += blockBytes(block);
    if (bytes > keptBytesMax) blocks = null;
    else blocks.push(block);
    return block;
  };
  return {
    next: () => {
      const block = source.next();
      return block instanceof Promise ? block.then(note) : note(block);
    },
    close: () => source.close(),
  };
}

export function keptSource(result: KeptResult): BlockSource {
  return sourceOf(result.blocks);
}
