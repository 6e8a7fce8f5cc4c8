/**
 * The replay engine: one delivery of one run, as a state machine without IO. It takes a body, its journal and a clock,
 * and returns turns: callbacks to call, a commit to make, a time to wake up. It decides what the body sees, and when.
 * The executor calls callbacks, talks to the database and keeps time:
 *
 *     advance → Turn → carry it out → report the results (stepSucceeded, stepFailed, committed, …) → advance → …
 *
 * Promises:
 *   R1  A step without an outcome is a promise that stays pending. The engine throws nothing through the body to steer
 *       it, and never leaves a rejection unhandled.
 *   R2  The body gets one outcome at a time, and the next only when it is quiet, which it is not while a schema of its
 *       workflow validates. Outcomes come in the order of the journal, so a race has the same winner in the first run and
 *       in every replay.
 *   R3  The journal comes first: its entries are handed over strictly in order, each once the body has asked for it.
 *       While entries are left, the engine calls no callback and commits nothing. A body that is quiet without having
 *       asked for the next entry is `stalled`.
 *   R4  The body sees values and errors in their journaled form, never as a callback returned or threw them.
 *   R5  An outcome is handed over immediately, and its record goes with the next commit. A callback is called only when
 *       every outcome that the body had when it asked for the step is durable, and every subscription and request for
 *       approval that it had made, since the callback may cause the answer.
 *   R6  One commit at a time. The database may journal event waits in a commit that carries them, before steps that
 *       finish while that commit is under way, so outcomes are held back until it is answered.
 *   R7  When every branch sleeps, waits or backs off, the run is suspended until the earliest deadline. One that waits for
 *       child runs and has a long journal is kept before for about as long as its replay would take.
 *   R8  A deadline is set once. The next commit carries each wait and failed attempt that is new or over. A callback is
 *       called again only when its last failure is durable.
 *   R9  Only the database decides between a signal and a timeout. Event waits whose deadlines have passed are
 *       submitted to the database together, and later deadlines wait for the answer.
 *   R10 The run ends when its body ends. A step name used twice, or a departure from the journal, fails the run even if
 *       the body catches the error. From then on nothing is accepted, and further steps stay pending.
 *   R11 Values that the body sets and streams go with the next commit, and before the transaction of a `step.tx`; a chunk
 *       causes a commit. A replay leaves out what went with a journaled step and repeats the rest; the database drops
 *       duplicates.
 *   R12 A run whose body threw, or that is cancelled with rollback, first rolls back its completed steps. Callbacks under
 *       way finish and are journaled before that; nothing else begins. A rejection that nothing awaits is durable before
 *       the first rollback, since no replay may repeat it. A body that departs from its journal rolls nothing back: its
 *       code needs a repair, and the run a retry.
 *   R13 A run with run retries whose body threw gets another attempt instead of rollbacks and a failure, once callbacks
 *       under way have finished and are journaled.
 *   R14 From the deadline of the run on, the engine hands nothing over and calls nothing. The next commit journals what
 *       was handed over before, and fails the run. Nothing is rolled back; a rollback under way stops.
 *   R15 A step that the body abandons gets no outcome any more: its promise stays pending, its wait, retry and unsent
 *       effects are dropped, and its callback is aborted and not waited for. The journal records it in a row. A row of
 *       the step that the database journals in between, or that a crash leaves behind, changes nothing.
 *   R16 A decision of the body (`decisions.ts`) is a journaled value that the body takes immediately, rather than an
 *       outcome. It goes with the next commit, in a row of that, and neither causes one nor holds callbacks back. In a
 *       replay, the body takes the decisions of a row before it gets the next one.
 *   R17 A body that returns what `continueAsNew` gave it neither completes nor fails its run: one commit begins the next
 *       generation. A body that calls it and returns something else fails the run, since it may have forgotten `return`.
 *   R18 A run that is cut (X7, X8 in run-executor.ts) leaves its worker as if the body had died there: its signal aborts,
 *       so nothing that the body does from then on counts, whether it throws, catches that or returns. It gets nothing more.
 *       All that it did before is committed. Callbacks that still return are journaled, and the next delivery resumes the
 *       body, which sets and streams again what follows the rows that it had got (R11).
 *
 * Each promise is cited where it is kept. The engine goes forward with the body here, and back in `rolling-back.ts`.
 *
 * Gives up: the engine doesn't see what a body awaits besides steps and schemas. That works while the body awaits nothing
 * else, and is cut short when every other branch is blocked.
 */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { type CallbackScope, currentScope } from "../async/callback-scope.ts";
