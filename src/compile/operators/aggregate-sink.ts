import { limits } from '../../base/index.ts';
import { type Code, joinCode, js } from '../../code/index.ts';
import { type Block, columnBuilder, flatFromDoubles, type Vector } from '../../column/index.ts';
import type { AggregateState, Argument, ObjectState, Operand, SlotState } from '../../functions/index.ts';
import type { AggregateCall, AggregateOutput, Assignment } from '../../plan/index.ts';
import { isConstant } from '../../plan/index.ts';
import { GroupState, NumberInterner, type SlotLayout, setKey } from '../../runtime/index.ts';
import { isNullable, representation, withoutLowCardinality } from '../../types/index.ts';
import { constantValue } from '../expr/constant.ts';
import { eitherNull } from '../expr/operands.ts';
import { emitKeys, type KeyTables, keyCount, keyTables, keyValues } from './keys.ts';
import type { Sink, SinkContext } from './operator.ts';

/** One aggregate with the places of its slots. */
interface PlacedAggregate {
  readonly output: AggregateOutput;
  readonly state: AggregateState;
  readonly firstSlot: number;
  /** Slot that tells whether a row was aggregated at all; undefined when the result over none is no NULL. */
  readonly seenSlot: number | undefined;
  /** Slot of the set of values already aggregated, for DISTINCT. */
  readonly distinctSlot: number | undefined;
}

/** The state of an aggregation: the groups' keys, and the slots of their aggregates. */
export interface AggregationState {
  readonly tables: KeyTables;
  readonly groups: GroupState;
}

function describeArguments(call: AggregateCall): Argument[] {
  const skips = call.definition.nulls !== 'handled';
  return call.args.map((expr) => {
    const plain = withoutLowCardinality(expr.type);
    const type = skips && plain.kind === 'nullable' ? plain.inner : plain;
    return {
      type,
      constant: isConstant(expr) ? { value: constantValue(expr) } : undefined,
      lambda: undefined,
    };
  });
}

function place(aggregates: readonly AggregateOutput[]): { placed: PlacedAggregate[]; layout: SlotLayout[] } {
  const layout: SlotLayout[] = [];
  const add = (slot: SlotLayout): number => layout.push(slot) - 1;
  const placed = aggregates.map((output): PlacedAggregate => {
    const { call } = output;
    const described = describeArguments(call);
    const plain =
      call.type.kind === 'nullable' && call.definition.nulls !== 'handled' ? call.type.inner : call.type;
    const state = call.definition.state(described, call.parameters, plain);
    const firstSlot = layout.length;
    if (state.kind === 'slots') for (const slot of state.slots) add(slot);
    else add({ kind: 'any', initial: undefined });
    const skips = call.definition.nulls === undefined || call.definition.nulls === 'skip';
    const mayBeEmpty =
      skips && call.args.some((argument) => isNullable(argument.type)) && isNullable(call.type);
    return {
      output,
      state,
      firstSlot,
      seenSlot: mayBeEmpty ? add({ kind: 'f64', initial: 0 }) : undefined,
      distinctSlot: call.distinct ? add({ kind: 'any', initial: undefined }) : undefined,
    };
  });
  return { placed, layout };
}

/** Assignable fragments for the slots of the row's group. */
function slotReferences(context: SinkContext, layout: readonly SlotLayout[], group: Code | null): Code[] {
  const { compiler, state } = context;
  return layout.map((_, index) => {
    if (group === null) {
      // Without keys there is one group: its slots are local variables during a block.
      const name = compiler.module.name('slot');
      compiler.block.statements.push(js`let ${name} = ${state}.groups.slots[${index}][0];`);
      context.after.push(js`${state}.groups.slots[${index}][0] = ${name};`);
      return name;
    }
    const name = compiler.module.name('slots');
    compiler.block.statements.push(js`let ${name} = ${state}.groups.slots[${index}];`);
    return name;
  });
}

function emitUpdate(context: SinkContext, aggregate: PlacedAggregate, slots: readonly Code[]): void {
  const { compiler } = context;
  const { call } = aggregate.output;
  const operands = call.args.map((argument) => compiler.compile(argument));
  const skips = call.definition.nulls !== 'handled';
  const isNull = skips ? eitherNull(operands.map((operand) => operand.isNull)) : null;
  const body = compiler.capture(() => {
    if (aggregate.seenSlot !== undefined) compiler.statement(js`${slots[aggregate.seenSlot]!} = 1;`);
    const given: Operand[] = skips ? operands.map((operand) => ({ ...operand, isNull: null })) : operands;
    const update = () => updateState(context, aggregate, slots, given);
    if (aggregate.distinctSlot === undefined) update();
    else emitDistinct(context, slots[aggregate.distinctSlot]!, given, update);
  });
  const condition = call.condition === null ? null : compiler.compile(call.condition);
  const tests: Code[] = [];
  if (condition !== null) {
    if (condition.isNull !== null) tests.push(js`!(${condition.isNull})`);
    tests.push(js`${condition.code}`);
  }
  if (isNull !== null) tests.push(js`!(${isNull})`);
  compiler.statement(tests.length === 0 ? js`{\n${body}}` : js`if (${joinCode(tests, ' && ')}) {\n${body}}`);
}

