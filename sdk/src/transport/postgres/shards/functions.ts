/** The SQL functions of this room. Made by `npm run build:seam` of extension-sql: change the sources there. */
import type { OwnFleetMap } from "../../../protocol/shards.ts";
import { type Call, call } from "../connection/call.ts";

export const fleetMap: Call<readonly [], { readonly value: OwnFleetMap | null }> = call(
  "fleet_map",
  `select queue.fleet_map(
    ) as value`,
);

export interface ShardCandidateRow {
  readonly hasIds: boolean;
  readonly lastBlock: number;
  readonly usedSlots: readonly number[];
}

export const shardCandidate: Call<readonly [], ShardCandidateRow> = call(
  "shard_candidate",
  `select has_ids as "hasIds", last_block as "lastBlock", to_jsonb(used_slots) as "usedSlots"
  from queue.shard_candidate(
    ) as answer`,
);

export const joinFleet: Call<
  readonly [name: string | null, map: string | null],
  { readonly value: boolean }
> = call(
  "join_fleet",
  `select queue.join_fleet(
    name => $1::text, map => $2::jsonb) as value`,
);
