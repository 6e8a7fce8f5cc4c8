/** A read whose result is as new as its call: calls during a read share the one that begins after it. */
export class SharedRead<Value> {
  readonly #read: () => Promise<Value>;
  #next: Promise<Value> | undefined;
  #underWay: Promise<unknown> = Promise.resolve();

  constructor(read: () => Promise<Value>) {
    this.#read = read;
  }

  next(): Promise<Value> {
    return (this.#next ??= this.#readNext());
  }

  async #readNext(): Promise<Value> {
    await this.#underWay;
    this.#next = undefined;
    const value = this.#read();
    this.#underWay = value.catch(() => {});
    return value;
  }
}
