import { describe, expect, it } from "vitest";
import { Turns } from "../async/turns.ts";
import { Emitter } from "../core/events.ts";
import type { Context } from "../definition/context.ts";
import { defineWorkflow } from "../definition/define-workflow.ts";
import type { RunCommit } from "../protocol/commit.ts";
import type { WorkflowDelivery } from "../protocol/worker.ts";
import { makeCommitter } from "./committer.ts";
import type { WorkerEvents } from "./events.ts";
import { RunExecutor } from "./run-executor.ts";

/** Executes a run by a database that accepts every commit. */
function execute(body: (ctx: Context) => Promise<unknown>) {
  const turns = new Turns();
  const sent: RunCommit[] = [];
  const worker = {
    commit: (commits: readonly RunCommit[]) => {
      sent.push(...commits);
      return Promise.resolve(
        commits.map(({ runId, receipt }) => ({ runId, receipt, outcome: "ok", resolved: [] })),
      );
    },
  };
  const delivery: WorkflowDelivery = {
    runId: "7",
    receipt: "9",
    name: "cut",
    version: 1,
    attempt: 1,
    input: undefined,
    journal: [],
    continuation: { waits: [], retries: [] },
    startedAt: 0,
    receivedAt: 0,
  };
  const executor = new RunExecutor({
    definition: defineWorkflow({ name: "cut", run: body }),
    delivery,
    clock: { now: () => 0, latest: () => 0 },
    leaseMs: 30_000,
    confirmLease: () => {},
    closing: new AbortController().signal,
    committer: makeCommitter(worker as never, turns),
    turns,
    transport: { worker } as never,
    events: new Emitter<WorkerEvents>(),
    logger: undefined,
    codec: undefined,
    onProgress: () => {},
    isLocal: false,
  });
  executor.leasedUntil(performance.now() + 30_000);
  return { executor, sent, over: executor.execute() };
}

/** Rejects as the signal aborts. */
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });

describe.each(["cutOff", "cutShort"] as const)("%s() (X7, X8)", (how) => {
  const cut = (executor: RunExecutor): void =>
    how === "cutOff" ? executor.cutOff() : executor.cutShort(() => new Error("No more time."));

  it.each([
    ["no step", {}],
    ["a step that can be rolled back", { rollback: () => {} }],
  ])("gives a run back whose body throws as its signal aborts, after %s", async (_, options) => {
    let work = (): void => {};
    const isWorking = new Promise<void>((resolve) => {
      work = resolve;
    });
    const { executor, sent, over } = execute(async ({ step, signal }) => {
      await step.run("reserve", () => 1, options);
      void step.sleep("long", "7d");
      const working = step.run("work", (own) => {
        work();
        return untilAborted(own);
      });
      await Promise.race([working, untilAborted(signal)]);
    });
    await isWorking;
    cut(executor);
    await over;
    expect(sent.map(({ transition }) => transition.kind)).toEqual([
      ...sent.slice(1).map(() => "keep"),
      "release",
    ]);
    const continuations = sent.flatMap(({ transition }) =>
      transition.kind === "keep" && transition.continuation !== undefined
        ? [transition.continuation]
        : [],
    );
    expect(continuations.at(-1)?.waits).toMatchObject([{ step: "long" }]);
  });
});
