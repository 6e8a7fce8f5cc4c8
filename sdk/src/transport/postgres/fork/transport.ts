/** The identity of the database. */
import type { ForkTransport } from "../../../protocol/fork.ts";
import type { Queries } from "../connection/queries.ts";
import { incarnation, releaseIncarnation } from "./functions.ts";

export const forkOverPostgres = (queries: Queries): ForkTransport => ({
  incarnation: async () => {
    const { id, state, guarded, ...rest } = await queries.queryOne(incarnation, []);
    return id === null || state === null
      ? undefined
      : { ...rest, id, state, guarded: guarded === true };
  },

  release: async ({ as, timers }) => {
    const row = await queries.queryOne(releaseIncarnation, [as, timers]);
    const { released, id, leases, timers: moved, captured } = row;
    return released && id !== null
      ? { id, leases: leases ?? 0, timers: moved ?? 0, captured: captured ?? 0 }
      : undefined;
  },
});
