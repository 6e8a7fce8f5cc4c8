/** What waits in the shards of a fleet for each other, for operators. */
import type { RejectedItem, ShardLag } from "@oxbow/sdk/internal/fleet";
import { type NewShard, withMember } from "./members.ts";

export interface ShardOutbox {
  readonly name: string;
  /** Lag of each shard that items are for. */
  readonly lags: readonly ShardLag[];
  /** The oldest rejected ones. */
  readonly rejected: readonly RejectedItem[];
}

const MAX_REJECTED = 1_000;

/** Reads how many items wait in a shard for others, and how many were rejected. */
export const readLags = (shard: NewShard): Promise<ShardLag[]> =>
  withMember(shard, ({ shards }) => shards.lag());

/** Reads the outbox of a shard. */
export const readOutbox = (shard: NewShard): Promise<ShardOutbox> =>
  withMember(shard, async ({ shards }) => ({
    name: shard.name,
    lags: await shards.lag(),
    rejected: await shards.rejected(MAX_REJECTED),
  }));

/** Sends the rejected items of a shard again. Returns how many. */
export const repeatItems = (shard: NewShard): Promise<number> =>
  withMember(shard, ({ shards }) => shards.repeat());
