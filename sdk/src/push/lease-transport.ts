/** The calls of a worker for runs that were pushed to it: each goes to the server, with the lease tokens of its runs. */
import { InvalidArgument } from "../core/errors.ts";
import type { BusyCommit, CommitResult, RunCommit } from "../protocol/commit.ts";
import type { JournalEntry } from "../protocol/journal.ts";
import { LEASES_HEADER, MOST_LEASES } from "../protocol/lease-token.ts";
import type {
  LeaseClaim,
  LeaseNotice,
  ProgressReport,
  WorkerTransport,
} from "../protocol/worker.ts";
import { HttpConnection } from "../transport/http/connection.ts";
import type { ExecutingTransport } from "../worker/run-executor.ts";

const NO_TX =
  "step.tx needs a database connection: give createHandler() the `url` of the database, or use step.run with an idempotent callback.";

/** The calls of a function for the runs that it executes. */
export interface PushedTransport extends ExecutingTransport {
  readonly worker: ExecutingTransport["worker"] &
    Pick<WorkerTransport, "getJournalPage" | "reportProgress">;
}

export class LeaseTransport implements PushedTransport {
  readonly #connection: HttpConnection;
  /** The token of each receipt. */
  readonly #tokens = new Map<string, string>();
  readonly #receipts = new Map<string, string>();
  readonly worker: PushedTransport["worker"];

  constructor(url: string) {
    this.#connection = new HttpConnection(url, undefined);
    this.worker = {
      commit: (items) => this.#commit(items),
      commitTx: () => Promise.reject(new InvalidArgument(NO_TX)),
      getJournalPage: (runId, after) => this.#getJournalPage(runId, after),
      heartbeat: (leases, leaseMs) => this.#heartbeat(leases, leaseMs),
      reportProgress: (worker, reports) => this.#reportProgress(worker, reports),
    };
  }

  open(runId: string, receipt: string, token: string): void {
    this.#tokens.set(receipt, token);
    this.#receipts.set(runId, receipt);
  }

  end(runId: string, receipt: string): void {
    this.#tokens.delete(receipt);
    if (this.#receipts.get(runId) === receipt) this.#receipts.delete(runId);
  }

  transaction(): Promise<void> {
    return Promise.reject(new InvalidArgument(NO_TX));
  }

  close(): void {
    this.#connection.close();
  }

  async #commit(items: readonly RunCommit[]): Promise<(CommitResult | BusyCommit)[]> {
    const parts = await Promise.all(
      inParts(items).map(async (part) => {
        const { results } = await this.#ask<{ results: (CommitResult | BusyCommit)[] }>(
          "/v1/worker/commit",
          { items: part, skipLocked: true },
          part.map(({ receipt }) => receipt),
        );
        return results;
      }),
    );
    return parts.flat();
  }

  async #heartbeat(leases: readonly LeaseClaim[], leaseMs: number | null): Promise<LeaseNotice[]> {
    const parts = await Promise.all(
      inParts(leases).map(async (part) => {
        const receipts = part.map(({ receipt }) => receipt);
        const known = part.map((claim) => claim.known ?? {});
        const body = { receipts, known, leaseMs };
        const { notices } = await this.#ask<{ notices: LeaseNotice[] }>(
          "/v1/worker/heartbeat",
          body,
          receipts,
        );
        return notices;
      }),
    );
    return parts.flat();
  }

  async #reportProgress(worker: string, reports: readonly ProgressReport[]): Promise<void> {
    const parts = inParts(reports).map((part) =>
      this.#ask(
        "/v1/worker/progress",
        { worker, reports: part },
        part.map(({ receipt }) => receipt),
      ),
    );
    await Promise.all(parts);
  }

  async #getJournalPage(runId: string, after: number): Promise<JournalEntry[]> {
    const { journal } = await this.#ask<{ journal: JournalEntry[] }>(
      "/v1/worker/journal-page",
      { runId, after },
      [this.#receipts.get(runId) ?? ""],
    );
    return journal;
  }

  #ask<Answer>(path: string, body: object, receipts: readonly string[]): Promise<Answer> {
    const [first = "", ...others] = receipts.map((receipt) => this.#tokens.get(receipt) ?? "");
    return this.#connection.ask<Answer>(path, {
      body: JSON.stringify(body),
      repeatable: true,
      headers: {
        authorization: `Bearer ${first}`,
        ...(others.length === 0 ? {} : { [LEASES_HEADER]: others.join(",") }),
      },
    });
  }
}

const inParts = <Item>(items: readonly Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / MOST_LEASES) }, (_, index) =>
    items.slice(index * MOST_LEASES, (index + 1) * MOST_LEASES),
  );
