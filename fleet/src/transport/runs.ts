/** Runs over shards: each call goes to the shard of its run or route, lists ask all. */
import {
  LARGEST_PAGE,
  type PublishedSum,
  requireKeyOfRoute,
  type RunConditions,
  type RunListing,
  type RunTransport,
  type StartedRun,
  type StartRequest,
  type StreamChunk,
  type TransactionClient,
} from "@oxbow/sdk/internal/fleet";
import type { Fleet, Lane } from "./fleet.ts";
import type { FollowedRuns } from "./followed-runs.ts";
import { atHome, requireHomesInTx } from "./homes.ts";
import { sum } from "./merging.ts";
import { startSplit } from "./split-batch.ts";

export function fleetRuns(fleet: Fleet, followed: FollowedRuns): RunTransport {
  const { ofRun, sendTo, start } = waysThrough(fleet, followed);
  const startOne: RunTransport["start"] = (request, tx) =>
    start([request], tx, (runs, [one = request]) => runs.start(one, tx));
  return {
    start: startOne,

    startElsewhere: async (request, route, tx) =>
      (await fleet.ofTx(tx)).transport.runs.startElsewhere(request, route, tx),

    startBatch: async (workflow, requests, tx, options) => {
      const startAll = (some: readonly StartRequest[]): Promise<StartedRun[]> =>
        start(some, tx, (runs, all) => runs.startBatch(workflow, all, tx, options));
      if (tx !== undefined) return startAll(requests);
      return startSplit({ requests, startAll, startOne });
    },

    signalWithStart: (request, signal, tx) =>
      start([request], tx, (runs, [one = request]) => runs.signalWithStart(one, signal, tx)),

    signal: (runId, signal, tx) => sendTo(runId, tx, (runs) => runs.signal(runId, signal, tx)),

    signalOf: (workflow, runId, signal) =>
      ofRun(runId, undefined, (runs) => runs.signalOf(workflow, runId, signal)),

    pause: (runId, reason, tx) => ofRun(runId, tx, (runs) => runs.pause(runId, reason, tx)),

    resume: (runId, tx) => ofRun(runId, tx, (runs) => runs.resume(runId, tx)),

    retry: (runId, tx) => ofRun(runId, tx, (runs) => runs.retry(runId, tx)),

    rerun: (runId, request, tx) => ofRun(runId, tx, (runs) => runs.rerun(runId, request, tx)),

    cancel: (runId, request, tx) => sendTo(runId, tx, (runs) => runs.cancel(runId, request, tx)),

    /** Where the run is. Its children in other shards are deleted there by a filter for their parent. */
    delete: (runId, tx) => ofRun(runId, tx, (runs) => runs.delete(runId, tx)),

    update: (runId, request, tx) => ofRun(runId, tx, (runs) => runs.update(runId, request, tx)),

    get: (runId) => ofRun(runId, undefined, (runs) => runs.get(runId)),

    explain: (runId) => ofRun(runId, undefined, (runs) => runs.explain(runId)),

    workflowOf: (runId) => ofRun(runId, undefined, (runs) => runs.workflowOf(runId)),

    getJournal: (runId, after, maxSteps) =>
      ofRun(runId, undefined, (runs) => runs.getJournal(runId, after, maxSteps)),

    getState: (runId) => ofRun(runId, undefined, (runs) => runs.getState(runId)),

    readStream: (runId, after, signal) => Promise.resolve(chunksOf(followed, runId, after, signal)),

    /** No shard is asked: any of them has the key of the environment. */
    issueToken: (request) => {
      const [any] = fleet.lanes;
      if (any === undefined) throw new Error("A fleet has shards.");
      return any.transport.runs.issueToken(request);
    },

    awaitEnd: (runId, signal) => ofRun(runId, undefined, (runs) => runs.awaitEnd(runId, signal)),

    /** A run may have children in any shard. */
    listChildren: async (runId, after, maxRuns, step) => {
      const found = await fleet.all(({ runs }) => runs.listChildren(runId, after, maxRuns, step));
      return found.flat().toSorted(oldestFirst).slice(0, maxRuns);
    },

    listGenerations: (runId) => ofRun(runId, undefined, (runs) => runs.listGenerations(runId)),

    /**
     * A cursor is a start and an id, which orders the runs of all shards. A shard's page that isn't its last one ends the
     * merged page: the runs behind it are not known yet.
     */
    list: async (conditions, page) => {
      const { shards } = await fleet.map();
      const ofShard = { ...page, maxBytes: LARGEST_PAGE / shards.length };
      const found = await fleet.all(({ runs }) => runs.list(conditions, ofShard));
      const ends = new Set(found.map(({ before }) => before));
      const listed = found.flatMap(({ runs }) => runs).toSorted(newestFirst);
      const end = listed.findIndex(({ cursor }) => ends.has(cursor));
      const runs = listed.slice(0, end === -1 ? page.maxRuns : Math.min(end + 1, page.maxRuns));
      const isLast = runs.length === listed.length && found.every(({ before }) => before === null);
      return { runs, before: isLast ? null : (runs.at(-1)?.cursor ?? null) };
    },

    count: async (conditions, atMost) => {
      const counts = await fleet.all(({ runs }) => runs.count(conditions, atMost));
      return Math.min(atMost, sum(counts));
    },

    sum: async (key, conditions, byTag) => {
      const found = await fleet.all(({ runs }) => runs.sum(key, conditions, byTag));
      const groups = new Map<string | null, PublishedSum>();
      for (const { tag, runs, sums } of found.flat()) {
        const group = groups.get(tag);
        const total: Record<string, number> = { ...group?.sums };
        for (const [name, one] of Object.entries(sums)) total[name] = (total[name] ?? 0) + one;
        groups.set(tag, { tag, runs: (group?.runs ?? 0) + runs, sums: total });
      }
      return [...groups.values()].toSorted((one, other) => other.runs - one.runs);
    },

    /** Shard by shard, each as of one instant. */
    export: (conditions) => Promise.resolve(listingsOf(fleet, conditions)),

    /** Shard by shard: a cursor is the name of one, and its cursor. */
    change: async (change, conditions, request) => {
      const { shards } = await fleet.map();
      const names = shards.map(({ name }) => name);
      const [at = names[0] ?? "", cursor] = request.before?.split("|") ?? [];
      const before = cursor === "" ? undefined : cursor;
      const { transport } = await fleet.named(at);
      const changed = await transport.runs.change(change, conditions, { ...request, before });
      if (changed.before !== null) return { ...changed, before: `${at}|${changed.before}` };
      const next = names[names.indexOf(at) + 1];
      return { ...changed, before: next === undefined ? null : `${next}|` };
    },

    sweep: async (maxRuns, maxRetentionDays) =>
      sum(await fleet.all(({ runs }) => runs.sweep(maxRuns, maxRetentionDays))),
  };
}

