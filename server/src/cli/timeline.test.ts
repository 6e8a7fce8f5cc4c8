import type { RunState, TimedJournalEntry } from "@oxbow/sdk";
import { describe, expect, it } from "vitest";
import { openEnds, timeline } from "./timeline.ts";

const BEGIN = Date.parse("2026-01-01T00:00:00Z");
const at = (ms: number): Date => new Date(BEGIN + ms);

const entry = (
  name: string,
  kind: TimedJournalEntry["kind"],
  [from, to]: readonly [number, number],
  rest: Partial<TimedJournalEntry> = {},
): TimedJournalEntry => ({
  name,
  kind,
  attempts: 1,
  position: 1,
  startedAt: at(from),
  completedAt: at(to),
  ...rest,
});

const draw = (
  run: Partial<RunState>,
  steps: readonly TimedJournalEntry[],
  { now = 10_000, columns = 80 } = {},
): string[] =>
  timeline(
    {
      run: { startedAt: at(0), completedAt: null, waits: [], retries: [], inProgress: [], ...run },
      steps,
      now: at(now).getTime(),
    },
    { columns, style: (_kind, text) => text },
  );

describe("the timeline", () => {
  it("has any number of steps", () => {
    const steps = Array.from({ length: 130_000 }, (_, index) =>
      entry("step", "run", [index, index]),
    );
    expect(draw({}, steps)).toHaveLength(130_001);
  });

  it("gives each step its place and its share of the width", () => {
    const lines = draw({ completedAt: at(10_000) }, [
      entry("first", "run", [0, 5_000]),
      entry("second", "sleep", [5_000, 10_000]),
    ]);
    expect(lines).toEqual([
      "STEP    KIND   CALLS  START  TOOK  0 ────────────────────────────────────── 10s",
      `first   run    1      +0ms   5s    ${"█".repeat(22)}`,
      `second  sleep         +5s    5s    ${" ".repeat(22)}${"░".repeat(22)}`,
    ]);
  });

  it("aligns the names of steps by their width", () => {
    const lines = draw({ completedAt: at(10_000) }, [
      entry("日本", "run", [0, 5_000]),
      entry("日本".repeat(10), "run", [5_000, 10_000]),
    ]);
    expect(lines.slice(1).map((line) => line.slice(0, line.indexOf("run")))).toEqual([
      `日本${" ".repeat(29)}`,
      `${"日本".repeat(7)}日…  `,
    ]);
  });

  it("shows errors in one line, and how often a step was called", () => {
    const error = { name: "TypeError", message: "no such\ncustomer" };
    const lines = draw({}, [entry("charge", "run", [0, 1_000], { attempts: 3, error })]);
    expect(lines[1]).toMatch(/^charge +run +3 +\+0ms +1s +█+$/);
    expect(lines[2]).toBe("  ✗ TypeError: no such");
  });

  it("shows what earlier calls of a step failed by", () => {
    const failures = [1, 2].map((attempt) => ({
      attempt,
      failedAt: at(500 * attempt),
      error: { name: "Error", message: `refused ${attempt}` },
    }));
    const lines = draw({}, [entry("charge", "run", [0, 2_000], { attempts: 3, failures })]);
    expect(lines[2]).toBe("  ↻ 2 earlier calls failed, the last by Error: refused 2");
  });

  it("shows what the body of a graph decided by a step", () => {
    const decisions = [{ name: "go", output: { value: { handles: ["yes"] } } }, { name: "none" }];
    const lines = draw({}, [entry("check", "run", [0, 2_000], { decisions })]);
    expect(lines[2]).toBe('  ◆ go: {"value":{"handles":["yes"]}}  ◆ none: ');
  });

  it("shows a call in progress instead of the retry that it is", () => {
    const call = { step: "charge", attempt: 2, since: at(4_000), worker: "host:1" };
    const retry = { step: "charge", attempts: 1, until: at(4_000).toISOString() };
    const [, line, ...more] = draw({ inProgress: [call], retries: [retry] }, []);
    expect(line).toMatch(/^charge +run +2 +\+4s +6s… +█*▶$/);
    expect(more).toEqual([]);
  });

  it("ends open steps at the right edge, however narrow the terminal", () => {
    const wait = { kind: "event", step: "verify", event: "verify", since: at(5_000).toISOString() };
    for (const columns of [20, 60, 200]) {
      const [head, line] = draw({ waits: [wait] }, [], { columns });
      expect(line).toMatch(/^verify +wait +\+5s +5s… +░+▶$/);
      expect(line?.length).toBe(head?.length);
    }
  });

  it("is empty for a run that has done nothing", () => {
    expect(draw({}, [])).toEqual([]);
  });
});

describe("what a run waits for", () => {
  const ends = (run: Partial<RunState>): string[] =>
    openEnds({ waits: [], retries: [], inProgress: [], activity: null, ...run }, BEGIN);

  it("is shown with its deadline", () => {
    const until = at(3_600_000).toISOString();
    expect(
      ends({
        waits: [
          { kind: "sleep", step: "pause", until },
          { kind: "event", step: "verify", event: "mail.verified", match: { id: 7 } },
          { kind: "event", step: "refund", event: " approval:refund", approval: true, until },
          { kind: "invoke", step: "child" },
        ],
        retries: [
          { step: "charge", attempts: 2, until, error: { name: "Error", message: "declined" } },
        ],
      }),
    ).toEqual([
      'Sleeps in step "pause" until 2026-01-01 01:00:00Z (in 1h).',
      'Waits in step "verify" for event "mail.verified" that contains {"id":7}, without a timeout.',
      'Waits in step "refund" for an approval, until 2026-01-01 01:00:00Z (in 1h).',
      'Waits in step "child" for the end of the run that it started.',
      'Tries step "charge" again in 1h: call 2 failed by Error: declined',
    ]);
  });

  it("tolerates any JSON that SQL may have written", () => {
    expect(ends({ waits: [null, "?"], retries: [{}] })).toHaveLength(1);
  });
});
