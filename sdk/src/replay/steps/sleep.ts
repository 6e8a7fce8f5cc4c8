import type { Clock } from "../../core/clock.ts";
import { parseDuration, type Duration } from "../../core/duration.ts";
import { InvalidArgument } from "../../core/errors.ts";
import { Deferred } from "../deferred.ts";
import type { Abandonment, StepHost, TimedStep } from "./asked-step.ts";

/** `step.sleep` and `step.sleepUntil`: a deadline, set once (R8). */
export class SleepStep implements TimedStep<void> {
  readonly kind = "sleep";
  readonly name: string;
  readonly #host: StepHost;
  readonly #deferred = new Deferred<void>();
  readonly promise = this.#deferred.promise;
  readonly #isDate: boolean;
  #until: number;
  hasEnded = false;

  /** @param isDate The body gave the deadline as a date rather than as a duration. */
  constructor(host: StepHost, name: string, until: number, isDate: boolean) {
    this.#host = host;
    this.name = name;
    this.#until = until;
    this.#isDate = isDate;
  }

  begin(): void {
    const begun = this.#host.continuation.claimWait(this.name);
    const isKnown = begun?.kind === "sleep";
    if (isKnown) {
      this.#until = begun.until;
    } else if (this.#until <= this.#host.clock.now()) {
      this.fallDue();
      return;
    }
    const wait = {
      kind: "sleep",
      step: this.name,
      ...(isKnown && begun.since !== undefined ? { since: begun.since } : {}),
      until: this.#until,
      ...(this.#isDate ? { isDate: true as const } : {}),
    } as const;
    this.#host.continuation.addWait(wait, isKnown);
    this.#host.agenda.setDeadline(this.#until, this);
  }

  fallDue(): void {
    const output = { until: new Date(this.#until).toISOString() };
    const now = this.#host.clock.now();
    const since = this.#host.continuation.beginningOf(this.name) ?? now;
    this.#host.agenda.finish(
      this,
      { output, attempts: 1 },
      {
        name: this.name,
        kind: "sleep",
        output: JSON.stringify(output),
        attempts: 1,
        durationMs: Math.max(0, now - since),
      },
    );
  }

  end(): void {
    this.hasEnded = true;
    this.#host.continuation.remove(this.name);
    this.#deferred.resolve();
  }

  abandon(): Abandonment {
    this.hasEnded = true;
    const since = this.#host.continuation.beginningOf(this.name);
    this.#host.continuation.remove(this.name);
    return { attempts: 1, since };
  }
}

/** Accepts zero and less, since a computed duration may have passed already. */
export function deadlineAfter(clock: Clock, duration: Duration, step: string): number {
  if (typeof duration === "number" && duration < 0 && Number.isFinite(duration)) return clock.now();
  const ms = parseDuration(duration, `sleep "${step}"`);
  return ms === 0 ? clock.now() : Math.ceil(clock.latest() + ms);
}

export function deadlineAt(date: Date, step: string): number {
  if (date instanceof Date && Number.isFinite(date.getTime())) return date.getTime();
  throw new InvalidArgument(`Invalid date ${String(date)} for sleep "${step}": give a valid Date.`);
}
