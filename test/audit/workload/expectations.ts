/** How each item of the workload must end, whatever the fault. */
import type { Kind, RunInput } from "../record.ts";

export interface Expectation {
  readonly status: "completed" | "failed";
  /** Left out if the steps determine it. */
  readonly output?: unknown;
  /** All rows of the journal. */
  readonly steps: readonly string[];
  /** Message of the error of a run that fails. */
  readonly error?: string;
  /** Steps of `step.tx`. */
  readonly booked?: readonly string[];
}

const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}${n}`);

const EXPECTED: Readonly<Record<Kind | "leaf" | "noted", (input: RunInput) => Expectation>> = {
  leaf: ({ number }) => ({ status: "completed", output: number, steps: ["a"] }),
  noted: ({ number }) => ({ status: "completed", output: number, steps: ["a"] }),
  chain: ({ number, steps = 5 }) => ({
    status: "completed",
    output: number * steps + (steps * (steps - 1)) / 2,
    steps: numbered("s", steps),
  }),
  fan: ({ number }) => ({ status: "completed", output: number * 4 + 6, steps: numbered("s", 4) }),
  nap: ({ number }) => ({
    status: "completed",
    output: number * 2 + 1,
    steps: ["a", "b", "nap-1", "nap-2"],
  }),
  wait: ({ number }) => ({ status: "completed", output: number + 8, steps: ["go", "late"] }),
  family: ({ number }) => ({
    status: "completed",
    output: number * 3 + 3,
    steps: numbered("c", 3),
  }),
  undo: () => ({
    status: "failed",
    error: "expected failure",
    steps: numbered("s", 3),
  }),
  book: ({ number }) => ({
    status: "completed",
    output: number * 2 + 1,
    steps: ["a", "book-1", "book-2"],
    booked: ["book-1", "book-2"],
  }),
  flaky: ({ number }) => ({ status: "completed", output: number, steps: ["a"] }),
  long: ({ number }) => ({ status: "completed", output: number + 1, steps: ["b", "hold"] }),
  // The journals of earlier generations are deleted.
  renew: ({ number }) => ({ status: "completed", output: number * 3 + 6, steps: ["g3"] }),
  stream: () => ({ status: "completed", steps: ["answer"] }),
  turns: ({ number }) => ({ status: "completed", output: number, steps: ["a"] }),
  // Neither answer may stand in for the other.
  order: ({ number }) => ({
    status: "completed",
    output: [number + 1, number + 2, true],
    steps: ["ask", "late", "paid", "shipped"],
  }),
  query: ({ number }) => ({
    status: "completed",
    output: number + 1,
    steps: ["book", "look"],
    booked: ["book"],
  }),
};

export function expectationOf(workflow: string, input: RunInput): Expectation | undefined {
  return Object.hasOwn(EXPECTED, workflow)
    ? EXPECTED[workflow as keyof typeof EXPECTED](input)
    : undefined;
}
