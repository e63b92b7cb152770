import type { Code } from '../../code/index.ts';
import type { Block, Vector } from '../../column/index.ts';
import type { QueryContext } from '../../functions/index.ts';
import type { AggregateOutput, BoundExpr, Column } from '../../plan/index.ts';
import type { RowCompiler } from '../expr/row-compiler.ts';

/** What one execution of a pipeline works with, shared by the code of all block shapes. */
export interface PipelineState {
  context: QueryContext;
  /** The state of each operator, by its place in the pipeline. */
  readonly operators: unknown[];
  /** Takes the blocks that the pipeline gives. */
  emit: (block: Block) => void;
  /** Set by an operator that needs no further rows. */
  done: boolean;
}

/** What an operator is told while code is generated. */
export interface OperatorContext {
  readonly compiler: RowCompiler;
  /** The generated name of the operator's own state. */
  readonly state: Code;
  /** Vectors of the shapes that the code is made for, for operators that bring columns of their own. */
  readonly samples: readonly Vector[];
  /** The name of the variable that holds the number of the row in the block. */
  readonly row: Code;
}

/**
 * A step of a pipeline. Its code runs inside the loop over rows: it adds statements that skip the row (`continue`), bring
 * several rows (a loop around what follows) or end the work, and calls `next` for the code of the steps after it.
 */
export interface Operator {
  readonly name: string;
  /** Expressions that the operator computes; known beforehand so that document paths are gathered. */
  readonly expressions: readonly BoundExpr[];
  /** A fresh state for an execution. */
  readonly createState: (parameters: readonly unknown[], context: QueryContext) => unknown;
  /** What of the state decides the code, such as the shapes of a join's built side. */
  readonly shape?: (state: unknown) => string;
  readonly samples?: (state: unknown) => readonly Vector[];
  readonly emit: (context: OperatorContext, next: () => void) => void;
}

/** The end of a pipeline: what becomes of the rows that reach it. */
export interface Sink {
  readonly name: string;
  readonly expressions: readonly BoundExpr[];
  /** What an aggregation computes for each group. */
  readonly aggregates?: readonly AggregateOutput[];
  readonly createState: (parameters: readonly unknown[], context: QueryContext) => unknown;
  /** What of the state and a block decides the code, beside the block's shape. */
  readonly variant?: (state: unknown, block: Block) => string;
  /** Emits the code for a row; it may add to the block's statements before the loop and to those after it. */
  readonly emit: (context: SinkContext) => void;
  /**
   * Emits code that takes all rows that reach the sink in a block at once, `passing` being their number; false when the rows
   * themselves have to be gone through.
   */
  readonly emitWhole?: (context: Pick<OperatorContext, 'compiler' | 'state'>, passing: Code) => boolean;
  /** Gives the blocks that are there only when all rows have been seen; may be asked again of a query that goes on. */
  readonly finish?: (state: unknown) => Iterable<Block>;
}

export interface SinkContext extends OperatorContext {
  /** Statements that run after the loop over a block's rows. */
  readonly after: Code[];
  /** What `variant` said of the block. */
  readonly variant: string;
  /** The number of rows of the block. */
  readonly rows: Code;
  /** Whether an operator before may bring more rows than the block has. */
  readonly expands: boolean;
  /** Whether a block may be left out as a whole, because no operator before keeps count of its rows. */
  readonly skipsBlocks: boolean;
}

/** A column that the sink gives, and its expression. */
export interface Output {
  readonly column: Column;
  readonly expr: BoundExpr;
}
