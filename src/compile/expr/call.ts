import { assert } from '../../base/index.ts';
import { Code, joinCode, js } from '../../code/index.ts';
import type { Argument, Kernel, LambdaOperand, Operand } from '../../functions/index.ts';
import { type BoundCall, type BoundExpr, type BoundLambda, isKnown } from '../../plan/index.ts';
import { isNullable, type SqlType, withoutLowCardinality } from '../../types/index.ts';
import { constantValue } from './constant.ts';
import type { RowOperand } from './frame.ts';
import { compileJsonCast } from './json-path.ts';
import { eitherNull, typeBounds } from './operands.ts';
import type { RowCompiler } from './row-compiler.ts';

/** What a kernel's maker is told of an argument. */
function describe(expr: BoundExpr | BoundLambda, withoutNull: boolean): Argument {
  if (expr.kind === 'lambda') {
    return { type: expr.body.type, constant: undefined, lambda: { parameterCount: expr.parameters.length } };
  }
  const plain = withoutLowCardinality(expr.type);
  const type = withoutNull && plain.kind === 'nullable' ? plain.inner : plain;
  const known = expr.kind === 'literal' || (expr.kind === 'call' && isKnown(expr));
  return {
    type,
    lambda: undefined,
    get constant() {
      return known ? { value: constantValue(expr) } : undefined;
    },
  };
}

function withBareTypes(operand: Operand): Operand {
  const plain = withoutLowCardinality(operand.type);
  return { ...operand, type: plain.kind === 'nullable' ? plain.inner : plain, isNull: null };
}

/** The type that the function itself gives: without the nullable that NULL arguments add. */
function ownType(call: BoundCall, propagate: boolean): SqlType {
  if (!propagate) return call.type;
  const described = call.args.map((argument) => describe(argument, true));
  return call.type.kind === 'nullable' ? call.definition.type(described) : call.type;
}

/** Whether a document may be NULL in the blocks that the code is made for. */
function mayBeNull(compiler: RowCompiler, base: BoundExpr): boolean {
  const access = compiler.access(base);
  return access === undefined ? isNullable(base.type) : access.sample.nulls !== null;
}

export function compileCall(compiler: RowCompiler, call: BoundCall): RowOperand {
  const { definition } = call;
  if (definition.emitLazy !== undefined) {
    const thunks = call.args.map((argument) => () => compiler.compile(argument as BoundExpr));
    return definition.emitLazy(compiler, thunks, call.type);
  }
  const [first] = call.args;
  if (definition.name === 'cast' && first?.kind === 'json_path' && !mayBeNull(compiler, first.base)) {
    const convert = definition.kernel!(
      call.args.map((argument) => describe(argument, false)),
      call.type,
    );
    // What a path gives is a text, so the cast is one of texts.
    return compileJsonCast(compiler, first, call.type, convert as (text: string) => unknown);
  }
  const propagate = definition.nulls !== 'handled';
  const operands = call.args.map((argument) =>
    argument.kind === 'lambda' ? compiler.lambdaOperand(argument) : compiler.compile(argument),
  );
  const nulls = operands.map((operand) => ('lambda' in operand ? null : operand.isNull));
  const isNull = propagate ? named(compiler, eitherNull(nulls)) : null;
  if (definition.emit !== undefined) return emitInline(compiler, call, operands, isNull, propagate);
  assert(definition.kernel !== undefined, `function ${definition.name} has neither code nor kernel`);
  return callKernel(compiler, call, operands, isNull, propagate);
}

function named(compiler: RowCompiler, condition: Code | null): Code | null {
  return condition === null ? null : compiler.constant('isNull', condition);
}

type Operands = readonly (RowOperand | LambdaOperand)[];

function emitInline(
  compiler: RowCompiler,
  call: BoundCall,
  operands: Operands,
  isNull: Code | null,
  propagate: boolean,
): RowOperand {
  const type = ownType(call, propagate);
  const given = propagate
    ? operands.map((operand) => ('lambda' in operand ? operand : withBareTypes(operand)))
    : operands;
  const result = call.definition.emit!(compiler, given, type);
  if (result instanceof Code) {
    return { type: call.type, code: compiler.constant('x', result), isNull, bounds: typeBounds(type) };
  }
  const inner = propagate ? eitherNull([isNull, result.isNull]) : result.isNull;
  return { ...result, type: call.type, isNull: inner };
}

function callKernel(
  compiler: RowCompiler,
  call: BoundCall,
  operands: Operands,
  isNull: Code | null,
  propagate: boolean,
): RowOperand {
  const { definition } = call;
  const type = ownType(call, propagate);
  const described = call.args.map((argument) => describe(argument, propagate));
  const kernel: Kernel = definition.kernel!(described, type);
  const name = compiler.bind(kernel, definition.name);
  const args = operands.map((operand) =>
    'lambda' in operand ? operand.closure() : propagate ? operand.code : compiler.boxed(operand),
  );
  if (definition.contextual) args.unshift(js`${compiler.state}.context`);
  const value = js`${name}(${joinCode(args)})`;
  if (isNull === null) return compiler.unbox(compiler.constant(definition.name, value), call.type);
  if (!isNullable(type)) {
    const guarded = compiler.constant(
      definition.name,
      js`${isNull} ? ${compiler.defaultCode(type)} : ${value}`,
    );
    return { type: call.type, code: guarded, isNull, bounds: typeBounds(type) };
  }
  return compiler.unbox(compiler.constant(definition.name, js`${isNull} ? null : ${value}`), call.type);
}
