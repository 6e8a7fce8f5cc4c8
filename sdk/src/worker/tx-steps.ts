/**
 * The `step.tx` of one run: each callback runs in a separate transaction, which also journals the step.
 *
 * Promises:
 *   Y1  The callback's writes, what it streams and the journal row commit together, or neither does.
 *   Y2  A transaction that could not begin, could not be journaled, or was broken by the database is no attempt: the
 *       callback is called again, for as long as a lease lasts. See `hindranceIn`.
 *   Y3  After a COMMIT without an answer, the database reports whether the transaction has committed; the callback is
 *       not called again until then.
 *   Y4  A transaction commits only when the engine allows it, so that the journal keeps its order. One that is aborted
 *       before gives its turn up.
 *   Y5  A callback may set a role, which need not be able to journal: the step is journaled by that of the connection, and
 *       the transaction commits by the role of the callback.
 */
import { pauseMs } from "../core/retry-policy.ts";
import { asReadable } from "../core/error-record.ts";
import { StepTimeout } from "../core/errors.ts";
import { sleep } from "../async/sleep.ts";
import { blameFor, hindranceIn } from "../protocol/blame.ts";
import type { TransactionClient } from "../protocol/transaction.ts";
import type { Transport } from "../protocol/transport.ts";
import type { TxStepCommit, TxStepOutcome, WorkerTransport } from "../protocol/worker.ts";
import type { StepCall } from "../replay/effects.ts";
import type { Engine } from "../replay/engine.ts";
import type { RunCommits } from "./run-commits.ts";
import type { StartedCall } from "./step-calls.ts";
import { WatchedTransaction } from "./watched-transaction.ts";

/** How often, and how many times, the worker asks whether a transaction has committed. */
const LOOK_AGAIN_MS = 200;
const MOST_LOOKS = 100;

export interface TxStepsOptions {
  readonly runId: string;
  readonly receipt: string;
  readonly transport: Pick<Transport, "transaction"> & {
    readonly worker: Pick<WorkerTransport, "commitTx">;
  };
  readonly engine: Pick<
    Engine,
    "txBegins" | "txReady" | "txCommitted" | "txPutOff" | "txDecisions" | "txChunks"
  >;
  readonly commits: RunCommits;
  readonly leaseMs: number;
  readonly dropped: AbortSignal;
  readonly isAlive: () => boolean;
  readonly within: <Value>(work: () => Value) => Value;
  /** False while the run drains: callbacks are not called again. */
  readonly mayCall: () => boolean;
  /** A transaction waits for its turn to commit, or its turn is over. */
  readonly onChange: () => void;
  readonly onTrouble: (doing: string, error: unknown) => void;
  /** The step can't be journaled within this lease: another delivery must call it. */
  readonly onGiveUp: () => void;
  /** The journal differs from what this worker knows, or the run was cancelled. */
  readonly onLost: (reason: "lost" | "cancelled") => void;
}

/** How a call of `step.tx` ended. */
export type TxEnd =
  | { readonly kind: "committed" }
  /** Through its callback, or by its effect on the transaction. */
  | { readonly kind: "threw"; readonly error: unknown }
  /** Through the database. Passing: unless it fails for too long. */
  | { readonly kind: "hindered"; readonly error: unknown; readonly isPassing: boolean }
  /** The worker no longer has the run. */
  | { readonly kind: "over"; readonly error: unknown };

export class TxSteps {
  readonly #options: TxStepsOptions;
  /** Transactions whose callbacks have returned, and that wait for their turn to commit. */
  readonly #open = new Map<string, { resolve: () => void; reject: (error: unknown) => void }>();

  /** How many transactions have had their turn to commit, and have not ended. */
  #committing = 0;

  constructor(options: TxStepsOptions) {
    this.#options = options;
  }

  /** A transaction commits, perhaps one whose step was abandoned in the meantime. */
  get isCommitting(): boolean {
    return this.#committing > 0;
  }

  /** The engine allows a transaction to commit. */
  mayCommit(step: string): void {
    const open = this.#open.get(step);
    if (open !== undefined) {
      open.resolve();
      return;
    }
    // It was aborted while it waited.
    this.#options.engine.txPutOff();
    this.#options.onChange();
  }

  /** Rolls back the transaction of an abandoned step, if it waits to commit. */
  abandon(step: string, reason: Error): void {
    this.#open.get(step)?.reject(reason);
  }

