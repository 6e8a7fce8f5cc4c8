/** Runs over shards: each call goes to the shard of its run or route, lists ask all. */
import { WrongShard } from "../../core/errors.ts";
import type { TimedJournalEntry } from "../../protocol/journal.ts";
import type { RunGeneration } from "../../protocol/run-shapes.ts";
import type {
  CancelRequest,
  ChangedRuns,
  ChangeRequest,
  ChildListing,
  PageRequest,
  RerunRequest,
  RunChange,
  RunConditions,
  RunExplanation,
  RunListing,
  RunRecord,
  RunTransport,
  SignalledRunOf,
  SignalledStart,
  SignalOutcome,
  SignalRequest,
  StartBatchOptions,
  StartedRun,
  StartRequest,
  StreamChunk,
} from "../../protocol/runs.ts";
import { requireKeyOfRoute } from "../../protocol/shards.ts";
import type { TransactionClient } from "../../protocol/transaction.ts";
import type { Fleet } from "./fleet.ts";

export class FleetRunTransport implements RunTransport {
  readonly #fleet: Fleet;

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
  }

  async start(request: StartRequest, tx?: TransactionClient): Promise<StartedRun> {
    return this.#atHome([request], tx, (runs) => runs.start(request, tx));
  }

  async startBatch(
    workflow: string,
    requests: readonly StartRequest[],
    tx?: TransactionClient,
    options?: StartBatchOptions,
  ): Promise<StartedRun[]> {
    return this.#atHome(requests, tx, (runs) => runs.startBatch(workflow, requests, tx, options));
  }

  async signalWithStart(
    request: StartRequest,
    signal: SignalRequest,
    tx?: TransactionClient,
  ): Promise<SignalledStart> {
    return this.#atHome([request], tx, (runs) => runs.signalWithStart(request, signal, tx));
  }

  async signal(
    runId: string,
    signal: SignalRequest,
    tx?: TransactionClient,
  ): Promise<SignalOutcome> {
    return (await this.#sendingTo(runId, tx)).signal(runId, signal, tx);
  }

  async signalOf(
    workflow: string | undefined,
    runId: string,
    signal: SignalRequest,
  ): Promise<SignalledRunOf | undefined> {
    return (await this.#of(runId)).signalOf(workflow, runId, signal);
  }

  async pause(runId: string, reason: string | undefined, tx?: TransactionClient): Promise<boolean> {
    return (await this.#of(runId, tx)).pause(runId, reason, tx);
  }

  async resume(runId: string, tx?: TransactionClient): Promise<boolean> {
    return (await this.#of(runId, tx)).resume(runId, tx);
  }

  async retry(runId: string, tx?: TransactionClient): Promise<boolean> {
    return (await this.#of(runId, tx)).retry(runId, tx);
  }

  async rerun(runId: string, request: RerunRequest, tx?: TransactionClient): Promise<string> {
    return (await this.#of(runId, tx)).rerun(runId, request, tx);
  }

  async cancel(runId: string, request: CancelRequest, tx?: TransactionClient): Promise<boolean> {
    return (await this.#sendingTo(runId, tx)).cancel(runId, request, tx);
  }

  async get(runId: string): Promise<RunRecord | undefined> {
    return (await this.#of(runId)).get(runId);
  }

  async explain(runId: string): Promise<RunExplanation | undefined> {
    return (await this.#of(runId)).explain(runId);
  }

  async workflowOf(runId: string): Promise<string | undefined> {
    return (await this.#of(runId)).workflowOf(runId);
  }

  async getJournal(runId: string, after?: number, maxSteps?: number): Promise<TimedJournalEntry[]> {
    return (await this.#of(runId)).getJournal(runId, after, maxSteps);
  }

  async getState(runId: string): Promise<Record<string, unknown> | undefined> {
    return (await this.#of(runId)).getState(runId);
  }

  async *readStream(
    runId: string,
    after: string,
    signal: AbortSignal,
  ): AsyncGenerator<StreamChunk[], void> {
    yield* (await this.#of(runId)).readStream(runId, after, signal);
  }

  async awaitEnd(runId: string, signal: AbortSignal): Promise<RunRecord | undefined> {
    return (await this.#of(runId)).awaitEnd(runId, signal);
  }

  async listChildren(
    runId: string,
    after: string | undefined,
    maxRuns: number,
  ): Promise<ChildListing[]> {
    return (await this.#of(runId)).listChildren(runId, after, maxRuns);
  }

  async listGenerations(runId: string): Promise<RunGeneration[]> {
    return (await this.#of(runId)).listGenerations(runId);
  }

  /** A cursor is a start and an id, which orders the runs of all shards. */
  async list(conditions: RunConditions, page: PageRequest): Promise<RunListing[]> {
    const found = await this.#fleet.all(({ runs }) => runs.list(conditions, page));
    return found.flat().toSorted(newestFirst).slice(0, page.maxRuns);
  }

  async count(conditions: RunConditions, atMost: number): Promise<number> {
    const counts = await this.#fleet.all(({ runs }) => runs.count(conditions, atMost));
    return Math.min(
      atMost,
      counts.reduce((sum, count) => sum + count, 0),
    );
  }

  /** Shard by shard, each as of one instant. */
  async *export(conditions: RunConditions): AsyncGenerator<RunListing[], void> {
    const { shards } = await this.#fleet.map();
    for (const { name } of shards) {
      const { transport } = await this.#fleet.named(name);
      yield* transport.runs.export(conditions);
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
    const swept = await this.#fleet.all(({ runs }) => runs.sweep(maxRuns, maxRetentionDays));
    return swept.reduce((sum, count) => sum + count, 0);
  }

  async #of(runId: string, tx?: TransactionClient): Promise<RunTransport> {
    return (await this.#fleet.ofRun(runId, tx)).transport.runs;
  }

  /** A transaction sends to runs of other shards through the outbox of its database. */
  async #sendingTo(runId: string, tx: TransactionClient | undefined): Promise<RunTransport> {
    return tx === undefined ? this.#of(runId) : (await this.#fleet.ofTx(tx)).transport.runs;
  }

  /**
   * In the database of the transaction, else where the routes of the starts are at home; without any, by turns. A key
   * without a route is its own route, but a start in a transaction is where that is.
   */
  async #atHome<Value>(
    requests: readonly StartRequest[],
    tx: TransactionClient | undefined,
    call: (runs: RunTransport) => Promise<Value>,
  ): Promise<Value> {
    // A client has checked them; a request over REST has no client.
    for (const request of requests) requireKeyOfRoute(request, request.workflow);
    const routes = requests.flatMap(
      ({ route, idempotencyKey }) => route ?? (tx === undefined ? idempotencyKey : undefined) ?? [],
    );
    const [route] = routes;
    if (route === undefined) {
      return tx === undefined
        ? this.#fleet.byTurns(({ runs }) => call(runs))
        : call((await this.#fleet.ofTx(tx)).transport.runs);
    }
    const homes = new Set(await Promise.all(routes.map((one) => this.#fleet.home(one))));
    if (homes.size > 1) {
      throw new WrongShard(
        `The starts of the batch are at home in shards ${[...homes].toSorted().join(", ")}: start the runs of each shard in a separate batch.`,
        { facts: { homes: [...homes] } },
      );
    }
    return call((await this.#fleet.ofRoute(route, `Route "${route}"`, tx)).transport.runs);
  }
}

function newestFirst(one: RunListing, other: RunListing): number {
  const [startedAt = 0n, runId = 0n] = one.cursor.split("-").map(BigInt);
  const [otherStart = 0n, otherId = 0n] = other.cursor.split("-").map(BigInt);
  const difference = startedAt === otherStart ? otherId - runId : otherStart - startedAt;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
