/**
 * One delivery of one run: carries out the engine's effects, and reports their outcomes to the engine.
 *
 * Promises:
 *   X1  One loop advances the engine, and only after a change: a callback or a commit has an outcome, a deadline has
 *       passed, the body continues without a step, or the lease-keeper has news.
 *   X2  One commit at a time, so the positions in the journal are known.
 *   X3  A run that is lost or cancelled writes nothing more; the signal of its callbacks aborts, and their results are
 *       dropped.
 *   X4  A draining run calls no further callback. Once its callbacks have settled and are journaled, it is given back.
 *   X5  A commit that the database rejects for its data fails the run. Any other failure of Oxbow's own statements does
 *       not: once the commit's retries are over (C2 in run-commits.ts), the run is given back, and the delivery is not counted.
 *       The same goes for a run that can't be executed here, such as one whose values the codec doesn't decode: the
 *       reason is kept, and it is received again some seconds later.
 *   X6  A callback is called only while the lease certainly lasts. Once it may have expired, it is confirmed first.
 *   X7  A run that is cut off (another worker may have its lease) aborts the signal of its callbacks and drains. Until
 *       the database reports the lease lost, results of callbacks are still journaled; their errors are no attempts, and
 *       nothing that the body does counts (R18 in engine.ts).
 *   X8  A run that is cut short, because its worker has no more time, aborts and drains in the same way.
 *
 * `step-calls.ts` has the callbacks in progress, `tx-steps.ts` those of `step.tx`, `run-commits.ts` the commits.
 */
import { AsyncResource } from "node:async_hooks";
import type { Clock } from "../core/clock.ts";
import type { Codec } from "../core/codec.ts";
import { asReadable, fromErrorRecord, messageOf, toErrorRecord } from "../core/error-record.ts";
import { DeadlineExceeded, StepAbandoned } from "../core/errors.ts";
import type { Emitter } from "../core/events.ts";
import { startAwakeTimer } from "../async/awake-timer.ts";
import { LazyAbort } from "../async/lazy-abort.ts";
import { NEXT_TURN, NewsLoop, type Rest } from "../async/news-loop.ts";
import type { Turns } from "../async/turns.ts";
import type { Logger } from "../definition/context.ts";
import type { Workflow } from "../definition/workflow.ts";
import type { CommitResult, Known, Transition } from "../protocol/commit.ts";
import type { RunEnd } from "../protocol/local-workers.ts";
import type { ProgressReport, WorkerTransport, WorkflowDelivery } from "../protocol/worker.ts";
import type { Commit, StepCall, Turn } from "../replay/effects.ts";
import { Engine } from "../replay/engine.ts";
import type { Transport } from "../protocol/transport.ts";
import { blameFor } from "../protocol/blame.ts";
import type { Committer } from "./committer.ts";
import type { RunFacts, WorkerEvents } from "./events.ts";
import { runLogger } from "./run-log.ts";
import { RunCommits } from "./run-commits.ts";
import type { RunTracing } from "./run-tracing.ts";
import { type StartedCall, StepCalls } from "./step-calls.ts";
import { asRun } from "./stray-rejections.ts";
import { tracedRuns } from "./traced-runs.ts";
import { TxSteps } from "./tx-steps.ts";
import { awayMs } from "./unresolved-runs.ts";

/** A body that is busy with other work than steps for longer than this has departed from its journal. */
const REPLAY_GRACE_MS = 1_000;

/** The calls that the execution of runs makes. */
export interface ExecutingTransport extends Pick<Transport, "transaction"> {
  readonly worker: Pick<WorkerTransport, "commit" | "commitTx" | "heartbeat">;
}

