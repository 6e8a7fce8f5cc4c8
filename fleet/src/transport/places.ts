/** Where schedules and message groups are: with the route that their name begins with, as the shards see it. */
import { WrongShard } from "@oxbow/sdk";
import type { TransactionClient, Transport } from "@oxbow/sdk/internal/fleet";
import type { Fleet } from "./fleet.ts";
import { callHome } from "./homes.ts";
import { routeOf } from "./shard-map.ts";

interface Place<Value> {
  readonly fleet: Fleet;
  readonly name: string;
  readonly tx: TransactionClient | undefined;
  readonly call: (transport: Transport) => Promise<Value>;
}

/**
 * Calls the shard where a name is at home; with a transaction, that of its database, which refuses other names.
 *
 * @throws WrongShard if the transaction is in another shard, or the name is on its way for long
 */
export async function atPlace<Value>(place: Place<Value>): Promise<Value> {
  const { fleet, name, tx, call } = place;
  // The database refuses other values, in its own words.
  if (typeof name !== "string") return fleet.byTurns(call);
  if (tx !== undefined) return inTx(place, tx);
  return callHome({ fleet, routes: [routeOf(name)], call: ({ transport }) => call(transport) });
}

async function inTx<Value>({ fleet, call }: Place<Value>, tx: TransactionClient): Promise<Value> {
  const lane = await fleet.ofTx(tx);
  try {
    return await call(lane.transport);
  } catch (error) {
    // For the next transaction.
    if (error instanceof WrongShard) await fleet.readAgain(lane);
    throw error;
  }
}
