/**
 * The replay engine: one delivery of one run, as a state machine without IO. A body, its journal and a clock go
 * in; what to call, to commit and to wait for comes out. It decides what the body may see, and when. Who calls
 * callbacks, talks to the database and keeps time is the executor:
 *
 *     poll → Turn → carry it out → tell what came of it (stepSucceeded, stepFailed, committed, …) → poll → …
 *
 * Promises:
 *   R1  A step that has no outcome is a promise that stays pending. Nothing is thrown through the body to steer
 *       it, and no rejection of a promise made here is ever unhandled.
 *   R2  One outcome at a time is handed to the body, and the next only when the body is quiet. Their order is the
 *       order of the journal, so a race has the same winner in the first run and on every replay.
 *   R3  The journal comes first: its entries are handed over strictly in order, each once the body has asked for
 *       it. While one is left, no callback is called and nothing is committed. A body that is quiet without
 *       asking for the next one is `stalled`.
 *   R4  The body sees values and errors as the journal has them, never as a callback returned or threw them.
 *   R5  An outcome is handed over at once, and its record travels with what the body does next. A callback is
 *       called only when every outcome that the body had when it asked for it is durable.
 *   R6  One commit at a time. In one that carries event waits the database may journal some of them; these come
 *       before whatever finishes meanwhile, so outcomes are held back until it is answered.
 *   R7  When every branch is asleep, waiting or backing off, the run is suspended until the earliest deadline.
 *   R8  A deadline is set once. A wait or a failed attempt that is new, and one that is over, goes into the next
 *       commit; no callback is called again before its last failure is durable.
 *   R9  The database alone decides between a signal and a timeout. An event wait whose deadline has passed is
 *       submitted to it, and later deadlines wait for its answer.
 *   R10 The end of the body is the end of the run. A step name used twice, or a departure from the journal, ends
 *       it too, whatever the body catches. From then on nothing is accepted, and no step comes to anything.
 *   R11 What the body sets and streams goes with the next commit; a chunk causes one. A replay leaves out what a
 *       journaled step has taken along, and gives the rest again, for the database to compare.
 *   R12 A run whose body threw, or that was cancelled with rollback, first rolls back what its completed steps did.
 *       Callbacks that are being called come back before that, and are journaled; nothing else is begun. A body
 *       that departs from its journal rolls nothing back: its code is to be repaired, and the run retried.
 *   R13 A run whose workflow retries runs, and whose body threw, is given another attempt instead of rollbacks and a
 *       failure, once the callbacks that are being called have come back and are journaled.
 *   R14 From the deadline of the run on, nothing is handed over or called. The next commit fails the run, and journals
 *       what has been handed over before. Nothing is rolled back, and a rollback that is under way ends there.
 *
 * Gives up: what a body awaits besides steps is invisible here. It works when it is all that the body awaits, and
 * is cut short when every other branch is blocked.
 */
import { type CallbackScope, currentScope } from "../async/callback-scope.ts";
import type { Clock } from "../core/clock.ts";
import { type Codec, decodeInput } from "../core/codec.ts";
import { toErrorRecord } from "../core/error-record.ts";
import { type OxbowError, StepFailed } from "../core/errors.ts";
import { toJournal } from "../core/json.ts";
import { validate } from "../core/schema.ts";
import type { Logger } from "../definition/context.ts";
import type { Workflow } from "../definition/workflow.ts";
import type {
  ErrorRecord,
  JournalEntry,
  ResolvedWait,
  Retry,
  Wait,
  WorkflowDelivery,
} from "../protocol/messages.ts";
import { Body } from "./body.ts";
import { makeContext } from "./context.ts";
import type { Commit, Turn } from "./effects.ts";
import { Journal } from "./journal.ts";
import { Ledger } from "./ledger.ts";
import { Pending } from "./pending.ts";
import { retryDelayMs } from "./retry.ts";
import { Rollbacks } from "./rollbacks.ts";
import { Schedule } from "./schedule.ts";
import type { AskedStep, Outcome, StepHost } from "./steps/asked-step.ts";
import { withoutWrongTimes } from "./wrong-times.ts";
import { StateWrites } from "./state-writes.ts";
import { StreamWrites } from "./stream-writes.ts";
import { RunStep } from "./steps/run.ts";

