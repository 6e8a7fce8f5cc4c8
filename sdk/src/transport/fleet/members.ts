/** The databases of a fleet, each by its own url, for commands that change what all of its shards know. */
import { InvalidArgument } from "../../core/errors.ts";
import { type OwnFleetMap, requireShard } from "../../protocol/shards.ts";
import { isMissing } from "../../protocol/sqlstate.ts";
import { PostgresTransport } from "../postgres/postgres-transport.ts";
import { shardsBeyond } from "./shard-map.ts";

export interface NewShard {
  readonly name: string;
  /** Of a database with Oxbow. All but that of the first shard of a new fleet have neither runs nor messages. */
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
    transport: new PostgresTransport({ url, maxConnections: 1, listen: false }),
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

/** By number, so that the first shard decides between two changes at once: the other one is known nowhere. */
export const inOrder = <Each>(members: readonly Each[], maps: readonly OwnFleetMap[]): Each[] =>
  members
    .map((member, index) => ({ member, number: maps[index]?.own ?? 0 }))
    .toSorted((one, other) => one.number - other.number)
    .map(({ member }) => member);

/** Tells all members of shards that any of them knows to be drained. */
export async function passDrainsOn(members: readonly Member[]): Promise<void> {
  const maps = await mapsOf(members);
  const drained = maps.flatMap(({ shards }) =>
    shards.flatMap(({ name, isDraining }) => (isDraining === true ? [name] : [])),
  );
  for (const name of new Set(drained))
    for (const { transport } of inOrder(members, maps)) await transport.shards.drain(name, true);
}

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
