/** The shard of an id or a route, by the map of a fleet. */
import { createHash } from "node:crypto";
import type { FleetMap, OwnFleetMap, Routes } from "../../protocol/shards.ts";

const BLOCK_BITS = 36n;
const RECEIPT_BITS = 20n;

/** The slot of a route, as `queue._route_slot` computes it. */
const slotOf = (route: string): number =>
  createHash("md5").update(route, "utf8").digest().readUInt32BE(0) & 1023;

/** The name of the shard where a route is at home. */
export function homeOf(map: FleetMap, route: string): string {
  const slot = slotOf(route);
  const { pins = {}, movedSlots = {} } = map;
  // A route may have the name of a method of objects.
  const pin = Object.hasOwn(pins, route) ? pins[route] : undefined;
  return nameOf(map, pin ?? movedSlots[slot] ?? map.slots[slot]);
}

/** Whether routes are at home in the shard whose copy of the map this is. */
export function isAtHome(map: OwnFleetMap, routes: Routes): boolean {
  const own = nameOf(map, map.own);
  if ("route" in routes) return homeOf(map, routes.route) === own;
  return routes.slots.every((slot) => (map.movedSlots?.[slot] ?? map.slots[slot]) === map.own);
}

/** The name of the shard of a message group or a schedule, which stays where the map was dealt. */
export const placeOf = (map: FleetMap, name: string): string =>
  nameOf(map, map.slots[slotOf(name)]);

function nameOf({ shards }: FleetMap, number: number | undefined): string {
  const shard = shards.find((one) => one.number === number);
  if (shard === undefined) throw new Error(`The map has no shard ${String(number)}.`);
  return shard.name;
}

/** The name of the shard that has given out an id of a run or message; undefined if none has. */
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
