/** The work of servers with endpoints, straight to the database: each method one call of one SQL function. */
import type { PushTransport } from "../../../protocol/endpoints.ts";
import type { Queries } from "../connection/queries.ts";
import { endpointChecked, endpointFailed, endpointsToCheck, endpointsToPush } from "./functions.ts";

export const pushesOverPostgres = (queries: Queries): PushTransport => ({
  toCheck: (max) => queries.query(endpointsToCheck, [max]),

  checked: (endpointId, { serves, maxDurationMs, sdkVersion }) => {
    const found = [JSON.stringify(serves), maxDurationMs ?? null, sdkVersion ?? null] as const;
    return queries.value(endpointChecked, [endpointId, ...found], { repeatable: true });
  },

  failed: (endpointId, error) =>
    queries.value(endpointFailed, [endpointId, error], { repeatable: true }),

  toPush: () => queries.query(endpointsToPush, [], { repeatable: true }),
});
