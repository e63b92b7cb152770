import { limits } from '../../base/index.ts';
import { type Code, joinCode, js } from '../../code/index.ts';
import { type Block, columnBuilder, flatFromDoubles, type Vector } from '../../column/index.ts';
import {
  type Argument,
  type ObjectState,
  type Operand,
  rowOrder,
  type SlotState,
} from '../../functions/index.ts';
import type { AggregateCall, AggregateOutput, Assignment, BoundExpr } from '../../plan/index.ts';
import { isKnown } from '../../plan/index.ts';
import { type GroupState, type SlotLayout, setKey } from '../../runtime/index.ts';
import { isFloat, isNullable, withoutLowCardinality } from '../../types/index.ts';
import { constantValue } from '../expr/constant.ts';
import { eitherNull } from '../expr/operands.ts';
import { type AggregateSlots, AggregationState, type DenseGroups } from './aggregation-state.ts';
import { emitKeys, type KeyTables, keyCount, keyValues } from './keys.ts';
import type { Sink, SinkContext } from './operator.ts';

/** One aggregate with the places of its slots. */
interface PlacedAggregate extends AggregateSlots {
  readonly output: AggregateOutput;
  /** Slot of the set of values already aggregated, for DISTINCT. */
  readonly distinctSlot: number | undefined;
}

