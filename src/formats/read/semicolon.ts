import type { BlockReader } from '../block-reader.ts';

function isBlankOrSemicolon(byte: number): boolean {
  return byte === 59 || byte === 32 || (byte >= 9 && byte <= 13);
}

/**
 * A reader that leaves out a semicolon, with the space around it, at the very end of the input: it ends the statement
 * that the data stands in. The line end before it stays away too, which no format needs.
 */
export function trimSemicolon(reader: BlockReader): BlockReader {
  let held: Uint8Array[] = [];
  return {
    push(chunk) {
      let end = chunk.length;
      while (end > 0 && isBlankOrSemicolon(chunk[end - 1]!)) end--;
      if (end === 0) {
        held.push(chunk.slice());
        return [];
      }
      const blocks = held.flatMap((part) => reader.push(part));
      held = end < chunk.length ? [chunk.slice(end)] : [];
      blocks.push(...reader.push(chunk.subarray(0, end)));
      return blocks;
    },
    finish() {
      const tail = Buffer.concat(held).latin1Slice();
      let kept = tail;
      // Without a semicolon the blanks are data like any other.
      if (tail.trimEnd().endsWith(';')) {
        let end = tail.trimEnd().length - 1;
        while (end > 0 && (tail[end - 1] === ' ' || tail[end - 1] === '\t')) end--;
        kept = tail.slice(0, end);
      }
      return [...reader.push(Buffer.from(kept, 'latin1')), ...reader.finish()];
    },
  };
}
