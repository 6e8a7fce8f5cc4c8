/**
 * Moves routes to another shard, for operators: first their home, so that they start there from then on, then their runs.
 * Nothing is remembered outside of the databases: given up at any point and repeated, it completes.
 */
import { InvalidArgument } from "@oxbow/sdk";
import type { Transport } from "@oxbow/sdk/internal/fleet";
import { moveHomes } from "./homes.ts";
import {
  type Move,
  type MovedRoutes,
  NO_RUNS,
  placeNamed,
  placesOf,
  whileRelaying,
} from "./move.ts";
import { requireMovable, requireReady, requireUrls } from "./ready.ts";
import { moveRuns } from "./runs.ts";

export interface MoveRoutesOptions extends Pick<
  Move,
  "routes" | "withRuns" | "endsLeases" | "onProgress" | "onWait"
> {
  /** Name of the shard. */
  readonly target: string;
  readonly onTrouble: (doing: string, error: unknown) => void;
}

/** @param transport Over the shards of a fleet. */
export async function moveRoutes(
  transport: Transport,
  options: MoveRoutesOptions,
): Promise<MovedRoutes> {
  const { fleet } = transport;
  if (fleet === undefined) throw new InvalidArgument("Routes move between the shards of a fleet.");
  const places = placesOf(fleet);
  const target = placeNamed(fleet, places, options.target);
  const move: Move = {
    ...options,
    target,
    sources: places.filter((place) => place !== target),
  };
  // They change nothing: what they refuse has not begun.
  await requireReady(move);
  if (move.withRuns) await requireUrls(move);
  await requireMovable(move);
  return whileRelaying(fleet, options.onTrouble, async (deliver) => {
    await moveHomes({ ...move, deliver });
    return move.withRuns ? moveRuns(move) : NO_RUNS;
  });
}
