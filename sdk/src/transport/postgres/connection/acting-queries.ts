/**
 * Calls in the name of an actor, for the audit.
 *
 * Promises:
 *   A1  The statement that makes the call also sets the actor, only for its transaction: there is no other round trip,
 *       and nothing is left behind in the session, which behind a proxy may belong to another client next.
 *   A2  Calls without an actor are not affected: their statements stay as they are.
 */
import type { Actor } from "../../../protocol/audit.ts";
import type { Call } from "../../../protocol/rooms.ts";
import { withSetting } from "./call.ts";
import type { Pool } from "./pool.ts";
import type { Queries } from "./queries.ts";

export function actingQueries(pool: Pool, { actor, kind, token, address }: Actor): Queries {
  const acting = JSON.stringify({ actor, kind, token, address });
  const act = <Row>(
    call: Call<readonly unknown[], Row>,
    values: readonly unknown[],
  ): readonly [Call<readonly unknown[], Row>, readonly unknown[]] => {
    const withActor = withSetting(call, "acting", "oxbow.actor", values.length + 1);
    // A call without parameters is made as it is: it changes nothing.
    return [withActor, withActor === call ? values : [...values, acting]];
  };
  return {
    closing: pool.closing,
    query: (call, values, options) => pool.query(...act(call, values), options),
    queryOne: (call, values, options) => pool.queryOne(...act(call, values), options),
    value: (call, values, options) => pool.value(...act(call, values), options),
    // Reads are not audited.
    read: (call, values, purpose) => pool.read(call, values, purpose),
  };
}
