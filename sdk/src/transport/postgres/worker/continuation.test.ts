import { expect, it } from "vitest";
import { toContinuation } from "./continuation.ts";

it.each([
  ["2026-01-02T03:04:05.678001+00:00", "2026-01-02T03:04:05.679Z"],
  ["2026-01-02T03:04:05.6789+00:00", "2026-01-02T03:04:05.679Z"],
  ["2026-01-02T03:04:05.678+00:00", "2026-01-02T03:04:05.678Z"],
  ["2026-01-02T03:04:05+00:00", "2026-01-02T03:04:05.000Z"],
])("a wait since %s is read as one since %s, never earlier", (since, read) => {
  const { waits } = toContinuation({ waits: [{ kind: "sleep", step: "a", since }] });
  expect(waits.map((wait) => wait.since)).toEqual([Date.parse(read)]);
});
