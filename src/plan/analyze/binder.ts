import type { CaseExpr, ColumnRef, Expr, JsonPathExpr, LambdaExpr } from '../../ast/index.ts';
import { SluiceError } from '../../base/index.ts';
import { type Argument, functions, type ScalarFunction } from '../../functions/index.ts';
import {
  bareType,
  interval,
  isNullable,
  isString,
  nullable,
  parseType,
  type SqlType,
  sameType,
  toByteString,
  typeName,
  types,
  unescapeText,
  withoutLowCardinality,
} from '../../types/index.ts';
import { type BoundExpr, type BoundLambda, type Column, isConstant } from '../bound.ts';
import type { PlanContext } from '../context.ts';
import { bindAggregateOrFunction } from './call.ts';
import { bindIn } from './in.ts';
import { bindLiteral, literalOf } from './literal.ts';
import type { Scope } from './scope.ts';
import { bindScalarSubquery } from './subquery.ts';

/** What stands where: aggregates are refused where rows are filtered before they are grouped. */
export type AggregatesAllowed = true | string;

/** Functions whose code takes constants as it takes any other value. */
const parameterizedCategories = new Set(['comparison', 'arithmetic']);

/** Binds the expressions of one SELECT: names to columns, calls to functions, with types. */
export class Binder {
  readonly context: PlanContext;
  readonly scope: Scope;
  #lambdaParameters: readonly Column[] = [];
  #aggregates: AggregatesAllowed = true;

  constructor(context: PlanContext, scope: Scope) {
    this.context = context;
    this.scope = scope;
  }

  /** Binds with aggregate functions refused; `where` says in which clause. */
  bindRow(expr: Expr, where: string): BoundExpr {
    const before = this.#aggregates;
    this.#aggregates = where;
    try {
      return this.bind(expr);
    } finally {
      this.#aggregates = before;
    }
  }

  assertAggregateAllowed(name: string): void {
    if (this.#aggregates === true) return;
    throw new SluiceError(
      'ILLEGAL_AGGREGATION',
      `Aggregate function ${name} cannot be used in ${this.#aggregates}`,
    );
  }

  bind(expr: Expr): BoundExpr {
    switch (expr.kind) {
      case 'literal': {
        const token = this.context.literalTokens.get(expr.pos.start);
        return token === undefined ? bindLiteral(expr) : { ...bindLiteral(expr), token };
      }
      case 'column':
        return this.#column(expr);
      case 'alias':
        this.scope.addAlias(expr);
        return this.#alias(expr.name, expr.expr);
      case 'call':
        return expr.name === 'in' ||
          expr.name === 'not_in' ||
          expr.name === 'global_in' ||
          expr.name === 'global_not_in'
          ? bindIn(this, expr)
          : bindAggregateOrFunction(this, expr);
      case 'between': {
        const value = this.bind(expr.expr);
        const range = this.call('and', [
          this.comparison('greater_or_equals', value, this.bind(expr.low)),
          this.comparison('less_or_equals', value, this.bind(expr.high)),
        ]);
        return expr.negated ? this.call('not', [range]) : range;
      }
      case 'case':
        return this.#case(expr);
      case 'cast':
        return this.call('cast', [
          this.bind(expr.expr),
          literalOf(toByteString(expr.typeText), types.string),
        ]);
      case 'array':
        return this.call(
          'array',
          expr.items.map((item) => this.bind(item)),
        );
      case 'tuple':
        return this.call(
          'tuple',
          expr.items.map((item) => this.bind(item)),
        );
      case 'map':
        return this.call(
          'map',
          expr.entries.flatMap((entry) => [this.bind(entry.key), this.bind(entry.value)]),
        );
      case 'interval':
        return this.#interval(this.bind(expr.value), expr.unit);
      case 'subquery':
        return bindScalarSubquery(this, expr.query);
      case 'json_path':
        return this.#jsonPath(expr);
      case 'parameter':
        return this.#parameter(expr.name, expr.typeText);
      case 'exists':
        throw new SluiceError('NOT_IMPLEMENTED', 'EXISTS (subquery) is not supported');
      case 'asterisk':
        throw new SluiceError(
          'UNKNOWN_IDENTIFIER',
          '* stands for columns in a SELECT list and in count(*) only',
        );
      case 'columns':
        throw new SluiceError('UNKNOWN_IDENTIFIER', 'COLUMNS(...) stands for columns in a SELECT list only');
      case 'lambda':
        throw new SluiceError(
          'BAD_ARGUMENTS',
          'A lambda can only be an argument of a function that takes one',
        );
    }
  }

  #alias(name: string, expr: Expr): BoundExpr {
    const known = this.scope.bound.get(name);
    if (known !== undefined && this.#lambdaParameters.length === 0) return known;
    this.scope.binding.add(name);
    try {
      const bound = this.bind(expr);
      if (this.#lambdaParameters.length === 0) this.scope.bound.set(name, bound);
      return bound;
    } finally {
      this.scope.binding.delete(name);
    }
  }

  #column(ref: ColumnRef): BoundExpr {
    const [first] = ref.parts;
    const parameter = this.#lambdaParameters.findLast((column) => column.name === first);
    if (parameter !== undefined)
      return this.#elements({ kind: 'column', column: parameter, type: parameter.type }, ref.parts.slice(1));
    if (ref.parts.length === 1 && !this.scope.binding.has(first!)) {
      const alias = this.scope.aliases.get(first!);
      if (alias !== undefined) return this.#alias(first!, alias);
    }
    const found = this.scope.find(ref.parts);
    if (found !== undefined) {
      return this.#elements({ kind: 'column', column: found.column, type: found.column.type }, found.rest);
    }
    const named = ref.parts.length === 1 ? this.scope.findNamedExpr(first!) : undefined;
    if (named !== undefined && !this.scope.binding.has(first!)) return this.#alias(first!, named);
    const alias = ref.parts.length > 1 ? this.scope.aliases.get(first!) : undefined;
    if (alias !== undefined && !this.scope.binding.has(first!))
      return this.#elements(this.#alias(first!, alias), ref.parts.slice(1));
    throw this.scope.unknown(ref.parts, ref.isDoubleQuoted);
  }

  #elements(base: BoundExpr, names: readonly string[]): BoundExpr {
    let result = base;
    for (const name of names) {
      const { kind } = bareType(result.type);
      if (kind !== 'tuple') {
        throw new SluiceError(
          'UNKNOWN_IDENTIFIER',
          `Unknown column '${name}': ${typeName(result.type)} before it has no elements`,
        );
      }
      result = this.call('tuple_element', [result, literalOf(toByteString(name), types.string)]);
    }
    return result;
  }