  /** Rolls back the transactions that wait to commit. */
  close(reason: Error): void {
    for (const { reject } of this.#open.values()) reject(reason);
  }

  /** Calls a callback until its transaction commits, or fails through no fault of the database. */
  async call(call: StepCall, started: StartedCall): Promise<TxEnd> {
    const { leaseMs, dropped, isAlive, mayCall, onTrouble, onGiveUp } = this.#options;
    const giveUpAt = performance.now() + leaseMs;
    for (let tries = 1; ; tries += 1) {
      const end = await this.#callOnce(call, started);
      if (
        end.kind !== "hindered" ||
        !isAlive() ||
        !mayCall() ||
        started.signal.aborted ||
        started.isAbandoned
      ) {
        return end;
      }
      const { error } = end;
      onTrouble("carrying out transactions of steps", error);
      const delayMs = pauseMs(tries, Math.random());
      if (performance.now() + delayMs > giveUpAt) {
        if (end.isPassing) return { kind: "threw", error };
        onGiveUp();
        return end;
      }
      await sleep(delayMs, dropped);
    }
  }

  async #callOnce({ name, attempt }: StepCall, started: StartedCall): Promise<TxEnd> {
    const { transport, engine, commits, runId, receipt, isAlive, within, onLost } = this.#options;
    const startedAt = performance.now();
    const step = { runId, receipt, step: name, attempts: attempt };
    let watched: WatchedTransaction | undefined;
    let output: string | undefined;
    let outcome: TxStepOutcome | undefined;
    let isCommitting = false;
    let isOver = false;
    try {
      await transport.transaction(async (tx) => {
        const own = new WatchedTransaction(tx);
        watched = own;
        engine.txBegins(name);
        const value = await callReadably(() => within(() => started.run(own)));
        if (isOver || !isAlive()) throw new Error(`Run ${runId} is over on this worker.`);
        if (started.isAbandoned) throw started.signal.reason;
        output = engine.txReady(name, value);
        await this.#turnToCommit(name);
        isCommitting = true;
        this.#committing += 1;
        const durationMs = performance.now() - startedAt;
        const { txDecisions: decisions } = engine;
        const chunks = engine.txChunks(name);
        const journal = async (): Promise<void> => {
          outcome = await transport.worker.commitTx(
            {
              ...step,
              output,
              durationMs,
              known: commits.known,
              ...(decisions === undefined ? {} : { decisions }),
              ...(chunks.length === 0 ? {} : { chunks }),
            },
            tx,
          );
        };
        await (own.hasSetRole ? byRoleOfConnection(tx, journal) : journal());
        if (outcome !== "ok")
          throw new Error(`The commit of step "${name}" was answered ${outcome}.`);
      }, started.signal);
      this.#committed(name, output);
      return { kind: "committed" };
    } catch (error) {
      // The signal ends the transaction, but not the work in it.
      isOver = true;
      this.#open.get(name)?.reject(error);
      this.#open.delete(name);
      // COMMIT was sent, and failed, or its answer was lost.
      if (outcome === "ok") return await this.#settle(name, output, error, step);
      if (outcome !== undefined) {
        // The journal has this step with another output, which the next delivery returns.
        onLost(outcome === "cancelled" ? outcome : "lost");
        return { kind: "over", error };
      }
      if (isCommitting) engine.txPutOff();
      return whyFailed(error, watched, isCommitting);
    } finally {
      if (isCommitting) {
        this.#committing -= 1;
        this.#options.onChange();
      }
    }
  }

  #turnToCommit(name: string): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.#open.set(name, { resolve, reject });
      this.#options.onChange();
    }).finally(() => void this.#open.delete(name));
  }

  #committed(name: string, output: string | undefined): void {
    this.#options.commits.txCommitted(name);
    this.#options.engine.txCommitted(name, output);
  }

  /** Y3. */
  async #settle(
    name: string,
    output: string | undefined,
    error: unknown,
    step: LookedFor,
  ): Promise<TxEnd> {
    const { dropped, engine, isAlive, onGiveUp, onLost } = this.#options;
    let outcome = await this.#look(step);
    for (let tries = 0; outcome instanceof Error; tries += 1) {
      if (tries === MOST_LOOKS || !isAlive()) {
        // The journal of the next delivery shows the outcome.
        onGiveUp();
        return { kind: "over", error };
      }
      await sleep(LOOK_AGAIN_MS, dropped);
      outcome = await this.#look(step);
    }
    if (outcome === "repeated") {
      this.#committed(name, output);
      return { kind: "committed" };
    }
    if (outcome !== "ok") {
      onLost(outcome);
      return { kind: "over", error };
    }
    engine.txPutOff();
    return hinderedOr(error, hindranceIn(error));
  }

  /** Journals the step in a transaction that rolls back; `repeated` means that the step was journaled before. */
  async #look(step: LookedFor): Promise<TxStepOutcome | Error> {
    const { transport, commits } = this.#options;
    const found: TxStepOutcome[] = [];
    try {
      await transport.transaction(async (tx) => {
        found.push(
          await transport.worker.commitTx(
            { ...step, output: undefined, durationMs: 0, known: commits.known },
            tx,
          ),
        );
        throw new Error("Only to look.");
      });
    } catch (error) {
      return found[0] ?? (error instanceof Error ? error : new Error(String(error)));
    }
    throw new Error("A transaction that was rolled back has committed.");
  }
}

/** Calls a callback, whose error can then be read. */
async function callReadably(call: () => unknown): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    throw asReadable(error);
  }
}

/** Y5. */
async function byRoleOfConnection(tx: TransactionClient, work: () => Promise<void>): Promise<void> {
  const { rows } = await tx.query("select current_setting('role') as role", []);
  await tx.query("reset role", []);
  await work();
  const { role } = rows[0] as { readonly role: string };
  await tx.query("select set_config('role', $1, true)", [role]);
}

type LookedFor = Omit<TxStepCommit, "output" | "durationMs" | "known">;

/** Finds the statement that failed: the one that began the transaction, one of the callback, or the one that journals. */
function whyFailed(
  error: unknown,
  watched: WatchedTransaction | undefined,
  isCommitting: boolean,
): TxEnd {
  const isOurs = watched === undefined || (isCommitting && watched.failure === undefined);
  if (isOurs) {
    return blameFor(error) === "data"
      ? { kind: "threw", error }
      : { kind: "hindered", error, isPassing: false };
  }
  return hinderedOr(error, error instanceof StepTimeout ? "none" : hindranceIn(watched.failure));
}

const hinderedOr = (error: unknown, hindrance: ReturnType<typeof hindranceIn>): TxEnd =>
  hindrance === "none"
    ? { kind: "threw", error }
    : { kind: "hindered", error, isPassing: hindrance === "passing" };
