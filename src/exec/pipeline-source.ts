import type { Block } from '../column/index.ts';
import type { Pipeline, PipelineState, PushBlock } from '../compile/index.ts';
import type { Execution } from './execution.ts';
import type { BlockSource } from './source.ts';

/** A pipeline in an execution: its state, and the generated code for the shapes of blocks met so far. */
export class PipelineRun {
  readonly pipeline: Pipeline;
  readonly state: PipelineState;
  readonly #execution: Execution;
  readonly #pushes = new Map<string, PushBlock>();
  #output: Block[] = [];

  constructor(pipeline: Pipeline, execution: Execution) {
    this.pipeline = pipeline;
    this.#execution = execution;
    this.state = pipeline.createState(execution.parameters, execution.context, (block) => {
      this.#output.push(block);
    });
  }

  push(block: Block): void {
    const shape = this.pipeline.shapeOf(block, this.state);
    let push = this.#pushes.get(shape);
    if (push === undefined) {
      push = this.pipeline.bind(shape, block.vectors, this.#execution.parameters, this.state);
      this.#pushes.set(shape, push);
    }
    push(block);
  }

  /** The blocks given since the last call. */
  take(): Block[] {
    const output = this.#output;
    if (output.length > 0) this.#output = [];
    return output;
  }

  /** What was held back until the end: aggregates, sorted rows. */
  finish(): Iterable<Block> {
    const { sink, operators } = this.pipeline.description;
    return sink.finish?.(this.state.operators[operators.length]) ?? [];
  }
}

/** Runs a pipeline over a source; gives its blocks as they come, or at the end when it holds them back. */
export class PipelineSource implements BlockSource {
  readonly run: PipelineRun;
  readonly #input: BlockSource;
  readonly #execution: Execution;
  #ready: Block[] = [];
  #next = 0;
  #rest: Iterator<Block> | null = null;

  constructor(run: PipelineRun, input: BlockSource, execution: Execution) {
    this.run = run;
    this.#input = input;
    this.#execution = execution;
  }

  next(): Block | null | Promise<Block | null> {
    while (true) {
      if (this.#next < this.#ready.length) return this.#ready[this.#next++]!;
      if (this.#rest !== null) {
        const step = this.#rest.next();
        return step.done === true ? null : step.value;
      }
      if (this.run.state.done) {
        this.#end();
        continue;
      }
      const pause = this.#execution.pause();
      if (pause !== null) return this.#resume(pause);
      const block = this.#input.next();
      if (block instanceof Promise) return block.then((value) => this.#continue(value));
      this.#feed(block);
    }
  }

  async #resume(pause: Promise<void>): Promise<Block | null> {
    await pause;
    this.#execution.check();
    return this.next();
  }

  #continue(block: Block | null): Block | null | Promise<Block | null> {
    this.#feed(block);
    return this.next();
  }

  #feed(block: Block | null): void {
    if (block === null) {
      this.#end();
      return;
    }
    this.run.push(block);
    this.#ready = this.run.take();
    this.#next = 0;
  }

  #end(): void {
    this.#input.close();
    this.#rest = this.run.finish()[Symbol.iterator]();
  }

  close(): void {
    this.#input.close();
  }
}
