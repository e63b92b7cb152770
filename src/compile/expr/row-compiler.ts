import { assert } from '../../base/index.ts';
import { type Code, CodeWriter, js } from '../../code/index.ts';
import { boxedCode, type Emitter, type LambdaOperand, type Operand } from '../../functions/index.ts';
import { type BoundExpr, type BoundLambda, exprKey, isConstant } from '../../plan/index.ts';
import { rowList, setKey } from '../../runtime/index.ts';
import { defaultValue, representation, type SqlType } from '../../types/index.ts';
import { compileCall } from './call.ts';
import { type BytesAccess, bytesOf, type ColumnAccess, loadColumn } from './column-access.ts';
import { type Frame, findOperand, newFrame, type RowOperand } from './frame.ts';
import { compileJsonPath, JsonPathGroups } from './json-path.ts';
import { liftOverDictionary } from './lift.ts';
import { typeBounds } from './operands.ts';

/** Where a column's values come from while a pipeline is compiled: the block, or an expression computed before. */
export type ColumnSource =
  | { readonly kind: 'access'; readonly access: ColumnAccess }
  | { readonly kind: 'expr'; readonly expr: BoundExpr }
  | { readonly kind: 'operand'; readonly operand: RowOperand };

/**
 * Compiles expressions into statements of a generated function. Code goes into one of three places: what is the same for
 * a whole execution, what is the same for a block, and what runs for each row.
 */
export class RowCompiler extends CodeWriter implements Emitter {
  /** The name by which generated code knows the state of its execution. */
  readonly state = this.module.name('state');
  readonly once: Frame = newFrame(null);
  readonly block: Frame = newFrame(this.once);
  readonly columns = new Map<number, ColumnSource>();
  readonly jsonPaths = new JsonPathGroups();
  freshSlots = false;
  /** Whether what is emitted runs for every row of a block and can take any value: entries may then be looked up beforehand. */
  takesAll = false;
  #frame: Frame;
  #rowLists = 0;

  constructor() {
    super();
    this.#frame = newFrame(this.block);
  }

  get frame(): Frame {
    return this.#frame;
  }

  override statement(code: Code): void {
    this.#frame.statements.push(code);
  }

  capture(build: () => void): Code {
    return js`${this.within(newFrame(this.#frame), build)}`;
  }

  /** Emits into a frame of its own and gives its statements. */
  within(frame: Frame, build: () => void): readonly Code[] {
    const before = this.#frame;
    this.#frame = frame;
    try {
      build();
    } finally {
      this.#frame = before;
    }
    return frame.statements;
  }

  /** A value that is computed once a block, by the same code wherever it is asked for. */
  perBlock(value: Code, hint: string): Code {
    return this.#shared(this.block, value, hint);
  }

  /** A value that is computed once an execution. */
  perExecution(value: Code, hint: string): Code {
    return this.#shared(this.once, value, hint);
  }

  /** A list of row numbers that the code of a block fills, and is done with at its end. */
  rowList(length: Code, hint: string): Code {
    const list = this.module.name(hint);
    const get = this.bind(rowList, 'rowList');
    this.block.statements.push(js`const ${list} = ${get}(${this.#rowLists++}, ${length});`);
    return list;
  }