  #case(expr: CaseExpr): BoundExpr {
    const operand = expr.operand === null ? null : this.bind(expr.operand);
    const args: BoundExpr[] = [];
    for (const branch of expr.branches) {
      const when = this.bind(branch.when);
      args.push(operand === null ? when : this.comparison('equals', operand, when), this.bind(branch.then));
    }
    args.push(expr.otherwise === null ? literalOf(null, types.nothing) : this.bind(expr.otherwise));
    return this.call('multi_if', args);
  }

  #interval(value: BoundExpr, unit: Parameters<typeof interval>[0]): BoundExpr {
    if (value.kind === 'literal' && typeof value.value === 'number' && Number.isInteger(value.value)) {
      return literalOf(value.value, interval(unit));
    }
    return this.call(`to_interval_${unit}`, [value]);
  }

  #jsonPath(expr: JsonPathExpr): BoundExpr {
    const base = this.#column(expr.base);
    if (!isString(base.type)) {
      throw new SluiceError(
        'ILLEGAL_TYPE_OF_ARGUMENT',
        `'${expr.base.parts.join('.')}:...' needs a string column holding JSON, and it is ${typeName(base.type)}`,
      );
    }
    const path = expr.path.map((step) => (step.type === 'key' ? toByteString(step.key) : step.index));
    return { kind: 'json_path', base, path, type: types.string };
  }

  #parameter(name: string, typeText: string): BoundExpr {
    const text = this.context.queryParameters.get(name);
    if (text === undefined) {
      throw new SluiceError(
        'UNKNOWN_QUERY_PARAMETER',
        `The query parameter '${name}' is not given: expected param_${name}`,
      );
    }
    const type = parseType(typeText);
    if (text === '\\N' && isNullable(type)) return literalOf(null, type);
    try {
      // Strings come with escapes, so that \N can be told from a text; other types have a notation of their own.
      const plain = isString(bareType(type)) ? unescapeText(text) : text;
      const cast = this.call('cast', [
        literalOf(toByteString(plain), types.string),
        literalOf(typeText, types.string),
      ]);
      return literalOf(this.context.evaluate(cast), type);
    } catch (thrown) {
      if (!(thrown instanceof SluiceError)) throw thrown;
      throw new SluiceError(
        'BAD_QUERY_PARAMETER',
        `Query parameter '${name}' cannot be read as ${typeName(type)}: ${thrown.message}`,
      );
    }
  }

  /** A comparison, with text on one side read as the type of the other when that is no string. */
  comparison(name: string, left: BoundExpr, right: BoundExpr): BoundExpr {
    const [first, second] = this.comparable(left, right);
    return this.call(name, [first, second]);
  }

  comparable(left: BoundExpr, right: BoundExpr): readonly [BoundExpr, BoundExpr] {
    const readAs = new Set(['date', 'date32', 'datetime', 'datetime64', 'uuid', 'ipv4', 'ipv6', 'enum']);
    const leftString = isString(left.type);
    const rightString = isString(right.type);
    if (leftString && !rightString && readAs.has(bareType(right.type).kind))
      return [this.castTo(left, right.type), right];
    if (rightString && !leftString && readAs.has(bareType(left.type).kind))
      return [left, this.castTo(right, left.type)];
    return [left, right];
  }

  /** The expression cast to a type, NULLs kept; itself when it has the type already. */
  castTo(expr: BoundExpr, type: SqlType): BoundExpr {
    const wanted = isNullable(expr.type) ? nullable(bareType(type)) : type;
    if (sameType(withoutLowCardinality(expr.type), withoutLowCardinality(wanted))) return expr;
    return this.call('cast', [expr, literalOf(typeName(wanted), types.string)]);
  }

  /** A call of a scalar function with arguments that are bound already. */
  call(name: string, args: readonly (BoundExpr | BoundLambda)[]): BoundExpr {
    return this.callDefinition(functions.scalar(name), args);
  }

  callDefinition(definition: ScalarFunction, args: readonly (BoundExpr | BoundLambda)[]): BoundExpr {
    const [least, most] = definition.arity;
    if (args.length < least || args.length > most) {
      const wanted =
        least === most
          ? `${least}`
          : most === Number.POSITIVE_INFINITY
            ? `at least ${least}`
            : `${least} to ${most}`;
      throw new SluiceError(
        'NUMBER_OF_ARGUMENTS_DOESNT_MATCH',
        `Function ${definition.name} takes ${wanted} argument${wanted === '1' ? '' : 's'}, not ${args.length}: ${definition.syntax}`,
      );
    }
    const propagate = definition.nulls !== 'handled';
    const described = args.map((argument) => this.argument(argument, propagate));
    if (propagate && described.some((argument) => argument.type.kind === 'nothing'))
      return literalOf(null, types.nothing);
    const type = definition.type(described);
    const wrap =
      propagate && args.some((argument) => argument.kind !== 'lambda' && isNullable(argument.type));
    const { kind } = type;
    const canWrap = kind !== 'array' && kind !== 'map' && kind !== 'tuple';
    // Beside a column a literal is a value like any other; among constants its value may decide a type.
    const open =
      parameterizedCategories.has(definition.category) &&
      definition.emit !== undefined &&
      args.some((argument) => argument.kind !== 'lambda' && !isConstant(argument));
    const given = open ? args.map((argument) => this.parameterized(argument)) : args;
    return { kind: 'call', definition, args: given, type: wrap && canWrap ? nullable(type) : type };
  }

  /**
   * A literal of the text as a parameter, so that texts which differ in it share the plan; other expressions as they are.
   * Equal literals share a parameter (unless one is no part of an expression, such as a limit), or else equal expressions
   * would not be recognised as such.
   */
  parameterized<Expr extends BoundExpr | BoundLambda>(expr: Expr, mayShare = true): Expr | BoundExpr {
    if (expr.kind !== 'literal' || expr.token === undefined || this.context.pinnedTokens.has(expr.token))
      return expr;
    const { parameters } = this.context;
    const { token, type, value } = expr;
    const known = !mayShare
      ? -1
      : parameters.findIndex(
          (entry) => entry.kind === 'literal' && entry.value === value && sameType(entry.type, type),
        );
    if (known < 0) {
      parameters.push({ kind: 'literal', tokens: [token], value, type });
      return { kind: 'parameter', index: parameters.length - 1, type };
    }
    const entry = parameters[known]!;
    if (entry.kind === 'literal' && !entry.tokens.includes(token)) entry.tokens.push(token);
    return { kind: 'parameter', index: known, type };
  }

  /** What a function's type rule is told of an argument. */
  argument(expr: BoundExpr | BoundLambda, withoutNull: boolean): Argument {
    if (expr.kind === 'lambda') {
      return {
        type: expr.body.type,
        constant: undefined,
        lambda: { parameterCount: expr.parameters.length },
      };
    }
    const plain = withoutLowCardinality(expr.type);
    const type = withoutNull && plain.kind === 'nullable' ? plain.inner : plain;
    const { context } = this;
    if (!isConstant(expr)) return { type, constant: undefined, lambda: undefined };
    return {
      type,
      lambda: undefined,
      get constant() {
        return { value: context.evaluate(expr) };
      },
    };
  }

  /** Binds a lambda whose parameters have the given types. */
  lambda(expr: LambdaExpr, parameterTypes: readonly SqlType[]): BoundLambda {
    const parameters = expr.params.map((name, index) =>
      this.context.nextColumn(name, parameterTypes[index] ?? types.nothing),
    );
    const before = this.#lambdaParameters;
    this.#lambdaParameters = [...before, ...parameters];
    try {
      return { kind: 'lambda', parameters, body: this.bind(expr.body) };
    } finally {
      this.#lambdaParameters = before;
    }
  }
}
