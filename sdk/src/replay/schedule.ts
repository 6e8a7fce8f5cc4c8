import type { StepRecord } from "../protocol/messages.ts";
import { Deadlines } from "./deadlines.ts";
import type { StepCall } from "./effects.ts";
import type { Mark } from "./ledger.ts";
import type { AskedStep, Outcome } from "./steps/asked-step.ts";
import type { RunStep } from "./steps/run.ts";

/** A step that came to its end in this delivery, on its way to the body. */
export interface Arrival {
  readonly step: AskedStep;
  readonly outcome: Outcome;
  readonly record: StepRecord;
}

/**
 * What the steps of a run are doing that are not journaled: to be called, being called, done, or asleep, waiting
 * and backing off until a deadline.
 */
export class Schedule {
  readonly #deadlines = new Deadlines();
  readonly #arrivals: Arrival[] = [];
  #callable: RunStep[] = [];
  #running = 0;

  /** Nothing happens by itself before the next deadline. */
  get isIdle(): boolean {
    return this.#running === 0 && this.#callable.length === 0 && this.#arrivals.length === 0;
  }

  /** The earliest deadline, passed or not. */
  get nextDeadline(): number | undefined {
    return this.#deadlines.peek()?.until;
  }

  setDeadline(until: number, step: AskedStep): void {
    this.#deadlines.add(until, step);
  }

  call(step: RunStep): void {
    this.#callable.push(step);
  }

  finish(step: AskedStep, outcome: Outcome, record: StepRecord): void {
    this.#arrivals.push({ step, outcome, record });
  }

  /** No callback is being called. */
  get isQuiet(): boolean {
    return this.#running === 0;
  }

  /** Nothing new of what was asked for is to happen; callbacks that are being called come back. */
  abandon(): void {
    this.#callable = [];
    this.#deadlines.clear();
  }

  /** The callback of a step has come back. */
  answered(): void {
    this.#running -= 1;
  }

  /** Steps to be called now, in the order in which they were asked for: those whose marks are reached. */
  takeCalls(isReached: (mark: Mark) => boolean): StepCall[] {
    const calls: StepCall[] = [];
    const tooEarly: RunStep[] = [];
    for (const step of this.#callable) {
      if (isReached(step.mark)) calls.push(step.toCall());
      else tooEarly.push(step);
    }
    this.#callable = tooEarly;
    this.#running += calls.length;
    return calls;
  }

  /** The next step that is done: what arrived first, or else what falls due first. */
  takeArrival(now: number): Arrival | undefined {
    let isDue = true;
    while (this.#arrivals.length === 0 && isDue) isDue = this.#letFallDue(now);
    return this.#arrivals.shift();
  }

  /** Tells the step with the earliest deadline that it has passed. False when there is none, or it must wait. */
  #letFallDue(now: number): boolean {
    const earliest = this.#deadlines.peek();
    if (earliest === undefined || earliest.until > now) return false;
    earliest.step.fallDue();
    // An event wait stays, and keeps later deadlines behind it, until the database has decided (R9).
    if (earliest.step.kind === "wait") return false;
    this.#deadlines.pop();
    return true;
  }
}
