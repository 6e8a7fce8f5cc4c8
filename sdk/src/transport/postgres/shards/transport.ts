/** The shard that a database is, straight to the database. */
import type {
  FleetMap,
  OwnFleetMap,
  ShardCandidate,
  ShardTransport,
} from "../../../protocol/shards.ts";
import type { TransactionClient } from "../../../protocol/transaction.ts";
import type { Queries } from "../connection/queries.ts";
import { fleetMap, joinFleet, shardCandidate } from "./functions.ts";

export class PostgresShardTransport implements ShardTransport {
  readonly #queries: Queries;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  async map(tx?: TransactionClient): Promise<OwnFleetMap | undefined> {
    return (await this.#queries.value(fleetMap, [], { tx })) ?? undefined;
  }

  candidate(): Promise<ShardCandidate> {
    return this.#queries.queryOne(shardCandidate, []);
  }

  join(name: string, { fleetId, epoch, slots, shards }: FleetMap): Promise<boolean> {
    const map = JSON.stringify({ fleetId, epoch, slots, shards });
    return this.#queries.value(joinFleet, [name, map]);
  }
}
