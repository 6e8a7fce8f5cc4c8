import { describe, expect, it } from "vitest";
import { Agenda } from "./agenda.ts";
import { StepPromise } from "./step-promise.ts";
import type { TimedStep } from "./steps/asked-step.ts";
import type { RunStep } from "./steps/run.ts";

const step = (name: string, more: Partial<TimedStep> = {}): TimedStep => ({
  name,
  kind: "sleep",
  promise: new StepPromise(() => {}),
  hasEnded: false,
  begin() {},
  fallDue() {},
  end() {},
  abandon: () => ({ attempts: 1, since: 0 }),
  ...more,
});

/** A step that finishes when its deadline passes. */
const sleeper = (agenda: Agenda, name: string): TimedStep => {
  const sleep = step(name, { fallDue: () => finish(agenda, sleep) });
  return sleep;
};

const finish = (agenda: Agenda, finished: TimedStep): void =>
  agenda.finish(
    finished,
    { attempts: 1 },
    { name: finished.name, kind: finished.kind, attempts: 1, durationMs: 0 },
  );

const callable = (name: string, mark: number): RunStep =>
  ({ ...step(name), mark, toCall: () => ({ name, attempt: 1, callback() {} }) }) as never;

const arrivals = (agenda: Agenda, now: number): string[] => {
  const names: string[] = [];
  for (;;) {
    const arrival = agenda.takeArrival({ now: () => now });
    if (arrival === undefined) return names;
    names.push(arrival.step.name);
  }
};

describe("arrivals", () => {
  it("come before deadlines, and deadlines in their order", () => {
    const agenda = new Agenda();
    agenda.setDeadline(20, sleeper(agenda, "late"));
    agenda.setDeadline(10, sleeper(agenda, "early"));
    agenda.setDeadline(99, sleeper(agenda, "not yet"));
    finish(agenda, step("done"));
    expect(arrivals(agenda, 50)).toEqual(["done", "early", "late"]);
    expect(agenda.nextDeadline).toBe(99);
  });

  it("leave out deadlines of steps that have ended otherwise", () => {
    const agenda = new Agenda();
    agenda.setDeadline(10, { ...sleeper(agenda, "ended"), hasEnded: true });
    expect(arrivals(agenda, 50)).toEqual([]);
    expect(agenda.nextDeadline).toBeUndefined();
  });

  it("stop at an event wait that is due, until the database has decided (R9)", () => {
    const agenda = new Agenda();
    let hasEnded = false;
    const wait = step("wait", { kind: "wait" });
    Object.defineProperty(wait, "hasEnded", { get: () => hasEnded });
    agenda.setDeadline(10, wait);
    agenda.setDeadline(20, sleeper(agenda, "sleep"));
    expect(arrivals(agenda, 50)).toEqual([]);
    hasEnded = true;
    expect(arrivals(agenda, 50)).toEqual(["sleep"]);
  });
});

describe("calls", () => {
  it("wait for their marks, and keep their order", () => {
    const agenda = new Agenda();
    agenda.call(callable("a", 2));
    agenda.call(callable("b", 1));
    agenda.call(callable("c", 2));
    expect(agenda.takeCalls((mark) => mark <= 1).map(({ name }) => name)).toEqual(["b"]);
    expect(agenda.takeCalls((mark) => mark <= 2).map(({ name }) => name)).toEqual(["a", "c"]);
  });

  it("keep the agenda busy until they are answered", () => {
    const agenda = new Agenda();
    agenda.call(callable("a", 0));
    expect([agenda.isIdle, agenda.isQuiet]).toEqual([false, true]);
    agenda.takeCalls(() => true);
    expect([agenda.isIdle, agenda.isQuiet]).toEqual([false, false]);
    agenda.answered();
    expect([agenda.isIdle, agenda.isQuiet]).toEqual([true, true]);
  });

  it("that have not begun are dropped by clear(), together with deadlines", () => {
    const agenda = new Agenda();
    agenda.call(callable("under way", 0));
    agenda.takeCalls(() => true);
    agenda.call(callable("waiting", 0));
    agenda.setDeadline(10, sleeper(agenda, "sleep"));
    agenda.clear();
    expect(agenda.takeCalls(() => true)).toEqual([]);
    expect(arrivals(agenda, 50)).toEqual([]);
    expect(agenda.isQuiet).toBe(false);
  });
});