import type { Clock } from "../core/clock.ts";
import { type Codec, decodeInput, PLAIN } from "../core/codec.ts";
import { toErrorRecord } from "../core/error-record.ts";
import { InvalidArgument, type OxbowError, StepAbandoned } from "../core/errors.ts";
import { type JsonText, toJournal } from "../core/json.ts";
import { validate } from "../core/schema.ts";
import type { JournalEntry } from "../protocol/journal.ts";
import type { ResolvedWait } from "../protocol/commit.ts";
import type { Continuation, Retry, Wait } from "../protocol/continuation.ts";
import { Agenda } from "./agenda.ts";
import { Body } from "./body.ts";
import { Commits } from "./commits.ts";
import { makeContext } from "./context.ts";
import type { Commit, Turn } from "./effects.ts";
import { listNames } from "./drift.ts";
import type { EngineOptions } from "./engine-options.ts";
import { isAbandonment, Journal } from "./journal.ts";
import { NextContinuation } from "./next-continuation.ts";
import { NextGeneration } from "./next-generation.ts";
import { type EndOfRollback, endOfRollback, RollingBack } from "./rolling-back.ts";
import { Rollbacks } from "./rollbacks.ts";
import { StateWrites } from "./state-writes.ts";
import type { AskedStep, Outcome, StepHost } from "./steps/asked-step.ts";
import { RunStep } from "./steps/run.ts";
import { StreamWrites } from "./stream-writes.ts";
import { NOTHING, TurnPlanner } from "./turn-planner.ts";
import { withoutWrongTimes } from "./wrong-times.ts";

export class Engine {
  readonly #options: EngineOptions;
  readonly #clock: Clock;
  readonly #codec: Codec;
  readonly #journal: Journal;
  readonly #body: Body;
  readonly #agenda = new Agenda();
  readonly #continuation: NextContinuation;
  readonly #commits = new Commits();
  readonly #stateWrites: StateWrites;
  readonly #streamWrites: StreamWrites;
  readonly #planner: TurnPlanner;
  readonly #rollbacks: Rollbacks;
  /** Set if the run is cancelled with rollback. */
  #cancelled: Continuation["cancelled"];
  /** The body was ended by a rejection that nothing awaits. */
  #hasStrayed = false;
  /** Set once the run turns back. */
  #rollingBack: RollingBack | undefined;
  #state: "running" | "suspended" | "ended" = "running";
  #isAdvancing = false;
  #isPolling = false;
  /** The body may be active: wait until it is quiet. */
  #isRestless = false;
  /** The caller waits for that. */
  #isSettling = false;
  /** Schemas that validate what the body gets next. */
  #validations = 0;
  /** Journal rows of what the body has seen, except those that this delivery has made for decisions. */
  #outcomes = 0;
  /** The body has repeated everything that earlier deliveries did. */
  #hasCaughtUp = false;
  /** The body has called `continueAsNew`. */
  #mayContinue = false;
  /** R18. */
  #isCut = false;

