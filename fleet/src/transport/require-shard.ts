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
