/** Whether a database is the shard that its url was given for. */
import { InvalidArgument } from "@oxbow/sdk";
import type { OwnFleetMap } from "@oxbow/sdk/internal/fleet";

/** @throws InvalidArgument if the database of a map is another shard than its url was given for, or no shard. */
export function requireShard(map: OwnFleetMap | undefined, name: string): OwnFleetMap {
  if (map === undefined) {
    throw new InvalidArgument(
      `The database of shard "${name}" is no shard of a fleet: run \`oxbow shards init\` first, or give \`url\` instead of \`shards\`.`,
    );
  }
  const own = map.shards.find(({ number }) => number === map.own)?.name;
  if (own !== name) {
    throw new InvalidArgument(
      `The database of shard "${name}" is shard "${String(own)}": correct the names in \`shards\`, or in QUEUE_SHARDS.`,
    );
  }
  return map;
}

/** What a shard knows of its fleet, which only a database does: no server is a shard. */
export function callsOf<Calls>({
  name,
  transport,
}: {
  readonly name: string;
  readonly transport: { readonly shards: Calls | undefined };
}): Calls {
  if (transport.shards !== undefined) return transport.shards;
  throw new Error(`Shard "${name}" is not a database.`);
}
