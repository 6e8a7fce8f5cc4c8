import { expect, it } from "vitest";
import type { ListedRun } from "../../api/runs.ts";
import type { Worker } from "../../api/workflows.ts";
import { findingsIn } from "./findings.ts";

const clock = (at: Date): string => at.toISOString().slice(11, 16);

const failedAt = (minute: number, step: string, runId: number): ListedRun =>
  ({
    name: "order",
    status: "failed",
    completedAt: `2026-01-01T10:${String(minute).padStart(2, "0")}:00Z`,
    error: {
      name: "StepFailed",
      code: "STEP_FAILED",
      message: `Step "${step}" of run ${runId} failed after 3 attempts: declined`,
      cause: { name: "Error", message: "declined", code: "CARD_DECLINED" },
    },
  }) as unknown as ListedRun;

it("groups failed runs by their step and its cause, the most frequent first, with a filter that finds them", () => {
  const runs = [
    failedAt(9, "charge-card", 1),
    failedAt(5, "ship", 2),
    failedAt(2, "charge-card", 3),
  ];
  const [first, second, ...rest] = findingsIn(runs, [], undefined, [], [], clock);
  expect(first).toEqual({
    text: "2 runs of order failed at charge-card since 10:02: Error: declined",
    to: "/runs",
    search: {
      workflow: "order",
      status: "failed",
      ended: "1h",
      message: 'Step "charge-card" of run',
      error: "CARD_DECLINED",
    },
  });
  expect(second?.text).toBe("1 run of order failed at ship since 10:05: Error: declined");
  expect(rest).toEqual([]);
});

it("reports that no live worker serves a workflow whose runs wait", () => {
  const readiness = { status: "ready", oldestReadyRun: { workflow: "order", ageSeconds: 120 } };
  const worker = (isLive: boolean): Worker =>
    ({ isLive, serves: { order: [1] } }) as unknown as Worker;
  const textOf = (workers: readonly Worker[]): string | undefined =>
    findingsIn([], [], readiness, workers, [], clock)[0]?.text;
  expect(textOf([worker(false)])).toMatch(/2m.*: no live worker serves order\.$/);
  expect(textOf([worker(true)])).toMatch(/2m\.$/);
});

it("names the pool whose runs wait, and leads to runs that are ready", () => {
  const readiness = { status: "ready", oldestReadyRun: { workflow: "@default", ageSeconds: 120 } };
  expect(findingsIn([], [], readiness, [], [], clock)).toEqual([
    {
      text: expect.stringMatching(
        /^A run of pool default has .*: no live worker serves pool default\.$/,
      ) as string,
      to: "/runs",
      search: { activity: "ready" },
    },
  ]);
});

it("counts the dead letters of queues that have some", () => {
  const queues = [
    { name: "mail-dead", messages: 2, hasMore: false },
    { name: "post-dead", messages: 10_000, hasMore: true },
  ];
  expect(findingsIn([], [], undefined, [], queues, clock)).toEqual([
    {
      text: "2 dead letters are in queue mail-dead.",
      to: "/queues/$name",
      params: { name: "mail-dead" },
    },
    {
      text: "More than 10,000 dead letters are in queue post-dead.",
      to: "/queues/$name",
      params: { name: "post-dead" },
    },
  ]);
});