function updateState(
  context: SinkContext,
  aggregate: PlacedAggregate,
  slots: readonly Code[],
  operands: readonly Operand[],
): void {
  const { compiler } = context;
  const { state, firstSlot } = aggregate;
  if (state.kind === 'slots') {
    state.update(compiler, slots.slice(firstSlot, firstSlot + state.slots.length), operands);
    return;
  }
  const slot = slots[firstSlot]!;
  const create = compiler.bind(state.create, 'create');
  const add = compiler.bind(state.add, 'add');
  compiler.statement(js`if (${slot} === undefined) ${slot} = ${create}();`);
  compiler.statement(js`${add}(${joinCode([slot, ...operands.map((operand) => compiler.boxed(operand))])});`);
}

function emitDistinct(
  context: SinkContext,
  slot: Code,
  operands: readonly Operand[],
  update: () => void,
): void {
  const { compiler } = context;
  const boxed = operands.map((operand) => compiler.boxed(operand));
  const value = boxed.length === 1 ? boxed[0]! : js`[${joinCode(boxed)}]`;
  const key = compiler.constant('key', js`${compiler.bind(setKey, 'setKey')}(${value})`);
  compiler.statement(js`if (${slot} === undefined) ${slot} = new Set();`);
  const body = compiler.capture(update);
  compiler.statement(js`if (!${slot}.has(${key})) {\n${slot}.add(${key});\n${body}}`);
}

/** Groups rows by keys and aggregates each group; without keys there is one group, also of no rows. */
export function aggregateSink(keys: readonly Assignment[], aggregates: readonly AggregateOutput[]): Sink {
  const { placed, layout } = place(aggregates);
  const keyExprs = keys.map((key) => key.expr);
  const keyTypes = keyExprs.map((expr) => expr.type);
  const expressions = [
    ...keyExprs,
    ...aggregates.flatMap(({ call }) =>
      call.condition === null ? call.args : [...call.args, call.condition],
    ),
  ];
  return {
    name: 'aggregate',
    expressions,
    createState: (): AggregationState => {
      const groups = new GroupState(layout);
      if (keys.length === 0) groups.groups = 1;
      return { tables: keyTables(keyTypes), groups };
    },
    emit(context) {
      const { compiler, state } = context;
      const group = keys.length === 0 ? null : emitKeys({ compiler, tables: js`${state}.tables` }, keyExprs);
      const arrays = slotReferences(context, layout, group);
      if (group !== null) emitGrowth(context, layout, arrays, group);
      const slots = group === null ? arrays : arrays.map((array) => js`${array}[${group}]`);
      for (const aggregate of placed) emitUpdate(context, aggregate, slots);
    },
    *finish(state) {
      yield* resultBlocks(state as AggregationState, keys, placed);
    },
  };
}

/** Before a new group's slots are touched they must be there. */
function emitGrowth(
  context: SinkContext,
  layout: readonly SlotLayout[],
  arrays: readonly Code[],
  group: Code,
): void {
  const { compiler, state } = context;
  const capacity = compiler.module.name('capacity');
  compiler.block.statements.push(js`let ${capacity} = ${state}.groups.capacity;`);
  const reload = layout.map((_, index) => js`${arrays[index]!} = ${state}.groups.slots[${index}];`);
  compiler.statement(
    js`if (${group} >= ${capacity}) {\n${state}.groups.grow(${group});\n${capacity} = ${state}.groups.capacity;\n${reload}}`,
  );
}

function slotValues(groups: GroupState, first: number, count: number, group: number): unknown[] {
  const values: unknown[] = [];
  for (let slot = first; slot < first + count; slot++) values.push(groups.slots[slot]![group]);
  return values;
}

/** The result of one aggregate for a group. */
function resultOf(aggregate: PlacedAggregate, groups: GroupState, group: number): unknown {
  if (aggregate.seenSlot !== undefined && groups.slots[aggregate.seenSlot]![group] !== 1) return null;
  const { state, firstSlot } = aggregate;
  if (state.kind === 'slots') {
    return (state as SlotState).result(
      ...(slotValues(groups, firstSlot, state.slots.length, group) as never[]),
    );
  }
  const object = state as ObjectState;
  return object.result((groups.slots[firstSlot]![group] ?? object.create()) as never);
}

function keyVectors(
  state: AggregationState,
  keys: readonly Assignment[],
  start: number,
  end: number,
): Vector[] {
  const { tables } = state;
  const [only] = tables.keys;
  if (
    keys.length === 1 &&
    only instanceof NumberInterner &&
    only.plain &&
    representation(keys[0]!.expr.type) === 'number'
  ) {
    return [flatFromDoubles(only.values.subarray(start, end), keys[0]!.column.type, null)];
  }
  const builders = keys.map((key) => columnBuilder(key.column.type));
  for (let group = start; group < end; group++) {
    const values = keyValues(tables, group);
    for (let index = 0; index < builders.length; index++) builders[index]!.append(values[index]);
  }
  return builders.map((builder) => builder.finish());
}

function* resultBlocks(
  state: AggregationState,
  keys: readonly Assignment[],
  placed: readonly PlacedAggregate[],
): Iterable<Block> {
  const total = keys.length === 0 ? 1 : keyCount(state.tables);
  for (let start = 0; start < total; start += limits.block_rows_max) {
    const end = Math.min(total, start + limits.block_rows_max);
    const vectors = keyVectors(state, keys, start, end);
    for (const aggregate of placed) {
      const builder = columnBuilder(aggregate.output.column.type);
      for (let group = start; group < end; group++) builder.append(resultOf(aggregate, state.groups, group));
      vectors.push(builder.finish());
    }
    yield { rows: end - start, vectors };
  }
}
