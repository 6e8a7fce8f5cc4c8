/** A set of small whole numbers, for questions that are asked very often. */
export class BitSet {
  private readonly words: Uint32Array;

  /** @param size Above the largest number. */
  constructor(size: number) {
    this.words = new Uint32Array(Math.ceil(size / BITS));
  }

  add(number: number): void {
    const at = Math.floor(number / BITS);
    this.words[at] = (this.words[at] ?? 0) | (1 << (number % BITS));
  }

  addAll({ words }: BitSet): void {
    for (const [at, word] of words.entries()) this.words[at] = (this.words[at] ?? 0) | word;
  }

  has(number: number): boolean {
    return (((this.words[Math.floor(number / BITS)] ?? 0) >>> (number % BITS)) & 1) === 1;
  }
}

const BITS = 32;
