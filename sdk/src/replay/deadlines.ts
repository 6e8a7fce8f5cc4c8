import { Heap } from "./heap.ts";
import type { TimedStep } from "./steps/asked-step.ts";

interface Deadline {
  readonly until: number;
  /** Breaks ties: equal deadlines pass in the order in which they were set. */
  readonly order: number;
  readonly step: TimedStep;
}

/** The deadlines of steps that sleep, wait or back off, earliest first. */
export class Deadlines {
  readonly #heap = new Heap<Deadline>(
    (a, b) => a.until < b.until || (a.until === b.until && a.order < b.order),
  );
  #count = 0;

  add(until: number, step: TimedStep): void {
    this.#count += 1;
    this.#heap.push({ until, order: this.#count, step });
  }

  /** The earliest deadline of a step that has not ended. */
  peek(): Deadline | undefined {
    let earliest = this.#heap.peek();
    while (earliest?.step.hasEnded === true) {
      this.#heap.pop();
      earliest = this.#heap.peek();
    }
    return earliest;
  }

  clear(): void {
    while (this.#heap.peek() !== undefined) this.#heap.pop();
  }

  pop(): void {
    this.#heap.pop();
  }
}
