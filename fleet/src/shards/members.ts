/** The databases of a fleet, each by its own url, for commands that change what all of its shards know. */
import { InvalidArgument } from "@oxbow/sdk";
import {
  type FleetMap,
  isMissing,
  type OwnFleetMap,
  type PostgresTransport,
  postgresTransport,
} from "@oxbow/sdk/internal/fleet";
import { requireShard } from "../transport/require-shard.ts";
import { shardsBeyond } from "../transport/shard-map.ts";

export interface NewShard {
  readonly name: string;
  /** Url of a database with Oxbow. All but that of the first shard of a new fleet have neither runs nor messages. */
  readonly url: string;
}

export interface Member {
  readonly name: string;
  readonly transport: PostgresTransport;
}

export async function withMembers<Result>(
  shards: readonly NewShard[],
  use: (members: readonly Member[]) => Promise<Result>,
): Promise<Result> {
  const members = shards.map(({ name, url }) => ({
    name,
    transport: postgresTransport({ url, maxConnections: 1, listen: false }),
  }));
  try {
    return await use(members);
  } finally {
    await Promise.all(members.map(({ transport }) => transport.close()));
  }
}

/** The same for one of them. */
export const withMember = <Result>(
  shard: NewShard,
  use: (transport: PostgresTransport) => Promise<Result>,
): Promise<Result> =>
  withMembers([shard], async (members) => {
    const [member] = members;
    if (member === undefined) throw new Error("A shard has a member.");
    return use(member.transport);
  });

/** In the order of the members. @throws InvalidArgument for a database that is no shard, or another one */
export const mapsOf = (members: readonly Member[]): Promise<OwnFleetMap[]> =>
  Promise.all(
    members.map(async ({ name, transport }) => {
      const map = await transport.shards.map();
      if (map !== undefined) return requireShard(map, name);
      throw new InvalidArgument(
        `The database of shard "${name}" is in no fleet: run \`oxbow shards add\` for it first.`,
      );
    }),
  );

/** Sorts by number, so that the first shard decides between two concurrent changes: no shard knows the other one. */
export const inOrder = <Each>(members: readonly Each[], maps: readonly OwnFleetMap[]): Each[] =>
  members
    .map((member, index) => ({ member, number: maps[index]?.own ?? 0 }))
    .toSorted((one, other) => one.number - other.number)
    .map(({ member }) => member);

/**
 * Records in a shard which ones are being drained, as the others know it.
 *
 * @throws InvalidArgument if these disagree
 */
export async function passDrainsOn(others: readonly Member[], to: Member): Promise<void> {
  const maps = await mapsOf(others);
  requireSameDrains(maps);
  const drained = drainedIn(maps);
  const known = (await mapsOf([to])).flatMap(({ shards }) => shards);
  // Ends first: a shard that takes more is always left.
  for (const drains of [false, true])
    for (const { name } of known.filter((one) => drained.has(one.name) === drains))
      await to.transport.shards.drain(name, drains);
}

/**
 * If they differ, a drain or its end was interrupted. The shards don't show which, so the operator decides, by repeating one.
 *
 * @throws InvalidArgument if one knows a drain that another one doesn't
 */
export function requireSameDrains(maps: readonly OwnFleetMap[]): void {
  for (const name of drainedIn(maps)) {
    const unaware = maps.find((map) => !drainedIn([map]).has(name));
    if (unaware === undefined) continue;
    const own = unaware.shards.find(({ number }) => number === unaware.own);
    throw new InvalidArgument(
      `Shard "${own?.name}" doesn't know that "${name}" is being drained, as others do: repeat \`oxbow shards drain ${name}\`, or the same with --undo if it was to end, and then this command.`,
    );
  }
}

const drainedIn = (maps: readonly FleetMap[]): ReadonlySet<string> =>
  new Set(
    maps.flatMap(({ shards }) =>
      shards.flatMap(({ name, isDraining }) => (isDraining === true ? name : [])),
    ),
  );

/** @throws InvalidArgument if the maps are of several fleets, or have shards that are no members */
export function requireAll(
  maps: readonly OwnFleetMap[],
  members: readonly { readonly name: string }[],
): void {
  requireOneFleet(maps);
  const [missing] = maps.flatMap((map) => shardsBeyond(map, members));
  if (missing === undefined) return;
  throw new InvalidArgument(
    `The fleet has a shard "${missing.name}": give the urls of all, since each has to know of the change.`,
  );
}

export function requireOneFleet([first, ...others]: readonly OwnFleetMap[]): void {
  if (others.every(({ fleetId }) => fleetId === first?.fleetId)) return;
  throw new InvalidArgument("The databases are in different fleets: correct the urls.");
}

/**
 * All shards have a release, by the state of its tables: what is added to them has to have the same.
 *
 * @throws InvalidArgument
 */
export const requireRelease = (shards: readonly NewShard[], state: string): Promise<void> =>
  withMembers(shards, async (members) => {
    for (const { name, transport } of members) {
      const found = await transport.shards.identity().catch((error: unknown) => {
        if (isMissing(error)) return { state: "older" };
        throw error;
      });
      // A database that is no shard at all is refused later.
      if (found === undefined || found.state === state) continue;
      throw new InvalidArgument(
        `Shard "${name}" has another release of Oxbow than this command, so nothing has changed: run \`oxbow migrate\` with the url of each shard first, or this command in its release.`,
      );
    }
  });