export interface RunExecutorOptions {
  readonly definition: Workflow;
  readonly delivery: WorkflowDelivery;
  readonly clock: Clock;
  /** How long the worker repeats a commit that fails. */
  readonly leaseMs: number;
  /** Confirms the lease with the database, and extends it. */
  readonly confirmLease: () => void;
  /** Aborts when the worker closes its connections, or when the request that brought the run is over. */
  readonly closing: AbortSignal;
  readonly committer: Committer;
  /** In whose context the run is executed. */
  readonly turns: Turns;
  readonly transport: ExecutingTransport;
  readonly events: Emitter<WorkerEvents>;
  readonly logger: Logger | undefined;
  readonly codec: Codec | undefined;
  /** Called at most once: the run has committed for the first time since it was received. */
  readonly onProgress: () => void;
  /** Called with the end of the run once it is durable, or without one when the run leaves this worker. The first call counts. */
  readonly onEnd?: ((end?: RunEnd) => void) | undefined;
  /**
   * Whether a callback that may take so long, in milliseconds, or for any time, may begin now. One that may not begins
   * only on another worker. Default: always.
   */
  readonly mayBegin?: ((timeoutMs: number | undefined) => boolean) | undefined;
  /** Called when the run needs only callbacks that may not begin. */
  readonly onHeldUp?: (() => void) | undefined;
  /** A client of this process started the run, and leased it to the worker. */
  readonly isLocal: boolean;
  /** For the testing kit: after every commit, the run is given back and replays its journal. */
  readonly replaysEveryStep?: boolean | undefined;
}

