/** Runs, through the server. */
import { Batchers } from "../../../async/batchers.ts";
import { sleep } from "../../../async/sleep.ts";
import { ConnectionFailed } from "../../../core/errors.ts";
import { toStorableText } from "../../../core/json.ts";
import type { TimedJournalEntry } from "../../../protocol/journal.ts";
import type { RunGeneration } from "../../../protocol/run-shapes.ts";
import type {
  CancelRequest,
  ChangeRequest,
  ChangedRuns,
  ChildListing,
  ListedRuns,
  PageRequest,
  RerunRequest,
  RunChange,
  RunConditions,
  RunExplanation,
  RunListing,
  PublishedSum,
  RunRecord,
  RunTransport,
  SignalOutcome,
  SignalRequest,
  SignalledRunOf,
  SignalledStart,
  StartBatchOptions,
  StartRequest,
  StartedRun,
  StreamChunk,
  UpdateRequest,
} from "../../../protocol/runs.ts";
import type { RunTokenRequest } from "../../../protocol/run-token.ts";
import { isLockTimeout } from "../../../protocol/sqlstate.ts";
import type { TransactionClient } from "../../../protocol/transaction.ts";
import type { HttpConnection } from "../connection.ts";
import { jsonOf } from "../json-of.ts";
import { readEvents } from "../event-source.ts";
import { isProblem, orUndefined } from "../problems.ts";
import { refuseTx } from "../no-tx.ts";
import { withQuery } from "../query.ts";
import { type Shown, toDates } from "../shown.ts";
import {
  type ShownChild,
  type ShownGeneration,
  type ShownListing,
  type ShownRun,
  type ShownStep,
  toChild,
  toGeneration,
  toJournalEntry,
  toListing,
  toRunRecord,
} from "./rows.ts";
import { startBody } from "./start.ts";

/** The longest that one request waits; a longer wait takes several. */
const LONG_POLL_S = 50;
/** Most steps of a journal in one answer. */
const STEPS_A_PAGE = 10_000;
const MAX_STARTS = 500;
const LINES_A_BATCH = 500;
const RETRY_MS = 500;

export class HttpRunTransport implements RunTransport {
  readonly #connection: HttpConnection;
  /** Starts that are under way at the same time share a request. */
  readonly #starts: Batchers<StartRequest, StartedRun>;