const waysThrough = (fleet: Fleet, followed: FollowedRuns) => ({
  /** Where the run is, wherever it has moved to: in a transaction, that has to be its database. */
  ofRun: async <Value>(
    runId: string,
    tx: TransactionClient | undefined,
    call: (runs: RunTransport) => Promise<Value>,
  ): Promise<Value> => {
    if (tx === undefined) return followed.call(runId, call);
    const lane = await followed.find(runId);
    await fleet.requireTx(lane.name, `Run ${runId}`, tx);
    return call(lane.transport.runs);
  },

  /** A transaction sends to runs of other shards through the outbox of its database. */
  sendTo: async <Value>(
    runId: string,
    tx: TransactionClient | undefined,
    call: (runs: RunTransport) => Promise<Value>,
  ): Promise<Value> => {
    if (tx === undefined) return followed.call(runId, call);
    return call((await fleet.ofTx(tx)).transport.runs);
  },

  /**
   * In the database of the transaction, else where the routes of the starts are at home; without any, by turns. A key
   * without a route is its own route, but a start in a transaction is where that is.
   */
  start: async <Value>(
    given: readonly StartRequest[],
    tx: TransactionClient | undefined,
    call: (runs: RunTransport, requests: readonly StartRequest[]) => Promise<Value>,
  ): Promise<Value> => {
    // A client has checked them; a request over REST has no client.
    for (const request of given) requireKeyOfRoute(request, request.workflow);
    if (tx !== undefined) {
      const lane = await requireHomesInTx(fleet, given, tx);
      return call(lane.transport.runs, given);
    }
    const requests = given.map((request) => ({
      ...request,
      route: request.route ?? request.idempotencyKey,
    }));
    const routes = requests.flatMap(({ route }) => route ?? []);
    if (routes.length === 0) return fleet.byTurns(({ runs }) => call(runs, requests));
    return atHome({ fleet, followed, requests, routes, call });
  },
});

async function* chunksOf(
  followed: FollowedRuns,
  runId: string,
  after: string,
  signal: AbortSignal,
): AsyncGenerator<StreamChunk[], void> {
  let last = after;
  let endedIn: Lane | undefined;
  for (;;) {
    const lane = await followed.lane(runId);
    const chunksThere = await lane.transport.runs.readStream(runId, last, signal);
    for await (const chunks of chunksThere) {
      yield chunks;
      last = chunks.at(-1)?.position ?? last;
      endedIn = undefined;
    }
    // A stream also ends where its run leaves, which may be back since.
    if (await followed.hasLeft(runId, lane)) endedIn = undefined;
    else if (endedIn === lane) return;
    else endedIn = lane;
  }
}

async function* listingsOf(
  fleet: Fleet,
  conditions: RunConditions,
): AsyncGenerator<RunListing[], void> {
  const { shards } = await fleet.map();
  for (const { name } of shards) {
    const { transport } = await fleet.named(name);
    yield* await transport.runs.export(conditions);
  }
}

const oldestFirst = (one: Place, other: Place): number => newestFirst(other, one);

type Place = Pick<RunListing, "cursor">;

function newestFirst(one: Place, other: Place): number {
  const [startedAt = 0n, runId = 0n] = one.cursor.split("-").map(BigInt);
  const [otherStart = 0n, otherId = 0n] = other.cursor.split("-").map(BigInt);
  const difference = startedAt === otherStart ? otherId - runId : otherStart - startedAt;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
