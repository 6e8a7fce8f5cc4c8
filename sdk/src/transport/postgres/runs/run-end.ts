/**
 * Waits for the end of a run: the commit that ends it notifies those who hold the lock of its channel. A poll, ever
 * slower, stands in for a notification that is lost, or that was not sent: a commit that looked for waiters before
 * this one could be seen, and became visible after it had looked, has sent none.
 *
 * A database that goes away meanwhile is waited for, as `getRun` does.
 */
import { onAbort } from "../../../async/on-abort.ts";
import { unlessAborted } from "../../../async/unless-aborted.ts";
import { WakeUp } from "../../../async/wake-up.ts";
import type { RunRecord } from "../../../protocol/runs.ts";
import type { Listening } from "../connection/listener.ts";

const FIRST_POLL_MS = 25;
const LAST_POLL_MS = 1_000;
/** With notifications the poll is only the safety net. */
const LISTENING_POLL_MS = 2_000;
/** Runs share the locks by which waiters are seen: a cluster has room for some thousand. */
const CHANNELS = 256n;

export interface RunEndOptions {
  readonly runId: string;
  readonly signal: AbortSignal;
  readonly listener: Listening | undefined;
  /** Asks until an answer comes. */
  readonly getRun: () => Promise<RunRecord | undefined>;
}

/** The channel that whoever waits for the end of a run is seen on. */
export const runEndChannel = (runId: string): string => `workflow_run_${BigInt(runId) % CHANNELS}`;

/** Resolves with the ended run, or undefined where there is none; rejects with the signal's reason. */
export async function awaitRunEnd({
  runId,
  signal,
  listener,
  getRun,
}: RunEndOptions): Promise<RunRecord | undefined> {
  signal.throwIfAborted();
  const wakeUp = new WakeUp();
  const wake = (): void => wakeUp.now();
  const channel = runEndChannel(runId);
  const stopListening = listener?.listen("workflow_ended", {
    onNotification: (endedRun) => {
      if (endedRun === runId) wake();
    },
    onConnected: wake,
  });
  const stopWaiting = onAbort(signal, wake);
  try {
    await listener?.awaitChannel(channel);
    for (let pollMs = FIRST_POLL_MS; ;) {
      const run = await unlessAborted(getRun(), signal);
      if (run?.status !== "running") return run;
      await wakeUp.wait(pollMs);
      signal.throwIfAborted();
      pollMs =
        listener?.connected === true
          ? Math.min(LISTENING_POLL_MS, pollMs * 4)
          : Math.min(LAST_POLL_MS, pollMs * 1.5);
    }
  } finally {
    stopWaiting();
    listener?.forgetChannel(channel);
    stopListening?.();
  }
}
