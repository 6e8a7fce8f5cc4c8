/**
 * Waits for the end of a run: the commit that ends it notifies those who hold the lock of its channel. A poll, ever
 * slower, stands in for a notification that is lost.
 */
import { sleep } from "../../core/sleep.ts";
import type { RunRecord } from "../../protocol/transport.ts";
import type { Listener } from "./listener.ts";

const FIRST_POLL_MS = 25;
const LAST_POLL_MS = 1_000;
/** With notifications the poll is only the safety net. */
const LISTENING_POLL_MS = 2_000;

export interface RunEndOptions {
  readonly runId: string;
  readonly signal: AbortSignal;
  readonly listener: Listener | undefined;
  readonly getRun: () => Promise<RunRecord | undefined>;
}

/** Resolves with the ended run, or undefined where there is none; rejects with the signal's reason. */
export async function awaitRunEnd({
  runId,
  signal,
  listener,
  getRun,
}: RunEndOptions): Promise<RunRecord | undefined> {
  signal.throwIfAborted();
  const wakeUp = new WakeUp();
  const channel = `workflow_run_${runId}`;
  const stopListening = listener?.listen("workflow_ended", {
    onNotification: (endedRun) => {
      if (endedRun === runId) wakeUp.now();
    },
    onConnected: () => wakeUp.now(),
  });
  try {
    await listener?.awaitChannel(channel);
    for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(LAST_POLL_MS, pollMs * 1.5)) {
      const run = await getRun();
      if (run?.status !== "running") return run;
      await wakeUp.within(listener?.connected === true ? LISTENING_POLL_MS : pollMs, signal);
      signal.throwIfAborted();
    }
  } finally {
    listener?.forgetChannel(channel);
    stopListening?.();
  }
}

/** Remembers a wake-up that comes while nobody sleeps. */
class WakeUp {
  #isDue = false;
  #controller: AbortController | undefined;

  now(): void {
    this.#isDue = true;
    this.#controller?.abort();
  }

  async within(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isDue) {
      this.#controller = new AbortController();
      await sleep(ms, AbortSignal.any([this.#controller.signal, signal]));
      this.#controller = undefined;
    }
    this.#isDue = false;
  }
}
