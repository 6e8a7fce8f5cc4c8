import type { Clock } from "../core/clock.ts";
import type { StepRecord } from "../protocol/commit.ts";
import type { Mark } from "./commits.ts";
import type { StepCall } from "./effects.ts";
import { Heap, type Timed } from "./heap.ts";
import type {
  AskedStep,
  CallableStep,
  Outcome,
  StepAgenda,
  TimedStep,
} from "./steps/asked-step.ts";

/** A step that finished in this delivery, on its way to the body. */
export interface Arrival {
  readonly step: AskedStep;
  readonly outcome: Outcome;
  readonly record: StepRecord;
}

/**
 * The steps of a run that are not journaled, by what happens to them next: callbacks to call, callbacks under way,
 * outcomes to hand over, and deadlines to reach.
 */
export class Agenda implements StepAgenda {
  #deadlines = new Heap<TimedStep>();
  #arrivals: Arrival[] = [];
  #callable: CallableStep[] = [];
  #running = 0;
  /** Event waits whose deadlines have passed, and hold later ones back until the database has decided (R9). */
  #overdue: Timed<TimedStep>[] = [];

  /** Nothing happens before the next deadline. */
  get isIdle(): boolean {
    return this.#running === 0 && this.#callable.length === 0 && this.#arrivals.length === 0;
  }

  /** No callback is under way. */
  get isQuiet(): boolean {
    return this.#running === 0;
  }

  /** The earliest deadline, or one that has passed. */
  get nextDeadline(): number | undefined {
    return (this.#undecided ?? this.#earliest)?.time;
  }

  setDeadline(until: number, step: TimedStep): void {
    this.#deadlines.push(until, step);
  }

  call(step: CallableStep): void {
    this.#callable.push(step);
  }

  finish(step: AskedStep, outcome: Outcome, record: StepRecord): void {
    this.#arrivals.push({ step, outcome, record });
  }

  /** Drops calls and deadlines. Callbacks under way still finish. */
  clear(): void {
    this.#callable = [];
    this.#deadlines = new Heap();
    this.#overdue = [];
  }

  /** Drops the call and the outcome of an abandoned step. */
  drop(step: AskedStep): void {
    this.#callable = this.#callable.filter((callable) => callable !== step);
    this.#arrivals = this.#arrivals.filter((arrival) => arrival.step !== step);
  }

  answered(): void {
    this.#running -= 1;
  }

  /** Takes the callbacks whose marks are reached, in the order in which the body asked for them (R5, R8). */
  takeCalls(isReached: (mark: Mark) => boolean): readonly StepCall[] {
    if (this.#callable.length === 0) return NO_CALLS;
    const calls: StepCall[] = [];
    const tooEarly: CallableStep[] = [];
    for (const step of this.#callable) {
      if (isReached(step.mark)) calls.push(step.toCall());
      else tooEarly.push(step);
    }
    this.#callable = tooEarly;
    this.#running += calls.length;
    return calls;
  }

  /** Takes the next finished step: the first that arrived, or else the one whose deadline passed first. */
  takeArrival(clock: Pick<Clock, "now">): Arrival | undefined {
    let isDue = true;
    while (this.#arrivals.length === 0 && isDue) isDue = this.#passDeadline(clock);
    return this.#arrivals.shift();
  }

  /**
   * Notifies the step with the earliest deadline if that has passed, or all event waits whose deadlines have passed
   * before that of another step. Returns false if no deadline has passed, or if the next must wait.
   */
  #passDeadline(clock: Pick<Clock, "now">): boolean {
    const now = clock.now();
    let earliest = this.#earliest;
    while (earliest !== undefined && earliest.time <= now && earliest.item.kind === "wait") {
      this.#overdue.push(earliest);
      earliest.item.fallDue();
      this.#deadlines.pop();
      earliest = this.#earliest;
    }
    if (earliest === undefined || earliest.time > now) return false;
    if (this.#undecided !== undefined) return false;
    earliest.item.fallDue();
    this.#deadlines.pop();
    return true;
  }

  /** The earliest deadline of a step that has not ended. */
  get #earliest(): Timed<TimedStep> | undefined {
    while (this.#deadlines.peek()?.item.hasEnded === true) this.#deadlines.pop();
    return this.#deadlines.peek();
  }

  /** The last of the event waits that the database has not decided. */
  get #undecided(): Timed<TimedStep> | undefined {
    while (this.#overdue.at(-1)?.item.hasEnded === true) this.#overdue.pop();
    return this.#overdue.at(-1);
  }
}

const NO_CALLS: readonly StepCall[] = [];
