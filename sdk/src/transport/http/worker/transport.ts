/** Calls of workers, through the server. */
import { linkSignals } from "../../../async/linked-signal.ts";
import { startTimer } from "../../../async/timer.ts";
import { InvalidArgument } from "../../../core/errors.ts";
import type { BusyCommit, CommitResult, RunCommit } from "../../../protocol/commit.ts";
import type { JournalEntry } from "../../../protocol/journal.ts";
import type {
  LeaseClaim,
  LeaseNotice,
  NextVisible,
  ProgressReport,
  ReceivedOrNext,
  TxStepOutcome,
  WakeListener,
  WakeSubscription,
  WorkerTransport,
  WorkflowDelivery,
} from "../../../protocol/worker.ts";
import type { ReceiveRequest } from "../../../protocol/receive-request.ts";
import type { CommitAnswer, WrittenCommit, WrittenRows } from "../../../protocol/relay.ts";
import { parameterText } from "../../postgres/connection/arguments.ts";
import { aloneIn, commitArguments, commitResults } from "../../postgres/worker/commit.ts";
import { readDeliveries } from "../../postgres/worker/delivery.ts";
import type { HttpConnection } from "../connection.ts";
import { followEvents } from "../event-source.ts";
import { NO_TX } from "../no-tx.ts";
import { RelayLine } from "./relay-line.ts";

/** Characters. In JSON they may take four times that, of which a frame has at most 64 MiB. */
const LONGEST_RELAYED = 16 * 1024 * 1024;
/** A commit of one run without an answer by then is taken to wait for another transaction. */
const WAITS_AFTER_MS = 200;

export class HttpWorkerTransport implements WorkerTransport {
  readonly #connection: HttpConnection;
  readonly #relay: RelayLine;

  constructor(connection: HttpConnection) {
    this.#connection = connection;
    this.#relay = new RelayLine(connection);
  }

  async receive(request: ReceiveRequest): Promise<WorkflowDelivery[]> {
    const { versions, onSent, giveUp, ...rest } = request;
    const body = { versions: Object.fromEntries(versions), ...rest };
    const rows = await this.#relay.ask<WrittenRows>("receive", () => body, { onSent, giveUp });
    if (rows !== undefined) return readDeliveries(rows);
    const { deliveries } = await this.#connection.ask<{ deliveries: WorkflowDelivery[] }>(
      "/v1/worker/receive",
      { body: JSON.stringify(body), onSent, giveUp },
    );
    return deliveries;
  }

  async getJournalPage(runId: string, after: number): Promise<JournalEntry[]> {
    const { journal } = await this.#connection.ask<{ journal: JournalEntry[] }>(
      "/v1/worker/journal-page",
      { body: JSON.stringify({ runId, after }), repeatable: true },
    );
    return journal;
  }

  async commit(
    items: readonly RunCommit[],
    onWait: () => void = () => {},
  ): Promise<(CommitResult | BusyCommit)[]> {
    if (items.length > 1) return this.#commit(items);
    // A server doesn't report that an item waits. One that does holds no connection that others need.
    const stopTimer = startTimer(WAITS_AFTER_MS, onWait, { keepsAlive: false });
    try {
      return await this.#commit(items);
    } finally {
      stopTimer();
    }
  }

  async #commit(items: readonly RunCommit[]): Promise<(CommitResult | BusyCommit)[]> {
    const options = { repeatable: true };
    const answer = await this.#relay.ask<CommitAnswer>("commit", () => written(items), options);
    if (answer !== undefined) return commitResults(items, answer);
    const { results } = await this.#connection.ask<{ results: (CommitResult | BusyCommit)[] }>(
      "/v1/worker/commit",
      { body: JSON.stringify({ items, skipLocked: true }), repeatable: true },
    );
    return results;
  }

  commitTx(): Promise<TxStepOutcome> {
    return Promise.reject(new InvalidArgument(NO_TX));
  }

  async heartbeat(leases: readonly LeaseClaim[], leaseMs: number | null): Promise<LeaseNotice[]> {
    if (leases.length === 0) return [];
    const { notices } = await this.#connection.ask<{ notices: LeaseNotice[] }>(
      "/v1/worker/heartbeat",
      {
        body: JSON.stringify({
          receipts: leases.map(({ receipt }) => receipt),
          known: leases.map(({ known = {} }) => known),
          leaseMs,
        }),
        repeatable: true,
      },
    );
    return notices;
  }

  async reportProgress(worker: string, reports: readonly ProgressReport[]): Promise<void> {
    await this.#connection.ask("/v1/worker/progress", {
      body: JSON.stringify({ worker, reports }),
    });
  }

  async nextVisibleIn(versions: ReadonlyMap<string, readonly number[]>): Promise<number | null> {
    const { inMs } = await this.#connection.ask<{ inMs: number | null }>(
      "/v1/worker/next-visible",
      { body: JSON.stringify({ versions: Object.fromEntries(versions) }), repeatable: true },
    );
    return inMs;
  }

  async receiveOrLook(request: ReceiveRequest): Promise<ReceivedOrNext> {
    const [deliveries, next] = await Promise.all([
      this.receive(request),
      this.nextVisible(request.versions),
    ]);
    return { deliveries, next };
  }

  async nextVisible(versions: ReadonlyMap<string, readonly number[]>): Promise<NextVisible> {
    const body = { versions: Object.fromEntries(versions), everything: true };
    const { inMs, at = null } = await this.#connection.ask<{
      readonly inMs: number | null;
      readonly at?: number | null;
    }>("/v1/worker/next-visible", { body: JSON.stringify(body), repeatable: true });
    return { at, isDue: inMs === 0 };
  }

  subscribe(workflows: readonly string[], listener: WakeListener): WakeSubscription {
    const ending = new AbortController();
    const { signal, unlink } = linkSignals([ending.signal, this.#connection.closing]);
    let isConnected = false;
    void followEvents(
      this.#connection,
      `/v1/worker/wake?workflows=${encodeURIComponent(workflows.join(","))}`,
      signal,
      {
        connected: (now) => {
          isConnected = now;
        },
        event: ({ event, data }) => {
          if (event === "attention") listener.onAttention((data as { runId: string }).runId);
          else listener.onReady();
        },
      },
    ).finally(unlink);
    return {
      get listening() {
        return isConnected;
      },
      // The server waits on our behalf for as long as the stream is open.
      arm: async () => {},
      disarm: () => {},
      close: () => ending.abort(),
    };
  }
}

/** Undefined if it is too long for a message. */
function written(items: readonly RunCommit[]): WrittenCommit | undefined {
  const values = commitArguments(items).map(parameterText);
  const length = values.reduce((sum, value) => sum + (value?.length ?? 0), 0);
  return length > LONGEST_RELAYED ? undefined : { values, runId: aloneIn(items)?.runId };
}
