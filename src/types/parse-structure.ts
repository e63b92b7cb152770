import { SluiceError } from '../base/index.ts';
import { parseType } from './parse-type.ts';
import type { TupleElement } from './type.ts';

/** The columns of a structure such as `id int64, name string`; throws BAD_ARGUMENTS. */
export function parseStructure(structure: string): readonly TupleElement[] {
  let type: ReturnType<typeof parseType>;
  try {
    type = parseType(`tuple(${structure})`);
  } catch (thrown) {
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `The structure '${structure}' is wrong: ${(thrown as Error).message}`,
      {
        cause: thrown,
      },
    );
  }
  const elements = type.kind === 'tuple' ? type.elements : [];
  if (elements.length === 0 || elements.some((element) => element.name === ''))
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `The structure '${structure}' is wrong: expected names with types`,
    );
  const names = elements.map((element) => element.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new SluiceError('DUPLICATE_COLUMN', `The structure has column '${twice}' twice`);
  return elements;
}
