/**
 * One delivery of one run: carries out what the engine wants, and tells it what came of it.
 *
 * Promises:
 *   X1  The engine is polled by one loop, and only after something happened: a callback or a commit was answered,
 *       a deadline came, the body went on by itself, or the lease-keeper had news.
 *   X2  One commit at a time, so the journal's positions are known.
 *   X3  A run that is lost or cancelled writes nothing more; its callbacks' signal aborts, their answers are
 *       dropped.
 *   X4  A draining run calls nothing new. When its callbacks are done and journaled, it is given back.
 *   X5  A commit that the database refuses for the data in it fails the run. Any other failure of a statement that
 *       Oxbow made says nothing about the run: the commit is repeated, with back-off, for as long as a lease lasts.
 *       Then the run is given back, and the delivery is not counted.
 *   X6  A callback is called only while the lease certainly lasts. When it may be over, the lease is confirmed first.
 *   X7  A run that is cut off (its lease may be another worker's) aborts its callbacks' signal and drains. Until the
 *       database says otherwise, what its callbacks return is still journaled; what they throw is no attempt.
 *   X8  A `step.tx` whose transaction could not begin, could not be journaled, or was broken by the database is called
 *       again as the same attempt. See `hindranceIn`.
 */
import { linkSignals } from "../async/linked-signal.ts";
import { nextTurn } from "../async/next-turn.ts";
import { sleep } from "../async/sleep.ts";
import { unlessAborted } from "../async/unless-aborted.ts";
import { WakeUp } from "../async/wake-up.ts";
import { pauseMs } from "../core/backoff.ts";
import type { Clock } from "../core/clock.ts";
import type { Codec } from "../core/codec.ts";
import { toErrorRecord } from "../core/error-record.ts";
import { DeadlineExceeded, StepTimeout } from "../core/errors.ts";
import type { Emitter } from "../core/events.ts";
import type { Logger } from "../definition/context.ts";
import type { Workflow } from "../definition/workflow.ts";
import { blameFor, hindranceIn } from "../protocol/blame.ts";
import type { CommitResult, Known, RunCommit, Transition } from "../protocol/commit.ts";
import { askPersistently } from "../protocol/persistence.ts";
import type { Transport } from "../protocol/transport.ts";
import type {
  ProgressReport,
  TxStepCommit,
  TxStepOutcome,
  WorkflowDelivery,
} from "../protocol/worker.ts";
import type { Commit, StepCall } from "../replay/effects.ts";
import { Engine } from "../replay/engine.ts";
import { splitCommit } from "./commit-parts.ts";
import type { Committer } from "./committer.ts";
import type { RunFacts, WorkerEvents } from "./events.ts";
import { runLogger } from "./run-log.ts";
import { RunTracing, type StepTracing } from "./run-tracing.ts";
import { WatchedTransaction } from "./watched-transaction.ts";
import { setMaxListeners } from "node:events";

/** How long a body may be busy with something that isn't a step before its silence counts as a departure from its journal. */
const REPLAY_GRACE_MS = 1_000;

/** How often, and how many times, the database is asked whether a COMMIT came through whose answer was lost. */
const LOOK_AGAIN_MS = 200;
const MOST_LOOKS = 100;

export interface RunExecutorOptions {
  readonly definition: Workflow;
  readonly delivery: WorkflowDelivery;
  readonly clock: Clock;
  /** How long the worker keeps trying what the database does not let it do. */
  readonly leaseMs: number;
  /** Asks whether the lease is alive, and extends it. */
  readonly confirmLease: () => void;
  /** Aborts when the worker closes its connections. */
  readonly closing: AbortSignal;
  readonly committer: Committer;
  readonly transport: Pick<Transport, "transaction" | "worker">;
  readonly events: Emitter<WorkerEvents>;
  readonly logger: Logger | undefined;
  readonly codec: Codec | undefined;
  /** Called at most once: with its first commit since it was received, the run has made progress. */
  readonly onProgress: () => void;
  /** For the testing kit: whatever is journaled, the run is given back, and begins anew from its journal. */
  readonly replaysEveryStep: boolean;
}

