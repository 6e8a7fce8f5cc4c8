import { setTimeout as delay } from "node:timers/promises";
import { inspect, isDeepStrictEqual } from "node:util";

export interface EventuallyOptions {
  /** How long to wait; default: 60,000, which only a failing test waits for. */
  readonly withinMs?: number;
}

const SHORTEST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

/** A value, or an object of which it has at least these members. */
type Wanted<Value> = Value extends readonly unknown[]
  ? Value | { readonly length: number }
  : Partial<Value>;

/**
 * Reads a value again and again until it is the wanted one, or is accepted, and returns it. An error that `read` throws
 * counts as not yet. The failure shows the last value.
 *
 * @example
 * await eventually(() => client.runs.get(name, runId), { status: "completed" });
 */
export async function eventually<Value>(
  read: () => Value | Promise<Value>,
  accept: (value: Value) => boolean,
  options?: EventuallyOptions,
): Promise<Value>;
export async function eventually<Value>(
  read: () => Value | Promise<Value>,
  wanted: NoInfer<Wanted<Value>>,
  options?: EventuallyOptions,
): Promise<Value>;
export async function eventually<Value>(
  read: () => Value | Promise<Value>,
  wanted: Wanted<Value> | ((value: Value) => boolean),
  { withinMs = 60_000 }: EventuallyOptions = {},
): Promise<Value> {
  const accept =
    typeof wanted === "function"
      ? (wanted as (value: Value) => boolean)
      : (value: Value) => fits(value, wanted);
  const deadline = performance.now() + withinMs;
  let pauseMs = SHORTEST_PAUSE_MS;
  for (;;) {
    const attempt = await tryRead(read);
    if ("value" in attempt && accept(attempt.value)) return attempt.value;
    if (performance.now() > deadline) throw tooLate(attempt, wanted, withinMs);
    await delay(pauseMs);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
}

/** For lists that get their first entry. */
export const isNotEmpty = ({ length }: { readonly length: number }): boolean => length > 0;

export const atLeast =
  (least: number) =>
  (value: number): boolean =>
    value >= least;

export const moreThan =
  (before: number) =>
  (value: number): boolean =>
    value > before;

/** For a part of a text, or an entry of a list. */
export const including =
  <Part extends string | number>(part: Part) =>
  (whole: string | readonly Part[]): boolean =>
    typeof whole === "string" ? whole.includes(String(part)) : whole.includes(part);

function fits(value: unknown, wanted: unknown): boolean {
  if (typeof wanted !== "object" || wanted === null || Array.isArray(wanted)) {
    return isDeepStrictEqual(value, wanted);
  }
  const found = (value ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(wanted).every(([name, member]) => isDeepStrictEqual(found[name], member));
}

type Attempt<Value> = { readonly value: Value } | { readonly error: unknown };

async function tryRead<Value>(read: () => Value | Promise<Value>): Promise<Attempt<Value>> {
  try {
    return { value: await read() };
  } catch (error) {
    return { error };
  }
}

function tooLate(attempt: Attempt<unknown>, wanted: unknown, withinMs: number): Error {
  const [what, cause] =
    "value" in attempt
      ? [`last value: ${inspect(attempt.value, { depth: 6 })}`, undefined]
      : ["the last read failed, see the cause", attempt.error];
  const condition = typeof wanted === "function" ? String(wanted) : inspect(wanted);
  return new Error(`${condition} did not hold within ${withinMs} ms; ${what}`, { cause });
}