export interface EngineOptions {
  readonly definition: Workflow;
  readonly delivery: Pick<
    WorkflowDelivery,
    | "runId"
    | "version"
    | "attempt"
    | "input"
    | "journal"
    | "continuation"
    | "startedAt"
    | "schedule"
    | "failureOf"
    | "retried"
    | "deadline"
  >;
  readonly clock: Clock;
  /** From 0 to 1, for the jitter of backoffs. */
  readonly random: () => number;
  /** Resolves when all microtasks have drained. */
  readonly settle: () => Promise<void>;
  /** For `ctx.signal`. */
  readonly signal: AbortSignal;
  /** Where `ctx.logger` writes to; default nowhere. */
  readonly logger?: Logger;
  readonly codec?: Codec;
  /** The body went on by itself, because it awaited something that is not a step: poll. */
  readonly onActivity?: () => void;
}

/** What decides on another attempt: of a step, what its last call threw. */
const reasonOf = (error: unknown): unknown =>
  error instanceof StepFailed && error.cause !== undefined ? error.cause : error;

const NOTHING: Turn = { calls: [] };

export class Engine {
  readonly #options: EngineOptions;
  readonly #clock: Clock;
  readonly #journal: Journal;
  readonly #body: Body;
  readonly #schedule = new Schedule();
  readonly #pending: Pending;
  readonly #ledger = new Ledger();
  readonly #stateWrites: StateWrites;
  readonly #streamWrites: StreamWrites;
  readonly #rollbacks: Rollbacks;
  #isRollingBack = false;
  /** When the run is tried again instead of being rolled back. */
  #retryAt: number | undefined;
  /** Those whose callbacks have returned, and that wait for their turn to commit. */
  readonly #readyTx: string[] = [];
  #state: "running" | "suspended" | "ended" = "running";
  #isPolling = false;
  /** The body may be doing something: wait for it to be quiet. */
  #isRestless = false;
  /** How many outcomes the body has been handed. */
  #outcomes = 0;
  /** It has done again all that it had done in earlier deliveries. */
  #hasCaughtUp = false;

