/** Runs over shards: each call goes to the shard of its run or route, lists ask all. */
import {
  type CancelRequest,
  type ChangedRuns,
  type ChangeRequest,
  type ChildListing,
  LARGEST_PAGE,
  type ListedRuns,
  type PageRequest,
  requireKeyOfRoute,
  type RerunRequest,
  type RunChange,
  type RunConditions,
  type RunExplanation,
  type RunGeneration,
  type RunListing,
  type PublishedSum,
  type RunRecord,
  type RunTokenRequest,
  type RunTransport,
  type SignalledRunOf,
  type SignalledStart,
  type SignalOutcome,
  type SignalRequest,
  type StartBatchOptions,
  type StartedRun,
  type StartRequest,
  type StreamChunk,
  type TimedJournalEntry,
  type TransactionClient,
  type UpdateRequest,
} from "@oxbow/sdk/internal/fleet";
import type { Fleet, Lane } from "./fleet.ts";
import { FollowedRuns } from "./followed-runs.ts";
import { atHome, requireHomesInTx } from "./homes.ts";
import { sum } from "./merging.ts";
import { startSplit } from "./split-batch.ts";

export class FleetRunTransport implements RunTransport {
  readonly #fleet: Fleet;
  readonly #followed: FollowedRuns;

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
    this.#followed = new FollowedRuns(fleet);
  }

  async start(request: StartRequest, tx?: TransactionClient): Promise<StartedRun> {
    return this.#atHome([request], tx, (runs, [one = request]) => runs.start(one, tx));
  }

  async startElsewhere(
    request: StartRequest,
    route: string,
    tx: TransactionClient,
  ): Promise<StartedRun | undefined> {
    return (await this.#fleet.ofTx(tx)).transport.runs.startElsewhere(request, route, tx);
  }

  async startBatch(
    workflow: string,
    requests: readonly StartRequest[],
    tx?: TransactionClient,
    options?: StartBatchOptions,
  ): Promise<StartedRun[]> {
    const startAll = (some: readonly StartRequest[]): Promise<StartedRun[]> =>
      this.#atHome(some, tx, (runs, all) => runs.startBatch(workflow, all, tx, options));
    if (tx !== undefined) return startAll(requests);
    return startSplit({ requests, startAll, startOne: (request) => this.start(request) });
  }

  async signalWithStart(
    request: StartRequest,
    signal: SignalRequest,
    tx?: TransactionClient,
  ): Promise<SignalledStart> {
    return this.#atHome([request], tx, (runs, [one = request]) =>
      runs.signalWithStart(one, signal, tx),
    );
  }

  async signal(
    runId: string,
    signal: SignalRequest,
    tx?: TransactionClient,
  ): Promise<SignalOutcome> {
    return this.#sendTo(runId, tx, (runs) => runs.signal(runId, signal, tx));
  }

  async signalOf(
    workflow: string | undefined,
    runId: string,
    signal: SignalRequest,
  ): Promise<SignalledRunOf | undefined> {
    return this.#of(runId, undefined, (runs) => runs.signalOf(workflow, runId, signal));
  }

  async pause(runId: string, reason: string | undefined, tx?: TransactionClient): Promise<boolean> {
    return this.#of(runId, tx, (runs) => runs.pause(runId, reason, tx));
  }

  async resume(runId: string, tx?: TransactionClient): Promise<boolean> {
    return this.#of(runId, tx, (runs) => runs.resume(runId, tx));
  }

  async retry(runId: string, tx?: TransactionClient): Promise<boolean> {
    return this.#of(runId, tx, (runs) => runs.retry(runId, tx));
  }

  async rerun(runId: string, request: RerunRequest, tx?: TransactionClient): Promise<string> {
    return this.#of(runId, tx, (runs) => runs.rerun(runId, request, tx));
  }

  async cancel(runId: string, request: CancelRequest, tx?: TransactionClient): Promise<boolean> {
    return this.#sendTo(runId, tx, (runs) => runs.cancel(runId, request, tx));
  }

  /** Where the run is. Its children in other shards are deleted there by a filter for their parent. */
  async delete(runId: string, tx?: TransactionClient): Promise<boolean> {
    return this.#of(runId, tx, (runs) => runs.delete(runId, tx));
  }

  async update(runId: string, request: UpdateRequest, tx?: TransactionClient): Promise<boolean> {
    return this.#of(runId, tx, (runs) => runs.update(runId, request, tx));
  }

  async get(runId: string): Promise<RunRecord | undefined> {
    return this.#of(runId, undefined, (runs) => runs.get(runId));
  }

  async explain(runId: string): Promise<RunExplanation | undefined> {
    return this.#of(runId, undefined, (runs) => runs.explain(runId));
  }

  async workflowOf(runId: string): Promise<string | undefined> {
    return this.#of(runId, undefined, (runs) => runs.workflowOf(runId));
  }

  async getJournal(runId: string, after?: number, maxSteps?: number): Promise<TimedJournalEntry[]> {
    return this.#of(runId, undefined, (runs) => runs.getJournal(runId, after, maxSteps));
  }

  async getState(runId: string): Promise<Record<string, unknown> | undefined> {
    return this.#of(runId, undefined, (runs) => runs.getState(runId));
  }

  readStream(
    runId: string,
    after: string,
    signal: AbortSignal,
  ): Promise<AsyncIterable<StreamChunk[]>> {
    return Promise.resolve(this.#chunksOf(runId, after, signal));
  }

  async *#chunksOf(
    runId: string,
    after: string,
    signal: AbortSignal,
  ): AsyncGenerator<StreamChunk[], void> {
    let last = after;
    let endedIn: Lane | undefined;
    for (;;) {
      const lane = await this.#followed.lane(runId);
      const chunksThere = await lane.transport.runs.readStream(runId, last, signal);
      for await (const chunks of chunksThere) {
        yield chunks;
        last = chunks.at(-1)?.position ?? last;
        endedIn = undefined;
      }
      // A stream also ends where its run leaves, which may be back since.
      if (await this.#followed.hasLeft(runId, lane)) endedIn = undefined;
      else if (endedIn === lane) return;
      else endedIn = lane;
    }
  }

  /** No shard is asked: any of them has the key of the environment. */
  issueToken(request: RunTokenRequest): Promise<string> {
    const [any] = this.#fleet.lanes;
    if (any === undefined) throw new Error("A fleet has shards.");
    return any.transport.runs.issueToken(request);
  }

  async awaitEnd(runId: string, signal: AbortSignal): Promise<RunRecord | undefined> {
    return this.#of(runId, undefined, (runs) => runs.awaitEnd(runId, signal));
  }

  /** A run may have children in any shard. */
  async listChildren(
    runId: string,
    after: string | undefined,
    maxRuns: number,
    step?: string,
  ): Promise<ChildListing[]> {
    const found = await this.#fleet.all(({ runs }) =>
      runs.listChildren(runId, after, maxRuns, step),
    );
    return found.flat().toSorted(oldestFirst).slice(0, maxRuns);
  }

  async listGenerations(runId: string): Promise<RunGeneration[]> {
    return this.#of(runId, undefined, (runs) => runs.listGenerations(runId));
  }

  /** The name of the shard where a run is, or would be. */
  async shardOf(runId: string): Promise<string> {
    return (await this.#followed.find(runId)).name;
  }

  /**
   * A cursor is a start and an id, which orders the runs of all shards. A shard's page that isn't its last one ends the
   * merged page: the runs behind it are not known yet.
   */
  async list(conditions: RunConditions, page: PageRequest): Promise<ListedRuns> {
    const { shards } = await this.#fleet.map();
    const ofShard = { ...page, maxBytes: LARGEST_PAGE / shards.length };
    const found = await this.#fleet.all(({ runs }) => runs.list(conditions, ofShard));
    const ends = new Set(found.map(({ before }) => before));
    const listed = found.flatMap(({ runs }) => runs).toSorted(newestFirst);
    const end = listed.findIndex(({ cursor }) => ends.has(cursor));
    const runs = listed.slice(0, end === -1 ? page.maxRuns : Math.min(end + 1, page.maxRuns));
    const isLast = runs.length === listed.length && found.every(({ before }) => before === null);
    return { runs, before: isLast ? null : (runs.at(-1)?.cursor ?? null) };
  }

  async count(conditions: RunConditions, atMost: number): Promise<number> {
    const counts = await this.#fleet.all(({ runs }) => runs.count(conditions, atMost));
    return Math.min(atMost, sum(counts));
  }

  async sum(
    key: string,
    conditions: RunConditions,
    byTag: string | undefined,
  ): Promise<PublishedSum[]> {
    const found = await this.#fleet.all(({ runs }) => runs.sum(key, conditions, byTag));
    const groups = new Map<string | null, PublishedSum>();
    for (const { tag, runs, sums } of found.flat()) {
      const group = groups.get(tag);
      const total: Record<string, number> = { ...group?.sums };
      for (const [name, one] of Object.entries(sums)) total[name] = (total[name] ?? 0) + one;
      groups.set(tag, { tag, runs: (group?.runs ?? 0) + runs, sums: total });
    }
    return [...groups.values()].toSorted((one, other) => other.runs - one.runs);
  }

  /** Shard by shard, each as of one instant. */
  export(conditions: RunConditions): Promise<AsyncIterable<RunListing[]>> {
    return Promise.resolve(this.#listings(conditions));
  }

  async *#listings(conditions: RunConditions): AsyncGenerator<RunListing[], void> {
    const { shards } = await this.#fleet.map();
    for (const { name } of shards) {
      const { transport } = await this.#fleet.named(name);
      yield* await transport.runs.export(conditions);
    }
  }

  /** Shard by shard: a cursor is the name of one, and its cursor. */
  async change(
    change: RunChange,
    conditions: RunConditions,
    request: ChangeRequest,
  ): Promise<ChangedRuns> {
    const { shards } = await this.#fleet.map();
    const names = shards.map(({ name }) => name);
    const [at = names[0] ?? "", cursor] = request.before?.split("|") ?? [];
    const before = cursor === "" ? undefined : cursor;
    const { transport } = await this.#fleet.named(at);
    const changed = await transport.runs.change(change, conditions, { ...request, before });
    if (changed.before !== null) return { ...changed, before: `${at}|${changed.before}` };
    const next = names[names.indexOf(at) + 1];
    return { ...changed, before: next === undefined ? null : `${next}|` };
  }

  async sweep(maxRuns: number, maxRetentionDays?: number): Promise<number> {
    return sum(await this.#fleet.all(({ runs }) => runs.sweep(maxRuns, maxRetentionDays)));
  }

  /** Where the run is, wherever it has moved to: in a transaction, that has to be its database. */
  async #of<Value>(
    runId: string,
    tx: TransactionClient | undefined,
    call: (runs: RunTransport) => Promise<Value>,
  ): Promise<Value> {
    if (tx === undefined) return this.#followed.call(runId, call);
    const lane = await this.#followed.find(runId);
    await this.#fleet.requireTx(lane.name, `Run ${runId}`, tx);
    return call(lane.transport.runs);
  }

  /** A transaction sends to runs of other shards through the outbox of its database. */
  async #sendTo<Value>(
    runId: string,
    tx: TransactionClient | undefined,
    call: (runs: RunTransport) => Promise<Value>,
  ): Promise<Value> {
    if (tx === undefined) return this.#followed.call(runId, call);
    return call((await this.#fleet.ofTx(tx)).transport.runs);
  }

  /**
   * In the database of the transaction, else where the routes of the starts are at home; without any, by turns. A key
   * without a route is its own route, but a start in a transaction is where that is.
   */
  async #atHome<Value>(
    given: readonly StartRequest[],
    tx: TransactionClient | undefined,
    call: (runs: RunTransport, requests: readonly StartRequest[]) => Promise<Value>,
  ): Promise<Value> {
    // A client has checked them; a request over REST has no client.
    for (const request of given) requireKeyOfRoute(request, request.workflow);
    if (tx !== undefined) {
      const lane = await requireHomesInTx(this.#fleet, given, tx);
      return call(lane.transport.runs, given);
    }
    const requests = given.map((request) => ({
      ...request,
      route: request.route ?? request.idempotencyKey,
    }));
    const routes = requests.flatMap(({ route }) => route ?? []);
    if (routes.length === 0) return this.#fleet.byTurns(({ runs }) => call(runs, requests));
    return atHome({ fleet: this.#fleet, followed: this.#followed, requests, routes, call });
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
