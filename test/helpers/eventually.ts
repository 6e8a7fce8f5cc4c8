import { setTimeout as delay } from "node:timers/promises";
import { inspect } from "node:util";

export interface EventuallyOptions {
  /** How long to wait; default: 60,000, which only a failing test waits for. */
  readonly withinMs?: number;
}

const SHORTEST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

/**
 * Reads a value again and again until it is accepted, and returns it. An error that `read` throws counts as not
 * yet. The failure shows the last value.
 *
 * @example
 * await eventually(() => client.runs.get(name, runId), (run) => run.status === "completed");
 */
export async function eventually<Value>(
  read: () => Value | Promise<Value>,
  accept: (value: Value) => boolean,
  { withinMs = 60_000 }: EventuallyOptions = {},
): Promise<Value> {
  const deadline = performance.now() + withinMs;
  let pauseMs = SHORTEST_PAUSE_MS;
  for (;;) {
    const attempt = await tryRead(read);
    if ("value" in attempt && accept(attempt.value)) return attempt.value;
    if (performance.now() > deadline) throw tooLate(attempt, accept, withinMs);
    await delay(pauseMs);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
}

type Attempt<Value> = { readonly value: Value } | { readonly error: unknown };

async function tryRead<Value>(read: () => Value | Promise<Value>): Promise<Attempt<Value>> {
  try {
    return { value: await read() };
  } catch (error) {
    return { error };
  }
}

function tooLate(attempt: Attempt<unknown>, accept: unknown, withinMs: number): Error {
  const [what, cause] =
    "value" in attempt
      ? [`last value: ${inspect(attempt.value, { depth: 6 })}`, undefined]
      : ["the last read failed, see the cause", attempt.error];
  return new Error(`${String(accept)} did not hold within ${withinMs} ms; ${what}`, { cause });
}