  constructor(options: EngineOptions) {
    const { runId, journal, continuation } = options.delivery;
    this.#options = options;
    // Whole milliseconds, as deadlines have them in the database.
    this.#clock = {
      now: () => Math.floor(options.clock.now()),
      latest: () => Math.ceil(options.clock.latest()),
    };
    this.#journal = new Journal(journal);
    this.#pending = new Pending(withoutWrongTimes(continuation, this.#clock.latest()));
    this.#rollbacks = new Rollbacks(runId, this.#journal);
    this.#stateWrites = new StateWrites(this.#journal, options.codec);
    this.#streamWrites = new StreamWrites(this.#journal, options.codec);
    this.#body = new Body({
      runId,
      journal: this.#journal,
      onActivity: () => this.#noteActivity(),
    });
  }

  /** `suspended` and `ended` are final, for this delivery. */
  get state(): "running" | "suspended" | "ended" {
    return this.#state;
  }

  /** Why the run fails whatever the body does: a step name used twice, or a departure from the journal (R10). */
  get fault(): OxbowError | undefined {
    return this.#body.fault;
  }

  /** Steps that the body has asked for, and that have no outcome. */
  get openSteps(): readonly Pick<AskedStep, "name" | "kind">[] {
    return this.#body.openSteps;
  }

  /** What the run waited for and retried when it was delivered, and the body has not asked for. */
  get forgotten(): readonly (Wait | Retry)[] {
    return this.#pending.unclaimed;
  }

  /**
   * Lets the body run until it is quiet, and answers what the run wants. Not to be called again before it
   * resolves. Rejects only when the codec fails to decode: the delivery can't go on then.
   */
  async poll(): Promise<Turn> {
    if (this.#isPolling) throw new Error("poll() was called again before it resolved.");
    this.#isPolling = true;
    try {
      if (!this.#body.isStarted) this.#startBody();
      do await this.#quiet();
      while (this.#handOverNext());
    } finally {
      this.#isPolling = false;
    }
    return this.#turn();
  }

  /** A callback returned, or its promise was fulfilled. Ignored unless it had been called and not answered. */
  stepSucceeded(name: string, value: unknown, durationMs: number): void {
    this.#answeredStep(name)?.succeeded(value, durationMs);
  }

  /** A callback threw, or did not finish in time. Ignored unless it had been called and not answered. */
  stepFailed(name: string, error: unknown, durationMs: number): void {
    const step = this.#answeredStep(name);
    // What the end of the body left behind is not tried again.
    if (this.#isRollingBack && step?.kind !== "rollback") return;
    step?.failed(error, durationMs);
  }

  /** The callback of a `step.tx` has returned: its output, as it is to be journaled. It commits when it is told to. */
  txReady(name: string, value: unknown): string | undefined {
    const step = this.#body.step(name);
    if (!(step instanceof RunStep)) return undefined;
    const text = step.toText(value);
    this.#readyTx.push(name);
    return text;
  }

  /** The transaction of a `step.tx` is durable, with its row of the journal. */
  txCommitted(name: string, output: string | undefined): void {
    this.#answeredStep(name);
    const payload = output === undefined ? {} : { payload: JSON.parse(output) as unknown };
    this.committed([{ step: name, kind: "tx", ...payload }]);
  }

  /** It is not, though it was told to commit: it fails, or becomes ready again. */
  txPutOff(): void {
    this.#ledger.answer();
  }

  /** The outstanding commit is durable, and resolved these event waits, in the order of the journal. */
  committed(resolved: readonly ResolvedWait[]): void {
    const transition = this.#ledger.answer();
    if (transition === "complete" || transition === "fail" || transition === "cancel") {
      this.#leave("ended");
    } else if (transition === "retry" || (transition === "suspend" && resolved.length === 0)) {
      this.#leave("suspended");
    }
    for (const { step, kind = "wait", payload, error } of resolved) {
      const outcome = error === undefined ? { output: payload } : { error };
      this.#journal.append({ name: step, kind, attempts: 1, ...outcome });
    }
  }

  /** A signal is there for one of the event waits (a lease notice): the next commit is to take it. */
  signalled(): void {
    this.#pending.offerWaits();
  }

  /** A stalled body has had its time: the next turn fails the run, unless the body has gone on after all. */
  diverged(): void {
    this.#body.diverge();
  }

  #leave(state: "suspended" | "ended"): void {
    this.#state = state;
    this.#body.drop();
  }

  // ── The body ──────────────────────────────────────────────────────────────────────────────────────────────

  #startBody(): void {
    const { definition, delivery, codec } = this.#options;
    const given =
      codec === undefined
        ? delivery.input
        : decodeInput(codec, delivery.input, delivery.failureOf !== undefined);
    const context = makeContext(this.#options, {
      host: this.#makeHost(),
      ask: (name, create, isOurs) => this.#body.ask(name, create, isOurs),
      hasPassed: (name) =>
        this.#journal.get(name) === undefined &&
        (this.#journal.next !== undefined || this.#pending.hasUnclaimed),
      isRepeating: () => this.#isRepeating,
      set: (key, value) => this.#stateWrites.set(key, value),
      write: (value) => {
        this.#streamWrites.write(value, this.#currentCall, this.#outcomes);
        this.#options.onActivity?.();
      },
    });
    this.#isRestless = true;
    this.#body.start(async () => {
      const input =
        definition.input === undefined
          ? given
          : await validate(definition.input, given, `input of workflow "${definition.name}"`);
      return definition.run(context as never, input as never);
    });
  }

  /** Also of what was not journaled, but pending, when the run was left. */
  get #isRepeating(): boolean {
    return !this.#hasCaughtUp && (this.#journal.isReplaying || this.#pending.hasUnclaimed);
  }

  /** The callback of this run that the code is in which asks; undefined: the body. */
  get #currentCall(): CallbackScope | undefined {
    const scope = currentScope();
    return scope?.runId === this.#options.delivery.runId ? scope : undefined;
  }

  #noteActivity(): void {
    this.#isRestless = true;
    if (!this.#isPolling) this.#options.onActivity?.();
  }

  async #quiet(): Promise<void> {
    if (!this.#isRestless) return;
    await this.#options.settle();
    this.#isRestless = false;
  }

  // ── Outcomes, to the body ─────────────────────────────────────────────────────────────────────────────────

  /** Hands over one outcome, if there is one and it may be (R2). */
  #handOverNext(): boolean {
    if (this.#isOverdue) return false;
    if (this.#isRollingBack) return this.#takeRollback();
    if (this.#body.isOver || this.#state !== "running") return false;
    const entry = this.#journal.next;
    if (entry !== undefined) return this.#handOverEntry(entry);
    return this.#isCancelled ? false : this.#handOverArrival();
  }

  #handOverEntry(entry: JournalEntry): boolean {
    const step = this.#body.step(entry.name);
    if (step === undefined) return false;
    this.#journal.advance();
    this.#handOver(step, entry);
    return true;
  }

  #handOverArrival(): boolean {
    if (this.#ledger.mayJournalWaits) return false;
    const arrival = this.#schedule.takeArrival(this.#clock.now());
    if (arrival === undefined) return false;
    this.#ledger.add(arrival.record);
    this.#handOver(arrival.step, arrival.outcome);
    return true;
  }

  #handOver(step: AskedStep, outcome: Outcome): void {
    this.#outcomes += 1;
    this.#isRestless = true;
    this.#body.close();
    if (step instanceof RunStep) this.#rollbacks.note(step, outcome);
    step.end(outcome);
  }

  #answeredStep(name: string): RunStep | undefined {
    const step = this.#rollbacks.current(name) ?? this.#body.step(name);
    if (!(step instanceof RunStep) || !step.isRunning) return undefined;
    this.#schedule.answered();
    return step;
  }

  // ── Rollback ──────────────────────────────────────────────────────────────────────────────────────────────

  get #isCancelled(): boolean {
    return this.#options.delivery.continuation.cancelled !== undefined;
  }

  /** The body is over by an error, or is to be, and there is something to roll back (R12) or another attempt (R13). */
  get #mayRollBack(): boolean {
    if (this.#body.fault !== undefined) return false;
    if (this.#isCancelled) return true;
    if (this.#body.ending?.kind !== "threw") return false;
    return !this.#rollbacks.isEmpty || this.#body.hasRollbacks || this.#retryDelayMs !== undefined;
  }

  /** After which the run is tried again; undefined: it is over (R13). */
  get #retryDelayMs(): number | undefined {
    const { definition, delivery, random } = this.#options;
    const { ending } = this.#body;
    if (definition.runRetry === undefined || this.#isCancelled || ending?.kind !== "threw")
      return undefined;
    // It had been decided before a crash.
    if (this.#journal.next?.kind === "rollback") return undefined;
    const attempts = (delivery.retried ?? 0) + 1;
    return retryDelayMs(reasonOf(ending.error), attempts, definition.runRetry, random);
  }

  #beginRollback(): void {
    this.#isRollingBack = true;
    const delayMs = this.#retryDelayMs;
    if (delayMs !== undefined) this.#retryAt = Math.ceil(this.#clock.latest() + delayMs);
    this.#hasCaughtUp = true;
    this.#body.drop();
    for (let entry = this.#journal.next; entry !== undefined; entry = this.#journal.next) {
      this.#journal.advance();
      const step = this.#body.step(entry.name);
      if (step instanceof RunStep) this.#rollbacks.note(step, entry);
    }
    this.#schedule.abandon();
    this.#pending.abandon();
  }

  /** Journals what has finished: a callback that the end of the body left behind, or a rollback. */
  #takeRollback(): boolean {
    if (this.#state !== "running") return false;
    const arrival = this.#schedule.takeArrival(this.#clock.now());
    if (arrival === undefined) return false;
    const { step, outcome, record } = arrival;
    if (!(step instanceof RunStep)) return true;
    this.#ledger.add(record);
    if (step.kind === "rollback") this.#rollbacks.ended(step, outcome);
    else this.#rollbacks.note(step, outcome);
    return true;
  }

  #turnOfRollback(): Turn {
    if (this.#ledger.isSuspending) return NOTHING;
    if (this.#schedule.isQuiet && (this.#retryAt !== undefined || !this.#rollbacks.goOn())) {
      return this.#ledger.isIdle
        ? { calls: [], commit: this.#withOutput(this.#endRolledBack()) }
        : NOTHING;
    }
    return this.#turnOfSteps(true);
  }

  #endRolledBack(): Commit {
    const { runId, continuation } = this.#options.delivery;
    const { ending } = this.#body;
    if (continuation.cancelled === undefined) {
      const error = toErrorRecord(ending?.kind === "threw" ? ending.error : undefined);
      if (this.#retryAt !== undefined)
        return this.#ledger.send({ kind: "retry", error, resumeAt: this.#retryAt });
      return this.#ledger.send({ kind: "fail", error: this.#rollbacks.errorOf(error) });
    }
    return this.#cancel({
      name: "RunCancelled",
      code: "RUN_CANCELLED",
      message: continuation.cancelled.reason ?? `run ${runId} was cancelled`,
    });
  }

  #cancel(error: ErrorRecord): Commit {
    return this.#ledger.send({ kind: "cancel", error: this.#rollbacks.errorOf(error) });
  }

  // ── What the run wants ────────────────────────────────────────────────────────────────────────────────────

  #turn(): Turn {
    if (this.#state !== "running") return NOTHING;
    if (this.#isOverdue) return this.#turnOfDeadline();
    if (this.#isRollingBack) return this.#turnOfRollback();
    const { next } = this.#journal;
    const isAtEnd = this.#body.isOver || next === undefined || next.kind === "rollback";
    if (isAtEnd && (this.#isCancelled || this.#body.isOver) && this.#mayRollBack) {
      if (!this.#ledger.isIdle) return NOTHING;
      this.#beginRollback();
      while (this.#takeRollback());
      return this.#turnOfRollback();
    }
    if (this.#body.isOver) {
      return this.#ledger.isIdle ? { calls: [], commit: this.#withOutput(this.#end()) } : NOTHING;
    }
    if (next !== undefined) return { calls: [], stalled: true };
    if (!this.#hasCaughtUp) this.#catchUp();
    if (this.#ledger.isSuspending) return NOTHING;
    return this.#turnOfSteps(this.#body.hasOpenSteps);
  }

  /** A body that is over ends the run by itself, unless it is to be rolled back first. */
  get #isOverdue(): boolean {
    const { deadline } = this.#options.delivery;
    if (deadline === undefined || this.#clock.now() < deadline) return false;
    return !this.#body.isOver || this.#mayRollBack;
  }

  #turnOfDeadline(): Turn {
    const { runId, deadline = 0 } = this.#options.delivery;
    if (!this.#ledger.isIdle) return { calls: [], isOverdue: true };
    const commit = this.#ledger.send({
      kind: "fail",
      error: {
        name: "DeadlineExceeded",
        code: "DEADLINE_EXCEEDED",
        message: `run ${runId} was still running at its deadline, ${new Date(deadline).toISOString()}`,
      },
    });
    return { calls: [], isOverdue: true, commit: this.#withOutput(commit) };
  }

  #turnOfSteps(mayBlock: boolean): Turn {
    const calls = this.#schedule.takeCalls((mark) => this.#ledger.isReached(mark));
    const commit = this.#ledger.isIdle ? this.#commit(mayBlock) : undefined;
    const commitTx = this.#ledger.isIdle ? this.#readyTx.shift() : undefined;
    if (commitTx !== undefined) this.#ledger.sendTx();
    const wakeAt = this.#wakeAt();
    return {
      calls,
      ...(commitTx === undefined ? {} : { commitTx }),
      ...(commit === undefined ? {} : { commit: this.#withOutput(commit) }),
      ...(wakeAt === undefined ? {} : { wakeAt }),
    };
  }

  /** Whatever is committed takes along what was set and streamed. */
  #withOutput(commit: Commit): Commit {
    const state = this.#stateWrites.take();
    const stream = this.#streamWrites.take();
    return {
      ...commit,
      ...(state.length === 0 ? {} : { state }),
      ...(stream.length === 0 ? {} : { stream }),
    };
  }

  #catchUp(): void {
    this.#hasCaughtUp = true;
    // The worker that was lost may have been told of a signal, which has been there since.
    if (this.#options.delivery.attempt > 1) this.#pending.offerWaits();
  }

  #commit(mayBlock: boolean): Commit | undefined {
    if (this.#schedule.isIdle && mayBlock) return this.#suspend();
    if (this.#pending.hasChanged) {
      return this.#ledger.send({ kind: "keep", continuation: this.#pending.take() });
    }
    const hasUnsent = this.#ledger.hasUnsent || this.#streamWrites.hasUnsent;
    return hasUnsent ? this.#ledger.send({ kind: "keep" }) : undefined;
  }

  /** Every branch is blocked (R7). */
  #suspend(): Commit {
    const resumeAt = this.#schedule.nextDeadline;
    return this.#ledger.send({
      kind: "suspend",
      continuation: this.#pending.take(),
      ...(resumeAt === undefined ? {} : { resumeAt }),
    });
  }

  #end(): Commit {
    const { fault, ending } = this.#body;
    if (fault !== undefined) return this.#fail(fault);
    if (ending?.kind === "threw") return this.#fail(ending.error);
    const { codec, definition } = this.#options;
    try {
      const output = codec === undefined ? ending?.output : codec.encode(ending?.output);
      const { text } = toJournal(output, `the output of workflow "${definition.name}"`);
      return this.#ledger.send({
        kind: "complete",
        ...(text === undefined ? {} : { output: text }),
      });
    } catch (error) {
      return this.#fail(error);
    }
  }

  #fail(thrown: unknown): Commit {
    if (this.#isCancelled) return this.#cancel(toErrorRecord(thrown));
    return this.#ledger.send({ kind: "fail", error: toErrorRecord(thrown) });
  }

  /** A deadline of a step that has passed waits for the answer to a commit, not for time. */
  #wakeAt(): number | undefined {
    const { deadline } = this.#options.delivery;
    const until = this.#schedule.nextDeadline;
    if (until === undefined || this.#ledger.isSuspending) return deadline;
    const isDue = until <= this.#clock.now() && !this.#ledger.isIdle;
    return isDue ? deadline : Math.min(until, deadline ?? until);
  }

  #makeHost(): StepHost {
    const { delivery, random, definition, codec } = this.#options;
    return {
      runId: delivery.runId,
      clock: this.#clock,
      random,
      codec,
      retry: definition.retry,
      schedule: this.#schedule,
      pending: this.#pending,
      ledger: this.#ledger,
    };
  }
}
