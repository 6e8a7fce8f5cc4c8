import { expect, it } from "vitest";
import type { Continuation } from "../protocol/continuation.ts";
import { withoutWrongTimes } from "./wrong-times.ts";

const NOW = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;
const error = { name: "Error", message: "once" };

it("shifts what began in the future, and leaves dates and what began before", () => {
  const ahead = NOW + HOUR;
  const continuation: Continuation = {
    waits: [
      { kind: "sleep", step: "ahead", since: ahead, until: ahead + 2_000 },
      { kind: "sleep", step: "date", since: ahead, until: NOW + 9_000, isDate: true },
      { kind: "sleep", step: "right", since: NOW - 1_000, until: NOW + 2 * HOUR },
      { kind: "event", step: "event", event: "go", since: ahead, until: ahead + 500 },
      { kind: "event", step: "endless", event: "go", since: ahead },
    ],
    retries: [
      { step: "ahead", attempts: 1, since: ahead, until: ahead + 100, error },
      { step: "of an older worker", attempts: 1, until: ahead + 100, error },
    ],
  };
  const { waits, retries } = withoutWrongTimes(continuation, NOW);
  expect(waits.map(({ until }) => until)).toEqual([
    NOW + 2_000,
    NOW + 9_000,
    NOW + 2 * HOUR,
    NOW + 500,
    undefined,
  ]);
  expect(waits.map(({ since }) => since)).toEqual([NOW, NOW, NOW - 1_000, NOW, NOW]);
  expect(retries.map(({ until }) => until)).toEqual([NOW + 100, ahead + 100]);
});

it("is nothing else where the clock was right", () => {
  const continuation: Continuation = {
    waits: [{ kind: "sleep", step: "nap", since: NOW + 4_000, until: NOW + HOUR }],
    retries: [],
  };
  expect(withoutWrongTimes(continuation, NOW)).toBe(continuation);
});
