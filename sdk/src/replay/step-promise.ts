/**
 * The promise of a step, which knows whether the body has done anything with it: awaited it, passed it to `Promise.race`,
 * attached a handler. All of these read its `constructor`, also `await`, which calls no method of a promise.
 */
export class StepPromise<Value> extends Promise<Value> {
  #isUsed = false;

  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** Promises that derive from it are ordinary ones, and `await` takes it as it is. */
  override get ["constructor"](): PromiseConstructor {
    this.#isUsed = true;
    return Promise;
  }

  /** Its rejection never counts as unhandled (R1). This is no use. */
  ignoreRejection(): void {
    const isUsed = this.#isUsed;
    this.catch(() => {});
    this.#isUsed = isUsed;
  }
}
