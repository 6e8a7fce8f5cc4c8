/**
 * Where calls with a route go: to its home, as the shards see it. A call that came to another shard is refused there, with
 * the right one, and is sent there; so is a start whose key has a run elsewhere.
 */
import { RunMoved, WrongShard } from "@oxbow/sdk";
import {
  type RunTransport,
  sleep,
  type StartRequest,
  type TransactionClient,
} from "@oxbow/sdk/internal/fleet";
import type { Fleet, Lane } from "./fleet.ts";
import type { FollowedRuns } from "./followed-runs.ts";

/** For how long a call waits for a route that is between two shards. */
const PATIENCE_MS = 15_000;
const LOOK_EVERY_MS = 10;
/** How many refusals a call follows without a pause. Restored shards may contradict each other. */
const MAX_PROMPT = 2;
/** How often a key may lead to another shard. A run that moves to and fro needs one or two. */
const MAX_HOPS = 16;

interface Call<Value> {
  readonly fleet: Fleet;
  /** At least one. */
  readonly routes: readonly string[];
  readonly call: (lane: Lane) => Promise<Value>;
  /** Returns the shard to which another error of the call leads; throws the error if it leads to no shard. */
  readonly follow?: (error: unknown, lane: Lane) => Promise<Lane>;
}

/**
 * Calls the shard where routes are at home.
 *
 * @throws WrongShard if the homes of routes differ, or a route is on its way for long
 */
export async function callHome<Value>({
  fleet,
  routes,
  call,
  follow,
}: Call<Value>): Promise<Value> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  let lane = await fleet.named(await commonHome(fleet, routes));
  let epoch = 0;
  for (let refusals = 0; ;) {
    try {
      return await call(lane);
    } catch (error) {
      const later = homeFrom(error);
      if (later === undefined) {
        if (follow === undefined) throw error;
        lane = await follow(error, lane);
        continue;
      }
      if (performance.now() > giveUpAt) throw error;
      // A shard that has not heard yet has no news.
      if (later.epoch >= epoch) await fleet.readAgain(lane);
      if (routes.length > 1) await commonHome(fleet, routes);
      // The shard that gives the route away knows it first; the other one learns it soon.
      if (later.epoch < epoch || ++refusals > MAX_PROMPT) {
        await sleep(LOOK_EVERY_MS, new AbortController().signal);
      }
      if (later.epoch >= epoch) lane = await fleet.named(later.home);
      epoch = Math.max(epoch, later.epoch);
    }
  }
}

interface Starts<Value> extends Pick<Call<Value>, "fleet" | "routes"> {
  readonly followed: FollowedRuns;
  readonly requests: readonly StartRequest[];
  readonly call: (runs: RunTransport, requests: readonly StartRequest[]) => Promise<Value>;
}

/** Starts runs where their routes are at home, or where the run of their key is. @throws WrongShard as callHome() */
export async function atHome<Value>(starts: Starts<Value>): Promise<Value> {
  const { fleet, followed, routes, call } = starts;
  let { requests } = starts;
  let hops = 0;
  return callHome({
    fleet,
    routes,
    call: ({ transport }) => call(transport.runs, requests),
    follow: async (error, lane) => {
      if (!(error instanceof RunMoved) || requests.length !== 1 || ++hops > MAX_HOPS) throw error;
      // Not before the run has arrived: the start would create another one.
      const next = await followed.next(String(error.facts["runId"]), lane);
      requests = requests.map((request) => ({ ...request, followsKey: true }));
      return next === lane ? fleet.named(String(error.facts["shard"])) : next;
    },
  });
}

/** @throws WrongShard */
async function commonHome(fleet: Fleet, routes: readonly string[]): Promise<string> {
  const homes = new Set(await Promise.all(routes.map((route) => fleet.home(route))));
  const [home = ""] = homes;
  if (homes.size === 1) return home;
  throw new WrongShard(
    `The starts of the batch are at home in shards ${[...homes].toSorted().join(", ")}: start the runs of each shard in a separate batch.`,
    { facts: { homes: [...homes] } },
  );
}

/** The lane of a transaction, which has to be the home of all routes by the map of its database. @throws WrongShard */
export async function requireHomesInTx(
  fleet: Fleet,
  requests: readonly StartRequest[],
  tx: TransactionClient,
): Promise<Lane> {
  const routes = requests.map(({ route }) => route);
  const { lane, homes } = await fleet.placeOfTx(tx, routes);
  for (const [index, home] of homes.entries()) {
    if (home === null || home === lane.name) continue;
    const route = routes[index];
    await fleet.readAgain(lane);
    throw new WrongShard(
      `Route "${route}" is at home in shard "${home}", but the transaction is in "${lane.name}": open the transaction there, call it without, or start the run with \`elsewhere\`.`,
      { facts: { home, shard: lane.name } },
    );
  }
  return lane;
}

/** The home of a route as a shard reports it, and the version of the map since which it is. */
function homeFrom(error: unknown): { readonly home: string; readonly epoch: number } | undefined {
  if (!(error instanceof WrongShard)) return undefined;
  const { home, epoch } = error.facts;
  return typeof home === "string" && typeof epoch === "number" ? { home, epoch } : undefined;
}
