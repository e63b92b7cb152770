import { type Code, type CompiledModule, instantiate, js, type ModuleFactory, note } from '../code/index.ts';
import { type Block, type Vector, vectorShape } from '../column/index.ts';
import type { QueryContext } from '../functions/index.ts';
import { type BoundExpr, type Column, columnsOf } from '../plan/index.ts';
import { Sorter } from '../runtime/index.ts';
import { describeExpr } from './explain.ts';
import { RowCompiler } from './expr/row-compiler.ts';
import { emitSelection, type FilterOperator, filterOf, isCheap, type Selection } from './operators/filter.ts';
import type { Operator, PipelineState, Sink } from './operators/operator.ts';

/** Generated code for blocks of one shape, bound to an execution: takes a block's rows through the pipeline. */
export type PushBlock = (block: Block) => void;

/** What `EXPLAIN COMPILED` shows of a pipeline. */
export interface PipelineDescription {
  readonly columns: readonly Column[];
  readonly definitions: readonly { readonly column: Column; readonly expr: BoundExpr }[];
  readonly operators: readonly Operator[];
  readonly sink: Sink;
}

/** What a step does, in words close to SQL; shown beside its code by EXPLAIN COMPILED and never part of what runs. */
function stepNote(step: Operator | Sink): string {
  return `${step.name} ${step.expressions.map(describeExpr).join(', ')}`;
}

interface CompiledShape {
  readonly module: CompiledModule;
  readonly factory: ModuleFactory<PipelineState, PushBlock>;
}

/**
 * A stretch of a plan between two points where rows are held back: one loop over the rows of a block, in which all steps
 * are fused. The code is generated anew for each shape of blocks that turns up, and kept.
 */
export class Pipeline {
  readonly description: PipelineDescription;
  readonly #shapes = new Map<string, CompiledShape>();

  constructor(description: PipelineDescription) {
    this.description = description;
  }

  /** The source that was generated, by shape of blocks. */
  get modules(): ReadonlyMap<string, CompiledModule> {
    return new Map(Array.from(this.#shapes, ([shape, compiled]) => [shape, compiled.module]));
  }

  get compiledShapes(): number {
    return this.#shapes.size;
  }

  createState(
    parameters: readonly unknown[],
    context: QueryContext,
    emit: (block: Block) => void,
  ): PipelineState {
    const { operators, sink } = this.description;
    const states = [...operators, sink].map((step) => step.createState(parameters, context));
    const state: PipelineState = { context, operators: states, emit, done: false };
    const last = states.at(-1);
    if (last instanceof Sorter) state.emit = (block) => last.add(block);
    return state;
  }

  /** What decides the code for a block in an execution: blocks of equal shape run the same code. */
  shapeOf(block: Block, state: PipelineState): string {
    const { sink, operators } = this.description;
    let shape =
      sink.variant === undefined ? '' : `${sink.variant(state.operators[operators.length], block)}:`;
    for (const vector of block.vectors) shape += ` ${vectorShape(vector)}`;
    return shape;
  }

  /** The code for blocks of this shape, bound to an execution. */
  bind(
    shape: string,
    vectors: readonly Vector[],
    parameters: readonly unknown[],
    state: PipelineState,
  ): PushBlock {
    let key = shape;
    for (const [index, operator] of this.description.operators.entries()) {
      if (operator.shape !== undefined) key += `|${operator.shape(state.operators[index])}`;
    }
    let compiled = this.#shapes.get(key);
    if (compiled === undefined) {
      const module = this.#generate(
        vectors,
        state,
        shape.includes(':') ? shape.slice(0, shape.indexOf(':')) : '',
      );
      compiled = { module, factory: instantiate(module) };
      this.#shapes.set(key, compiled);
    }
    return compiled.factory(parameters, state);
  }

  #generate(vectors: readonly Vector[], state: PipelineState, variant: string): CompiledModule {
    const { columns, definitions, operators, sink } = this.description;
    const compiler = new RowCompiler();
    const block = compiler.module.name('block');
    const row = compiler.module.name('row');
    const rows = compiler.perBlock(js`${block}.rows`, 'rows');
    for (const [index, column] of columns.entries()) {
      const vector = compiler.perBlock(js`${block}.vectors[${index}]`, column.name);
      compiler.columns.set(column.id, {
        kind: 'access',
        access: { type: column.type, vector, row, sample: vectors[index]! },
      });
    }
    for (const { column, expr } of definitions) compiler.columns.set(column.id, { kind: 'expr', expr });
    for (const step of [...operators, sink])
      for (const expr of step.expressions) this.#registerPaths(compiler, expr);
    const after: Code[] = [];
    const expands = operators.some(
      (operator) => operator.name === 'array_join' || operator.name === 'join_probe',
    );
    const skipsBlocks = operators.every((operator) => 'conditions' in operator);
    const { steps, selection } = this.#selectFirst(compiler, row, rows);
    const emitFrom = (index: number): void => {
      const own = compiler.perExecution(js`${compiler.state}.operators[${index}]`, 'own');
      const operator = steps[index];
      const context = {
        compiler,
        state: own,
        row,
        samples: operator?.samples?.(state.operators[index]) ?? [],
      };
      compiler.statement(note(stepNote(operator ?? sink)));
      if (operator === undefined) sink.emit({ ...context, after, rows, expands, skipsBlocks, variant });
      else operator.emit(context, () => emitFrom(index + 1));
    };
    const loop = this.#wholeBlock(compiler, steps, selection?.count ?? rows)
      ? js``
      : this.#loop(compiler, { row, rows, selection }, () => emitFrom(0));
    return compiler.module.finish(
      compiler.state,
      js`${compiler.once.statements}return (${block}) => {\n${compiler.block.statements}${loop}\n${after}};`,
    );
  }

