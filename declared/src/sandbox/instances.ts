/**
 * The instance of QuickJS that a thread has. Calls of one run with the same limit of memory share it, and no other run's code
 * meets what they left.
 */
export class Instances<Instance> {
  readonly #make: (memoryBytes: number) => Promise<Instance>;
  #group: string | undefined;
  #memoryBytes = 0;
  #instance: Promise<Instance> | undefined;

  constructor(make: (memoryBytes: number) => Promise<Instance>) {
    this.#make = make;
  }

  /**
   * @param group Of the call: its run.
   * @param memoryBytes The most that the call may take.
   */
  of(group: string, memoryBytes: number): Promise<Instance> {
    const isOther = this.#group !== group || this.#memoryBytes !== memoryBytes;
    if (this.#instance === undefined || isOther) {
      this.#group = group;
      this.#memoryBytes = memoryBytes;
      this.#instance = this.#make(memoryBytes);
    }
    return this.#instance;
  }
}
