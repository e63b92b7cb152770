import type { Code } from './code.ts';

/** Counts the brackets a line opens and closes, leaving out those in strings. */
function bracketBalance(line: string): { closesFirst: number; balance: number } {
  const bare = line.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, '').replace(/\/\/.*$/, '');
  let balance = 0;
  let lowest = 0;
  for (const char of bare) {
    if (char === '{' || char === '(' || char === '[') balance++;
    else if (char === '}' || char === ')' || char === ']') lowest = Math.min(lowest, --balance);
  }
  return { closesFirst: lowest, balance };
}

/** The source laid out for reading, with its remarks as comments. */
export function printCode(code: Code): string {
  let text = '';
  for (const part of code.parts) {
    if (typeof part === 'string') text += part;
    else text += `\n// ${part.note.replace(/\s+/g, ' ').trim()}\n`;
  }
  let depth = 0;
  const lines: string[] = [];
  for (const raw of text.split('\n')) {
    const line = raw.trim();
    if (line === '') continue;
    const { closesFirst, balance } = line.startsWith('//')
      ? { closesFirst: 0, balance: 0 }
      : bracketBalance(line);
    lines.push('  '.repeat(Math.max(0, depth + closesFirst)) + line);
    depth = Math.max(0, depth + balance);
  }
  return lines.join('\n');
}