export class RunExecutor {
  readonly #options: RunExecutorOptions;
  readonly #engine: Engine;
  readonly #abort = new AbortController();
  /** Aborts when the run is dropped: nothing is asked again on its behalf. */
  readonly #dropped = new AbortController();
  readonly #wakeUp = new WakeUp();
  readonly #facts: RunFacts;
  /** Transactions of `step.tx` whose callbacks have returned, and that wait for their turn to commit. */
  readonly #openTx = new Map<string, { resolve: () => void; reject: (error: Error) => void }>();
  readonly #tracing: RunTracing | undefined;
  #journaled: number;
  /** What shows that the last commit that was answered ok is still there. */
  #known: Known = {};
  /** Of the continuation that this delivery wrote last. */
  #revision: number;
  #bytes: number;
  /** The calls that are under way, by step. */
  readonly #calls = new Map<string, { readonly attempt: number; readonly startedAt: number }>();
  #isCommitting = false;
  #isDraining = false;
  #isDropped = false;
  #isCutOff = false;
  #leasedUntil = Number.NEGATIVE_INFINITY;
  /** They wait until the lease is confirmed. */
  #heldCalls: readonly StepCall[] = [];
  /** The last that this worker says of the run: that it failed, or that it is given back. */
  #leaving: Promise<void> | undefined;
  /** The first commit after a crash says that there is progress again, which ends the count of deliveries. */
  #hasCommitted: boolean;
  lastCommitAt = performance.now();

