/** The shard of an id or a route, by the map of a fleet. */
import { createHash } from "node:crypto";
import type { FleetMap, FleetShard, Routes } from "@oxbow/sdk/internal/fleet";

const BLOCK_BITS = 36n;
const RECEIPT_BITS = 20n;

/** How many slots the routes of a fleet are divided among. */
export const SLOTS = 1024;

/** The slot of a route, as `queue._route_slot` computes it. */
const slotOf = (route: string): number =>
  createHash("md5").update(route, "utf8").digest().readUInt32BE(0) % SLOTS;

/** The name of the shard where a route is at home. */
export const homeOf = (map: FleetMap, route: string): string => homeOfRoute(map, route).home;

/** Where something is at home, and the version of the map since which it is. */
export interface KnownHome {
  readonly home: string;
  readonly since: number;
}

/** The homes of a route, or of each of some slots, by a copy of the map. */
export const homesIn = (map: FleetMap, routes: Routes): KnownHome[] =>
  "route" in routes
    ? [homeOfRoute(map, routes.route)]
    : routes.slots.map((slot) => homeOfSlot(map, slot));

function homeOfRoute(map: FleetMap, route: string): KnownHome {
  const { pins = {}, pinEpochs = {} } = map;
  // A route may have the name of a method of objects.
  if (!Object.hasOwn(pins, route)) return homeOfSlot(map, slotOf(route));
  return { home: nameOf(map, pins[route]), since: pinEpochs[route] ?? 1 };
}

const homeOfSlot = (map: FleetMap, slot: number): KnownHome => ({
  home: nameOf(map, map.movedSlots?.[slot] ?? map.slots[slot]),
  since: map.movedSlotEpochs?.[slot] ?? 1,
});

/** The slots and the pinned routes that are at home in each shard, by its name. */
export function homesByShard(
  map: FleetMap,
): ReadonlyMap<string, { readonly slots: readonly number[]; readonly pins: readonly string[] }> {
  const homes = map.slots.map((_, slot) => homeOfSlot(map, slot).home);
  const pins = Object.entries(map.pins ?? {});
  return new Map(
    map.shards.map(({ number, name }) => [
      name,
      {
        slots: homes.flatMap((home, slot) => (home === name ? slot : [])),
        pins: pins.flatMap(([route, home]) => (home === number ? route : [])),
      },
    ]),
  );
}

/** The shards of a fleet that have other names than these. */
export const shardsBeyond = (
  { shards }: Pick<FleetMap, "shards">,
  known: readonly { readonly name: string }[],
): FleetShard[] => shards.filter(({ name }) => known.every((one) => one.name !== name));

/** The route of a schedule or a message group, which its name begins with, as `queue._route_of` finds it. */
export function routeOf(name: string): string {
  const [first = ""] = name.split("/", 1);
  return first === "" ? name : first;
}

function nameOf({ shards }: FleetMap, number: number | undefined): string {
  const shard = shards.find((one) => one.number === number);
  if (shard === undefined) throw new Error(`The map has no shard ${String(number)}.`);
  return shard.name;
}

/** The name of the shard that has given out an id of a run or message; undefined if no shard has. */
export function shardOfId(map: FleetMap, id: string): string | undefined {
  if (!/^\d{1,19}$/.test(id)) return undefined;
  const block = Number(BigInt(id) >> BLOCK_BITS);
  return map.shards.find(({ blocks }) => blocks.includes(block))?.name;
}

/** The same of the receipt of a message. */
export function shardOfReceipt(map: FleetMap, receipt: string): string | undefined {
  if (!/^\d{1,19}$/.test(receipt)) return undefined;
  return shardOfId(map, String(BigInt(receipt) >> RECEIPT_BITS));
}
