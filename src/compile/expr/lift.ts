import { type Code, js } from '../../code/index.ts';
import { type BoundExpr, type Column, isConstant, visitBound } from '../../plan/index.ts';
import { representation } from '../../types/index.ts';
import type { ColumnAccess } from './column-access.ts';
import { newFrame, type RowOperand } from './frame.ts';
import { numberColumnKind, typeBounds } from './operands.ts';
import type { ColumnSource, RowCompiler } from './row-compiler.ts';

/** The only column that an expression depends on, when there is exactly one and the expression is pure. */
function onlyColumn(compiler: RowCompiler, expr: BoundExpr): Column | undefined {
  let only: Column | undefined;
  let eligible = true;
  const own = new Set<number>();
  visitBound(expr, (inner) => {
    if (inner.kind === 'call') {
      if (inner.definition.evaluation !== undefined && inner.definition.evaluation !== 'pure')
        eligible = false;
      for (const argument of inner.args) {
        if (argument.kind === 'lambda') for (const parameter of argument.parameters) own.add(parameter.id);
      }
    }
    if (inner.kind === 'json_path' || inner.kind === 'aggregate') eligible = false;
    if (inner.kind !== 'column' || own.has(inner.column.id)) return;
    if (only !== undefined && only.id !== inner.column.id) eligible = false;
    only = inner.column;
  });
  if (!eligible || only === undefined) return undefined;
  const source = compiler.columns.get(only.id);
  return source?.kind === 'access' && source.access.sample.kind === 'dictionary' ? only : undefined;
}

/**
 * Computes an expression over a single dictionary column once for each dictionary entry that a row meets, instead of once
 * for each row. Entries that no row asks for are not computed, so that an entry which the function cannot take does no
 * harm unless a row has it; only tests that can take any text are computed for all entries beforehand.
 */
export function liftOverDictionary(compiler: RowCompiler, expr: BoundExpr): RowOperand | undefined {
  if ((expr.kind !== 'call' && expr.kind !== 'in_set') || isConstant(expr)) return undefined;
  const column = onlyColumn(compiler, expr);
  if (column === undefined) return undefined;
  const source = compiler.columns.get(column.id) as ColumnSource & { kind: 'access' };
  const { access } = source;
  const cache = declareCache(compiler, expr);
  const fill = emitFill(compiler, expr, column, source, cache);
  return emitLookUp(compiler, expr, access, cache, fill);
}

/** Variables that outlive a block: the dictionary they are about, the results by code, and what is known of each. */
interface LiftCache {
  readonly dictionary: Code;
  readonly strings: Code;
  readonly results: Code;
  /** 0 not computed, 1 a value, 2 NULL. */
  readonly known: Code;
}

function declareCache(compiler: RowCompiler, expr: BoundExpr): LiftCache {
  const cache = {
    dictionary: compiler.module.name('liftedFrom'),
    strings: compiler.module.name('liftedStrings'),
    results: compiler.module.name('lifted'),
    known: compiler.module.name('liftedKnown'),
  };
  const kind = numberColumnKind(expr.type) ?? 'Array';
  const empty =
    kind === 'Float64Array'
      ? js`new Float64Array(0)`
      : kind === 'Uint8Array'
        ? js`new Uint8Array(0)`
        : js`[]`;
  compiler.once.statements.push(
    js`let ${cache.dictionary} = null, ${cache.strings} = [], ${cache.results} = ${empty}, ${cache.known} = new Uint8Array(0);`,
  );
  return cache;
}

/** A function that computes the result for one code; the code past the last stands for NULL. */
function emitFill(
  compiler: RowCompiler,
  expr: BoundExpr,
  column: Column,
  source: ColumnSource & { kind: 'access' },
  cache: LiftCache,
): Code {
  const code = compiler.module.name('code');
  const { access } = source;
  const frame = newFrame(compiler.once);
  const statements = compiler.within(frame, () => {
    const text = compiler.constant('text', js`${cache.strings}[${code}]`);
    const mayBeNull = access.sample.nulls !== null;
    const isNull = mayBeNull ? compiler.constant('isNull', js`${text} === undefined`) : null;
    const value = mayBeNull ? compiler.constant('text', js`${isNull!} ? '' : ${text}`) : text;
    compiler.columns.set(column.id, {
      kind: 'operand',
      operand: { type: access.type, code: value, isNull, bounds: undefined },
    });
    try {
      const result = compiler.compile(expr);
      compiler.statement(js`${cache.results}[${code}] = ${result.code};`);
      const mark = result.isNull === null ? js`1` : js`(${result.isNull} ? 2 : 1)`;
      compiler.statement(js`${cache.known}[${code}] = ${mark};`);
    } finally {
      compiler.columns.set(column.id, source);
    }
  });
  const name = compiler.module.name('fill');
  compiler.once.statements.push(js`const ${name} = (${code}) => {\n${statements}};`);
  return name;
}

function emitLookUp(
  compiler: RowCompiler,
  expr: BoundExpr,
  access: ColumnAccess,
  cache: LiftCache,
  fill: Code,
): RowOperand {
  const identity = compiler.perBlock(js`${access.vector}.dictionary`, 'dictionary');
  const kind = numberColumnKind(expr.type) ?? 'Array';
  const made =
    kind === 'Float64Array'
      ? js`new Float64Array`
      : kind === 'Uint8Array'
        ? js`new Uint8Array`
        : js`new Array`;
  const eager = compiler.takesAll;
  const entry = compiler.module.name('entry');
  const last = access.sample.nulls === null ? js`${identity}.size - 1` : js`${identity}.size`;
  // Where every row is looked at, asking each whether its entry is known costs more than computing them all.
  const fillAll = eager
    ? js`for (let ${entry} = 0; ${entry} <= ${last}; ${entry}++) ${fill}(${entry});\n`
    : js``;
  compiler.block.statements.push(
    js`if (${cache.dictionary} !== ${identity}) {\n${cache.dictionary} = ${identity};\n${cache.strings} = ${identity}.strings;\n${cache.results} = ${made}(${identity}.size + 1);\n${cache.known} = new Uint8Array(${identity}.size + 1);\n${fillAll}}`,
  );
  const results = compiler.perBlock(js`${cache.results}`, 'results');
  const known = compiler.perBlock(js`${cache.known}`, 'known');
  const codes = compiler.perBlock(js`${access.vector}.codes`, 'codes');
  let code = js`${codes}[${access.row}]`;
  if (access.sample.nulls !== null) {
    const nulls = compiler.perBlock(js`${access.vector}.nulls`, 'nulls');
    code = js`${nulls}[${access.row}] === 1 ? ${identity}.size : ${code}`;
  }
  const at = compiler.constant('code', code);
  if (!eager) compiler.statement(js`if (${known}[${at}] === 0) ${fill}(${at});`);
  const isNull = expr.type.kind === 'nullable' ? js`${known}[${at}] === 2` : null;
  const operand: RowOperand = {
    type: expr.type,
    code: js`${results}[${at}]`,
    isNull,
    bounds: typeBounds(expr.type),
  };
  if (representation(expr.type) !== 'string') return operand;
  return {
    ...operand,
    dictionary: { code: at, size: js`(${identity}.size + 1)`, identity: results, strings: results },
  };
}
