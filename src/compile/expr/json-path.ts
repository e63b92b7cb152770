import { js } from '../../code/index.ts';
import { type BoundExpr, type BoundJsonPath, exprKey, type JsonStep, visitBound } from '../../plan/index.ts';
import { jsonFieldNumber, jsonFieldText, jsonKinds, jsonScanner, StringCache } from '../../runtime/index.ts';
import { bareType, isNullable, type SqlType } from '../../types/index.ts';
import { findOperand, type RowOperand } from './frame.ts';
import { typeBounds } from './operands.ts';
import type { RowCompiler } from './row-compiler.ts';

/** The paths that a pipeline reads from each document column, so that one pass over a document finds them all. */
export class JsonPathGroups {
  readonly #paths = new Map<string, (readonly JsonStep[])[]>();

  /** Notes every path in an expression; called for all expressions of a pipeline before any is compiled. */
  register(expr: BoundExpr): void {
    visitBound(expr, (inner) => {
      if (inner.kind === 'json_path') this.indexOf(inner);
    });
  }

  pathsOf(path: BoundJsonPath): readonly (readonly JsonStep[])[] {
    return this.#paths.get(exprKey(path.base)) ?? [];
  }

  /** The place of a path among those of its document. */
  indexOf(path: BoundJsonPath): number {
    const key = exprKey(path.base);
    let paths = this.#paths.get(key);
    if (paths === undefined) {
      paths = [];
      this.#paths.set(key, paths);
    }
    const text = JSON.stringify(path.path);
    const found = paths.findIndex((known) => JSON.stringify(known) === text);
    if (found >= 0) return found;
    paths.push(path.path);
    return paths.length - 1;
  }
}

function toBytes(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

/** The generated names of a scanned document: its bytes, and where in them each path's value was found. */
interface ScannedDocument {
  readonly data: RowOperand['code'];
  readonly found: RowOperand['code'];
}

/** Emits the pass over the row's document, once for all its paths. */
function scanDocument(compiler: RowCompiler, path: BoundJsonPath): ScannedDocument {
  const group = compiler.jsonPaths;
  group.indexOf(path);
  const paths = group.pathsOf(path);
  const key = `json ${exprKey(path.base)} ${paths.length}`;
  const found = compiler.perExecution(js`new Int32Array(${paths.length * 3})`, `found${paths.length}`);
  const known = findOperand(compiler.frame, key);
  if (known !== undefined) return { data: known.code, found };
  const scan = compiler.bind(jsonScanner(paths), 'scan');
  const bytes = compiler.bytes(path.base);
  let data = bytes?.data;
  if (bytes === undefined) {
    data = compiler.constant(
      'json',
      js`${compiler.bind(toBytes, 'toBytes')}(${compiler.compile(path.base).code})`,
    );
    compiler.statement(js`${scan}(${data}, 0, ${data}.length, ${found});`);
  } else {
    compiler.statement(js`${scan}(${bytes.data}, ${bytes.start}, ${bytes.end}, ${found});`);
  }
  compiler.frame.memo.set(key, { type: path.type, code: data!, isNull: null, bounds: undefined });
  return { data: data!, found };
}

/** The text of a path's value: strings without quotes and escapes, everything else as written, '' when missing. */
export function compileJsonPath(compiler: RowCompiler, path: BoundJsonPath): RowOperand {
  const document = scanDocument(compiler, path);
  const read = compiler.bind(jsonFieldText, 'fieldText');
  const slot = compiler.jsonPaths.indexOf(path) * 3;
  const strings = compiler.bind(new StringCache(), 'strings');
  const code = compiler.constant(
    'field',
    js`${read}(${document.data}, ${document.found}, ${slot}, ${strings})`,
  );
  const isNull = compiler.access(path.base)?.sample.nulls ? compiler.compile(path.base).isNull : null;
  return { type: path.type, code, isNull, bounds: undefined };
}

/** The value of a path as a double straight from the bytes; NaN where it is no plain number. */
function fieldNumber(compiler: RowCompiler, path: BoundJsonPath): RowOperand['code'] {
  const document = scanDocument(compiler, path);
  const read = compiler.bind(jsonFieldNumber, 'fieldNumber');
  const slot = compiler.jsonPaths.indexOf(path) * 3;
  return compiler.constant('number', js`${read}(${document.data}, ${document.found}, ${slot})`);
}

/**
 * A path cast to a type. Plain numbers are read from the bytes, without a text in between; everything else goes through
 * `convert`, from the text. A missing value cast to a nullable type is NULL.
 */
export function compileJsonCast(
  compiler: RowCompiler,
  path: BoundJsonPath,
  type: SqlType,
  convert: (text: string) => unknown,
): RowOperand {
  const bare = bareType(type);
  const kernel = compiler.bind(convert, 'convert');
  if (isNullable(type)) {
    const document = scanDocument(compiler, path);
    const kind = js`${document.found}[${compiler.jsonPaths.indexOf(path) * 3}]`;
    const missing = compiler.constant(
      'missing',
      js`${kind} === ${jsonKinds.missing} || ${kind} === ${jsonKinds.null}`,
    );
    const text = compileJsonPath(compiler, path).code;
    return compiler.unbox(compiler.constant('value', js`${missing} ? null : ${kernel}(${text})`), type);
  }
  const bounds = typeBounds(type);
  const isFloat = bare.kind === 'float' && bare.bits === 64;
  if (!isFloat && !(bare.kind === 'int' && bounds !== undefined)) {
    return compiler.unbox(
      compiler.constant('value', js`${kernel}(${compileJsonPath(compiler, path).code})`),
      type,
    );
  }
  const number = fieldNumber(compiler, path);
  const fits = isFloat
    ? js`${number} === ${number}`
    : js`${number} >= ${bounds![0]} && ${number} <= ${bounds![1]} && ${number} === Math.trunc(${number})`;
  const value = compiler.variable('value', number);
  const slow = compiler.capture(() =>
    compiler.statement(js`${value} = ${kernel}(${compileJsonPath(compiler, path).code});`),
  );
  compiler.statement(js`if (!(${fits})) {\n${slow}}`);
  return { type, code: value, isNull: null, bounds };
}
