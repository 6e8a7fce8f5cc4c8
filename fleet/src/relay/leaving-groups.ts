/**
 * Hands message groups over that are about to leave a shard, each in a separate transaction. The relay of the shard
 * delivers them.
 *
 * Owns nothing. Any number of them share the work. Promises:
 *   G1  A group whose head isn't in flight leaves within a second while any of them is connected to its shard.
 *   G2  A group that can't leave is in no other's way.
 *   G3  Without leaving groups it sends one small query every ten seconds, or two without notifications, and at most one a
 *       second while items leave the shard.
 */
import { ConnectionFailed } from "@oxbow/sdk";
import {
  isDenied,
  type Pace,
  Pacer,
  type RelayTransport,
  sleep,
  unlessAborted,
  Watch,
} from "@oxbow/sdk/internal/fleet";

const PACE: Pace = {
  firstMs: 250,
  growth: 2,
  longestMs: 5_000,
  notified: { growth: 2, longestMs: 10_000 },
};
const TROUBLE_PACE: Pace = { firstMs: 500, growth: 2, longestMs: 10_000 };
/** While groups wait for the consumers of their heads. */
const WAITING_MS = 250;
/** Without the right to relay, which the relay reports. */
const DENIED_MS = 60_000;
/** Hints are for items, most of which no group follows. */
const LOOK_EVERY_MS = 750;

export interface LeavingGroupsOptions {
  readonly shard: () => RelayTransport;
  readonly isNotified: () => boolean;
  readonly onTrouble: (doing: string, error: unknown) => void;
}

export class LeavingGroups {
  readonly #options: LeavingGroupsOptions;
  readonly #stopping = new AbortController();
  readonly #watch: Watch;
  #running: Promise<void> | undefined;

  constructor(options: LeavingGroupsOptions) {
    this.#options = options;
    const { isNotified } = options;
    this.#watch = new Watch({ pace: PACE, signal: this.#stopping.signal, isNotified });
  }

  start(): void {
    this.#running ??= this.#handOverForEver();
  }

  /** Groups may be about to leave. */
  wake(): void {
    this.#watch.restart();
    this.#watch.wake();
  }

  /** May be called twice, and before `start()`. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error("The relay stops."));
    await this.#running;
  }

  async #handOverForEver(): Promise<void> {
    const { signal } = this.#stopping;
    const { shard, onTrouble } = this.#options;
    const trouble = new Pacer(TROUBLE_PACE);
    while (!signal.aborted) {
      try {
        const { moved, left } = await this.#handOver(shard());
        trouble.restart();
        if (moved > 0) continue;
        await sleep(left > 0 ? WAITING_MS : LOOK_EVERY_MS, signal);
        if (left === 0) await this.#watch.rest();
      } catch (error) {
        if (signal.aborted) return;
        if (isDenied(error)) {
          await sleep(DENIED_MS, signal);
          continue;
        }
        onTrouble("looking for message groups that leave", error);
        await this.#watch.pause(trouble.next());
      }
    }
  }

  /** Returns how many have left, and how many were found. */
  async #handOver(shard: RelayTransport): Promise<{ moved: number; left: number }> {
    const { signal } = this.#stopping;
    const groups = await unlessAborted(shard.leavingGroups(), signal);
    let moved = 0;
    for (const group of groups) {
      if (group.waits) continue;
      try {
        if (await unlessAborted(shard.handOverGroup(group), signal)) moved += 1;
      } catch (error) {
        if (signal.aborted || error instanceof ConnectionFailed) throw error;
        const { queue, groupId } = group;
        this.#options.onTrouble(`moving message group "${groupId}" of queue "${queue}"`, error);
      }
    }
    return { moved, left: groups.length };
  }
}
