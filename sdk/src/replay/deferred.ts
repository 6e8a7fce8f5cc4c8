/** A promise that is settled from outside. Its rejection never counts as unhandled (R1). */
export class Deferred<Value> {
  readonly promise: Promise<Value>;
  resolve: (value: Value) => void = ignore;
  reject: (error: unknown) => void = ignore;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.promise.catch(ignore);
  }
}

const ignore = (): void => {};
