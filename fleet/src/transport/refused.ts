/** Refusals over shards: calls that concern all of them, or cross them. */
import { WrongShard } from "@oxbow/sdk";

/** What is refused, by the room of the transport, in the words of messages and of the guide. */
export const REFUSED = {
  topics: "Topics",
  approvals: "Approvals",
  approvalLinks: "Links of approvals",
  endpoints: "Endpoints",
  flowControl: "Flow control",
  audit: "The audit",
  fork: "The identity of a database",
} as const;

const ONE_SHARD = "use a client of one shard, client.shard(name)";

export const refusal = (what: string, remedy = ONE_SHARD): WrongShard =>
  new WrongShard(`${what} over several shards is not supported yet: ${remedy}.`);

/** Refuses the calls of a worker that connects to a server over shards. */
export const workerRefusal = (): WrongShard =>
  refusal("A worker's call", "connect the worker to the databases, with `shards`");

/** A room of a transport whose every call rejects with `WrongShard`. */
export function refused(name: keyof typeof REFUSED): never {
  return refusedRoom(REFUSED[name]);
}

/** The same of a room that a package adds. */
export function refusedRoom(title: string): never {
  return room(() => Promise.reject(refusal(title)));
}

/** That of a worker, which subscribes by a call without a promise. */
export function refusedWorker(): never {
  return room((method) => {
    if (method === "subscribe") throw workerRefusal();
    return Promise.reject(workerRefusal());
  });
}

const room = (call: (method: string | symbol) => unknown): never =>
  new Proxy(
    {},
    { get: (_, method) => (method === "then" ? undefined : () => call(method)) },
  ) as never;
