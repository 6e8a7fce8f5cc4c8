/** Makes databases the shards of a new fleet. */
import { randomUUID } from "node:crypto";
import { InvalidArgument } from "@oxbow/sdk";
import type { FleetMap, OwnFleetMap, ShardCandidate } from "@oxbow/sdk/internal/fleet";
import { requireShard } from "../transport/require-shard.ts";
import { homesByShard, SLOTS } from "../transport/shard-map.ts";
import { type NewShard, withMember, withMembers } from "./members.ts";

export interface InitializedFleet {
  readonly map: FleetMap;
  /** Names of the shards that this call has joined; the others were in the fleet already. */
  readonly joined: readonly string[];
  /** How many slots stay with the first shard, because it has keys, groups or schedules there. */
  readonly keptSlots: number;
}

/**
 * Makes the databases the shards of a fleet. The first keeps its ids, keys and schedules; free slots are dealt evenly. May
 * be repeated with the same shards, which completes what was interrupted.
 *
 * @throws InvalidArgument for a database that can't be the shard, or is one of another fleet.
 */
export async function initFleet(shards: readonly NewShard[]): Promise<InitializedFleet> {
  requireNames(shards);
  return withMembers(shards, async (members) => {
    const maps = await Promise.all(members.map(({ transport }) => transport.shards.map()));
    const known = newestOf(maps.filter((map) => map !== undefined));
    const candidates =
      known === undefined
        ? await Promise.all(members.map(({ transport }) => transport.shards.candidate()))
        : [];
    const map = known ?? dealMap(shards, candidates);
    requireSameShards(map, shards);
    const joined: string[] = [];
    // The first last: until then, a client that has only its url works as before.
    for (const { name, transport } of members.toReversed()) {
      if (await transport.shards.join(name, map)) joined.push(name);
      requireShard(await transport.shards.map(), name);
    }
    return { map, joined: joined.toReversed(), keptSlots: candidates[0]?.usedSlots.length ?? 0 };
  });
}

function dealMap(shards: readonly NewShard[], candidates: readonly ShardCandidate[]): FleetMap {
  const [first] = candidates;
  const used = candidates.findIndex(({ hasIds }, index) => index > 0 && hasIds);
  if (used > 0) {
    throw new InvalidArgument(
      `The database of shard "${shards[used]?.name}" has runs or messages: only the first shard of a fleet may have. Give it a new database.`,
    );
  }
  const lastBlock = first?.lastBlock ?? 0;
  const ownBlocks = Array.from({ length: lastBlock + 1 }, (_, block) => block);
  const counts = shards.map(() => 0);
  counts[0] = first?.usedSlots.length ?? 0;
  const kept = new Set(first?.usedSlots);
  const slots = Array.from({ length: SLOTS }, (_, slot) => {
    if (kept.has(slot)) return 0;
    const poorest = counts.indexOf(Math.min(...counts));
    counts[poorest] = (counts[poorest] ?? 0) + 1;
    return poorest;
  });
  return {
    fleetId: randomUUID(),
    epoch: 1,
    slots,
    shards: shards.map(({ name }, number) => ({
      number,
      name,
      blocks: number === 0 ? ownBlocks : [lastBlock + number],
    })),
  };
}

function requireNames(shards: readonly NewShard[]): void {
  const invalid = shards.find(({ name }) => !/^[a-z][a-z0-9-]{0,29}$/.test(name));
  if (invalid !== undefined) {
    throw new InvalidArgument(
      `Invalid name "${invalid.name}" of a shard: give 1 to 30 characters of a-z, 0-9 and -, beginning with a letter.`,
    );
  }
  const twice = shards.find(({ name }, index) =>
    shards.some((other, at) => at < index && other.name === name),
  );
  if (twice !== undefined) {
    throw new InvalidArgument(`There are two shards "${twice.name}": give each another name.`);
  }
  if (shards.length === 0 || shards.length > 64) {
    throw new InvalidArgument(`Invalid number of shards, ${shards.length}: give 1 to 64.`);
  }
}

function requireSameShards(map: FleetMap, shards: readonly NewShard[]): void {
  const known = map.shards.map(({ name }) => name).toSorted();
  const given = shards.map(({ name }) => name).toSorted();
  if (JSON.stringify(known) === JSON.stringify(given)) return;
  throw new InvalidArgument(
    `The fleet has the shards ${known.join(", ")}, not ${given.join(", ")}: \`oxbow shards add\` adds one, and shards can't be taken away yet.`,
  );
}

/** A shard, as its own database shows it. */
export interface ShardStatus {
  readonly name: string;
  /**
   * `behind`: it doesn't know all moves of routes that another shard knows. `disagrees`: it is another shard than its url
   * was given for, or of another fleet. `alone`: it is no shard. `held`: it is a copy, such as a restored backup, that no
   * one has released.
   */
  readonly state: "joined" | "behind" | "alone" | "disagrees" | "held" | "unreachable";
  /** How many of the 1,024 slots are at home here. */
  readonly slots: number;
  /** How many routes are pinned here. */
  readonly pins: number;
  readonly blocks: readonly number[];
  /** It is emptied: starts without a home go elsewhere. */
  readonly isDraining: boolean;
}

/** Reads the map of each shard, and compares them. */
export async function readFleet(shards: readonly NewShard[]): Promise<ShardStatus[]> {
  const found = await Promise.all(shards.map(look));
  const maps = found.flatMap((one) => one?.map ?? []);
  const newest = newestOf(maps);
  return shards.map(({ name }, index) => {
    const one = found[index];
    if (one === undefined) return { name, state: "unreachable", ...NOTHING };
    const { map, isHeld } = one;
    if (map === undefined) return { name, state: "alone", ...NOTHING };
    const own = map.shards.find(({ number }) => number === map.own);
    const homes = own && homesByShard(map).get(own.name);
    const isShard = own?.name === name && fleetOf(map) === fleetOf(newest);
    const state = homesOf(map) === homesOf(newest) ? "joined" : "behind";
    return {
      name,
      state: isShard ? (isHeld ? "held" : state) : "disagrees",
      slots: homes?.slots.length ?? 0,
      pins: homes?.pins.length ?? 0,
      blocks: own?.blocks ?? [],
      isDraining: own?.isDraining === true,
    };
  });
}

const newestOf = (maps: readonly OwnFleetMap[]): OwnFleetMap | undefined =>
  maps.toSorted((one, other) => other.epoch - one.epoch)[0];

/** Undefined if the database does not answer. */
async function look(
  shard: NewShard,
): Promise<{ readonly map: OwnFleetMap | undefined; readonly isHeld: boolean } | undefined> {
  try {
    return await withMember(shard, async ({ shards, fork }) => {
      const map = await shards.map();
      const incarnation = await fork.incarnation();
      return { map, isHeld: incarnation?.state === "held" };
    });
  } catch {
    return undefined;
  }
}

const NOTHING = { slots: 0, pins: 0, blocks: [], isDraining: false } as const;

const fleetOf = (map: FleetMap | undefined): string =>
  JSON.stringify([
    map?.fleetId,
    map?.slots,
    map?.shards.map(({ number, name, blocks, isOpen, isDraining }) => [
      number,
      name,
      blocks,
      isOpen,
      isDraining === true,
    ]),
  ]);

/** The database writes their members in one order. */
const homesOf = (map: FleetMap | undefined): string =>
  JSON.stringify([map?.epoch, map?.movedSlots, map?.pins]);
