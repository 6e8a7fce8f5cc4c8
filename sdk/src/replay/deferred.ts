/** A promise that is settled from outside. Its rejection never counts as unhandled (R1). */
export class Deferred<Value> {
  readonly promise: Promise<Value>;
  #resolve: (value: Value) => void = ignore;
  #reject: (error: unknown) => void = ignore;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  resolve(value: Value): void {
    this.#resolve(value);
  }

  reject(reason: unknown): void {
    this.promise.catch(ignore);
    this.#reject(reason);
  }
}

const ignore = (): void => {};
