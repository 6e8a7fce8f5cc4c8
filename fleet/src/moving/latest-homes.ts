/**
 * Where all is at home, by the maps of several shards: one that was restored has an older map.
 *
 * Promises:
 *   V1  Every slot counts, and every route that is pinned in any of the maps. A map without the pin knows the home of its
 *       slot.
 *   V2  A home is known only with its version: a shard that has the right home of an earlier version is behind, since it
 *       would believe a shard that has a version in between.
 */
import type { FleetMap, OwnFleetMap } from "@oxbow/sdk/internal/fleet";
import { homesIn, type KnownHome, SLOTS } from "../transport/shard-map.ts";
import { latestOf, type View } from "./homes.ts";

/** Slots and pinned routes, each with the name of its latest home. */
export interface LatestHomes {
  readonly slots: ReadonlyMap<number, string>;
  readonly pins: ReadonlyMap<string, string>;
}

/** @param chooses Of which homes, by what each map knows of one, in the order of the maps. */
export function latestHomes(
  maps: readonly FleetMap[],
  chooses: (known: readonly KnownHome[], latest: KnownHome) => boolean,
): LatestHomes {
  const routes = pinsIn(maps);
  return {
    slots: chosen(ALL_SLOTS, slotViews(maps), chooses),
    pins: chosen(routes, pinViews(maps, routes), chooses),
  };
}

/** Those that some shards don't know. */
export const unheardHomes = (maps: readonly FleetMap[]): LatestHomes =>
  latestHomes(maps, (known, latest) => !known.every(isSameAs(latest)));

/** Names of these shards. */
export function shardsBehind(maps: readonly OwnFleetMap[]): string[] {
  const views = [slotViews(maps), pinViews(maps, pinsIn(maps))].map((each) => ({
    each,
    latest: latestOf(each),
  }));
  return maps.flatMap(({ own, shards }, at) => {
    const knowsAll = views.every(({ each, latest }) =>
      (each[at]?.homes ?? []).every(
        (home, key) => latest[key] !== undefined && isSameAs(latest[key])(home),
      ),
    );
    return knowsAll ? [] : shards.flatMap(({ number, name }) => (number === own ? name : []));
  });
}

/** V2 */
const isSameAs =
  (one: KnownHome) =>
  (other: KnownHome): boolean =>
    one.home === other.home && one.since === other.since;

const ALL_SLOTS = Array.from({ length: SLOTS }, (_, slot) => slot);

const slotViews = (maps: readonly FleetMap[]): View[] =>
  maps.map((map) => ({ homes: homesIn(map, { slots: ALL_SLOTS }) }));

/** V1 */
const pinsIn = (maps: readonly FleetMap[]): string[] => [
  ...new Set(maps.flatMap(({ pins = {} }) => Object.keys(pins))),
];

const pinViews = (maps: readonly FleetMap[], routes: readonly string[]): View[] =>
  maps.map((map) => ({ homes: routes.flatMap((route) => homesIn(map, { route })) }));

function chosen<Key>(
  keys: readonly Key[],
  views: readonly View[],
  chooses: (known: readonly KnownHome[], latest: KnownHome) => boolean,
): ReadonlyMap<Key, string> {
  const latest = latestOf(views);
  return new Map(
    keys.flatMap((key, at) => {
      const [home, known] = [latest[at], views.flatMap(({ homes }) => homes[at] ?? [])];
      return home !== undefined && chooses(known, home) ? [[key, home.home] as const] : [];
    }),
  );
}
