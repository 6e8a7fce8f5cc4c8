/** What waits in the shards of a fleet for each other, for operators. */
import type { RejectedItem, ShardLag, ShardTransport } from "../../protocol/shards.ts";
import { PostgresTransport } from "../postgres/postgres-transport.ts";
import type { NewShard } from "./init-fleet.ts";

export interface ShardOutbox {
  readonly name: string;
  /** By shard that items are for. */
  readonly lags: readonly ShardLag[];
  /** The oldest rejected ones. */
  readonly rejected: readonly RejectedItem[];
}

const MAX_REJECTED = 1_000;

/** Reads the outbox of a shard. */
export const readOutbox = ({ name, url }: NewShard): Promise<ShardOutbox> =>
  withShard(url, async (shard) => ({
    name,
    lags: await shard.lag(),
    rejected: await shard.rejected(MAX_REJECTED),
  }));

/** Sends the rejected items of a shard again. Returns how many. */
export const repeatItems = ({ url }: NewShard): Promise<number> =>
  withShard(url, (shard) => shard.repeat());

async function withShard<Result>(
  url: string,
  use: (shard: ShardTransport) => Promise<Result>,
): Promise<Result> {
  const transport = new PostgresTransport({ url, maxConnections: 1, listen: false });
  try {
    return await use(transport.shards);
  } finally {
    await transport.close();
  }
}
