/**
 * Empties a shard, for operators: clients start nothing there that has no home, then the homes of routes move to other
 * shards, with their schedules, then the runs and message groups follow. Nothing is remembered outside of the databases:
 * given up at any point and repeated, it completes.
 *
 * Promises:
 *   D1  What refuses a drain is looked for before anything changes.
 *   D2  Shards learn of a drain in the order of their numbers, and of its end in the other order: of several concurrent
 *       drains, the first shard refuses the one that would leave no open shard.
 *   D3  Runs leave once the shard is the home of no route, so that each run with a route has a home elsewhere.
 *   D4  A route that is at home elsewhere by a later version of another map goes there and nowhere else.
 *   D5  Homes and runs leave once more after clients and shards that had an older map can't send any there.
 *   D6  It returns the names of the shards that don't know where all is at home, after it has informed them.
 */
import { InvalidArgument } from "@oxbow/sdk";
import type {
  FleetAccess,
  KeptRun,
  OwnFleetMap,
  Routes,
  Transport,
} from "@oxbow/sdk/internal/fleet";
import { inOrder, requireAll } from "../shards/members.ts";
import { MAP_AGE_MS } from "../transport/fleet.ts";
import { homeOf, homesByShard } from "../transport/shard-map.ts";
import { untilDelivered } from "./deliveries.ts";
import { untilGroupsHaveLeft } from "./groups.ts";
import { moveHomes } from "./homes.ts";
import { latestHomes, shardsBehind, unheardHomes } from "./latest-homes.ts";
import {
  type Delivery,
  mapOf,
  type Move,
  type MovedRoutes,
  type Place,
  placeNamed,
  placesOf,
  Waiting,
  whileRelaying,
} from "./move.ts";
import { requireEmptyable, requireReady } from "./ready.ts";
import { depart } from "./runs.ts";

/** So few that their schedules move in one transaction. */
const SLOTS_AT_ONCE = 32;
/** A call may have begun with an older map. */
const CLIENTS_LEARN_MS = MAP_AGE_MS + 2000;
/** For how long items of other moves may be on their way. */
const AGREE_MS = 5000;

export interface DrainShardOptions extends Pick<Move, "endsLeases" | "onProgress" | "onWait"> {
  readonly shard: string;
  /** Name of the shard that takes over. Default: the others, in even parts. */
  readonly target: string | undefined;
  /** Homes have moved: of so many slots and pinned routes, so many are left. */
  readonly onHomes: (left: { readonly slots: number; readonly pins: number }) => void;
  readonly onTrouble: (doing: string, error: unknown) => void;
}

export interface DrainedShard extends MovedRoutes {
  /** The first runs in progress that stay. */
  readonly left: readonly KeptRun[];
  /** Names of shards that don't know where all routes are at home. */
  readonly behind: readonly string[];
}

/** A drain under way. */
interface Drain extends DrainShardOptions {
  readonly places: readonly Place[];
  /** Maps of the places, as they were before. */
  readonly maps: readonly OwnFleetMap[];
  readonly source: Place;
  /** The others that are open, and not drained. */
  readonly heirs: readonly Place[];
  /** Those of them that take over now. */
  readonly targets: readonly Place[];
}

/** A drain whose homes move. */
interface Giving extends Drain {
  readonly deliver: Delivery;
}

/**
 * @param transport Over the shards of a fleet.
 * @throws InvalidArgument before anything changes, with what can't move
 */
export async function drainShard(
  transport: Transport,
  options: DrainShardOptions,
): Promise<DrainedShard> {
  const { fleet } = transport;
  if (fleet === undefined) throw new InvalidArgument("A shard is one of a fleet.");
  const drain = await drainOf(fleet, options);
  const { places, maps, source, targets } = drain;
  // D1
  for (const target of targets) {
    await requireReady({ target, sources: others(places, target), withRuns: true });
  }
  await requireEmptyable(source);
  // D2
  for (const { shard } of inOrder(places, maps)) await shard.drain(source.name, true);
  const learntAt = performance.now() + CLIENTS_LEARN_MS;
  return whileRelaying(fleet, options.onTrouble, async (deliver) => {
    const giving = { ...drain, deliver };
    // D3
    await giveAll(giving);
    const first = await moveRuns(drain, 0, learntAt);
    const waiting = new Waiting(options);
    while (performance.now() < learntAt) await waiting.rest(LEARNING);
    // Items that were on their way before their shards knew of the drain (D5).
    for (const place of others(places, source)) await untilDelivered(options, place, source);
    // A client with an older map may have started one since; a route may have come back.
    await giveAll(giving);
    const moved = await moveRuns(drain, first.moved, learntAt);
    await untilGroupsHaveLeft(options, source);
    const left = await source.shard.obstacles(undefined, true);
    return { ...moved, left, behind: await informOthers(giving) };
  });
}

const LEARNING = "clients learn that starts without a home go elsewhere";

