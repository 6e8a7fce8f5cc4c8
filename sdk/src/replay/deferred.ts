/** A promise that is resolved from outside. Rejected with nobody listening, as the loser of a race, it is no error. */
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