  constructor(options: RunExecutorOptions) {
    const { delivery, definition, clock, logger, codec } = options;
    this.#options = options;
    // Each of a thousand parallel callbacks may listen.
    setMaxListeners(0, this.#abort.signal);
    this.#facts = { workflow: delivery.name, version: delivery.version, runId: delivery.runId };
    this.#journaled = delivery.journal.length;
    this.#revision = delivery.continuation.revision ?? 0;
    this.#bytes = delivery.bytes ?? 0;
    this.#hasCommitted = delivery.attempt === 1;
    this.#tracing = RunTracing.begin(delivery);
    this.#engine = new Engine({
      definition,
      delivery,
      clock,
      random: Math.random,
      settle: nextTurn,
      signal: this.#abort.signal,
      onActivity: () => this.#wakeUp.now(),
      ...(logger === undefined ? {} : { logger: runLogger(logger, this.#facts) }),
      ...(codec === undefined ? {} : { codec }),
    });
  }

  get receipt(): string {
    return this.#options.delivery.receipt;
  }

  get known(): Known {
    return this.#known;
  }

  /** About how large its input and its journal are. */
  get bytes(): number {
    return this.#bytes;
  }

  get runId(): string {
    return this.#options.delivery.runId;
  }

  /** The calls that have taken longer than this, for people to see. */
  callsLongerThan(ms: number): ProgressReport["steps"] {
    const now = performance.now();
    return [...this.#calls]
      .map(([step, { attempt, startedAt }]) => ({ step, attempt, forMs: now - startedAt }))
      .filter(({ forMs }) => forMs > ms);
  }

  /** Resolves when this worker has nothing more to do with the delivery. Never rejects. */
  execute(): Promise<void> {
    return this.#tracing === undefined
      ? this.#execute()
      : this.#tracing.within(() => this.#execute());
  }

  async #execute(): Promise<void> {
    const { attempt } = this.#options.delivery;
    this.#options.events.emit("runReceived", {
      ...this.#facts,
      attempt,
      replayed: this.#journaled,
    });
    try {
      while (this.#isAlive) await this.#takeTurn();
    } catch (error) {
      this.#drop("failed");
      this.#options.events.emit("trouble", { doing: `executing run ${this.runId}`, error });
    }
    const over = new Error(`Run ${this.runId} is over on this worker.`);
    for (const { reject } of this.#openTx.values()) reject(over);
    this.#abort.abort(over);
    this.#tracing?.end("lost");
    await this.#leaving;
  }

  /** A buffered signal matches one of the run's waits. */
  signalled(): void {
    this.#engine.signalled();
    this.#wakeUp.now();
  }

  /** Time was skipped: a deadline may have passed. */
  look(): void {
    this.#wakeUp.now();
  }

  /** The lease is gone. */
  lost(reason: "lost" | "cancelled"): void {
    this.#drop(reason);
  }

  /** The lease lasts at least until then, by `performance.now()`. */
  leasedUntil(endsAt: number): void {
    this.#leasedUntil = endsAt;
    if (this.#heldCalls.length > 0) this.#wakeUp.now();
  }

  /** The lease is over by this worker's clock, and the database doesn't answer: another worker may have the run. */
  cutOff(): void {
    if (!this.#isAlive || this.#isCutOff) return;
    this.#isCutOff = true;
    const error = new Error("A lease is over, and the database does not confirm it.");
    this.#trouble("keeping leases: another worker may have their runs", error);
    this.#abort.abort(error);
    this.drain();
  }

  /** Finish what is running, then give the run back. */
  drain(): void {
    this.#isDraining = true;
    this.#wakeUp.now();
  }

  /** The run was cancelled with rollback: its callbacks are told, and it is given back to be rolled back. */
  cancelling(): void {
    this.#abort.abort(new Error(`Run ${this.runId} was cancelled.`));
    this.drain();
  }

  /** Give the run back now, whatever is running. Resolves when the database knows. */
  async release(): Promise<void> {
    if (this.#isAlive) {
      this.#drop("released");
      this.#leaving = this.#say({ kind: "release" }).then(
        () => {},
        () => {},
      );
    }
    await this.#leaving;
  }

  get #isAlive(): boolean {
    return !this.#isDropped && this.#engine.state === "running";
  }

  async #takeTurn(): Promise<void> {
    const turn = await this.#engine.poll();
    if (!this.#isAlive) return;
    if (turn.isOverdue === true) this.#abortOverdue();
    if (turn.commitTx !== undefined) this.#mayCommitTx(turn.commitTx);
    if (turn.commit !== undefined) void this.#commit(turn.commit);
    if (!this.#isDraining) this.#begin(turn.calls);

    if (turn.stalled === true) {
      await this.#waitForBody();
    } else if (this.#isDraining && this.#calls.size === 0 && !this.#isCommitting) {
      await this.release();
    } else {
      await this.#wakeUp.wait(
        turn.wakeAt === undefined ? undefined : turn.wakeAt - this.#options.clock.now(),
      );
    }
  }

  #abortOverdue(): void {
    if (this.#abort.signal.aborted) return;
    this.#abort.abort(new DeadlineExceeded(`The deadline of run ${this.runId} has passed.`));
  }

  async #waitForBody(): Promise<void> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#wakeUp.now();
    }, REPLAY_GRACE_MS);
    await this.#wakeUp.wait();
    clearTimeout(timer);
    if (isLate) this.#engine.diverged();
  }

  #begin(calls: readonly StepCall[]): void {
    const waiting = [...this.#heldCalls, ...calls];
    this.#heldCalls = [];
    // A callback may block the process, so the clock is read before each.
    for (const [index, call] of waiting.entries()) {
      if (performance.now() >= this.#leasedUntil) {
        this.#heldCalls = waiting.slice(index);
        this.#options.confirmLease();
        return;
      }
      void (call.isTx ? this.#callTx(call) : this.#call(call));
    }
  }

  // ── Callbacks ─────────────────────────────────────────────────────────────────────────────────────────────

  async #call(call: StepCall): Promise<void> {
    const { name, attempt, timeoutMs } = call;
    const { events } = this.#options;
    const span = this.#tracing?.call(call);
    const callback = span === undefined ? call.callback : within(span, call.callback);
    const startedAt = performance.now();
    this.#calls.set(name, { attempt, startedAt });
    events.emit("stepStarted", { ...this.#facts, step: name, attempt });
    try {
      const value = await (timeoutMs === undefined
        ? callback(this.#abort.signal)
        : this.#callWithin(timeoutMs, name, callback));
      const durationMs = performance.now() - startedAt;
      span?.succeed();
      this.#engine.stepSucceeded(name, value, durationMs);
      events.emit("stepSucceeded", { ...this.#facts, step: name, attempt, durationMs });
    } catch (error) {
      const durationMs = performance.now() - startedAt;
      span?.fail(error);
      if (this.#isCutOff) return;
      this.#engine.stepFailed(name, error, durationMs);
      events.emit("stepFailed", { ...this.#facts, step: name, attempt, durationMs, error });
    } finally {
      this.#calls.delete(name);
      this.#wakeUp.now();
    }
  }

  /** The callback in a transaction, which commits with the row of the journal when the engine says so. */
  async #callTx(call: StepCall): Promise<void> {
    const { name, attempt } = call;
    const { events } = this.#options;
    const span = this.#tracing?.call(call);
    const callback = span === undefined ? call.callback : within(span, call.callback);
    const startedAt = performance.now();
    this.#calls.set(name, { attempt, startedAt });
    events.emit("stepStarted", { ...this.#facts, step: name, attempt });
    try {
      const end = await this.#tryTx({ ...call, callback });
      const durationMs = performance.now() - startedAt;
      if (end.kind === "committed") {
        span?.succeed();
        events.emit("stepSucceeded", { ...this.#facts, step: name, attempt, durationMs });
      } else {
        const { error } = end;
        span?.fail(error);
        if (end.kind === "threw" && !this.#isCutOff) {
          this.#engine.stepFailed(name, error, durationMs);
          events.emit("stepFailed", { ...this.#facts, step: name, attempt, durationMs, error });
        }
      }
    } catch (error) {
      this.#drop("failed");
      this.#trouble(`committing step "${name}" of run ${this.runId}`, error);
    } finally {
      this.#calls.delete(name);
      this.#wakeUp.now();
    }
  }

  /** Until it has committed or failed by itself; for as long as a lease lasts it is the database that failed. */
  async #tryTx(call: StepCall): Promise<TxEnd> {
    const giveUpAt = performance.now() + this.#options.leaseMs;
    for (let tries = 1; ; tries += 1) {
      const end = await this.#tryTxOnce(call);
      const mayCallAgain = this.#isAlive && !this.#isDraining && !this.#abort.signal.aborted;
      if (end.kind !== "hindered" || !mayCallAgain) return end;
      const { error } = end;
      this.#trouble("carrying out transactions of steps", error);
      const delayMs = pauseMs(tries, Math.random());
      if (performance.now() + delayMs > giveUpAt) {
        if (end.isPassing) return { kind: "threw", error };
        void this.release();
        return end;
      }
      await sleep(delayMs, this.#dropped.signal);
    }
  }

  async #tryTxOnce({ name, attempt, timeoutMs, callback }: StepCall): Promise<TxEnd> {
    const { transport } = this.#options;
    const startedAt = performance.now();
    const step = { runId: this.runId, receipt: this.receipt, step: name, attempts: attempt };
    let watched: WatchedTransaction | undefined;
    let output: string | undefined;
    let outcome: TxStepOutcome | undefined;
    let isCommitting = false;
    try {
      await transport.transaction(async (tx) => {
        watched = new WatchedTransaction(tx);
        const value = await (timeoutMs === undefined
          ? callback(this.#abort.signal, watched as never)
          : this.#callWithin(timeoutMs, name, callback, watched));
        if (!this.#isAlive) throw new Error(`Run ${this.runId} is over on this worker.`);
        output = this.#engine.txReady(name, value);
        await this.#turnToCommit(name);
        isCommitting = true;
        this.#isCommitting = true;
        const durationMs = performance.now() - startedAt;
        outcome = await transport.worker.commitTx(
          { ...step, output, durationMs, known: this.#known },
          tx,
        );
        if (outcome !== "ok")
          throw new Error(`The commit of step "${name}" was answered ${outcome}.`);
      }, this.#abort.signal);
      this.#txCommitted(name, output);
      return { kind: "committed" };
    } catch (error) {
      if (outcome === "ok") {
        // COMMIT was sent, and its answer lost, or it failed: the database knows which.
        return await this.#settleTx(name, output, error, step);
      }
      if (outcome !== undefined) {
        // A row that is there already has another output: the next delivery brings it.
        this.#dropTx(outcome === "cancelled" ? outcome : "lost");
        return { kind: "over", error };
      }
      if (isCommitting) this.#engine.txPutOff();
      return whyTxFailed(error, watched, isCommitting);
    } finally {
      if (isCommitting) {
        this.#isCommitting = false;
        this.#wakeUp.now();
      }
    }
  }

  #turnToCommit(name: string): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.#openTx.set(name, { resolve, reject });
      this.#wakeUp.now();
    }).finally(() => void this.#openTx.delete(name));
  }

  #mayCommitTx(name: string): void {
    this.#openTx.get(name)?.resolve();
  }

  #txCommitted(name: string, output: string | undefined): void {
    this.#journaled += 1;
    this.#known = { step: name };
    this.#progressed();
    this.#engine.txCommitted(name, output);
    if (this.#options.replaysEveryStep) this.drain();
  }

  /** A lease that is still alive, though what its worker knows is lost, ends at once. */
  #dropTx(reason: "lost" | "cancelled"): void {
    this.#drop(reason);
    if (reason === "cancelled") return;
    this.#leaving = this.#say({ kind: "release" }).then(
      () => {},
      () => {},
    );
  }

  /** Journals the step in a transaction that does nothing else, and is rolled back: was it there before? */
  async #settleTx(
    name: string,
    output: string | undefined,
    error: unknown,
    step: Omit<TxStepCommit, "output" | "durationMs" | "known">,
  ): Promise<TxEnd> {
    let outcome = await this.#lookForTx(step);
    for (let tries = 0; outcome instanceof Error; tries += 1) {
      if (tries === MOST_LOOKS || !this.#isAlive) {
        // The journal of the next delivery shows it.
        void this.release();
        return { kind: "over", error };
      }
      await sleep(LOOK_AGAIN_MS, this.#dropped.signal);
      outcome = await this.#lookForTx(step);
    }
    if (outcome === "repeated") {
      this.#txCommitted(name, output);
      return { kind: "committed" };
    }
    if (outcome !== "ok") {
      this.#dropTx(outcome);
      return { kind: "over", error };
    }
    this.#engine.txPutOff();
    const hindrance = hindranceIn(error);
    return hindrance === "none"
      ? { kind: "threw", error }
      : { kind: "hindered", error, isPassing: hindrance === "passing" };
  }

  async #lookForTx(
    step: Omit<TxStepCommit, "output" | "durationMs" | "known">,
  ): Promise<TxStepOutcome | Error> {
    const { transport } = this.#options;
    const found: TxStepOutcome[] = [];
    try {
      await transport.transaction(async (tx) => {
        found.push(
          await transport.worker.commitTx(
            { ...step, output: undefined, durationMs: 0, known: this.#known },
            tx,
          ),
        );
        throw new Error("Only to look.");
      });
    } catch (error) {
      return found[0] ?? (error instanceof Error ? error : new Error(String(error)));
    }
    throw new Error("A transaction that was rolled back went through.");
  }

  /** The callback's signal aborts at the timeout; the step has failed then, whatever the callback does. */
  async #callWithin(
    timeoutMs: number,
    step: string,
    callback: StepCall["callback"],
    tx?: unknown,
  ): Promise<unknown> {
    const timeout = linkSignals([], {
      ms: timeoutMs,
      reason: new StepTimeout({ runId: this.runId, step, timeoutMs }),
    });
    const either = linkSignals([timeout.signal, this.#abort.signal]);
    try {
      const called = callback(either.signal, tx as never);
      return await unlessAborted(Promise.resolve(called), timeout.signal);
    } finally {
      either.unlink();
      timeout.unlink();
    }
  }

  // ── Commits ───────────────────────────────────────────────────────────────────────────────────────────────

  async #commit(commit: Commit): Promise<void> {
    this.#isCommitting = true;
    try {
      const { first, last } = splitCommit(commit);
      for (const part of first) {
        const { outcome } = await this.#submit(part);
        if (outcome !== "ok") {
          this.#drop(outcome);
          return;
        }
        this.#journalGrew(part.steps);
        const step = part.steps.at(-1)?.name;
        if (step !== undefined) this.#known = { step };
      }
      this.#committed(last, commit, await this.#submit(last));
    } catch (error) {
      await this.#refused(error);
    } finally {
      this.#isCommitting = false;
      this.#wakeUp.now();
    }
  }

  /** Asks for as long as a lease lasts, unless the run's own data is refused. */
  #submit(commit: RunChange): Promise<CommitResult> {
    const item = this.#toItem(commit);
    return askPersistently(() => this.#options.committer.submit(item), {
      forMs: this.#options.leaseMs,
      signal: this.#dropped.signal,
      onFailure: (error) => this.#trouble("committing runs", error),
    });
  }

  /** The last word about a run that is dropped: the database is asked until it answers, or the worker is gone. */
  #say(transition: Transition): Promise<CommitResult> {
    const item = this.#toItem({ steps: [], transition });
    return askPersistently(() => this.#options.committer.submit(item), {
      forMs: Number.POSITIVE_INFINITY,
      signal: this.#options.closing,
    });
  }

  #toItem({ steps, transition, state, stream, effects }: RunChange): RunCommit {
    const traced =
      effects === undefined || this.#tracing === undefined
        ? effects
        : this.#tracing.outgoing(effects);
    return {
      workflow: this.#facts.workflow,
      runId: this.runId,
      receipt: this.receipt,
      journaled: this.#journaled,
      known: this.#known,
      steps,
      transition,
      ...(writesContinuation(transition) ? { revision: this.#revision + 1 } : {}),
      ...(state === undefined ? {} : { state }),
      ...(stream === undefined ? {} : { stream }),
      ...(traced === undefined ? {} : { effects: traced }),
      restartsCount: !this.#hasCommitted,
    };
  }

  #journalGrew(steps: Commit["steps"]): void {
    this.#progressed();
    this.#journaled += steps.length;
    for (const { output } of steps) this.#bytes += output?.length ?? 0;
  }

  #committed(last: Commit, commit: Commit, { outcome, resolved }: CommitResult): void {
    const { steps, transition } = commit;
    if (outcome !== "ok") {
      this.#drop(outcome);
      return;
    }
    this.#journalGrew(last.steps);
    this.#journaled += resolved.length;
    if (writesContinuation(transition)) this.#revision += 1;
    this.#known = this.#writtenBy(last, resolved);
    this.#engine.committed(resolved);
    this.#tracing?.committed(commit, resolved);
    if (this.#options.replaysEveryStep && steps.length + resolved.length > 0) this.drain();
    this.#announce(transition);
  }

  #progressed(): void {
    this.lastCommitAt = performance.now();
    if (this.#hasCommitted) return;
    this.#hasCommitted = true;
    this.#options.onProgress();
  }

  #writtenBy({ steps, stream, transition }: Commit, resolved: CommitResult["resolved"]): Known {
    const step = resolved.at(-1)?.step ?? steps.at(-1)?.name;
    if (step !== undefined) return { step };
    const chunk = stream?.at(-1);
    if (chunk !== undefined) {
      return { chunk: { step: chunk.step, attempt: chunk.attempt, number: chunk.number } };
    }
    return writesContinuation(transition) ? { revision: this.#revision } : this.#known;
  }

  #announce(transition: Commit["transition"]): void {
    const { events } = this.#options;
    if (this.#engine.state === "suspended" && transition.kind === "suspend") {
      const { resumeAt } = transition;
      this.#tracing?.end("suspended");
      events.emit("runSuspended", {
        ...this.#facts,
        ...(resumeAt === undefined ? {} : { resumeAt }),
      });
    } else if (transition.kind === "retry") {
      const { error, resumeAt } = transition;
      this.#tracing?.end("failed", error);
      events.emit("runRetried", { ...this.#facts, error, resumeAt });
    } else if (transition.kind === "complete") {
      this.#tracing?.end("completed");
      events.emit("runCompleted", this.#facts);
    } else if (transition.kind === "cancel") {
      this.#tracing?.end("cancelled");
      events.emit("runDropped", { ...this.#facts, reason: "cancelled" });
    } else if (transition.kind === "fail") {
      this.#tracing?.end("failed", transition.error);
      events.emit("runFailed", { ...this.#facts, error: transition.error });
    }
  }

  async #refused(refusal: unknown): Promise<void> {
    if (!this.#isAlive) return;
    if (blameFor(refusal) !== "data") {
      await this.release();
      return;
    }
    this.#drop("failed");
    this.#trouble(`committing run ${this.runId}`, refusal);
    this.#leaving = this.#failBy(refusal);
    await this.#leaving;
  }

  async #failBy(refusal: unknown): Promise<void> {
    const error = toErrorRecord(refusal);
    try {
      const { outcome } = await this.#say({ kind: "fail", error });
      if (outcome === "ok") this.#options.events.emit("runFailed", { ...this.#facts, error });
    } catch (again) {
      this.#trouble(`failing run ${this.runId}`, again);
    }
  }

  #trouble(doing: string, error: unknown): void {
    this.#options.events.emit("trouble", { doing, error });
  }

  #drop(reason: "lost" | "cancelled" | "released" | "failed"): void {
    if (this.#isDropped || this.#engine.state !== "running") return;
    this.#isDropped = true;
    this.#tracing?.end(reason);
    this.#options.events.emit("runDropped", { ...this.#facts, reason });
    this.#abort.abort(
      new Error(`Run ${this.runId} was ${reason === "failed" ? "dropped" : reason}.`),
    );
    this.#dropped.abort();
    this.#wakeUp.now();
  }
}

const writesContinuation = (transition: Transition): boolean =>
  "continuation" in transition && transition.continuation !== undefined;

/** What a commit carries, the transitions of a worker included. */
type RunChange = Omit<Commit, "transition"> & { readonly transition: Transition };

/** How a call of `step.tx` ended. */
type TxEnd =
  | { readonly kind: "committed" }
  /** By its callback, or by what that did to the transaction. */
  | { readonly kind: "threw"; readonly error: unknown }
  /** By the database. Passing: unless it happens for too long. */
  | { readonly kind: "hindered"; readonly error: unknown; readonly isPassing: boolean }
  /** The run is no longer this worker's. */
  | { readonly kind: "over"; readonly error: unknown };

/** Whose statement failed: the one that opened the transaction, one of the callback, or the one that journals. */
function whyTxFailed(
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
  const hindrance = error instanceof StepTimeout ? "none" : hindranceIn(watched.failure);
  return hindrance === "none"
    ? { kind: "threw", error }
    : { kind: "hindered", error, isPassing: hindrance === "passing" };
}

/** What the callback traces is beneath the span of its call. */
const within =
  (span: StepTracing, callback: StepCall["callback"]): StepCall["callback"] =>
  (signal, tx) =>
    span.within(() => callback(signal, tx));
