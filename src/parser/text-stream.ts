import { type CharStream, type Interval, IntStream } from 'antlr4ng';

/**
 * The lexer's view of a part of an SQL text. It reads UTF-16 code units in place, so that the offsets of tokens are offsets
 * of the string and nothing is copied.
 */
export class TextStream implements CharStream {
  name = 'sql';
  index = 0;
  private text = '';
  private end = 0;

  /** Points the stream at `text[start, end)`; offsets stay those of the whole text. */
  open(text: string, start: number, end: number): void {
    this.text = text;
    this.index = start;
    this.end = end;
  }

  get size(): number {
    return this.end;
  }

  reset(): void {
    this.index = 0;
  }

  consume(): void {
    this.index++;
  }

  LA(offset: number): number {
    const at = offset < 0 ? this.index + offset : this.index + offset - 1;
    return at < this.end ? this.text.charCodeAt(at) : IntStream.EOF;
  }

  mark(): number {
    return 0;
  }

  release(_marker: number): void {
    // Nothing is buffered, hence nothing is to be let go.
  }

  seek(index: number): void {
    this.index = index;
  }

  getTextFromRange(start: number, stop: number): string {
    return this.text.slice(start, stop + 1);
  }

  getTextFromInterval(interval: Interval): string {
    return this.text.slice(interval.start, interval.stop + 1);
  }

  getSourceName(): string {
    return this.name;
  }
}
