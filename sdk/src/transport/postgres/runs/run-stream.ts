/**
 * Reads the stream of a run while it is written: the commit that adds to it notifies those who hold the lock of its
 * channel. A poll stands in for a notification that is lost.
 */
import { linkSignals } from "../../../async/linked-signal.ts";
import { onAbort } from "../../../async/on-abort.ts";
import { WakeUp } from "../../../async/wake-up.ts";
import type { RunRecord, StreamChunk } from "../../../protocol/runs.ts";
import type { Listening } from "../connection/listener.ts";
import { runEndChannel } from "./run-end.ts";

const POLL_MS = 250;
/** With notifications the poll is only the safety net. */
const LISTENING_POLL_MS = 2_000;

export interface RunStreamOptions {
  readonly runId: string;
  readonly after: string;
  /** The first that aborts ends the reading. */
  readonly signals: readonly AbortSignal[];
  readonly listener: Listening | undefined;
  readonly getRun: () => Promise<RunRecord | undefined>;
  readonly read: (after: string) => Promise<StreamChunk[]>;
}

/** Ends with the run; rejects with the signal's reason. */
export async function* readRunStream({
  runId,
  after,
  signals,
  listener,
  getRun,
  read,
}: RunStreamOptions): AsyncGenerator<StreamChunk[], void> {
  const channel = `workflow_stream_${runId}`;
  const { signal, unlink } = linkSignals(signals);
  const wakeUp = new WakeUp();
  const wake = (): void => wakeUp.now();
  const stops = [
    listener?.listen("workflow_streamed", {
      onNotification: (streaming) => {
        if (streaming === runId) wake();
      },
      onConnected: wake,
    }),
    listener?.listen("workflow_ended", {
      onNotification: (endedRun) => {
        if (endedRun === runId) wake();
      },
      onConnected: wake,
    }),
    onAbort(signal, wake),
    unlink,
  ];
  const channels = [channel, runEndChannel(runId)];
  try {
    for (const each of channels) await listener?.awaitChannel(each);
    let last = after;
    for (;;) {
      signal.throwIfAborted();
      // Before the chunks: what an ended run has streamed is complete.
      const run = await getRun();
      const chunks = await read(last);
      if (chunks.length > 0) {
        last = chunks.at(-1)?.position ?? last;
        yield chunks;
      } else if (run?.status !== "running") {
        return;
      } else {
        const pollMs = listener?.connected === true ? LISTENING_POLL_MS : POLL_MS;
        await wakeUp.wait(pollMs);
      }
    }
  } finally {
    for (const each of channels) listener?.forgetChannel(each);
    for (const stop of stops) stop?.();
  }
}
