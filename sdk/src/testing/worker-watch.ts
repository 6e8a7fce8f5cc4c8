/** The worker of a test: wakes the waits of the test when it has news, and names the callbacks in progress. */
import type { Pace } from "../async/pace.ts";
import { Watch } from "../async/watch.ts";
import { DeadlineExceeded } from "../core/errors.ts";
import type { Worker } from "../worker/worker.ts";
import type { Activity } from "./test-clock.ts";

const PACE: Pace = { firstMs: 5, growth: 2, longestMs: 100 };

const NEWS = [
  "runCompleted",
  "runContinued",
  "runFailed",
  "runRetried",
  "runSuspended",
  "runDropped",
] as const;

/** How long a test waits, in real time. */
export interface Patience {
  readonly ms: number;
  readonly giveUpAt: number;
}

export class WorkerWatch {
  readonly #watches = new Set<Watch>();
  /** Callbacks in progress, in words. */
  readonly #called = new Map<string, string>();

  constructor({ events }: Pick<Worker, "events">) {
    for (const name of NEWS) {
      events.on(name, () => {
        for (const watch of this.#watches) watch.wake();
      });
    }
    events.on("stepStarted", ({ workflow, runId, step, attempt }) => {
      this.#called.set(
        `${runId} ${step}`,
        `step "${step}" of run ${runId} of "${workflow}" (attempt ${attempt})`,
      );
    });
    const ended = ({ runId, step }: { runId: string; step: string }): void =>
      void this.#called.delete(`${runId} ${step}`);
    events.on("stepSucceeded", ended);
    events.on("stepFailed", ended);
  }

  /** Looks until it is done: again when the worker has news, or after a while. */
  async until(look: () => Promise<"again" | "wait" | "done">): Promise<void> {
    const watch = new Watch({ pace: PACE, signal: new AbortController().signal });
    this.#watches.add(watch);
    try {
      for (let next = await look(); next !== "done"; next = await look()) {
        if (next === "again") watch.restart();
        else await watch.rest();
      }
    } finally {
      this.#watches.delete(watch);
    }
  }

  /**
   * @param what Happened not in time.
   * @throws DeadlineExceeded when the patience has ended, with the activity that keeps the test.
   */
  check({ ms, giveUpAt }: Patience, what: string, activity: Activity, skips: number): void {
    if (performance.now() < giveUpAt) return;
    const called = [...this.#called.values()];
    const reasons = [
      ...(called.length > 0 ? [`being called: ${called.slice(0, 5).join(", ")}`] : []),
      ...(activity.executing > 0 ? [`${activity.executing} runs are executed`] : []),
      ...(activity.ready > 0 ? [`${activity.ready} runs are ready`] : []),
      ...(activity.handled > 0 ? [`${activity.handled} messages of queues are handled`] : []),
      ...(skips > 0 ? [`time was skipped ${skips} times, to ${activity.now.toISOString()}`] : []),
    ];
    throw new DeadlineExceeded(
      `${what} within ${ms} ms of real time (${reasons.join("; ") || "nothing happens"}). ` +
        "Let callbacks that wait for the test end first, skip with `whileExecuting`, or raise the environment's `patience`.",
      { facts: { patienceMs: ms } },
    );
  }
}