/** Ends it: what has left stays where it is. @throws InvalidArgument for an unknown shard */
export async function refillShard({ fleet }: Transport, shard: string): Promise<void> {
  if (fleet === undefined) throw new InvalidArgument("A shard is one of a fleet.");
  fleet.shard(shard);
  const places = placesOf(fleet);
  const maps = await Promise.all(places.map(mapOf));
  requireAll(maps, places);
  // In the other direction (D2): once the first shard lets another one be drained, the rest do as well.
  for (const place of inOrder(places, maps).toReversed()) await place.shard.drain(shard, false);
}

const others = (places: readonly Place[], one: Place): Place[] =>
  places.filter((place) => place !== one);

async function drainOf(fleet: FleetAccess, options: DrainShardOptions): Promise<Drain> {
  const places = placesOf(fleet);
  const source = placeNamed(fleet, places, options.shard);
  const maps = await Promise.all(places.map(mapOf));
  // Closed shards as well: clients of each have to learn of it.
  requireAll(maps, places);
  const open = new Set(
    maps[places.indexOf(source)]?.shards.flatMap((one) =>
      one.isOpen === false || one.isDraining === true ? [] : one.name,
    ),
  );
  const heirs = others(places, source).filter(({ name }) => open.has(name));
  const given = options.target === undefined ? places : [placeNamed(fleet, places, options.target)];
  const targets = heirs.filter((place) => given.includes(place));
  if (targets.length > 0) return { ...options, places, maps, source, heirs, targets };
  throw new InvalidArgument(
    options.target === undefined
      ? `No other shard can take over what "${source.name}" has: no other one is open, or all are being drained.`
      : `Shard "${options.target}" can't take over what "${source.name}" has: it is the same, is not open, or is being drained.`,
  );
}

/** Until the shard is the home of no route. A route with a later home, by the map of another shard, goes there (D4). */
async function giveAll(giving: Giving): Promise<void> {
  const { places, source, heirs, targets, onHomes } = giving;
  for (;;) {
    const maps = await Promise.all(places.map(mapOf));
    const own = places.indexOf(source);
    const map = maps[own];
    const { slots, pins } = latestHomes(maps, (known) => known[own]?.home === source.name);
    if (map === undefined || (slots.size === 0 && pins.size === 0)) return;
    onHomes({ slots: slots.size, pins: pins.size });
    const [[slot, home] = []] = slots;
    if (slot !== undefined) {
      const homes = homesByShard(map);
      const sizeOf = ({ name }: Place): number => homes.get(name)?.slots.length ?? 0;
      const target =
        heirs.find(({ name }) => name === home) ??
        targets.reduce((one, other) => (sizeOf(other) < sizeOf(one) ? other : one));
      await give(giving, { slots: keysOf(slots, home).slice(0, SLOTS_AT_ONCE) }, target);
      continue;
    }
    const [[route, latest] = ["", ""]] = pins;
    // With the routes of its slot, unless these are elsewhere.
    const slotHome = homeOf({ ...map, pins: {} }, route);
    const target =
      heirs.find(({ name }) => name === latest) ??
      targets.find(({ name }) => name === slotHome) ??
      targets[0];
    if (target !== undefined) await give(giving, { route }, target);
  }
}

/**
 * Informs shards that don't know where all is at home, since they were restored (D6).
 *
 * @returns names of shards that still don't know
 */
async function informOthers(giving: Giving): Promise<string[]> {
  await untilAgreed(giving);
  const { slots, pins } = unheardHomes(await Promise.all(giving.places.map(mapOf)));
  for (const heir of giving.heirs) {
    const unheard = keysOf(slots, heir.name);
    if (unheard.length > 0) await give(giving, { slots: unheard }, heir);
    for (const route of keysOf(pins, heir.name)) await give(giving, { route }, heir);
  }
  return untilAgreed(giving);
}

const keysOf = <Key>(homes: ReadonlyMap<Key, string>, name: string | undefined): Key[] =>
  [...homes].flatMap(([key, home]) => (home === name ? key : []));

/** Items of other moves may be on their way. Returns the names of shards that have not heard in time. */
async function untilAgreed(drain: Drain): Promise<string[]> {
  const waiting = new Waiting(drain);
  for (;;) {
    const behind = shardsBehind(await Promise.all(drain.places.map(mapOf)));
    if (behind.length === 0 || waiting.ms > AGREE_MS) return behind;
    await waiting.rest(`shard "${behind[0]}" has to hear where routes are at home`);
  }
}

const give = (giving: Giving, routes: Routes, target: Place): Promise<void> =>
  moveHomes({ ...giving, routes, target, sources: others(giving.places, target), withRuns: true });

/** Runs without a home go to the targets by turns. @param before Runs that have moved already. */
function moveRuns(drain: Drain, before: number, startsUntil: number): Promise<MovedRoutes> {
  const { places, source, targets, endsLeases } = drain;
  let turn = 0;
  return depart({
    ...drain,
    before,
    startsUntil,
    sources: [source],
    targets: others(places, source),
    handOver: async ({ shard }, page) => {
      const target = targets[turn++ % targets.length] ?? source;
      return shard.drainRuns({ ...page, others: target.name, endsLeases });
    },
  });
}