  constructor(options: EngineOptions) {
    const { runId, journal, continuation, deadline } = options.delivery;
    this.#options = options;
    this.#codec = options.codec ?? PLAIN;
    // Whole milliseconds, as deadlines have them in the database.
    this.#clock = {
      now: () => Math.floor(options.clock.now()),
      latest: () => Math.ceil(options.clock.latest()),
    };
    this.#journal = new Journal(journal, continuation.seen);
    this.#cancelled = continuation.cancelled;
    this.#continuation = new NextContinuation(
      withoutWrongTimes(continuation, this.#clock.latest()),
      this.#clock,
      () => this.#commits.isSettled,
    );
    this.#rollbacks = new Rollbacks(runId, this.#journal);
    this.#stateWrites = new StateWrites(this.#journal, this.#codec);
    this.#streamWrites = new StreamWrites(this.#journal, this.#codec);
    this.#planner = new TurnPlanner({
      clock: this.#clock,
      agenda: this.#agenda,
      continuation: this.#continuation,
      commits: this.#commits,
      stateWrites: this.#stateWrites,
      streamWrites: this.#streamWrites,
      deadline,
      journalLength: () => this.#outcomes,
    });
    this.#body = new Body({
      runId,
      journal: this.#journal,
      onActivity: () => this.#noteActivity(),
    });
  }

  /** `suspended` and `ended` are final for this delivery. */
  get state(): "running" | "suspended" | "ended" {
    return this.#state;
  }

  /** Why the run fails whatever the body does: a step name used twice, or a departure from the journal (R10). */
  get fault(): OxbowError | undefined {
    return this.#body.fault;
  }

  /** Steps that the body has asked for and that have no outcome. */
  get openSteps(): readonly Pick<AskedStep, "name" | "kind">[] {
    return this.#body.openSteps;
  }

  /** The body gets nothing until a schema has validated its input, or the payload of an event. */
  get isValidating(): boolean {
    if (this.#isCut || this.#rollingBack !== undefined || this.#body.isOver) return false;
    return this.#validations > 0;
  }

  /** Steps that the body has asked for, and never awaited. */
  get unawaited(): readonly string[] {
    return this.#body.unawaited;
  }

  /** Waits and retries that came with the delivery and that the body has not asked for. */
  get forgotten(): readonly (Wait | Retry)[] {
    return this.#continuation.unclaimed;
  }

  /**
   * Hands outcomes to the body, and returns what the run needs next. Undefined if the body may be active now: call it again
   * once all microtasks have drained.
   *
   * @throws Only if the codec fails to decode: this delivery can't continue then.
   */
  advance(): Turn | undefined {
    if (this.#isSettling) this.#isRestless = false;
    this.#isSettling = false;
    this.#isAdvancing = true;
    try {
      if (!this.#body.isStarted && !this.#isCut) this.#startBody();
      do {
        this.#isSettling = this.#isRestless;
        if (this.#isSettling) return undefined;
      } while (this.#handOverNext());
    } finally {
      this.#isAdvancing = false;
    }
    return this.#planner.withAborts(this.#turn());
  }

  /**
   * As `advance`, and waits for the body. Call it again only after it has resolved.
   *
   * @param settle Resolves when all microtasks have drained.
   */
  async poll(settle: () => Promise<void>): Promise<Turn> {
    if (this.#isPolling) throw new Error("poll() was called again before it resolved.");
    this.#isPolling = true;
    try {
      let turn = this.advance();
      while (turn === undefined) {
        await settle();
        turn = this.advance();
      }
      return turn;
    } finally {
      this.#isPolling = false;
    }
  }

  /** A callback returned. Ignored unless that callback is under way. */
  stepSucceeded(name: string, value: unknown, durationMs: number): void {
    this.#answeredStep(name)?.succeeded(value, durationMs);
  }

  /** A callback threw, or exceeded its timeout. Ignored unless that callback is under way. */
  stepFailed(name: string, error: unknown, durationMs: number): void {
    const step = this.#answeredStep(name);
    // A run that has turned back tries nothing again but rollbacks.
    if (this.#rollingBack !== undefined && step?.kind !== "rollback") return;
    step?.failed(error, durationMs);
  }

  /** The callback of a `step.tx` is called, and drops the chunks of an earlier call. */
  txBegins(name: string): void {
    this.#streamWrites.beginTx(name);
  }

  /** The chunks of the last call of a `step.tx`, for its transaction. */
  txChunks(name: string): readonly (JsonText | null)[] {
    return this.#streamWrites.ofTx(name);
  }

  /** The callback of a `step.tx` has returned. Returns its output as it must be journaled; a turn commits it. */
  txReady(name: string, value: unknown): string | undefined {
    const step = this.#body.step(name);
    if (!(step instanceof RunStep) || !step.isRunning) return undefined;
    const text = step.toText(value);
    this.#planner.addTx(name);
    return text;
  }

  /** The transaction of a `step.tx` is durable, with its journal row. */
  txCommitted(name: string, output: string | undefined): void {
    this.#answeredStep(name);
    this.#commits.answered();
    this.#continuation.committed();
    if (this.#body.isAbandoned(name)) this.#commits.dropRecord(name);
    if (this.#isCut) {
      this.#continuation.leaveAt(this.#rows);
      this.#continuation.removeResolved(name);
    }
    const value = output === undefined ? {} : { output: JSON.parse(output) as unknown };
    this.#journal.append({ name, kind: "tx", attempts: 1, ...value });
  }

  /** The transaction that a turn named to commit did not: it fails, or becomes ready again. */
  txPutOff(): void {
    this.#commits.txPutOff();
  }

  /** What the transaction that a turn named to commit journals with its step. */
  get txDecisions(): string | undefined {
    return this.#commits.txDecisions;
  }

  /** The outstanding commit is durable, and resolved these waits, in the order of the journal. */
  committed(resolved: readonly ResolvedWait[]): void {
    const transition = this.#commits.answered();
    this.#continuation.committed();
    if (transition === "complete" || transition === "fail" || transition === "cancel") {
      this.#leave("ended");
    } else if (
      transition === "retry" ||
      transition === "continue" ||
      (transition === "suspend" && resolved.length === 0)
    ) {
      this.#leave("suspended");
    }
    for (const { step, kind = "wait", payload, error, expired } of resolved) {
      if (this.#body.isAbandoned(step)) this.#commits.dropRecord(step);
      if (this.#isCut) this.#continuation.removeResolved(step);
      const outcome = error === undefined ? { output: payload } : { error };
      this.#journal.append({ name: step, kind, attempts: expired === true ? 0 : 1, ...outcome });
    }
  }

  /** A lease notice: a signal is there for one of the waits. The next commit takes it. */
  signalled(): void {
    this.#continuation.offerWaits();
  }

  /**
   * A lease notice: the run was cancelled with rollback, and its signal is about to abort. The next delivery calls the
   * rollbacks, also of journaled steps that the body has not asked for again.
   */
  cancelling(): void {
    this.#cancelled ??= {};
    if (this.#journal.isReplaying) this.cut();
  }

  /** The run leaves its worker, and its signal is about to abort (R18). A body that is over stays so. */
  cut(): void {
    if (this.#body.isOver || this.#rollingBack !== undefined) return;
    this.#isCut = true;
    this.#body.drop();
    this.#agenda.clear();
    // The body has not got them yet.
    for (const { name } of this.#journal.ahead) this.#continuation.removeResolved(name);
  }

  /** A promise of the run was rejected, and nothing awaits it. False: the body is over, or the run leaves the worker. */
  strayed(error: unknown): boolean {
    if (this.#onlyRollsBack) return true;
    if (this.#commits.isSuspending || !this.#body.fail(error)) return false;
    this.#hasStrayed = true;
    return true;
  }

  /** A stalled body has had its time: the next turn fails the run, unless the body has continued after all. */
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
      body: this.#body,
      abandon: (name) => this.#abandon(name),
      decide: (name, compute) => this.#decide(name, compute),
      isJournaled: (name) => this.#journal.get(name) !== undefined,
      hasPassed: (name) =>
        this.#journal.get(name) === undefined &&
        (this.#journal.next !== undefined || this.#continuation.hasUnclaimed),
      isRepeating: () => this.#isRepeating,
      journalLength: () => this.#outcomes,
      continueAsNew: (input, options) => this.#continueAsNew(input, options),
      set: (key, value) => {
        if (!this.#isPublishing) return;
        const call = this.#currentCall;
        const isRepeated = call !== undefined && this.#body.step(call.step)?.kind !== "tx";
        this.#stateWrites.set(key, value, isRepeated);
      },
      write: (value) => {
        if (!this.#isPublishing) return;
        this.#streamWrites.write(value, this.#currentCall, this.#rows);
        this.#options.onActivity?.();
      },
    });
    this.#isRestless = true;
    this.#body.start(async () => {
      // The input of an item comes from its parent.
      const input =
        definition.input === undefined || delivery.continuation.item === true
          ? given
          : await this.#validate(definition.input, given, `input of workflow "${definition.name}"`);
      return definition.run(context as never, input as never);
    });
  }

  #makeHost(): StepHost {
    const { delivery, random, definition } = this.#options;
    return {
      runId: delivery.runId,
      clock: this.#clock,
      random,
      codec: this.#codec,
      retry: definition.retry,
      validate: (schema, value, what) => this.#validate(schema, value, what),
      agenda: this.#agenda,
      continuation: this.#continuation,
      commits: this.#commits,
    };
  }

  /** Validation may take its time, as for a look-up, and counts as activity of the body (R2). */
  async #validate(schema: StandardSchemaV1, value: unknown, what: string): Promise<unknown> {
    this.#validations += 1;
    try {
      return await validate(schema, value, what);
    } finally {
      this.#validations -= 1;
      this.#noteActivity();
    }
  }

  /** True also for steps that an earlier delivery left pending rather than journaled. */
  get #isRepeating(): boolean {
    return !this.#hasCaughtUp && (this.#journal.isReplaying || this.#continuation.hasUnclaimed);
  }

  /** The rows that the journal has for what the body has seen and decided. */
  get #rows(): number {
    return this.#outcomes + this.#commits.decisionRecords;
  }

  /** Callbacks publish until they end, the body until the run is cut. */
  get #isPublishing(): boolean {
    return !this.#isCut || this.#currentCall !== undefined;
  }

  /** The callback of this run that the calling code is in; undefined for the body. */
  get #currentCall(): CallbackScope | undefined {
    const scope = currentScope();
    return scope?.runId === this.#options.delivery.runId ? scope : undefined;
  }

  #noteActivity(): void {
    this.#isRestless = true;
    if (!this.#isAdvancing && !this.#isSettling) this.#options.onActivity?.();
  }

  // ── Outcomes, to the body ─────────────────────────────────────────────────────────────────────────────────

  /** Hands over one outcome, if one is there and may be handed over (R2). */
  #handOverNext(): boolean {
    if (this.#state !== "running" || this.#isOverdue) return false;
    if (this.#rollingBack !== undefined) return this.#rollingBack.takeArrival();
    if (this.#isCut) return this.#journalArrival();
    if (this.#body.isOver || this.#body.owesDecision || this.isValidating) return false;
    const entry = this.#journal.next;
    if (entry !== undefined) return this.#handOverEntry(entry);
    return this.#onlyRollsBack ? false : this.#handOverArrival();
  }

  /** The next journal entry, once the body has asked for its step (R3). */
  #handOverEntry(entry: JournalEntry): boolean {
    if (entry.kind === "decision") {
      this.#outcomes += 1;
      this.#journal.advance();
      return true;
    }
    const step = this.#body.step(entry.name);
    if (step === undefined) return false;
    if (!this.#body.isAbandoned(entry.name)) {
      if (isAbandonment(entry)) return false;
      this.#handOver(step, entry);
    }
    this.#journal.advance();
    return true;
  }

  /** A step that has finished, unless the database may be journaling waits before it (R6). */
  #handOverArrival(): boolean {
    if (this.#commits.mayJournalWaits) return false;
    const arrival = this.#agenda.takeArrival(this.#clock);
    if (arrival === undefined) return false;
    this.#commits.add(arrival.record);
    this.#handOver(arrival.step, arrival.outcome);
    return true;
  }

  /** Journals a callback that the next delivery hands over (R18). */
  #journalArrival(): boolean {
    const arrival = this.#agenda.takeArrival(this.#clock);
    if (arrival === undefined) return false;
    const { step, record } = arrival;
    if (!(step instanceof RunStep)) return true;
    this.#continuation.leaveAt(this.#rows);
    this.#continuation.remove(step.name);
    this.#commits.add(record);
    return true;
  }

  #handOver(step: AskedStep, outcome: Outcome): void {
    this.#outcomes += 1;
    this.#isRestless = true;
    this.#body.close();
    if (step instanceof RunStep) this.#rollbacks.note(step, outcome);
    step.end(outcome);
  }

  /** Ends an open step without an outcome, and journals that, unless the journal has the step (R15). */
  #abandon(name: string): void {
    const step = this.#body.abandon(name);
    if (step === undefined) return;
    if (step instanceof RunStep && step.isRunning) this.#planner.abort(name);
    this.#agenda.drop(step);
    const { attempts, since, effect } = step.abandon();
    this.#outcomes += 1;
    this.#noteActivity();
    if (this.#journal.get(name) !== undefined) return;
    const { code, message } = new StepAbandoned({
      runId: this.#options.delivery.runId,
      step: name,
    });
    this.#commits.add({
      name,
      kind: step.kind,
      error: { name: "StepAbandoned", message, code },
      attempts: Math.max(1, attempts),
      durationMs: since === undefined ? 0 : Math.max(0, this.#clock.now() - since),
      ...(effect === undefined ? {} : { effect }),
    });
  }

  /** Returns the journaled value of a decision, or computes it (R16). */
  #decide(name: string, compute: () => unknown): unknown {
    if (this.#body.isOver || this.#isCut || this.#state !== "running") return compute();
    const codec = this.#codec;
    const journaled = this.#body.decide(name);
    if (journaled !== undefined) return codec.decode(journaled.output);
    const { text, value } = toJournal(codec.encode(compute()), `decision "${name}"`);
    this.#commits.addDecision({ name, ...(text === undefined ? {} : { output: text }) });
    return codec.decode(value);
  }

  #answeredStep(name: string): RunStep | undefined {
    const step = this.#rollbacks.current(name) ?? this.#body.step(name);
    if (!(step instanceof RunStep) || !step.isRunning) return undefined;
    this.#agenda.answered();
    return step;
  }

  // ── What the run needs ────────────────────────────────────────────────────────────────────────────────────

  #turn(): Turn {
    if (this.#state !== "running") return NOTHING;
    if (this.#isOverdue) return this.#turnOfDeadline();
    if (this.#rollingBack !== undefined) return this.#rollingBack.turn();
    if (this.#isCut) return this.#journal.isReplaying ? NOTHING : this.#planner.ofSteps(false);
    const end = this.#hasReachedEnd ? this.#endOfRollback : undefined;
    if (end !== undefined) return this.#turnBack(end);
    if (this.#body.isOver) return this.#planner.ofTransition(() => this.#end());
    if (this.isValidating) return this.#turnOfValidation();
    if (this.#journal.next !== undefined || this.#body.owesDecision) {
      return { calls: [], stalled: true };
    }
    if (!this.#hasCaughtUp) this.#catchUp();
    if (this.#commits.isSuspending) return NOTHING;
    return this.#planner.ofSteps(this.#body.hasOpenSteps);
  }

  /** Nothing but the deadline of the run can come before the body continues. */
  #turnOfValidation(): Turn {
    const { deadline } = this.#options.delivery;
    return deadline === undefined ? NOTHING : { calls: [], wakeAt: deadline };
  }

  #catchUp(): void {
    this.#hasCaughtUp = true;
    if (this.#options.delivery.continuation.seen !== undefined) this.#continuation.resume();
    // A lost worker may have been notified of a signal, which has been there since.
    if (this.#options.delivery.attempt > 1) this.#continuation.offerWaits();
  }

  /** The run of a body that is over ends by itself, unless it must turn back first. */
  get #isOverdue(): boolean {
    const { deadline } = this.#options.delivery;
    if (deadline === undefined || this.#clock.now() < deadline) return false;
    if (this.#rollingBack !== undefined || !this.#body.isOver) return true;
    return this.#endOfRollback !== undefined;
  }

  /** Fails the run (R14). */
  #turnOfDeadline(): Turn {
    const { runId, deadline = 0 } = this.#options.delivery;
    const error = {
      name: "DeadlineExceeded",
      code: "DEADLINE_EXCEEDED",
      message: `run ${runId} was still running at its deadline, ${new Date(deadline).toISOString()}`,
    };
    return { ...this.#planner.ofTransition(() => ({ kind: "fail", error })), isOverdue: true };
  }

  /** Ends the run as its body ended (R10). */
  #end(): Commit["transition"] {
    const { fault, ending } = this.#body;
    if (fault !== undefined) return this.#failure(fault);
    if (ending?.kind === "threw") return this.#failure(ending.error);
    if (ending?.output instanceof NextGeneration) return continuesWith(ending.output);
    if (this.#mayContinue) return this.#failure(notReturned(this.#options.delivery.runId));
    const { definition } = this.#options;
    if (definition.strict && this.unawaited.length > 0) {
      return this.#failure(notAwaited(this.#options.delivery.runId, this.unawaited));
    }
    try {
      const output = this.#codec.encode(ending?.output);
      const { text } = toJournal(output, `the output of workflow "${definition.name}"`);
      return { kind: "complete", ...(text === undefined ? {} : { output: text }) };
    } catch (error) {
      return this.#failure(error);
    }
  }

  /** The value to return for the next generation (R17). */
  #continueAsNew(
    input: unknown,
    options?: ConstructorParameters<typeof NextGeneration>[2],
  ): NextGeneration {
    const { delivery, definition, codec } = this.#options;
    const { runId } = delivery;
    if (this.#currentCall !== undefined) {
      throw new InvalidArgument(
        `Run ${runId} can't continue as new inside the callback of step "${this.#currentCall.step}": call ctx.continueAsNew in the body, and return the result.`,
      );
    }
    const isFailureHandler = delivery.failureOf !== undefined;
    const next = new NextGeneration(
      { runId, workflow: definition.name, codec, isFailureHandler },
      input,
      options,
    );
    this.#mayContinue = true;
    return next;
  }

  #failure(thrown: unknown): Commit["transition"] {
    return { kind: this.#isCancelled ? "cancel" : "fail", error: toErrorRecord(thrown) };
  }

  // ── Turning back ──────────────────────────────────────────────────────────────────────────────────────────

  get #isCancelled(): boolean {
    return this.#cancelled !== undefined;
  }

  /** It is cancelled, or its rollback after a rejection that nothing awaits was interrupted. */
  get #onlyRollsBack(): boolean {
    return this.#isCancelled || this.#options.delivery.continuation.failure !== undefined;
  }

  /** The body is over, or the run only rolls back, and the journal holds nothing more for the body. */
  get #hasReachedEnd(): boolean {
    if (this.#body.isOver) return true;
    const { next } = this.#journal;
    return this.#onlyRollsBack && (next === undefined || next.kind === "rollback");
  }

  /** Undefined if the run doesn't turn back, and ends as its body ended. */
  get #endOfRollback(): EndOfRollback | undefined {
    return endOfRollback(this.#options, this.#cancelled, {
      body: this.#body,
      journal: this.#journal,
      clock: this.#clock,
    });
  }

  #turnBack(end: EndOfRollback): Turn {
    if (!this.#commits.isIdle) return NOTHING;
    this.#hasCaughtUp = true;
    if (this.#hasStrayed && end.kind === "fail" && !this.#onlyRollsBack) {
      this.#continuation.setFailure(end.error);
      this.#commits.require();
    }
    this.#rollingBack = new RollingBack({
      body: this.#body,
      journal: this.#journal,
      clock: this.#clock,
      agenda: this.#agenda,
      continuation: this.#continuation,
      commits: this.#commits,
      planner: this.#planner,
      rollbacks: this.#rollbacks,
      end,
    });
    while (this.#rollingBack.takeArrival());
    return this.#rollingBack.turn();
  }
}

const continuesWith = ({ input, version }: NextGeneration): Commit["transition"] => ({
  kind: "continue",
  ...(input === undefined ? {} : { input }),
  ...(version === undefined ? {} : { version }),
});

const notAwaited = (runId: string, steps: readonly string[]): InvalidArgument =>
  new InvalidArgument(
    `The body of run ${runId} returned, and has never awaited step ${listNames(steps)}. Await each step that it asks for, or abandon it with ctx.step.abandon.`,
  );

const notReturned = (runId: string): InvalidArgument =>
  new InvalidArgument(
    `The body of run ${runId} called ctx.continueAsNew, but returned something else. Return the result: return ctx.continueAsNew(input).`,
  );
