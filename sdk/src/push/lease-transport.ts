/**
 * The calls of a worker for runs that were pushed to it: each goes to the server, with the lease tokens of its runs.
 *
 * A run whose request is over has no token any more, and one without a token would have the server refuse all that share
 * its request. So nothing is asked about such a run: it is lost.
 */
import { InvalidArgument } from "../core/errors.ts";
import type { BusyCommit, CommitResult, RunCommit } from "../protocol/commit.ts";
import type { JournalEntry } from "../protocol/journal.ts";
import { LEASES_HEADER } from "../protocol/lease-token.ts";
import type {
  LeaseClaim,
  LeaseNotice,
  ProgressReport,
  WorkerTransport,
} from "../protocol/worker.ts";
import { HttpConnection } from "../transport/http/connection.ts";
import type { ExecutingTransport } from "../worker/run-executor.ts";

/** A token has about 175 bytes, and proxies such as nginx accept a header of 8 kB. */
const LEASES_A_REQUEST = 40;

const NO_TX =
  "step.tx needs a database connection: give createHandler() the `url` of the database, or use step.run with an idempotent callback.";

/** The calls of a function for the runs that it executes. */
export interface PushedTransport extends ExecutingTransport {
  readonly worker: ExecutingTransport["worker"] &
    Pick<WorkerTransport, "getJournalPage" | "reportProgress">;
}

export class LeaseTransport implements PushedTransport {
  readonly #connection: HttpConnection;
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
    const answers = new Map<RunCommit, CommitResult | BusyCommit>(
      items.map((item) => [item, { ...lost(item.receipt, item.runId), resolved: [] }]),
    );
    await this.#inParts(items, async (part, receipts) => {
      const { results } = await this.#ask<{ results: (CommitResult | BusyCommit)[] }>(
        "/v1/worker/commit",
        { items: part, skipLocked: true },
        receipts,
      );
      for (const [index, item] of part.entries()) {
        const result = results[index];
        if (result !== undefined) answers.set(item, result);
      }
    });
    return [...answers.values()];
  }

  async #heartbeat(leases: readonly LeaseClaim[], leaseMs: number | null): Promise<LeaseNotice[]> {
    const all: LeaseNotice[] = leases
      .filter(({ receipt }) => !this.#tokens.has(receipt))
      // Receipts identify the notices.
      .map(({ receipt }) => lost(receipt, ""));
    await this.#inParts(leases, async (part, receipts) => {
      const known = part.map((claim) => claim.known ?? {});
      const { notices } = await this.#ask<{ notices: LeaseNotice[] }>(
        "/v1/worker/heartbeat",
        { receipts, known, leaseMs },
        receipts,
      );
      all.push(...notices);
    });
    return all;
  }

  #reportProgress(worker: string, reports: readonly ProgressReport[]): Promise<void> {
    return this.#inParts(reports, (part, receipts) =>
      this.#ask("/v1/worker/progress", { worker, reports: part }, receipts),
    );
  }

  async #getJournalPage(runId: string, after: number): Promise<JournalEntry[]> {
    const { journal } = await this.#ask<{ journal: JournalEntry[] }>(
      "/v1/worker/journal-page",
      { runId, after },
      [this.#receipts.get(runId) ?? ""],
    );
    return journal;
  }

  /** Asks about the items that have a token, as many at a time as a header has room for tokens. */
  async #inParts<Item extends { readonly receipt: string }>(
    items: readonly Item[],
    ask: (part: readonly Item[], receipts: readonly string[]) => Promise<unknown>,
  ): Promise<void> {
    const open = items.filter(({ receipt }) => this.#tokens.has(receipt));
    const asked: Promise<unknown>[] = [];
    for (let start = 0; start < open.length; start += LEASES_A_REQUEST) {
      const part = open.slice(start, start + LEASES_A_REQUEST);
      const receipts = part.map(({ receipt }) => receipt);
      asked.push(ask(part, receipts));
    }
    await Promise.all(asked);
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

const lost = (receipt: string, runId: string) => ({ receipt, runId, outcome: "lost" }) as const;
