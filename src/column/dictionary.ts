/**
 * The distinct strings of a dictionary vector, in code order. Made from byte strings or from packed bytes; whichever
 * form is missing is made at first use.
 */
export class Dictionary {
  readonly size: number;
  #strings: readonly string[] | undefined;
  #offsets: Uint32Array | undefined;
  #data: Uint8Array | undefined;

  private constructor(size: number) {
    this.size = size;
  }

  static fromStrings(strings: readonly string[]): Dictionary {
    const dictionary = new Dictionary(strings.length);
    dictionary.#strings = strings;
    return dictionary;
  }

  /** `offsets` has one entry more than there are strings. */
  static fromBytes(offsets: Uint32Array, data: Uint8Array): Dictionary {
    const dictionary = new Dictionary(offsets.length - 1);
    dictionary.#offsets = offsets;
    dictionary.#data = data;
    return dictionary;
  }

  /** Byte strings by code. */
  get strings(): readonly string[] {
    if (this.#strings === undefined) {
      const offsets = this.#offsets!;
      const data = this.#data!;
      const buffer = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
      const strings = new Array<string>(this.size);
      for (let code = 0; code < this.size; code++) {
        strings[code] = buffer.latin1Slice(offsets[code]!, offsets[code + 1]!);
      }
      this.#strings = strings;
    }
    return this.#strings;
  }

  /** The strings end to end, with size + 1 offsets. */
  get packed(): { readonly offsets: Uint32Array; readonly data: Uint8Array } {
    if (this.#offsets === undefined || this.#data === undefined) {
      const strings = this.#strings!;
      const offsets = new Uint32Array(strings.length + 1);
      for (let code = 0; code < strings.length; code++)
        offsets[code + 1] = offsets[code]! + strings[code]!.length;
      const data = Buffer.allocUnsafe(offsets[strings.length]!);
      for (let code = 0; code < strings.length; code++) data.latin1Write(strings[code]!, offsets[code]!);
      this.#offsets = offsets;
      this.#data = data;
    }
    return { offsets: this.#offsets, data: this.#data };
  }

  get byteLength(): number {
    const { offsets } = this.packed;
    return offsets.byteLength + offsets[this.size]! - offsets[0]!;
  }
}
