/** Waits for the end of a run, also across an outage of the database, as `getRun` does. */
import type { Pace } from "../../../async/pace.ts";
import { unlessAborted } from "../../../async/unless-aborted.ts";
import type { RunRecord } from "../../../protocol/runs.ts";
import type { Listening } from "../connection/listener.ts";
import { RunWatch } from "./run-watch.ts";

const PACE: Pace = {
  firstMs: 25,
  growth: 1.5,
  longestMs: 1_000,
  notified: { growth: 4, longestMs: 2_000 },
};

export interface RunEndOptions {
  readonly runId: string;
  readonly signal: AbortSignal;
  readonly listener: Listening | undefined;
  /** Repeats its query until the database answers. */
  readonly getRun: () => Promise<RunRecord | undefined>;
}

/** Resolves with the ended run, or undefined if it does not exist; rejects with the signal's reason. */
export async function awaitRunEnd({
  getRun,
  ...options
}: RunEndOptions): Promise<RunRecord | undefined> {
  const { signal } = options;
  signal.throwIfAborted();
  const watch = new RunWatch({ ...options, pace: PACE });
  try {
    await watch.arm();
    for (;;) {
      const run = await unlessAborted(getRun(), signal);
      if (run?.status !== "running") return run;
      await watch.rest();
      signal.throwIfAborted();
    }
  } finally {
    watch.close();
  }
}
