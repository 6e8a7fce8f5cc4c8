/**
 * A watch over one run. Commits notify only sessions that hold the lock of a channel of the run, so a watch is armed before
 * the first look. A slow poll replaces notifications that are lost, and those of a commit that looked for waiters
 * before this one was visible, and became visible itself afterwards.
 */
import type { Pace } from "../../../async/pace.ts";
import { Watch } from "../../../async/watch.ts";
import type { Listening } from "../connection/listener.ts";

/** Runs share the locks of waiters: a cluster has room for some thousand. */
const CHANNELS = 256n;

export interface RunWatchOptions {
  readonly runId: string;
  readonly signal: AbortSignal;
  readonly listener: Listening | undefined;
  readonly pace: Pace;
  /** The end of the run wakes the watch; so does each chunk of its stream, if included. */
  readonly includesStream?: boolean;
}

export class RunWatch {
  readonly #watch: Watch;
  readonly #listener: Listening | undefined;
  readonly #locks: readonly string[];
  readonly #unlisten: readonly (() => void)[];

  constructor({ runId, signal, listener, pace, includesStream = false }: RunWatchOptions) {
    this.#listener = listener;
    this.#watch = new Watch({ pace, signal, isNotified: () => listener?.connected === true });
    this.#locks = [
      ...(includesStream ? [`workflow_stream_${runId}`] : []),
      `workflow_run_${BigInt(runId) % CHANNELS}`,
    ];
    const { wake } = this.#watch;
    const handler = {
      onNotification: (notified: string) => {
        if (notified === runId) wake();
      },
      onConnected: wake,
    };
    const notifications = [...(includesStream ? ["workflow_streamed"] : []), "workflow_ended"];
    this.#unlisten =
      listener === undefined ? [] : notifications.map((name) => listener.listen(name, handler));
  }

  /** Resolves once commits can see this watch, if they can at all. */
  async arm(): Promise<void> {
    for (const lock of this.#locks) await this.#listener?.awaitChannel(lock);
  }

  /** Waits for a reason to look again. */
  rest(): Promise<void> {
    return this.#watch.rest();
  }

  close(): void {
    for (const lock of this.#locks) this.#listener?.forgetChannel(lock);
    for (const unlisten of this.#unlisten) unlisten();
  }
}