  /** Lets the sink take the rows of a block at once, where it can and no step is left that looks at single rows. */
  #wholeBlock(compiler: RowCompiler, steps: readonly Operator[], passing: Code): boolean {
    const { operators, sink } = this.description;
    const isDone = (step: Operator) =>
      'conditions' in step && (step as FilterOperator).conditions.length === 0;
    if (sink.emitWhole === undefined || !steps.every(isDone)) return false;
    const state = compiler.perExecution(js`${compiler.state}.operators[${operators.length}]`, 'own');
    return sink.emitWhole({ compiler, state }, passing);
  }

  #loop(
    compiler: RowCompiler,
    { row, rows, selection }: { row: Code; rows: Code; selection: Selection | null },
    emit: () => void,
  ): Code {
    const body = compiler.capture(emit);
    if (selection === null) return js`for (let ${row} = 0; ${row} < ${rows}; ${row}++) {\n${body}}`;
    const position = compiler.module.name('position');
    return js`for (let ${position} = 0; ${position} < ${selection.count}; ${position}++) {\nconst ${row} = ${selection.list}[${position}];\n${body}}`;
  }

  /** Cheap conditions of a filter that comes first are computed for all rows beforehand, the others row by row. */
  #selectFirst(
    compiler: RowCompiler,
    row: Code,
    rows: Code,
  ): { steps: readonly Operator[]; selection: Selection | null } {
    const { operators } = this.description;
    const [first, ...rest] = operators;
    if (first === undefined || !('conditions' in first)) return { steps: operators, selection: null };
    const { conditions } = first as FilterOperator;
    const cheap = conditions.filter((condition) => isCheap(compiler, condition));
    if (cheap.length === 0) return { steps: operators, selection: null };
    compiler.block.statements.push(note(`select ${cheap.map(describeExpr).join(', ')}`));
    const selection = emitSelection(compiler, cheap, row, rows);
    const left = conditions.filter((condition) => !cheap.includes(condition));
    return { steps: [filterOf(left), ...rest], selection };
  }

  /** Paths hide behind columns that are expressions of a projection below. */
  #registerPaths(compiler: RowCompiler, expr: BoundExpr): void {
    const meanings = new Map(
      this.description.definitions.map((definition) => [definition.column.id, definition.expr]),
    );
    const visit = (inner: BoundExpr): void => {
      compiler.jsonPaths.register(inner);
      for (const id of columnsOf(inner)) {
        const meaning = meanings.get(id);
        if (meaning !== undefined) visit(meaning);
      }
    };
    visit(expr);
  }
}
