/**
 * Adds a shard to a fleet, while it works. First the others know of it, so that changes of the map wait for it in their
 * outboxes; then it joins with a map that has all changes before. It is open only later, once clients know its url: until
 * then nothing is at home there. Given up at any point and repeated, both steps complete.
 */
import { InvalidArgument } from "@oxbow/sdk";
import type { FleetMap, FleetShard, OwnFleetMap } from "@oxbow/sdk/internal/fleet";
import { requireShard } from "../transport/require-shard.ts";
import { copyQueues } from "./copy-queues.ts";
import {
  inOrder,
  mapsOf,
  type Member,
  type NewShard,
  passDrainsOn,
  requireAll,
  requireOneFleet,
  requireSameDrains,
  withMembers,
} from "./members.ts";

const LAST_BLOCK = 127;

/**
 * @param others All shards that the fleet has.
 * @param added Its database has the release of the others, and neither runs nor messages.
 * @returns the map that it has joined with
 * @throws InvalidArgument
 */
export const addShard = (others: readonly NewShard[], added: NewShard): Promise<FleetMap> =>
  withMembers([added, ...others], async ([joining, ...members]) => {
    if (joining === undefined || members.length === 0) {
      throw new InvalidArgument(
        "Give the urls of the shards that the fleet has, and of the new one.",
      );
    }
    const before = await mapsOf(members);
    requireAll(before, [joining, ...members]);
    requireSameDrains(before);
    const known = before.flatMap((map) => map.shards).filter(({ name }) => name === added.name);
    await requireJoinable(joining, before, known);
    const shard = known[0] ?? nextShard(before, added.name);
    for (const { transport } of inOrder(members, before)) await transport.shards.add(shard);
    const map = merge(await mapsOf(members));
    await joining.transport.shards.join(added.name, map);
    // One may have begun while this shard joined.
    await passDrainsOn(members, joining);
    await copyQueues(members, joining);
    return map;
  });

/** A database that is this shard already, or a new one for a shard that is not open. */
async function requireJoinable(
  { name, transport: { shards } }: Member,
  fleet: readonly OwnFleetMap[],
  known: readonly FleetShard[],
): Promise<void> {
  const own = await shards.map();
  if (own !== undefined) {
    requireOneFleet([requireShard(own, name), ...fleet]);
    const joined = own.shards.filter((shard) => shard.number === own.own);
    if (known.length > 0 && known.every((shard) => joined.some(isSameAs(shard)))) return;
    throw new InvalidArgument(
      `The database of shard "${name}" joined this fleet before, but the others ${known.length > 0 ? "know another shard of this name" : "don't know it, as after they were restored to a moment before"}: give a new database.`,
    );
  }
  if (known.some(({ isOpen }) => isOpen !== false)) {
    throw new InvalidArgument(
      `The fleet has a shard "${name}", with another database: give the new shard another name.`,
    );
  }
  if ((await shards.candidate()).hasIds) {
    throw new InvalidArgument(
      `The database of shard "${name}" has runs or messages: give a new database.`,
    );
  }
}

const isSameAs =
  (one: FleetShard) =>
  (other: FleetShard): boolean =>
    one.number === other.number && one.blocks.join() === other.blocks.join();

function nextShard(maps: readonly OwnFleetMap[], name: string): FleetShard {
  const known = maps.flatMap(({ shards }) => shards);
  const block = Math.max(...known.flatMap(({ blocks }) => blocks)) + 1;
  if (block > LAST_BLOCK)
    throw new InvalidArgument("The fleet has used all of its 128 blocks of ids.");
  return { number: Math.max(...known.map(({ number }) => number)) + 1, name, blocks: [block] };
}

/** All that any of them knows: of two homes of a route or slot, the later one is true. */
function merge(maps: readonly OwnFleetMap[]): FleetMap {
  const [first] = maps;
  if (first === undefined) throw new Error("A fleet has shards.");
  const { fleetId, slots, shards } = first;
  const movedSlots: Record<string, number> = {};
  const movedSlotEpochs: Record<string, number> = {};
  const pins = new Map<string, number>();
  const pinEpochs = new Map<string, number>();
  for (const map of maps) {
    for (const [slot, home] of Object.entries(map.movedSlots ?? {})) {
      const epoch = map.movedSlotEpochs?.[slot] ?? 1;
      if (epoch <= (movedSlotEpochs[slot] ?? 0)) continue;
      [movedSlots[slot], movedSlotEpochs[slot]] = [home, epoch];
    }
    for (const [route, home] of Object.entries(map.pins ?? {})) {
      const epoch = map.pinEpochs?.[route] ?? 1;
      if (epoch <= (pinEpochs.get(route) ?? 0)) continue;
      pins.set(route, home);
      pinEpochs.set(route, epoch);
    }
  }
  return {
    fleetId,
    epoch: Math.max(...maps.map(({ epoch }) => epoch)),
    slots,
    shards,
    movedSlots,
    movedSlotEpochs,
    pins: Object.fromEntries(pins),
    pinEpochs: Object.fromEntries(pinEpochs),
  };
}
