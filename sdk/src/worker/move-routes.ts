/**
 * Moves routes to another shard, for operators: first their home, so that they start there from then on, then their runs.
 * Nothing is remembered outside of the databases: given up at any point and repeated, it completes.
 */
import { sleep } from "../async/sleep.ts";
import { InvalidArgument, WrongShard } from "../core/errors.ts";
import type { RouteHandover, Routes, ShardTransport } from "../protocol/shards.ts";
import { isLockTimeout } from "../protocol/sqlstate.ts";
import type { FleetAccess, ShardLane, Transport } from "../protocol/transport.ts";
import { isAtHome } from "../transport/fleet/shard-map.ts";
import { relaysOf } from "./relay.ts";

const LOOK_EVERY_MS = 100;
/** Runs that come back leave again: not for ever. */
const MAX_PASSES_WITHOUT_END = 1000;
const MAX_LISTED = 20;

export interface MoveRoutesOptions {
  readonly routes: Routes;
  /** Name of the shard. */
  readonly target: string;
  /** False: only their home changes, and runs stay where they are. */
  readonly withRuns: boolean;
  /** Takes runs from the workers that execute them, which may call a callback again. */
  readonly endsLeases: boolean;
  readonly onProgress: (progress: MovedRoutes) => void;
  readonly onTrouble: (doing: string, error: unknown) => void;
}

export interface MovedRoutes {
  /** Runs that have left their shards. */
  readonly moved: number;
  /** Runs in progress that wait for their workers. */
  readonly waiting: number;
  /** Runs that can't move, and stay. */
  readonly kept: number;
  /** Why the first of them stays. */
  readonly problem: string | undefined;
}

/**
 * @param transport Over the shards of a fleet.
 * @throws InvalidArgument if runs in progress can't move: then nothing has moved
 */
export async function moveRoutes(
  transport: Transport,
  options: MoveRoutesOptions,
): Promise<MovedRoutes> {
  const { fleet } = transport;
  if (fleet === undefined) throw new InvalidArgument("Routes move between the shards of a fleet.");
  fleet.shard(options.target);
  const sources = fleet.lanes.filter(({ name }) => name !== options.target);
  if (options.withRuns) await requireMovable(sources, options.routes);

  // Workers relay as well, but none may be running.
  const relays = relaysOf(fleet.lanes, options.onTrouble);
  for (const relay of relays) relay.start();
  try {
    for (const lane of await homesOf(fleet, options)) await giveHome(fleet, lane, options);
    await untilKnown(fleet, options);
    const moved = options.withRuns ? await moveRuns(sources, options) : NOTHING;
    await untilDelivered(sources, options.target);
    return moved;
  } finally {
    await Promise.all(relays.map((relay) => relay.stop()));
  }
}

const NOTHING: MovedRoutes = { moved: 0, waiting: 0, kept: 0, problem: undefined };

async function requireMovable(sources: readonly ShardLane[], routes: Routes): Promise<void> {
  const found = await Promise.all(
    sources.map(async (lane) => {
      const kept = await shardOf(lane).obstacles(routes);
      return kept.map((one) => `run ${one.runId} of shard "${lane.name}": ${one.problem}`);
    }),
  );
  const problems = found.flat();
  if (problems.length === 0) return;
  throw new InvalidArgument(
    `Runs in progress can't move, so nothing has moved: ${problems.slice(0, MAX_LISTED).join("; ")}. Let them end, or cancel them, and repeat the move.`,
  );
}

/** The shards that have to give something away. */
async function homesOf(fleet: FleetAccess, { routes, target }: MoveRoutesOptions) {
  if ("slots" in routes) return fleet.lanes.filter(({ name }) => name !== target);
  const home = await fleet.home(routes.route);
  return fleet.lanes.filter(({ name }) => name === home);
}

async function giveHome(
  fleet: FleetAccess,
  first: ShardLane,
  { routes, target }: MoveRoutesOptions,
): Promise<void> {
  let lane = first;
  let after: string | null = "0";
  while (after !== null) {
    try {
      after = await shardOf(lane).giveHome(routes, target, after);
    } catch (error) {
      if (isLockTimeout(error)) await pause();
      else if (error instanceof WrongShard && typeof error.facts["home"] === "string") {
        // Another move was faster, or its shard doesn't know it yet.
        lane = laneOf(fleet, error.facts["home"]);
        after = "0";
        await pause();
      } else throw error;
    }
  }
}

/** Until then, the target refuses starts with the routes. */
async function untilKnown(
  fleet: FleetAccess,
  { routes, target }: MoveRoutesOptions,
): Promise<void> {
  const lane = laneOf(fleet, target);
  for (;;) {
    const map = await shardOf(lane).map();
    if (map !== undefined && isAtHome(map, routes)) return;
    await pause();
  }
}

async function moveRuns(
  sources: readonly ShardLane[],
  options: MoveRoutesOptions,
): Promise<MovedRoutes> {
  let moved = 0;
  for (const onlyRunning of [true, false]) {
    for (let passes = 0; ; passes += 1) {
      const pass = await passOver(sources, options, onlyRunning, moved);
      moved = pass.moved;
      if (pass.waiting === 0 && !pass.hasMoved) {
        if (!onlyRunning) return pass;
        break;
      }
      if (passes > MAX_PASSES_WITHOUT_END) {
        throw new InvalidArgument(
          `Runs come back to their shard again and again, since "${options.target}" can't have them: its audit has the reason, in its action run.return.`,
        );
      }
      if (pass.waiting > 0) await pause();
    }
  }
  return { ...NOTHING, moved };
}

/** Looks at all runs of the shards once. */
async function passOver(
  sources: readonly ShardLane[],
  { routes, target, endsLeases, onProgress }: MoveRoutesOptions,
  onlyRunning: boolean,
  movedBefore: number,
): Promise<MovedRoutes & { readonly hasMoved: boolean }> {
  let [moved, waiting, kept] = [movedBefore, 0, 0];
  let problem: string | undefined;
  for (const lane of sources) {
    let after: string | null = "0";
    while (after !== null) {
      const done: RouteHandover = await shardOf(lane).handOverRoutes({
        routes,
        target,
        after,
        onlyRunning,
        endsLeases,
      });
      moved += done.moved;
      waiting += done.asked + done.busy;
      kept += done.kept;
      problem ??= done.problem ?? undefined;
      after = done.lastRunId;
      onProgress({ moved, waiting, kept, problem });
    }
  }
  return { moved, waiting, kept, problem, hasMoved: moved > movedBefore };
}

async function untilDelivered(sources: readonly ShardLane[], target: string): Promise<void> {
  for (const lane of sources) {
    while ((await shardOf(lane).pending()).includes(target)) await pause();
  }
}

function laneOf(fleet: FleetAccess, name: string): ShardLane {
  fleet.shard(name);
  const lane = fleet.lanes.find((one) => one.name === name);
  if (lane === undefined) throw new Error(`There is no lane "${name}".`);
  return lane;
}

function shardOf({ transport }: ShardLane): ShardTransport {
  if (transport.shards === undefined) throw new Error("A shard is a database.");
  return transport.shards;
}

const pause = (): Promise<void> => sleep(LOOK_EVERY_MS, new AbortController().signal);
