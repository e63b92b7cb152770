import { SluiceError } from '../base/index.ts';

/** One part of a multipart body. Its content has to be read, or left by reading the next part. */
export interface Part {
  readonly name: string;
  readonly content: AsyncIterable<Buffer>;
}

/** Bytes that the head of a part may have. */
const headBytesMax = 16_384;

function malformed(why: string): SluiceError {
  return new SluiceError('INCORRECT_DATA', `The multipart form cannot be read: ${why}`);
}

/** The boundary that a Content-Type names; throws INCORRECT_DATA. */
export function boundaryOf(contentType: string): string {
  const match = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType);
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined || boundary.length > 200)
    throw malformed("its Content-Type has no boundary, expected 'multipart/form-data; boundary=...'");
  return boundary;
}

function nameOf(head: string): string {
  const disposition = head.split('\r\n').find((line) => /^content-disposition:/i.test(line));
  const match = /;\s*name=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i.exec(disposition ?? '');
  const name = match?.[1] ?? match?.[2];
  if (name === undefined) throw malformed('a part has no Content-Disposition with a name');
  return Buffer.from(name, 'latin1').toString();
}

/** Splits a multipart body into its parts as it comes, so that their content is neither held nor changed. */
export class MultipartReader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #delimiter: Buffer;
  /** What was read and not given yet. A line end stands before the first boundary too, so that all look alike. */
  #held: Buffer = Buffer.from('\r\n');
  /** Whether a boundary is still to come before what is next; what stands before the first one is no part. */
  #inPart = true;

  constructor(chunks: AsyncIterable<Buffer>, boundary: string) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  }

  /** The next part; null behind the last. What was not read of the one before is passed over. */
  async next(): Promise<Part | null> {
    while (this.#inPart) await this.#piece();
    while (this.#held.length < 2) await this.#more();
    if (this.#held.latin1Slice(0, 2) === '--') return null;
    const head = await this.#head();
    this.#inPart = true;
    return { name: nameOf(head), content: this.#content() };
  }

  /** Reads on; the body may not end before its last boundary. */
  async #more(): Promise<void> {
    const step = await this.#chunks.next();
    if (step.done === true) throw malformed('it ends before its last boundary');
    this.#held = this.#held.length === 0 ? step.value : Buffer.concat([this.#held, step.value]);
  }

  /** The lines of a part's head; blanks may stand between the boundary and its line end. */
  async #head(): Promise<string> {
    for (;;) {
      const lineEnd = this.#held.indexOf('\r\n');
      const end = this.#held.indexOf('\r\n\r\n', Math.max(0, lineEnd));
      if (end >= 0 && lineEnd >= 0) {
        const head = this.#held.latin1Slice(lineEnd, end);
        this.#held = this.#held.subarray(end + 4);
        return head;
      }
      if (this.#held.length > headBytesMax)
        throw malformed(`the head of a part has more than ${headBytesMax} bytes`);
      await this.#more();
    }
  }

  /** The bytes up to the next boundary, which is passed. */
  async *#content(): AsyncGenerator<Buffer, void, void> {
    while (this.#inPart) {
      const piece = await this.#piece();
      if (piece.length > 0) yield piece;
    }
  }

  /** Bytes of the present part: all up to its end, or those that are surely its. */
  async #piece(): Promise<Buffer> {
    const at = this.#held.indexOf(this.#delimiter);
    if (at >= 0) {
      this.#inPart = false;
      return this.#take(at, this.#delimiter.length);
    }
    // The end may be the start of a boundary.
    const sure = this.#held.length - this.#delimiter.length + 1;
    if (sure > 0) return this.#take(sure, 0);
    await this.#more();
    return Buffer.alloc(0);
  }

  #take(bytes: number, behind: number): Buffer {
    const taken = this.#held.subarray(0, bytes);
    this.#held = this.#held.subarray(bytes + behind);
    return taken;
  }
}
