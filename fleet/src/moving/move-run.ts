/** Moves a run from one shard to another, for operators: asks for it until it leaves, and waits until it has arrived. */
import { InvalidArgument, RunMoved } from "@oxbow/sdk";
import type { ShardTransport, Transport } from "@oxbow/sdk/internal/fleet";
import { pause, placeNamed, placesOf, withRelays } from "./move.ts";

/** Asking locks the run and its family, as looking doesn't. */
const ASK_EVERY_MS = 3000;

export interface MoveRunOptions {
  readonly runId: string;
  /** Name of the shard. */
  readonly target: string;
  /** Takes the run from the worker that executes it, which may call a callback again. */
  readonly endsLeases: boolean;
  /** Called once if its worker is asked for the run. */
  readonly onAsked: () => void;
  readonly onTrouble: (doing: string, error: unknown) => void;
}

/**
 * May be repeated, and given up: a run that its worker was asked for moves by itself.
 *
 * @param transport Over the shards of a fleet.
 * @returns False if the run was there already.
 * @throws RunNotFound, InvalidArgument if it can't move
 */
export async function moveRun(transport: Transport, options: MoveRunOptions): Promise<boolean> {
  const { fleet } = transport;
  if (fleet === undefined) throw new InvalidArgument("Runs move between the shards of a fleet.");
  const { runId, target } = options;
  fleet.shard(target);
  const source = await fleet.shardOfRun(runId);
  if (source === target) return false;
  const { shard } = placeNamed(fleet, placesOf(fleet), source);
  const isElsewhere = await withRelays(fleet, options.onTrouble, async () => {
    await leave(shard, options);
    while ((await shard.whereabouts(runId))?.hasArrived === false) await pause();
    return (await fleet.shardOfRun(runId)) !== source;
  });
  if (isElsewhere) return true;
  throw new InvalidArgument(
    `Run ${runId} has come back to shard "${source}", since "${target}" can't have it: the audit of "${target}" has the reason, in its action run.return.`,
  );
}

async function leave(
  shard: ShardTransport,
  { runId, target, endsLeases, onAsked }: MoveRunOptions,
): Promise<void> {
  let isAsked = false;
  for (;;) {
    try {
      if (await shard.handOver(runId, target, endsLeases)) return;
    } catch (error) {
      // A relay was faster, between two calls.
      if (error instanceof RunMoved && error.facts["shard"] === target) return;
      throw error;
    }
    if (!isAsked) onAsked();
    isAsked = true;
    const askAgainAt = performance.now() + ASK_EVERY_MS;
    do {
      await pause();
    } while (performance.now() < askAgainAt && (await shard.whereabouts(runId)) === undefined);
  }
}
