/** The instance of QuickJS that a thread has. Calls of one run share it, and no other run's code meets what they left. */
export class Instances<Instance> {
  readonly #make: () => Promise<Instance>;
  #group: string | undefined;
  #instance: Promise<Instance> | undefined;

  constructor(make: () => Promise<Instance>) {
    this.#make = make;
  }

  /** @param group Of the call: its run. */
  of(group: string): Promise<Instance> {
    if (this.#instance === undefined || this.#group !== group) {
      this.#group = group;
      this.#instance = this.#make();
    }
    return this.#instance;
  }
}
