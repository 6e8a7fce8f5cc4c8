/** Calls that would concern all shards, or cross them, and do not yet. */
import { WrongShard } from "../../core/errors.ts";

export const refusal = (what: string): WrongShard =>
  new WrongShard(
    `${what} over several shards is not supported yet: use a client of one shard, client.shard(name).`,
  );

/** A room of a transport whose every call rejects with `WrongShard`. */
export function refused(what: string): never {
  return new Proxy(
    {},
    {
      get: (_, method) => (method === "then" ? undefined : () => Promise.reject(refusal(what))),
    },
  ) as never;
}
