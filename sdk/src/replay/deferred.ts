import { StepPromise } from "./step-promise.ts";

/** A promise that is settled from outside. Its rejection never counts as unhandled (R1). */
export class Deferred<Value> {
  readonly promise: StepPromise<Value>;
  #resolve: (value: Value) => void = ignore;
  #reject: (error: unknown) => void = ignore;

  constructor() {
    this.promise = new StepPromise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  resolve(value: Value): void {
    this.#resolve(value);
  }

  reject(reason: unknown): void {
    this.promise.ignoreRejection();
    this.#reject(reason);
  }
}

const ignore = (): void => {};
