/** Runs follow their routes: first those in progress, then ended ones. */
import { InvalidArgument } from "@oxbow/sdk";
import type { DrainRequest, RouteHandover } from "@oxbow/sdk/internal/fleet";
import { untilDelivered } from "./deliveries.ts";
import { type Move, type MovedRoutes, NO_RUNS, pause, type Place } from "./move.ts";

/** How often runs may be found again after they have left: the target may hand some back, which it can't have. */
const MAX_RETURNS = 5;
/** How long a move rests after a call, at most. */
const MAX_REST_MS = 500;

type Page = Pick<DrainRequest, "after" | "upTo" | "onlyRunning">;

/** Runs that leave some shards for others. */
export interface Departure extends Pick<Move, "onProgress" | "onWait"> {
  readonly sources: readonly Place[];
  readonly targets: readonly Place[];
  /** How many have left before. Default: 0. */
  readonly before?: number;
  /**
   * Until this time of performance.now(), runs still start there that have no home, so they are not taken for returns.
   */
  readonly startsUntil?: number;
  /** Moves some runs of a shard. */
  readonly handOver: (source: Place, page: Page) => Promise<RouteHandover>;
}

/** The runs of routes, to the target of the move. */
export const moveRuns = (move: Move): Promise<MovedRoutes> =>
  depart({
    ...move,
    targets: [move.target],
    handOver: ({ shard }, page) =>
      shard.handOverRoutes({
        ...page,
        routes: move.routes,
        target: move.target.name,
        endsLeases: move.endsLeases,
      }),
  });

/** Until no run is left that can move, and all have arrived. */
export async function depart(departure: Departure): Promise<MovedRoutes> {
  const { sources, targets, before: moved = 0, startsUntil = 0 } = departure;
  let progress: MovedRoutes = { ...NO_RUNS, moved };
  let found = 0;
  for (let returns = 0; returns <= MAX_RETURNS;) {
    if (performance.now() > startsUntil) returns += 1;
    const before = progress.moved;
    let hasWaited = false;
    for (const onlyRunning of [true, false]) {
      const end = await departAll(departure, progress, onlyRunning);
      progress = end.progress;
      hasWaited ||= end.hasWaited;
    }
    found = progress.moved - before;
    // Runs that their workers have given back leave by themselves.
    if (found === 0 && !hasWaited) return progress;
    for (const target of targets) {
      for (const source of sources) await untilDelivered(departure, source, target);
      for (const source of sources) await untilDelivered(departure, target, source);
    }
  }
  const names = targets.map(({ name }) => `"${name}"`).join(" or ");
  throw new InvalidArgument(
    startsUntil === 0
      ? `Runs come back to their shard again and again, since ${names} can't have them: its audit has the reason, in its action run.return.`
      : `Runs are found in their shard again and again, ${found} in the last pass. Either they come back, since ${names} can't have them: its audit has the reason, in its action run.return. Or runs without a home still start there, by transactions in its database or by clients that have only its url: point them to other shards. Then repeat the command.`,
  );
}

/**
 * Until no run is left that can move, however long workers keep theirs, of the runs that there are when it begins: what
 * starts meanwhile, however fast, does not keep it from its end.
 */
async function departAll(
  departure: Departure,
  first: MovedRoutes,
  onlyRunning: boolean,
): Promise<{ readonly progress: MovedRoutes; readonly hasWaited: boolean }> {
  const newest = new Map<Place, string>();
  let hasWaited = false;
  for (let progress = first; ;) {
    progress = await passOver(departure, progress, { onlyRunning, newest });
    if (progress.waiting === 0) return { progress, hasWaited };
    hasWaited = true;
    await pause();
  }
}

interface Pass {
  readonly onlyRunning: boolean;
  /** The last run of each shard that it looks at. */
  readonly newest: Map<Place, string>;
}

/** Looks at the runs of the shards once. */
async function passOver(
  { sources, handOver, onProgress }: Departure,
  { moved }: MovedRoutes,
  { onlyRunning, newest }: Pass,
): Promise<MovedRoutes> {
  let progress: MovedRoutes = { ...NO_RUNS, moved };
  for (const source of sources) {
    let after: string | null = "0";
    while (after !== null) {
      const upTo = newest.get(source) ?? null;
      const beganAt = performance.now();
      const done: RouteHandover = await handOver(source, { after, upTo, onlyRunning });
      // A move is not urgent: starts and steps have the other half of the time.
      await pause(Math.min(performance.now() - beganAt, MAX_REST_MS));
      newest.set(source, done.newestRunId);
      progress = {
        moved: progress.moved + done.moved,
        waiting: progress.waiting + done.asked + done.busy,
        kept: progress.kept + done.kept,
        problem: progress.problem ?? done.problem ?? undefined,
      };
      after = done.lastRunId;
      onProgress(progress);
    }
  }
  return progress;
}