  #shared(frame: Frame, value: Code, hint: string): Code {
    const key = `code ${value.parts.join('')}`;
    const known = findOperand(frame, key);
    if (known !== undefined) return known.code;
    const name = this.module.name(hint);
    frame.statements.push(js`const ${name} = ${value};`);
    frame.memo.set(key, { type: { kind: 'nothing' }, code: name, isNull: null, bounds: undefined });
    return name;
  }

  /** A value that stands where a NULL is. */
  defaultCode(type: SqlType): Code {
    const value = defaultValue(type.kind === 'nullable' ? type.inner : type);
    return this.valueCode(value ?? 0);
  }

  valueCode(value: unknown): Code {
    if (typeof value === 'number') return js`${value}`;
    return this.bind(value, 'value');
  }

  boxed(operand: Operand): Code {
    return boxedCode(operand);
  }

  inline(lambda: LambdaOperand, parameters: readonly Operand[]): Operand {
    const body = lambda.body as BoundLambda;
    for (const [index, column] of body.parameters.entries()) {
      this.columns.set(column.id, { kind: 'operand', operand: parameters[index]! });
    }
    // The parameters mean something else at each place the body is put, so nothing of it may be shared.
    return this.#inOwnMemo(() => this.compile(body.body));
  }

  #inOwnMemo<Result>(build: () => Result): Result {
    const before = this.#frame;
    this.#frame = { statements: before.statements, memo: new Map(), parent: before.parent };
    try {
      return build();
    } finally {
      this.#frame = before;
    }
  }

  lambdaOperand(lambda: BoundLambda): LambdaOperand {
    return {
      lambda: true,
      parameterCount: lambda.parameters.length,
      bodyType: lambda.body.type,
      body: lambda,
      closure: () => this.#closure(lambda),
    };
  }

  #closure(lambda: BoundLambda): Code {
    const names = lambda.parameters.map((column) => this.module.name(column.name));
    const body = this.capture(() => {
      for (const [index, column] of lambda.parameters.entries()) {
        this.columns.set(column.id, { kind: 'operand', operand: this.unbox(names[index]!, column.type) });
      }
      const result = this.compile(lambda.body);
      this.statement(js`return ${this.boxed(result)};`);
    });
    const parameters = names.reduce<Code>(
      (list, name, index) => (index === 0 ? name : js`${list}, ${name}`),
      js``,
    );
    return this.constant('lambda', js`(${parameters}) => {\n${body}}`);
  }

  /** The operand of a value that may be JavaScript null. */
  unbox(value: Code, type: SqlType): RowOperand {
    const bounds = typeBounds(type);
    if (type.kind !== 'nullable' && type.kind !== 'nothing')
      return { type, code: value, isNull: null, bounds };
    const isNull = this.constant('isNull', js`${value} === null`);
    return {
      type,
      code: this.constant('x', js`${isNull} ? ${this.defaultCode(type)} : ${value}`),
      isNull,
      bounds,
    };
  }

  /** The bytes behind an expression that is a plain string column. */
  bytes(expr: BoundExpr): BytesAccess | undefined {
    if (expr.kind !== 'column') return undefined;
    const source = this.columns.get(expr.column.id);
    if (source?.kind === 'expr') return this.bytes(source.expr);
    return source?.kind === 'access' ? bytesOf(this, source.access) : undefined;
  }

  /** The column access behind an expression that is a plain column of the block. */
  access(expr: BoundExpr): ColumnAccess | undefined {
    if (expr.kind !== 'column') return undefined;
    const source = this.columns.get(expr.column.id);
    if (source?.kind === 'expr') return this.access(source.expr);
    return source?.kind === 'access' ? source.access : undefined;
  }

  compile(expr: BoundExpr): RowOperand {
    if (expr.kind === 'column') {
      const source = this.columns.get(expr.column.id);
      assert(source !== undefined, `column ${expr.column.name} (#${expr.column.id}) is not in the pipeline`);
      if (source.kind === 'operand') return source.operand;
      if (source.kind === 'expr') return this.compile(source.expr);
    }
    const key = exprKey(expr);
    const known = findOperand(this.#frame, key);
    if (known !== undefined) return known;
    if (expr.kind === 'call' && isConstant(expr)) return this.#compileConstant(expr, key);
    const operand = liftOverDictionary(this, expr) ?? this.#compileHere(expr);
    const shared = expr.kind !== 'call' || expr.definition.evaluation !== 'per_row';
    if (shared) this.#frame.memo.set(key, operand);
    return operand;
  }

  /** What is the same for every row is computed before the first one. */
  #compileConstant(expr: BoundExpr, key: string): RowOperand {
    let operand: RowOperand | undefined;
    this.within(this.once, () => {
      operand = this.#compileHere(expr);
    });
    this.once.memo.set(key, operand!);
    return operand!;
  }

  #compileHere(expr: BoundExpr): RowOperand {
    switch (expr.kind) {
      case 'column': {
        const source = this.columns.get(expr.column.id)!;
        assert(source.kind === 'access', 'a column is loaded from a block');
        return loadColumn(this, source.access);
      }
      case 'literal':
        return this.#literal(expr.value, expr.type);
      case 'parameter':
        return this.#parameter(expr.index, expr.type);
      case 'call':
        return compileCall(this, expr);
      case 'json_path':
        return compileJsonPath(this, expr);
      case 'in_set': {
        const value = this.compile(expr.value);
        const set = this.module.parameter(expr.parameter);
        const wanted =
          representation(value.type) === 'object'
            ? js`${this.bind(setKey, 'setKey')}(${value.code})`
            : value.code;
        const found = this.constant('found', js`${set}.has(${wanted})`);
        const test = expr.negated ? js`!${found}` : found;
        return { type: expr.type, code: js`(${test} ? 1 : 0)`, test, isNull: value.isNull, bounds: [0, 1] };
      }
      case 'aggregate':
        throw new Error('Assertion failed: an aggregate function is compiled as an expression');
    }
  }

  #literal(value: unknown, type: SqlType): RowOperand {
    if (value === null) return { type, code: this.defaultCode(type), isNull: js`true`, bounds: undefined };
    const bounds: readonly [number, number] | undefined =
      typeof value === 'number' ? [value, value] : undefined;
    return { type, code: this.valueCode(value), isNull: null, bounds };
  }

  #parameter(index: number, type: SqlType): RowOperand {
    const name = this.module.parameter(index);
    let operand: RowOperand | undefined;
    this.within(this.once, () => {
      operand = this.unbox(name, type);
    });
    return operand!;
  }
}
