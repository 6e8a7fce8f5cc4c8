/** Opens a shard that was added to a fleet: starts without a route go there as well, and routes may move there. */
import { InvalidArgument } from "@oxbow/sdk";
import type { FleetMap } from "@oxbow/sdk/internal/fleet";
import { SLOTS } from "../transport/shard-map.ts";
import { copyQueues } from "./copy-queues.ts";
import { mapsOf, type NewShard, passDrainsOn, requireAll, withMembers } from "./members.ts";

/** Slots of routes, with both ends. */
export interface SlotRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Gives it the queues that were created since, and opens it in all shards. May be repeated, which completes what was
 * interrupted.
 *
 * @param shards All of the fleet.
 * @returns slots that would make it as large as the others
 * @throws InvalidArgument
 */
export const openShard = (shards: readonly NewShard[], name: string): Promise<SlotRange> =>
  withMembers(shards, async (members) => {
    const opened = members.find((member) => member.name === name);
    if (opened === undefined) {
      throw new InvalidArgument(`There is no url of shard "${name}": add it to QUEUE_SHARDS.`);
    }
    const maps = await mapsOf(members);
    requireAll(maps, members);
    const unaware = maps.findIndex((map) => map.shards.every((shard) => shard.name !== name));
    if (unaware >= 0) {
      throw new InvalidArgument(
        `Shard "${members[unaware]?.name}" doesn't know "${name}": run \`oxbow shards add\` for it again.`,
      );
    }
    const others = members.filter((member) => member !== opened);
    // It may lack one, or the end of one, if this was interrupted while the shard joined.
    await passDrainsOn(others, opened);
    await copyQueues(others, opened);
    // It knows first, so that it may give away again what comes to it.
    for (const { transport } of [opened, ...others]) await transport.shards.open(name);
    return partOf(
      maps.reduce((one, other) => (other.epoch > one.epoch ? other : one)),
      name,
    );
  });

/**
 * The range that leaves the most even parts, among the shards that have a part, except shards that are closed or being
 * drained.
 */
function partOf(map: FleetMap, name: string): SlotRange {
  const sharing = map.shards.filter(
    (shard) => shard.name === name || (shard.isOpen !== false && shard.isDraining !== true),
  );
  const number = sharing.find((shard) => shard.name === name)?.number;
  const homes = map.slots.map((dealt, slot) => map.movedSlots?.[slot] ?? dealt);
  const size = Math.floor(SLOTS / sharing.length);
  const unevenness = (first: number): number => {
    const left = new Map(sharing.map((shard) => [shard.number, 0]));
    for (const [slot, home] of homes.entries()) {
      const next = slot >= first && slot < first + size ? (number ?? home) : home;
      const count = left.get(next);
      if (count !== undefined) left.set(next, count + 1);
    }
    return Math.max(...left.values()) - Math.min(...left.values());
  };
  const firsts = Array.from({ length: SLOTS - size + 1 }, (_, first) => first);
  const best = firsts.reduce((one, other) => (unevenness(other) < unevenness(one) ? other : one));
  return { first: best, last: best + size - 1 };
}
