/** The worker of a test: wakes the waits of the test when it has news, and names the callbacks in progress. */
import { WakeUp } from "../async/wake-up.ts";
import { DeadlineExceeded } from "../core/errors.ts";
import type { Worker } from "../worker/worker.ts";
import type { Activity } from "./test-clock.ts";

/** Between two looks, ever longer, unless the worker reports an event. */
const FIRST_LOOK_MS = 5;
const LAST_LOOK_MS = 100;

const NEWS = ["runCompleted", "runFailed", "runRetried", "runSuspended", "runDropped"] as const;

/** How long a test waits, in real time. */
export interface Patience {
  readonly ms: number;
  readonly giveUpAt: number;
}

export class WorkerWatch {
  readonly #wakeUps = new Set<WakeUp>();
  /** Callbacks in progress, in words. */
  readonly #called = new Map<string, string>();

  constructor({ events }: Pick<Worker, "events">) {
    for (const name of NEWS) {
      events.on(name, () => {
        for (const wakeUp of this.#wakeUps) wakeUp.now();
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
    const wakeUp = new WakeUp();
    this.#wakeUps.add(wakeUp);
    try {
      let lookMs = FIRST_LOOK_MS;
      for (let next = await look(); next !== "done"; next = await look()) {
        if (next === "again") {
          lookMs = FIRST_LOOK_MS;
        } else {
          await wakeUp.wait(lookMs);
          lookMs = Math.min(LAST_LOOK_MS, lookMs * 2);
        }
      }
    } finally {
      this.#wakeUps.delete(wakeUp);
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