export class RunExecutor {
  readonly runId: string;
  readonly receipt: string;
  readonly #options: RunExecutorOptions;
  readonly #engine: Engine;
  readonly #abort = new LazyAbort();
  /** Aborts when the run is dropped: its requests are not repeated. */
  readonly #dropped = new AbortController();
  readonly #loop: NewsLoop;
  /**
   * Context of the run's body and callbacks, whose promises belong to it, and whose `enterWith()` must not reach other
   * runs.
   */
  readonly #context = asRun(
    (reason) => this.#strayed(reason),
    () => new AsyncResource("oxbow.run"),
  );
  readonly #facts: RunFacts;
  readonly #tracing: RunTracing | undefined;
  readonly #calls: StepCalls;
  readonly #commits: RunCommits;
  #txSteps: TxSteps | undefined;
  /** The transition of the commit that is under way. */
  #committing: Transition["kind"] | undefined;
  #isDraining = false;
  #isDropped = false;
  #isCutOff = false;
  #isCutShort = false;
  /** X8: the reason why the run is given back, if steps were aborted. */
  #cutReason: ((steps: readonly string[]) => string) | undefined;
  /** Steps whose callbacks X8 has aborted. */
  readonly #abortedSteps = new Set<string>();
  /** There is a callback that may not begin here. */
  #hasTooLong = false;
  #leasedUntil = Number.NEGATIVE_INFINITY;
  /** They wait until the lease is confirmed. */
  #heldCalls: readonly StepCall[] = [];
  /** K6 in lease-keeper.ts. */
  #isHoldingCommits = false;
  #heldCommit: Commit | undefined;
  /** Set while the body is quiet and has not asked for the next step of its journal. */
  #stopGrace: (() => void) | undefined;
  /** Resolves `execute()`. */
  #onOver: (() => void) | undefined;
  /** The last commit about a run that leaves this worker: it failed, or it is given back. */
  #leaving: Promise<void> | undefined;

  constructor(options: RunExecutorOptions) {
    const { delivery, definition, clock, logger, codec, events, committer, leaseMs } = options;
    const onTrouble = this.#trouble.bind(this);
    this.runId = delivery.runId;
    this.receipt = delivery.receipt;
    this.#options = options;
    this.#loop = new NewsLoop(options.turns, () => this.#traced(() => this.#advance()));
    this.#facts = { workflow: delivery.name, version: delivery.version, runId: delivery.runId };
    const tracing = tracedRuns.module?.RunTracing.begin(delivery);
    this.#tracing = tracing;
    const ofRun = this.#abort;
    this.#calls = new StepCalls({ facts: this.#facts, events, tracing, ofRun });
    this.#engine = new Engine({
      definition,
      delivery,
      clock,
      random: Math.random,
      getSignal: () => ofRun.signal,
      onActivity: () => this.#loop.wakeSoon(),
      logger: logger && runLogger(logger, this.#facts, onTrouble),
      codec,
    });
    this.#commits = new RunCommits({
      delivery,
      committer,
      leaseMs,
      dropped: () => this.#dropped.signal,
      closing: options.closing,
      tracing,
      onProgress: options.onProgress,
      onGrown: (size) => events.emit("journalGrown", { ...size, ...this.#facts }),
      onTrouble,
    });
  }

  get known(): Known {
    return this.#commits.known;
  }

  /** The approximate size of its input and journal. */
  get bytes(): number {
    return this.#commits.bytes;
  }

  get lastCommitAt(): number {
    return this.#commits.lastAt;
  }

  /** The calls that have taken longer than this, as shown to users. */
  callsLongerThan(ms: number): ProgressReport["steps"] {
    return this.#calls.longerThan(ms);
  }

  /** Resolves once this worker is done with the delivery. Never rejects. */
  execute(): Promise<void> {
    const { attempt, journal } = this.#options.delivery;
    this.#options.events.emit("runReceived", {
      attempt,
      replayed: journal.length,
      isLocal: this.#options.isLocal,
      ...this.#facts,
    });
    return new Promise((resolve) => {
      this.#onOver = resolve;
      // The body begins here.
      this.#context.runInAsyncScope(() => this.#loop.wake());
    });
  }

  /** In the context of the run's spans. */
  #traced<Value>(work: () => Value): Value {
    return this.#tracing === undefined ? work() : this.#tracing.within(work);
  }

  /** One round of the loop (X1). */
  #advance(): Rest | typeof NEXT_TURN {
    try {
      if (this.#isAlive) {
        const turn = this.#engine.advance();
        if (turn === undefined) return NEXT_TURN;
        if (this.#isAlive) return this.#carryOut(turn);
      }
    } catch (error) {
      this.#refuse(error);
    }
    void this.#leave();
    return undefined;
  }

  /** This worker is done with the delivery. */
  async #leave(): Promise<void> {
    const onOver = this.#onOver;
    if (onOver === undefined) return;
    this.#onOver = undefined;
    this.#waitForBody(false);
    const over = (): Error => new Error(`Run ${this.runId} is over on this worker.`);
    this.#txSteps?.close(over());
    this.#abortAll(over);
    this.#tracing?.end("lost");
    await this.#leaving;
    this.#options.onEnd?.();
    onOver();
  }

  /** A buffered signal matches one of the run's waits. */
  signalled(): void {
    this.#engine.signalled();
    this.#loop.wakeSoon();
  }

  /** A promise of the run was rejected, and nothing awaits it. */
  #strayed(reason: unknown): void {
    const cause = toErrorRecord(reason);
    const message = `a promise was rejected that the run doesn't await: ${cause.message}`;
    const error = fromErrorRecord({ name: "UnhandledRejection", message, cause });
    if (this.#isAlive && this.#engine.strayed(error)) return;
    this.#trouble(
      `executing run ${this.runId} of "${this.#facts.workflow}", which has left this worker`,
      error,
    );
  }

  /** Time was skipped: a deadline may have passed. */
  look(): void {
    this.#loop.wakeSoon();
  }

  /** The lease is gone. If the commit under way ends it, the answer to that decides. */
  lost(reason: "lost" | "cancelled"): void {
    const endsLease = this.#committing !== undefined && this.#committing !== "keep";
    if (reason === "lost" && endsLease) return;
    this.#drop(reason);
  }

  /** The lease lasts at least until then, by `performance.now()`. */
  leasedUntil(endsAt: number): void {
    this.#leasedUntil = endsAt;
    if (this.#heldCalls.length > 0) this.#loop.wakeSoon();
    this.#commitHeld();
  }

  /** The next commit that keeps the lease waits until the lease is extended, so that there is a moment without a lock. */
  holdCommits(): void {
    this.#isHoldingCommits = !this.#isCutOff;
  }

  #commitHeld(): void {
    this.#isHoldingCommits = false;
    const commit = this.#heldCommit;
    this.#heldCommit = undefined;
    if (commit !== undefined && this.#isAlive) this.#submit(commit);
  }

  /** The lease has expired by this worker's clock, and the database doesn't respond: another worker may have the run. */
  cutOff(): void {
    if (!this.#isAlive || this.#isCutOff) return;
    this.#isCutOff = true;
    this.#commitHeld();
    this.#options.onEnd?.();
    const error = new Error("A lease is over, and the database does not confirm it.");
    this.#trouble("keeping leases: another worker may have their runs", error);
    this.#engine.cut();
    this.#abortAll(() => error);
    this.drain();
  }

  /**
   * X8.
   *
   * @param reasonFor Returns a sentence for the run's explanation, if these steps were aborted. Default: no sentence.
   */
  cutShort(reason: () => Error, reasonFor?: (steps: readonly string[]) => string): void {
    if (this.#isCutShort) return;
    this.#isCutShort = true;
    this.#cutReason = reasonFor;
    if (this.#isAlive) {
      this.#engine.cut();
      this.#abortAll(reason);
    }
    this.drain();
  }

  /** The run needs only callbacks that may not begin. */
  get isHeldUp(): boolean {
    return this.#hasTooLong && this.#isIdle;
  }

  /** Completes the callbacks in progress, then gives the run back. */
  drain(): void {
    this.#isDraining = true;
    if (this.#onOver !== undefined) this.#loop.wakeSoon();
  }

  /** The run was cancelled with rollback: aborts its callbacks, and gives it back for the rollback. */
  cancelling(): void {
    this.#engine.cancelling();
    this.#abortAll(() => new Error(`Run ${this.runId} was cancelled.`));
    this.drain();
  }

  /** Gives the run back immediately, whatever is in progress. Resolves when the database has the run. */
  async release(): Promise<void> {
    this.#commitHeld();
    if (this.#isAlive) this.#giveBack("released", this.#cutRefusal());
    await this.#leaving;
  }

  #cutRefusal(): { readonly reason?: string } {
    const steps = new Set([
      ...this.#abortedSteps,
      ...this.callsLongerThan(-1).map(({ step }) => step),
    ]);
    return this.#cutReason === undefined || steps.size === 0
      ? {}
      : { reason: this.#cutReason([...steps]) };
  }

  /** Gives a run back that this worker can't execute, for workers that can, and for a while (X5). */
  #refuse(error: unknown): void {
    if (!this.#isAlive) return;
    const { clock, delivery } = this.#options;
    const { name, version } = delivery;
    this.#trouble(
      `executing workflow "${name}" in version ${version}, whose runs are given back`,
      error,
    );
    this.#giveBack("released", {
      reason: messageOf(error).slice(0, 1_000),
      resumeAt: Math.ceil(clock.latest() + awayMs()),
    });
  }

  /** Drops the run and ends its lease, so that it is received again, without delay if this worker could execute it. */
  #giveBack(
    reason: "released" | "lost",
    refusal?: { readonly reason?: string; readonly resumeAt?: number },
  ): void {
    this.#drop(reason);
    this.#leaving = this.#commits.leave({ kind: "release", ...refusal }).then(
      () => {},
      () => {},
    );
  }

  get #isAlive(): boolean {
    return !this.#isDropped && this.#engine.state === "running";
  }

  #carryOut(turn: Turn): Rest {
    if (turn.isOverdue === true) this.#abortOverdue();
    for (const step of turn.aborts ?? []) this.#abandon(step);
    if (turn.commitTx !== undefined) this.#txSteps?.mayCommit(turn.commitTx);
    if (turn.commit !== undefined) this.#commit(turn.commit);
    if (!this.#isDraining) this.#begin(turn.calls);

    const isStalled = turn.stalled === true;
    if (isStalled || this.#stopGrace !== undefined) this.#waitForBody(isStalled);
    if (isStalled) return undefined;
    if (this.#isDraining && this.#isIdle) void this.release();
    else if (this.isHeldUp) this.#options.onHeldUp?.();
    const { wakeAt } = turn;
    return wakeAt === undefined ? undefined : wakeAt - this.#options.clock.now();
  }

  /** Nothing is in progress, also nothing that ended in this round and is not journaled yet. */
  get #isIdle(): boolean {
    const isCommitting = this.#committing !== undefined || this.#txSteps?.isCommitting === true;
    const isBusy = this.#calls.size > 0 || this.#engine.isValidating;
    return !isBusy && !isCommitting && !this.#loop.hasNews;
  }

  /** Aborts `ctx.signal` and the signals of all callbacks. */
  #abortAll(reason: () => Error): void {
    this.#abort.abort(reason);
    this.#calls.abort(reason);
  }

  /** The body has abandoned a step: aborts its callback, and no longer waits for it. */
  #abandon(step: string): void {
    const reason = new StepAbandoned({ runId: this.runId, step });
    this.#heldCalls = this.#heldCalls.filter(({ name }) => name !== step);
    this.#calls.abandon(step, reason);
    this.#txSteps?.abandon(step, reason);
  }

  #abortOverdue(): void {
    if (this.#abort.isAborted) return;
    const { runId } = this;
    this.#abortAll(() => new DeadlineExceeded(`The deadline of run ${runId} has passed.`));
  }

  /** A body that is still quiet after a moment has departed from its journal. */
  #waitForBody(isStalled: boolean): void {
    this.#stopGrace?.();
    this.#stopGrace = undefined;
    if (!isStalled) return;
    this.#stopGrace = startAwakeTimer(REPLAY_GRACE_MS, () => {
      this.#engine.diverged();
      this.#loop.wake();
    });
  }

  #begin(calls: readonly StepCall[]): void {
    if (this.#heldCalls.length > 0) {
      calls = [...this.#heldCalls, ...calls];
      this.#heldCalls = [];
    }
    // A callback may block the process: reads the clock before each.
    for (const [index, call] of calls.entries()) {
      if (performance.now() >= this.#leasedUntil) {
        this.#heldCalls = calls.slice(index);
        this.#options.confirmLease();
        return;
      }
      if (this.#options.mayBegin?.(call.timeoutMs) === false) this.#hasTooLong = true;
      else if (call.isTx) void this.#callTx(call);
      else this.#call(call);
    }
  }

  #call(call: StepCall): void {
    const started = this.#calls.start(call);
    try {
      const value = this.#context.runInAsyncScope(() => started.run());
      if (isThenable(value)) {
        Promise.resolve(value).then(
          (result) => this.#returned(call, started, result),
          (error: unknown) => this.#threw(call, started, error),
        );
      } else this.#returned(call, started, value);
    } catch (error) {
      this.#threw(call, started, error);
    }
  }

  #returned(call: StepCall, started: StartedCall, value: unknown): void {
    const { durationMs } = started;
    this.#ended(call, () => {
      this.#engine.stepSucceeded(call.name, value, durationMs);
      started.succeeded(durationMs);
    });
  }

  #threw(call: StepCall, started: StartedCall, error: unknown): void {
    this.#ended(call, () => this.#failed(call, started, asReadable(error)));
  }

  /** A fault in the report of an end must leave no call in progress for ever. */
  #ended(call: StepCall, report: () => void): void {
    try {
      report();
    } catch (error) {
      this.#refuse(error);
    } finally {
      this.#calls.end(call);
      this.#loop.wake();
    }
  }

  /** The callback runs in a transaction, which commits with its journal row once the engine allows it. */
  async #callTx(call: StepCall): Promise<void> {
    const started = this.#calls.start(call);
    try {
      this.#txSteps ??= this.#makeTxSteps();
      const end = await this.#txSteps.call(call, started);
      if (end.kind === "committed") {
        this.#mayReplay();
        started.succeeded(started.durationMs);
      } else if (end.kind === "threw") this.#failed(call, started, end.error);
      else started.hindered(end.error);
    } catch (error) {
      this.#refuse(error);
    } finally {
      this.#calls.end(call);
      this.#loop.wake();
    }
  }

  #makeTxSteps(): TxSteps {
    const { delivery, transport, leaseMs } = this.#options;
    return new TxSteps({
      runId: delivery.runId,
      receipt: delivery.receipt,
      transport,
      engine: this.#engine,
      commits: this.#commits,
      leaseMs,
      dropped: this.#dropped.signal,
      isAlive: () => this.#isAlive,
      mayCall: () => !this.#isDraining,
      within: (work) => this.#context.runInAsyncScope(work),
      onChange: () => this.#loop.wakeSoon(),
      onTrouble: (doing, error) => this.#trouble(doing, error),
      onGiveUp: () => void this.release(),
      onLost: (reason) => {
        if (reason === "cancelled") this.#drop(reason);
        else this.#giveBack(reason);
      },
    });
  }

  #failed({ name }: StepCall, started: StartedCall, error: unknown): void {
    const { durationMs } = started;
    if (this.#isCutOff || this.#isCutShort) {
      this.#abortedSteps.add(name);
      started.hindered(error);
      return;
    }
    this.#engine.stepFailed(name, error, durationMs);
    started.failed(error, durationMs);
  }

  #commit(commit: Commit): void {
    this.#committing = commit.transition.kind;
    if (this.#isHoldingCommits && commit.transition.kind === "keep") {
      this.#heldCommit = commit;
      this.#options.confirmLease();
    } else this.#submit(commit);
  }

  #submit(commit: Commit): void {
    this.#commits.submit(
      commit,
      (result) => this.#traced(() => this.#answered(commit, result)),
      (error) => void this.#traced(() => this.#refused(error)),
    );
  }

  #answered(commit: Commit, result: CommitResult): void {
    try {
      this.#committed(commit, result);
      this.#committing = undefined;
      this.#loop.wake();
    } catch (error) {
      void this.#refused(error);
    }
  }

  #committed(commit: Commit, { outcome, resolved }: CommitResult): void {
    if (outcome !== "ok") {
      this.#drop(outcome);
      return;
    }
    this.#engine.committed(resolved);
    this.#tracing?.committed(commit, resolved);
    if (commit.steps.length + resolved.length > 0) this.#mayReplay();
    this.#announce(commit.transition);
  }

  /** The journal has grown: for the testing kit, replays it. */
  #mayReplay(): void {
    if (this.#options.replaysEveryStep === true) this.drain();
  }

  #announce(transition: Commit["transition"]): void {
    const { events, onEnd } = this.#options;
    if (this.#engine.state === "suspended" && transition.kind === "suspend") {
      const { resumeAt } = transition;
      this.#tracing?.end("suspended");
      events.emit("runSuspended", {
        ...(resumeAt === undefined ? {} : { resumeAt }),
        ...this.#facts,
      });
    } else if (transition.kind === "retry") {
      const { error, resumeAt } = transition;
      this.#tracing?.end("failed", error);
      events.emit("runRetried", { error, resumeAt, ...this.#facts });
    } else if (transition.kind === "continue") {
      const { generation = 1 } = this.#options.delivery;
      this.#tracing?.end("continued");
      this.#tellUnawaited();
      events.emit("runContinued", { generation: generation + 1, ...this.#facts });
    } else if (transition.kind === "complete") {
      this.#tracing?.end("completed");
      onEnd?.({ status: "completed", output: transition.output });
      this.#tellUnawaited();
      events.emit("runCompleted", this.#facts);
    } else if (transition.kind === "cancel") {
      this.#tracing?.end("cancelled");
      onEnd?.({ status: "cancelled", error: transition.error });
      events.emit("runDropped", { reason: "cancelled", ...this.#facts });
    } else if (transition.kind === "fail") {
      this.#tracing?.end("failed", transition.error);
      onEnd?.({ status: "failed", error: transition.error });
      events.emit("runFailed", { error: transition.error, ...this.#facts });
    }
  }

  #tellUnawaited(): void {
    const steps = this.#engine.unawaited;
    if (steps.length > 0) this.#options.events.emit("stepsNotAwaited", { steps, ...this.#facts });
  }

  async #refused(refusal: unknown): Promise<void> {
    if (this.#isAlive) await this.#leaveBy(refusal);
    this.#committing = undefined;
    this.#loop.wake();
  }

  /** X5. */
  async #leaveBy(refusal: unknown): Promise<void> {
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
      const { outcome } = await this.#commits.leave({ kind: "fail", error });
      if (outcome !== "ok") return;
      this.#options.onEnd?.({ status: "failed", error });
      this.#options.events.emit("runFailed", { error, ...this.#facts });
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
    if (reason !== "failed") this.#options.onEnd?.();
    this.#tracing?.end(reason);
    this.#options.events.emit("runDropped", { reason, ...this.#facts });
    const how = reason === "failed" ? "dropped" : reason;
    this.#abortAll(() => new Error(`Run ${this.runId} was ${how}.`));
    this.#dropped.abort();
    this.#loop.wakeSoon();
  }
}

const isThenable = (value: unknown): boolean =>
  value !== null && (typeof value === "object" || typeof value === "function") && "then" in value;