  constructor(connection: HttpConnection) {
    this.#connection = connection;
    this.#starts = new Batchers<StartRequest, StartedRun>({
      maxItems: MAX_STARTS,
      maxInFlight: 2,
      isShared: (error) => error instanceof ConnectionFailed,
      keyOf: ({ workflow }) => workflow,
      isLocked: isLockTimeout,
      send: (requests) =>
        this.startBatch(requests[0].workflow, requests, undefined, { isPatient: false }),
    });
  }

  async start(request: StartRequest, tx?: TransactionClient): Promise<StartedRun> {
    refuseTx(tx);
    return this.#starts.submit(request);
  }

  startElsewhere(
    request: StartRequest,
    _route: string,
    tx: TransactionClient,
  ): Promise<StartedRun> {
    return this.start(request, tx);
  }

  async startBatch(
    workflow: string,
    requests: readonly StartRequest[],
    tx?: TransactionClient,
    { isPatient = true }: StartBatchOptions = {},
  ): Promise<StartedRun[]> {
    refuseTx(tx);
    if (requests.length === 0) return [];
    const { runs } = await this.#connection.ask<{ runs: StartedRun[] }>(
      `/v1/workflows/${enc(workflow)}/runs/batch${isPatient ? "" : "?independent=true"}`,
      { body: `{"runs":[${requests.map(startBody).join(",")}]}` },
    );
    return runs;
  }

  async signal(
    runId: string,
    { event, payload, deduplicationId }: SignalRequest,
    tx?: TransactionClient,
  ): Promise<SignalOutcome> {
    refuseTx(tx);
    const { outcome } = await this.#connection.ask<{ outcome: SignalOutcome }>(
      withQuery(`/v1/runs/${runId}/signals/${enc(event)}`, { deduplicationId }),
      {
        ...(payload === undefined ? {} : { body: payload }),
        // The same deduplication id again does nothing.
        isRead: deduplicationId !== undefined,
      },
    );
    return outcome;
  }

  async signalOf(
    workflow: string | undefined,
    runId: string,
    signal: SignalRequest,
  ): Promise<SignalledRunOf | undefined> {
    const name = await this.workflowOf(runId);
    if (name === undefined || name !== (workflow ?? name)) return undefined;
    return { workflow: name, outcome: await this.signal(runId, signal) };
  }

  async signalWithStart(
    request: StartRequest,
    { event, payload, deduplicationId }: SignalRequest,
    tx?: TransactionClient,
  ): Promise<SignalledStart> {
    refuseTx(tx);
    return this.#connection.ask(`/v1/workflows/${enc(request.workflow)}/runs/signal-with-start`, {
      body: jsonOf({ event, deduplicationId }, { run: startBody(request), payload }),
    });
  }

  pause(runId: string, reason: string | undefined, tx?: TransactionClient): Promise<boolean> {
    return this.#change(withQuery(`/v1/runs/${runId}/pause`, { reason }), tx);
  }

  resume(runId: string, tx?: TransactionClient): Promise<boolean> {
    return this.#change(`/v1/runs/${runId}/resume`, tx);
  }

  retry(runId: string, tx?: TransactionClient): Promise<boolean> {
    return this.#change(`/v1/runs/${runId}/retry`, tx);
  }

  async #change(path: string, tx: TransactionClient | undefined): Promise<boolean> {
    refuseTx(tx);
    return (await this.#connection.ask<{ changed: boolean }>(path)).changed;
  }

  delete(runId: string, tx?: TransactionClient): Promise<boolean> {
    return this.#change(`/v1/runs/${runId}/delete`, tx);
  }

  async update(
    runId: string,
    { tags, retentionDays }: UpdateRequest,
    tx?: TransactionClient,
  ): Promise<boolean> {
    refuseTx(tx);
    const answer = await this.#connection.ask<{ changed: boolean }>(`/v1/runs/${runId}`, {
      method: "PATCH",
      body: jsonOf({ retentionDays }, { tags }),
    });
    return answer.changed;
  }

  async rerun(
    runId: string,
    { fromStep, input, version }: RerunRequest,
    tx?: TransactionClient,
  ): Promise<string> {
    refuseTx(tx);
    const answer = await this.#connection.ask<{ runId: string }>(`/v1/runs/${runId}/rerun`, {
      body: jsonOf({ fromStep, version }, { input }),
    });
    return answer.runId;
  }

  async cancel(
    runId: string,
    { reason, rollback }: CancelRequest,
    tx?: TransactionClient,
  ): Promise<boolean> {
    refuseTx(tx);
    const { cancelled } = await this.#connection.ask<{ cancelled: boolean }>(
      withQuery(`/v1/runs/${runId}`, { reason, rollback }),
      { method: "DELETE" },
    );
    return cancelled;
  }

  get(runId: string): Promise<RunRecord | undefined> {
    return this.#find(`/v1/runs/${runId}`);
  }

  async workflowOf(runId: string): Promise<string | undefined> {
    return (await this.get(runId))?.name;
  }

  async #find(path: string, signal?: AbortSignal): Promise<RunRecord | undefined> {
    const shown = await orUndefined(
      this.#connection.ask<ShownRun>(path, {
        method: "GET",
        repeatable: signal !== undefined,
        signal,
      }),
      "RUN_NOT_FOUND",
    );
    return shown && toRunRecord(shown);
  }

  async getJournal(runId: string, after = 0, maxSteps = Infinity): Promise<TimedJournalEntry[]> {
    const entries: TimedJournalEntry[] = [];
    for (let next: number | null = after; next !== null && entries.length < maxSteps;) {
      const limit = Math.min(STEPS_A_PAGE, maxSteps - entries.length);
      const page: { steps: ShownStep[]; after: number | null } | undefined = await orUndefined(
        this.#connection.get(`/v1/runs/${runId}/steps?after=${next}&limit=${limit}`),
        "RUN_NOT_FOUND",
      );
      if (page === undefined) break;
      entries.push(...page.steps.map(toJournalEntry));
      next = page.after;
    }
    return entries;
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
    for (;;) {
      signal.throwIfAborted();
      try {
        const pieces = await this.#connection.stream(`/v1/runs/${runId}/stream?after=${last}`, {
          method: "GET",
          signal,
        });
        for await (const { event, data } of readEvents(pieces)) {
          if (event === "end") return;
          const chunk = data as StreamChunk;
          last = chunk.position;
          yield [{ ...chunk, writtenAt: new Date(chunk.writtenAt) }];
        }
      } catch (error) {
        signal.throwIfAborted();
        if (isProblem(error, "RUN_NOT_FOUND")) return;
        if (this.#connection.closing.aborted) throw error;
      }
      await sleep(RETRY_MS, signal);
    }
  }

  async explain(runId: string): Promise<RunExplanation | undefined> {
    const found = await orUndefined(
      this.#connection.get<Shown<RunExplanation>>(`/v1/runs/${runId}/explain`),
      "RUN_NOT_FOUND",
    );
    return found && toDates<RunExplanation>(found, ["since", "until"]);
  }

  async getState(runId: string): Promise<Record<string, unknown> | undefined> {
    const answer = await orUndefined(
      this.#connection.get<{ state: Record<string, unknown> }>(`/v1/runs/${runId}/state`),
      "RUN_NOT_FOUND",
    );
    return answer?.state;
  }

  async issueToken({ runId, ttlMs, allow, name }: RunTokenRequest): Promise<string> {
    const { token } = await this.#connection.ask<{ token: string }>(`/v1/runs/${runId}/token`, {
      body: jsonOf({ ttl: ttlMs / 1_000, allow, name }),
      isRead: true,
    });
    return token;
  }

  async awaitEnd(runId: string, signal: AbortSignal): Promise<RunRecord | undefined> {
    for (;;) {
      signal.throwIfAborted();
      const run = await this.#find(`/v1/runs/${runId}?wait=${LONG_POLL_S}`, signal);
      if (run?.status !== "running") return run;
    }
  }

  async list(conditions: RunConditions, page: PageRequest): Promise<ListedRuns> {
    const { runs, cursor } = await this.#connection.ask<{
      runs: ShownListing[];
      cursor?: string | null;
    }>("/v1/runs/search", {
      body: jsonOf({ ...page }, { conditions: conditionsText(conditions) }),
      isRead: true,
    });
    // An older server doesn't give the cursor.
    const last = runs.length === page.maxRuns ? runs.at(-1)?.cursor : null;
    return { runs: runs.map(toListing), before: (cursor === undefined ? last : cursor) ?? null };
  }

  async listChildren(
    runId: string,
    after: string | undefined,
    maxRuns: number,
    step?: string,
  ): Promise<ChildListing[]> {
    const answer = await orUndefined(
      this.#connection.get<{ children: ShownChild[] }>(`/v1/runs/${runId}/children`, {
        limit: maxRuns,
        after,
        step,
      }),
      "RUN_NOT_FOUND",
    );
    return (answer?.children ?? []).map(toChild);
  }

  async listGenerations(runId: string): Promise<RunGeneration[]> {
    const answer = await orUndefined(
      this.#connection.get<{ generations: ShownGeneration[] }>(`/v1/runs/${runId}/generations`),
      "RUN_NOT_FOUND",
    );
    return (answer?.generations ?? []).map(toGeneration);
  }

  async count(conditions: RunConditions, atMost: number): Promise<number> {
    const { count } = await this.#connection.ask<{ count: number }>("/v1/runs/count", {
      body: jsonOf({ atMost }, { conditions: conditionsText(conditions) }),
      isRead: true,
    });
    return count;
  }

  async sum(
    key: string,
    conditions: RunConditions,
    byTag: string | undefined,
  ): Promise<PublishedSum[]> {
    const { groups } = await this.#connection.ask<{ groups: PublishedSum[] }>("/v1/runs/sum", {
      body: jsonOf({ key, byTag }, { conditions: conditionsText(conditions) }),
      isRead: true,
    });
    return groups;
  }

  async export(conditions: RunConditions): Promise<AsyncIterable<RunListing[]>> {
    const pieces = await this.#connection.stream("/v1/runs/export", {
      body: jsonOf({}, { conditions: conditionsText(conditions) }),
    });
    return listingsIn(pieces);
  }

  async change(
    change: RunChange,
    conditions: RunConditions,
    request: ChangeRequest,
  ): Promise<ChangedRuns> {
    return this.#connection.ask("/v1/runs/change", {
      body: jsonOf({ change, ...request }, { conditions: conditionsText(conditions) }),
    });
  }

  async sweep(maxRuns: number, maxRetentionDays?: number): Promise<number> {
    const { swept } = await this.#connection.ask<{ swept: number }>("/v1/runs/sweep", {
      body: JSON.stringify({ maxRuns, maxRetentionDays }),
    });
    return swept;
  }
}

const enc = encodeURIComponent;

const conditionsText = (conditions: RunConditions): string | undefined =>
  toStorableText(conditions, "a filter of runs");

async function* listingsIn(pieces: AsyncIterable<string>): AsyncGenerator<RunListing[], void> {
  let text = "";
  for await (const piece of pieces) {
    text += piece;
    // A line may have millions of characters, in many pieces.
    if (!piece.includes("\n")) continue;
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (let n = 0; n < lines.length; n += LINES_A_BATCH) {
      yield lines
        .slice(n, n + LINES_A_BATCH)
        .map((line) => toListing(JSON.parse(line) as ShownListing));
    }
  }
}
