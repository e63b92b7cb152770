/* Writes the reference pages that are made from definitions. */
import { writeFileSync } from 'node:fs';
import { functionReference } from '../src/tools/index.ts';

writeFileSync(new URL('../docs/functions.md', import.meta.url), functionReference());
