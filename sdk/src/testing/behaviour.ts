/** The behaviour of a step in a test, instead of its code. */
import { InvalidArgument } from "../core/errors.ts";

/** The argument of a function that replaces a callback. */
export interface ReplacedCall {
  readonly workflow: string;
  readonly runId: string;
  readonly step: string;
  /** 1 for the first call of the step in its run. */
  readonly attempt: number;
  /** The item that the step is for, in a `step.map`. */
  readonly item?: unknown;
  /** The input that `step.invoke` would have given to the run. */
  readonly input?: unknown;
  /** Calls what was replaced. Not there for `step.invoke`. */
  readonly original: () => unknown;
}

/** A value that the step returns, a function that is called in its place, or what {@link failTimes} and the like make. */
export type Replacement =
  | ((call: ReplacedCall) => unknown)
  | object
  | string
  | number
  | boolean
  | null
  | undefined;

/** Names of steps, and what they do instead. */
export type Replacements = Readonly<Record<string, Replacement>>;

/** How the step of a test behaves, where it is more than a value. */
export class Behaviour {
  readonly kind: "fails" | "times-out";
  readonly times: number;
  /** The error of what fails. */
  readonly error: unknown;
  /** The step's behaviour after that; empty: its own code. */
  readonly after: readonly Replacement[];

  constructor(
    kind: Behaviour["kind"],
    times: number,
    error?: unknown,
    after: readonly Replacement[] = [],
  ) {
    this.kind = kind;
    this.times = times;
    this.error = error;
    this.after = after;
  }
}

/**
 * A step that throws so many times, and then runs its own code, or behaves as `after`.
 *
 * @param error The error to throw; a text becomes the message of an `Error`. Default: an `Error` that names the test.
 * @throws InvalidArgument when `times` is no whole number from 1; `Infinity` is always.
 * @example
 * env.replace(onboard, { "send-welcome": failTimes(2, new Error("mail server is down")) });
 */
export function failTimes(
  times: number,
  error?: unknown,
  ...after: [after?: Replacement]
): Replacement {
  checkTimes("failTimes", times);
  const thrown =
    typeof error === "string" ? new Error(error) : (error ?? new Error("failed by a test"));
  return new Behaviour("fails", times, thrown, after);
}

/**
 * A step that does not finish within its timeout, or an event that does not come within the timeout of its wait: it
 * fails immediately, without waiting for it. A `step.run` with retries times out at each attempt, unless `times` limits
 * it.
 *
 * @throws InvalidArgument when `times` is no whole number from 1. In the run: when the code gives the step no timeout.
 * @example
 * env.replace(onboard, { verify: timesOut() });
 */
export function timesOut(times: number = Number.POSITIVE_INFINITY): Replacement {
  checkTimes("timesOut", times);
  return new Behaviour("times-out", times);
}

function checkTimes(name: string, times: number): void {
  if (times === Number.POSITIVE_INFINITY || (Number.isInteger(times) && times >= 1)) return;
  throw new InvalidArgument(
    `Invalid number ${String(times)} for ${name}(): give a whole number from 1, or Infinity.`,
  );
}
