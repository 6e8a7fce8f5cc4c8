/**
 * Moves routes to another shard, for operators: first their home, so that they start there from then on, then their runs.
 * Nothing is remembered outside of the databases: given up at any point and repeated, it completes.
 */
import { InvalidArgument } from "../core/errors.ts";
import type { FleetAccess, Transport } from "../protocol/transport.ts";
import { giveHomes, untilKnown } from "./moving/homes.ts";
import type { Move, MovedRoutes, Phase, Place } from "./moving/move.ts";
import { requireMovable, requireReady } from "./moving/ready.ts";
import { moveRuns } from "./moving/runs.ts";
import { relaysOf } from "./relay.ts";

export interface MoveRoutesOptions extends Pick<
  Move,
  "routes" | "withRuns" | "endsLeases" | "onProgress" | "onWait"
> {
  /** Name of the shard. */
  readonly target: string;
  readonly onTrouble: (doing: string, error: unknown) => void;
}

/** They change nothing: what they refuse has not begun. */
const CHECKS: readonly Phase[] = [requireReady, requireMovable];
const STEPS: readonly Phase[] = [giveHomes, untilKnown];

/** @param transport Over the shards of a fleet. */
export async function moveRoutes(
  transport: Transport,
  options: MoveRoutesOptions,
): Promise<MovedRoutes> {
  const { fleet } = transport;
  if (fleet === undefined) throw new InvalidArgument("Routes move between the shards of a fleet.");
  const move = moveOf(fleet, options);
  for (const check of CHECKS) await check(move);

  // Workers relay as well, but none may be running.
  const relays = relaysOf(fleet.lanes, options.onTrouble);
  for (const relay of relays) relay.start();
  try {
    for (const step of STEPS) await step(move);
    if (move.withRuns) await moveRuns(move);
    return move.progress;
  } finally {
    await Promise.all(relays.map((relay) => relay.stop()));
  }
}

function moveOf(fleet: FleetAccess, options: MoveRoutesOptions): Move {
  const places = fleet.lanes.map(({ name, transport }): Place => {
    if (transport.shards === undefined) throw new Error("A shard is a database.");
    return { name, transport, shard: transport.shards };
  });
  // It names an unknown one.
  fleet.shard(options.target);
  const target = places.find(({ name }) => name === options.target);
  if (target === undefined) throw new Error(`There is no lane "${options.target}".`);
  return {
    ...options,
    target,
    sources: places.filter((place) => place !== target),
    progress: { moved: 0, waiting: 0, kept: 0, problem: undefined },
  };
}
