/**
 * Runs that move between shards. A call goes to the shard that has given out the id of its run, or where the run was found
 * last, and follows it from there. Only a call that finds no run asks where that is.
 */
import { RunMoved, RunNotFound } from "@oxbow/sdk";
import { type RunTransport, sleep } from "@oxbow/sdk/internal/fleet";
import type { Fleet, Lane } from "./fleet.ts";

/** For how long a call waits for a run that is on its way. */
const PATIENCE_MS = 15_000;
const LOOK_EVERY_MS = 50;
const MAX_REMEMBERED = 10_000;
/** How often a shard may send on a call that it was sent: a run that moves to and fro needs one or two. */
const MAX_RETURNS = 3;

export class FollowedRuns {
  readonly #fleet: Fleet;
  /** The shards of runs that are not in that of their id, by id. */
  readonly #found = new Map<string, string>();

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
  }

  /** The lane where a run was found last. */
  async lane(runId: string): Promise<Lane> {
    const found = this.#found.get(runId);
    return found === undefined ? this.#fleet.ofRun(runId) : this.#fleet.named(found);
  }

  /** Whether a run is in another shard than where it was looked for; then `lane` returns that. @throws RunMoved */
  async hasLeft(runId: string, { name }: Lane): Promise<boolean> {
    const found = await this.find(runId);
    this.#remember(runId, found.name);
    return found.name !== name;
  }

  /** Calls where the run is. @throws RunMoved if it is on its way for long. */
  async call<Value>(runId: string, call: (runs: RunTransport) => Promise<Value>): Promise<Value> {
    let missedIn: Lane | undefined;
    for (;;) {
      const lane = await this.lane(runId);
      const outcome = await attempt(() => call(lane.transport.runs));
      if (!outcome.isMiss) return outcome.take();
      if (await this.hasLeft(runId, lane)) missedIn = undefined;
      // A run that has come back between the two looks is there now.
      else if (missedIn === lane) return outcome.take();
      else missedIn = lane;
    }
  }

  /** The lane that a run has moved to from another one, once it is there; the same lane if it has not moved. */
  async next(runId: string, lane: Lane): Promise<Lane> {
    const giveUpAt = performance.now() + PATIENCE_MS;
    for (;;) {
      const moved = await lane.transport.shards?.whereabouts(runId);
      if (moved === undefined) return lane;
      if (moved.hasArrived) return this.#fleet.named(moved.shard);
      if (performance.now() > giveUpAt) {
        throw new RunMoved(
          `Run ${runId} is on its way to shard "${moved.shard}": repeat the call once a relay has delivered it.`,
          { facts: { runId, shard: moved.shard } },
        );
      }
      await sleep(LOOK_EVERY_MS, new AbortController().signal);
    }
  }

  /** Where a run is, or would be if it existed. @throws RunMoved if it is on its way for long, or shards contradict. */
  async find(runId: string): Promise<Lane> {
    let lane = await this.#fleet.ofRun(runId);
    const visits = new Map<Lane, number>();
    for (;;) {
      const next = await this.next(runId, lane);
      if (next === lane) return lane;
      const returns = visits.get(next) ?? 0;
      if (returns > MAX_RETURNS) {
        throw new RunMoved(
          `Shards contradict each other about run ${runId}, "${lane.name}" and "${next.name}" among them: if it is not moving to and fro, one of them has lost commits.`,
          { facts: { runId, shard: next.name } },
        );
      }
      if (returns > 0) await sleep(LOOK_EVERY_MS, new AbortController().signal);
      visits.set(next, returns + 1);
      lane = next;
    }
  }

  #remember(runId: string, name: string): void {
    this.#found.delete(runId);
    this.#found.set(runId, name);
    const [oldest] = this.#found.keys();
    if (this.#found.size > MAX_REMEMBERED && oldest !== undefined) this.#found.delete(oldest);
  }
}

interface Outcome<Value> {
  /** The shard has no such run. */
  readonly isMiss: boolean;
  /** @throws what the call threw */
  readonly take: () => Value;
}

async function attempt<Value>(call: () => Promise<Value>): Promise<Outcome<Value>> {
  try {
    const value = await call();
    return { isMiss: isNothing(value), take: () => value };
  } catch (error) {
    if (!(error instanceof RunMoved || error instanceof RunNotFound)) throw error;
    return {
      isMiss: true,
      take: () => {
        throw error;
      },
    };
  }
}

const isNothing = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.length === 0);
