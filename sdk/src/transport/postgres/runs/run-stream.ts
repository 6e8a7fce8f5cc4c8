/** Reads the stream of a run while it is written. */
import { linkSignals } from "../../../async/linked-signal.ts";
import type { Pace } from "../../../async/pace.ts";
import type { RunRecord, StreamChunk } from "../../../protocol/runs.ts";
import type { Listening } from "../connection/listener.ts";
import { RunWatch } from "./run-watch.ts";

const PACE: Pace = {
  firstMs: 250,
  growth: 1,
  longestMs: 250,
  notified: { growth: 8, longestMs: 2_000 },
};

/** They are in memory until the reader has taken them. */
const CHUNKS_A_READ = 100;

export interface RunStreamOptions {
  readonly runId: string;
  readonly after: string;
  /** The first that aborts ends the reading. */
  readonly signals: readonly AbortSignal[];
  readonly listener: Listening | undefined;
  readonly getRun: () => Promise<RunRecord | undefined>;
  readonly read: (after: string, most: number) => Promise<StreamChunk[]>;
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
  const { signal, unlink } = linkSignals(signals);
  const watch = new RunWatch({ runId, signal, listener, pace: PACE, includesStream: true });
  try {
    await watch.arm();
    let last = after;
    for (;;) {
      signal.throwIfAborted();
      // Reads the run before its chunks: the stream of an ended run is complete.
      const run = await getRun();
      const chunks = await read(last, CHUNKS_A_READ);
      if (chunks.length > 0) {
        last = chunks.at(-1)?.position ?? last;
        yield chunks;
      } else if (run?.status !== "running") {
        return;
      } else {
        await watch.rest();
      }
    }
  } finally {
    watch.close();
    unlink();
  }
}
