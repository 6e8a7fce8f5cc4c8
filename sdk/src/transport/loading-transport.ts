/**
 * The transport of a client while its code is being loaded: that to a database, through a server, or over shards, by where
 * the client leads. So a program loads one of the three, and only once it has made a client.
 *
 * Promises:
 *   D1  Calls go out in the order in which they were made, each once the code is loaded.
 *   D2  Invalid options are refused when the client is made, not by its first call: see `target.ts`.
 *   D3  Code that can't be loaded fails each call with the reason, and nothing else.
 */
import type { PostgresWay, Room, ServerRequests } from "../protocol/rooms.ts";
import type { ClientFleet, ClientTransport } from "../protocol/transport.ts";
import { openedOnce } from "./opened-rooms.ts";
import { noSuchShard, type ShardTarget, type Target } from "./target.ts";

/** Begins to load the transport to the target. It connects at its first call. */
export function loadTransport(target: Target): ClientTransport {
  if (target.kind === "fleet") {
    const { shards } = target;
    return toFleet(openFleet(shards), shards);
  }
  if (target.kind === "server") {
    return toServer(
      import("./http/http-transport.ts").then(({ httpTransport }) => httpTransport(target)),
    );
  }
  const { database } = target;
  return toDatabase(
    import("#postgres").then(({ postgresTransport }) => postgresTransport(database)),
    database.url,
  );
}

type Loading = Promise<ClientTransport>;
type LoadingFleet = Promise<ClientTransport & { readonly fleet: ClientFleet }>;

/** Rooms whose calls are those by which a transport opens rooms. */
const WAY: Room<PostgresWay> = { title: "Calls", postgres: (way) => way, http: noSuchRoom };
const REQUESTS: Room<ServerRequests> = {
  title: "Calls",
  postgres: noSuchRoom,
  http: (server) => server,
};

function noSuchRoom(): never {
  throw new Error("A transport was loaded for another target.");
}

function toDatabase(loading: Loading, database: string | undefined): ClientTransport {
  const way = loading.then((transport) => transport.room(WAY));
  const calls: PostgresWay = {
    queries: callsOf(way.then(({ queries }) => queries)),
    unattributed: callsOf(way.then(({ unattributed }) => unattributed)),
    queues: callsOf(way.then(({ queues }) => queues)),
  };
  return whileLoading(loading, { database, openRoom: (room) => room.postgres(calls) });
}

function toServer(loading: Loading): ClientTransport {
  const closing = new AbortController();
  const { ask, stream } = callsOf<Pick<ServerRequests, "ask" | "stream">>(
    loading.then((transport) => transport.room(REQUESTS)),
  );
  const requests: ServerRequests = { closing: closing.signal, ask, stream };
  return whileLoading(loading, {
    openRoom: (room) => room.http(requests),
    onClose: () => closing.abort(new Error("The client was closed.")),
  });
}

async function openFleet(shards: readonly ShardTarget[]): LoadingFleet {
  const [{ loadFleet }, { shardsToOpen }] = await Promise.all([
    import("./load-fleet.ts"),
    import("./shards-to-open.ts"),
  ]);
  const fleet = await loadFleet();
  return fleet.openFleet(shardsToOpen(shards));
}

function toFleet(loading: LoadingFleet, shards: readonly ShardTarget[]): ClientTransport {
  return whileLoading(loading, {
    openRoom: (room) => callsOf(loading.then((transport) => transport.room(room) as AnyCalls)),
    fleet: {
      home: async (route) => (await loading).fleet.home(route),
      shard: (name) => {
        const names = shards.map((shard) => shard.name);
        if (!names.includes(name)) throw noSuchShard(name, names);
        return toDatabase(
          loading.then(({ fleet }) => fleet.shard(name)),
          undefined,
        );
      },
    },
  });
}

const NOUNS = [
  "runs",
  "workflows",
  "queues",
  "topics",
  "schedules",
  "approvals",
  "endpoints",
  "flowControl",
  "audit",
  "admin",
] as const;

type Nouns = Pick<ClientTransport, (typeof NOUNS)[number]>;

interface Known {
  readonly openRoom: (room: Room<unknown>) => unknown;
  readonly database?: string | undefined;
  readonly fleet?: ClientFleet;
  readonly onClose?: () => void;
}

function whileLoading(
  loading: Loading,
  { openRoom, database, fleet, onClose }: Known,
): ClientTransport {
  // Each call reports why there is no transport.
  loading.catch(() => {});
  const nouns = NOUNS.map((noun) => [
    noun,
    callsOf(loading.then((transport) => transport[noun] as object as AnyCalls)),
  ]);
  return {
    ...(Object.fromEntries(nouns) as Nouns),
    database,
    fleet,
    room: openedOnce(openRoom),
    check: async () => (await loading).check(),
    transaction: async (work, signal) => (await loading).transaction(work, signal),
    close: async () => {
      onClose?.();
      await (await loading).close();
    },
  };
}

type AnyCalls = Readonly<Record<string, (...values: never[]) => Promise<unknown>>>;

/** Calls of a room that is still being loaded: each waits for it. */
function callsOf<Calls extends { [Name in keyof Calls]: (...values: never[]) => Promise<unknown> }>(
  loading: Promise<Calls>,
): Calls {
  loading.catch(() => {});
  return callsWhenUsed(() => loading);
}

/**
 * Calls of a room whose code is loaded by the first of them. Later ones are made before they return: a call in a
 * transaction that is not awaited comes before the statement that the caller sends next, which may end the transaction.
 */
export function callsWhenUsed<
  Calls extends { [Name in keyof Calls]: (...values: never[]) => Promise<unknown> },
>(load: () => Promise<Calls>): Calls {
  let loaded: Calls | undefined;
  const call =
    (name: keyof Calls) =>
    async (...values: never[]): Promise<unknown> => {
      loaded ??= await load();
      return loaded[name](...values);
    };
  return new Proxy({} as Calls, {
    get: (_, name) => (name === "then" ? undefined : call(name as keyof Calls)),
  });
}
