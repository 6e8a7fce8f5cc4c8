import { expect, it } from "vitest";
import { Emitter } from "../core/events.ts";
import type { WorkerEvents } from "./events.ts";
import { printFailures } from "./failure-log.ts";

const facts = (runId: number): { workflow: string; version: number; runId: string } => ({
  workflow: "ship order",
  version: 1,
  runId: String(runId),
});

function setup(): { events: Emitter<WorkerEvents>; lines: string[]; end: () => void } {
  const events = new Emitter<WorkerEvents>();
  const lines: string[] = [];
  return { events, lines, end: printFailures(events, (line) => void lines.push(line)) };
}

it("names the run, the step and the cause, on one line", () => {
  const { events, lines } = setup();
  const error = new TypeError("no\n  route\u001B[2J");
  events.emit("stepFailed", { ...facts(7), step: "send", attempt: 3, durationMs: 1, error });
  events.emit("runFailed", { ...facts(7), error: { name: "TypeError", message: "no\n  route" } });
  events.emit("runFailed", { ...facts(8), error: { name: "Error", message: "x".repeat(900) } });
  expect(lines).toEqual([
    'oxbow: step "send" of run 7 of "ship order" failed (attempt 3): TypeError: no route [2J\n',
    'oxbow: run 7 of "ship order" failed in step "send": TypeError: no route\n',
    `oxbow: run 8 of "ship order" failed: Error: ${"x".repeat(493)}…\n`,
  ]);
});

it("prints 10 lines of 2,000 failures, and how many more there were", () => {
  const { events, lines, end } = setup();
  const error = { name: "Error", message: "no" };
  for (let n = 0; n < 2_000; n += 1) events.emit("runFailed", { ...facts(n), error });
  expect(lines).toHaveLength(10);
  end();
  expect(lines.slice(10)).toEqual([
    "oxbow: 1990 more runs failed. Give the worker a `logger` to see each.\n",
  ]);
});

it("names a workflow that does not await its steps, once", () => {
  const { events, lines } = setup();
  for (const run of [7, 8]) events.emit("stepsNotAwaited", { ...facts(run), steps: ["a", "b"] });
  expect(lines).toEqual([
    expect.stringMatching(/^oxbow: run 7 of "ship order": .* never awaited step "a", "b",/),
  ]);
});