function describeArguments(call: AggregateCall): Argument[] {
  const skips = call.definition.nulls !== 'handled';
  return call.args.map((expr) => {
    const plain = withoutLowCardinality(expr.type);
    const type = skips && plain.kind === 'nullable' ? plain.inner : plain;
    return {
      type,
      constant: isKnown(expr) ? { value: constantValue(expr) } : undefined,
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

/** How a block's rows reach the slots of their groups. */
interface GroupAccess {
  /** The group's number in a row; null when there is one group only. */
  readonly group: Code | null;
  /** Whether the slots of a block begin anew and are merged after it. */
  readonly merged: boolean;
  /** The array of a slot. */
  readonly slots: (index: number) => Code;
}

/** Assignable fragments for the slots of the row's group. */
function slotReferences(context: SinkContext, layout: readonly SlotLayout[], access: GroupAccess): Code[] {
  const { compiler } = context;
  return layout.map((_, index) => {
    const array = access.slots(index);
    if (access.group === null) {
      // Without keys there is one group: its slots are local variables during a block.
      const name = compiler.module.name('slot');
      const local = access.merged ? initialCode(layout[index]!) : js`${array}[0]`;
      compiler.block.statements.push(js`let ${name} = ${local};`);
      return name;
    }
    return js`${context.expands ? array : compiler.perBlock(array, 'slots')}[${access.group}]`;
  });
}

/** The value a slot begins with. */
function initialCode(slot: SlotLayout): Code {
  return slot.kind === 'any' ? js`undefined` : js`${slot.initial ?? 0}`;
}

/** Groups found by looking their keys up; there is room for every group before the block's first row. */
function tableAccess(context: SinkContext, keys: readonly BoundExpr[]): GroupAccess {
  const { compiler, state, rows } = context;
  const known = js`${compiler.bind(keyCount, 'keyCount')}(${state}.tables)`;
  compiler.block.statements.push(js`${state}.groups.reserve(${known} + ${rows});`);
  const group = emitKeys({ compiler, tables: js`${state}.tables` }, keys);
  // Where an operator brings more rows than the block has, each row makes sure of its group's room.
  if (context.expands)
    compiler.statement(js`if (${group} >= ${state}.groups.capacity) ${state}.groups.reserve(${group} + 1);`);
  return { group, merged: false, slots: (index) => js`${state}.groups.slots[${index}]` };
}

/** Groups of integers of a small range: the number is the distance from the least. */
function denseAccess(context: SinkContext, key: BoundExpr, counted: boolean): GroupAccess {
  const { compiler, state } = context;
  const dense = compiler.perBlock(js`${state}.dense`, 'dense');
  const base = compiler.perBlock(js`${dense}.base`, 'base');
  const group = compiler.constant('group', js`${compiler.compile(key).code} - ${base}`);
  if (!counted) compiler.statement(js`${compiler.perBlock(js`${dense}.seen`, 'seen')}[${group}] = 1;`);
  return { group, merged: false, slots: (index) => js`${dense}.groups.slots[${index}]` };
}

/** Groups of a dictionary's codes, gathered for the block alone and added up after it. */
function codesAccess(context: SinkContext, key: BoundExpr): GroupAccess {
  const { compiler, state } = context;
  const { code, identity } = compiler.compile(key).dictionary!;
  const local = compiler.perBlock(js`${state}.codeSlots(${identity}.size)`, 'local');
  const seen = compiler.perBlock(js`${state}.codesSeen`, 'seen');
  compiler.statement(js`${seen}[${code}] = 1;`);
  context.after.push(js`${state}.mergeCodes(${identity});`);
  return { group: code, merged: true, slots: (index) => js`${local}[${index}]` };
}

function groupAccess(
  context: SinkContext,
  keys: readonly BoundExpr[],
  options: { readonly mergeable: boolean; readonly counted: boolean },
): GroupAccess {
  if (keys.length === 0) {
    return {
      group: null,
      merged: options.mergeable,
      slots: (index) => js`${context.state}.groups.slots[${index}]`,
    };
  }
  if (context.variant === 'dense') return denseAccess(context, keys[0]!, options.counted);
  if (context.variant === 'codes') return codesAccess(context, keys[0]!);
  return tableAccess(context, keys);
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

/**
 * Groups rows by keys and aggregates each group; without keys there is one group, also of no rows. `keyColumn` is the place
 * of the only key among the block's columns, -1 when it is no plain column.
 */
export function aggregateSink(
  keys: readonly Assignment[],
  aggregates: readonly AggregateOutput[],
  keyColumn: number,
): Sink {
  const { placed, layout } = place(aggregates);
  const keyExprs = keys.map((key) => key.expr);
  const keyTypes = keyExprs.map((expr) => expr.type);
  const mergeable = placed.every((aggregate) => aggregate.distinctSlot === undefined);
  const counters = new Set(
    placed
      .filter(
        ({ output: { call } }) =>
          call.definition.name === 'count' && call.args.length === 0 && call.condition === null,
      )
      .map((aggregate) => aggregate.firstSlot),
  );
  const ordered = aggregates.some(({ call }) => rowOrder(call.definition.name) !== 'free');
  const countable = mergeable && keys.length === 1 && !isFloat(keyTypes[0]!);
  const expressions = [
    ...keyExprs,
    ...aggregates.flatMap(({ call }) =>
      call.condition === null ? call.args : [...call.args, call.condition],
    ),
  ];
  return {
    name: 'aggregate',
    expressions,
    aggregates,
    createState: () => new AggregationState(keyTypes, layout, placed, counters, ordered),
    variant: (state, block) =>
      countable ? (state as AggregationState).groupingOf(block, keyColumn) : 'table',
    emitWhole({ compiler, state }, passing) {
      if (keys.length > 0 || counters.size < placed.length) return false;
      for (const slot of counters)
        compiler.block.statements.push(js`${state}.groups.slots[${slot}][0] += ${passing};`);
      return true;
    },
    emit(context) {
      const { compiler, state } = context;
      const access = groupAccess(context, keyExprs, { mergeable, counted: counters.size > 0 });
      const slots = slotReferences(context, layout, access);
      compiler.freshSlots = access.merged;
      for (const aggregate of placed) emitUpdate(context, aggregate, slots);
      compiler.freshSlots = false;
      if (access.group !== null) return;
      if (access.merged) context.after.push(js`${state}.mergeSingle([${joinCode(slots)}]);`);
      else
        for (const [index, slot] of slots.entries())
          context.after.push(js`${access.slots(index)}[0] = ${slot};`);
    },
    *finish(state) {
      yield* resultBlocks(state as AggregationState, keys, placed);
    },
  };
}

/** The result of one aggregate for a group. */
function resultOf(aggregate: PlacedAggregate, groups: GroupState, group: number): unknown {
  if (aggregate.seenSlot !== undefined && groups.slots[aggregate.seenSlot]![group] !== 1) return null;
  const { state, firstSlot } = aggregate;
  if (state.kind === 'slots') {
    return (state as SlotState).result(...(groups.values(group, firstSlot, state.slots.length) as never[]));
  }
  const object = state as ObjectState;
  return object.result((groups.slots[firstSlot]![group] ?? object.create()) as never);
}

/** The results of an aggregate whose slot holds them as they are; null when they have to be computed. */
function readyVector(aggregate: PlacedAggregate, groups: GroupState, list: Uint32Array): Vector | null {
  const { state, firstSlot, output } = aggregate;
  if (state.kind !== 'slots' || state.resultSlot === undefined || aggregate.seenSlot !== undefined)
    return null;
  const used = groups.slots.slice(firstSlot, firstSlot + state.slots.length);
  if (used.some((slot) => Array.isArray(slot) && slot.length > 0)) return null;
  const slot = used[state.resultSlot] as Float64Array;
  const values = new Float64Array(list.length);
  for (let index = 0; index < list.length; index++) values[index] = slot[list[index]!]!;
  return flatFromDoubles(values, output.column.type, null);
}

function keyVectors(tables: KeyTables, keys: readonly Assignment[], list: Uint32Array): Vector[] {
  const builders = keys.map((key) => columnBuilder(key.column.type));
  for (const group of list) {
    const values = keyValues(tables, group);
    for (let index = 0; index < builders.length; index++) builders[index]!.append(values[index]);
  }
  return builders.map((builder) => builder.finish());
}

function aggregateVectors(
  placed: readonly PlacedAggregate[],
  groups: GroupState,
  list: Uint32Array,
): Vector[] {
  return placed.map((aggregate) => {
    const ready = readyVector(aggregate, groups, list);
    if (ready !== null) return ready;
    const builder = columnBuilder(aggregate.output.column.type);
    for (const group of list) builder.append(resultOf(aggregate, groups, group));
    return builder.finish();
  });
}

/** The numbers from `start` on, as many as fit a block. */
function numbersFrom(start: number, total: number): Uint32Array {
  const list = new Uint32Array(Math.min(limits.block_rows_max, total - start));
  for (let index = 0; index < list.length; index++) list[index] = start + index;
  return list;
}

function* denseBlocks(
  state: AggregationState,
  dense: DenseGroups,
  keys: readonly Assignment[],
  placed: readonly PlacedAggregate[],
): Iterable<Block> {
  const list = new Uint32Array(limits.block_rows_max);
  let count = 0;
  for (let offset = 0; offset < dense.length; offset++) {
    if (state.isPresent(dense, offset)) list[count++] = offset;
    if (count < list.length && (offset < dense.length - 1 || count === 0)) continue;
    const groups = list.subarray(0, count);
    const values = new Float64Array(count);
    for (let index = 0; index < count; index++) values[index] = dense.base + groups[index]!;
    const key = flatFromDoubles(values, keys[0]!.column.type, null);
    yield { rows: count, vectors: [key, ...aggregateVectors(placed, dense.groups, groups)] };
    count = 0;
  }
}

function* resultBlocks(
  state: AggregationState,
  keys: readonly Assignment[],
  placed: readonly PlacedAggregate[],
): Iterable<Block> {
  state.foldDense();
  if (state.dense !== null) {
    yield* denseBlocks(state, state.dense, keys, placed);
    return;
  }
  const total = keys.length === 0 ? 1 : keyCount(state.tables);
  for (let start = 0; start < total; start += limits.block_rows_max) {
    const list = numbersFrom(start, total);
    const vectors = [
      ...keyVectors(state.tables, keys, list),
      ...aggregateVectors(placed, state.groups, list),
    ];
    yield { rows: list.length, vectors };
  }
}
