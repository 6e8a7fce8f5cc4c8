/**
 * A worker, a network and a store in simulated time. The worker can be killed at every effect. Checks of each scenario,
 * for any faults:
 *
 *   S1  Every later delivery first sees the outcomes that the body had seen at the last commit, in the same order.
 *   S2  A callback is called only when every outcome that the body had seen when it asked for the step is journaled, its
 *       last failed attempt is durable, and its backoff is over; and never after its own step is journaled.
 *   S3  Durable state is sound: rows are written once, deadlines don't move (see `store.ts`).
 *   S4  The run ends, and its journal without anything else leads every later replay to the same end.
 *   S5  The body sees no outcome of a step that it has abandoned, and an abandoned step doesn't hold the run up.
 *   S6  A cut never ends a run, though its body throws as its signal aborts, and loses no value that the body has set.
 */
import { Heap, type Timed } from "../heap.ts";
import type { Context } from "../../definition/context.ts";
import { defineWorkflow } from "../../definition/define-workflow.ts";
import type { JournalEntry } from "../../protocol/journal.ts";
import type { RunCommit } from "../../protocol/commit.ts";
import type { WorkflowDelivery } from "../../protocol/worker.ts";
import type { Commit, StepCall, Turn } from "../effects.ts";
import { Engine } from "../engine.ts";
import { type Act, Observations, PUBLISHED, Script } from "./script.ts";
import { type Signal, Store, Violation } from "./store.ts";

export interface Scenario {
  readonly body: (script: Script, ctx: Context) => Promise<unknown>;
  /** Signals, and how many milliseconds after the start they are sent. */
  readonly signals?: readonly (Signal & { readonly atMs: number })[];
  /** How long a commit takes to the store, and its answer back. Default 1 each. */
  readonly requestMs?: number;
  readonly answerMs?: number;
}

/** Effects are counted from 0, over all deliveries. */
export interface Faults {
  /** Effects at which the worker is killed. */
  readonly crashes?: ReadonlySet<number>;
  /** Effects that, if they are answers, are lost: the commit is sent again. */
  readonly lostAnswers?: ReadonlySet<number>;
  /** Effects after which the run is cut, and given back when the callbacks under way have ended, or a moment later. */
  readonly cuts?: ReadonlySet<number>;
}

export interface SimulatedRun {
  readonly status: "completed" | "failed";
  readonly output: unknown;
  readonly error: string | undefined;
  readonly journal: readonly JournalEntry[];
  /** "step#attempt", in the order of the calls. */
  readonly calls: readonly string[];
  readonly deliveries: number;
  /** How many effects there were to crash at. */
  readonly effects: number;
}

export async function simulate(scenario: Scenario, faults: Faults = {}): Promise<SimulatedRun> {
  return new Simulation(scenario, faults).run();
}

/** Ends a worker. */
class Crash extends Error {}

interface SimulatedEvent {
  /** Happens only while this worker is alive. */
  readonly worker: Worker | undefined;
  readonly happen: () => void;
}

/** One delivery, in a worker's memory. */
interface Worker {
  readonly engine: Engine;
  readonly receipt: string;
  readonly observations: Observations;
  readonly abort: AbortController;
  journaled: number;
  /** Callbacks under way. */
  running: number;
  isCommitting: boolean;
  /** The run was cut a moment ago. */
  isOver: boolean;
}

const MAX_EVENTS = 20_000;
const NOTICE_MS = 3;
const CUT_MS = 30;
/** Rejects as the signal aborts. */
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
const settle = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

class Simulation {
  readonly #scenario: Scenario;
  readonly #faults: Faults;
  readonly #store: Store;
  readonly #calls: string[] = [];
  readonly #events = new Heap<SimulatedEvent>();
  #now = Date.UTC(2026, 0, 1);
  #eventCount = 0;
  #effects = 0;
  #deliveries = 0;
  #worker: Worker | undefined;
  #durable: readonly string[] = [];
  /** Found while the body ran, where throwing it would look like an error of the body. */
  #violation: Violation | undefined;

  constructor(scenario: Scenario, faults: Faults) {
    this.#scenario = scenario;
    this.#faults = faults;
    this.#store = new Store(() => this.#now);
    for (const { atMs, event, payload } of scenario.signals ?? []) {
      this.#after(atMs, undefined, () => this.#signal({ event, payload }));
    }
  }

  async run(): Promise<SimulatedRun> {
    while (this.#store.status === "running") await this.#advance();
    await this.#checkReplay();
    if (this.#violation !== undefined) throw this.#violation;
    return {
      status: this.#store.status,
      output: this.#store.output,
      error: this.#store.error && `${this.#store.error.name}: ${this.#store.error.message}`,
      journal: this.#store.journal,
      calls: this.#calls,
      deliveries: this.#deliveries,
      effects: this.#effects,
    };
  }

  /** The next delivery or event. */
  async #advance(): Promise<void> {
    const delivery = this.#worker === undefined ? this.#store.receive() : undefined;
    if (delivery !== undefined) {
      this.#worker = this.#startWorker(delivery);
      await this.#turn(this.#worker);
      return;
    }
    const event = this.#events.peek();
    const visibleAt = this.#worker === undefined ? this.#store.visibleAt : Number.POSITIVE_INFINITY;
    if (event !== undefined && event.time <= visibleAt) {
      this.#events.pop();
      await this.#happen(event);
    } else if (Number.isFinite(visibleAt)) {
      this.#now = visibleAt;
    } else {
      throw new Violation("the run is stuck: nothing will ever happen to it");
    }
  }

  async #happen({ time, item: { worker, happen } }: Timed<SimulatedEvent>): Promise<void> {
    this.#now = time;
    if (worker !== undefined && worker !== this.#worker) return;
    try {
      happen();
    } catch (error) {
      this.#kill(error);
      return;
    }
    if (worker !== undefined) await this.#turn(worker);
  }

  async #turn(worker: Worker): Promise<void> {
    if (worker !== this.#worker) return;
    const turn = await worker.engine.poll(settle);
    if (worker.engine.state !== "running") {
      this.#worker = undefined;
      return;
    }
    try {
      this.#carryOut(worker, turn);
    } catch (error) {
      this.#kill(error);
    }
    const isIdle = worker.running === 0 || worker.isOver;
    if (worker.abort.signal.aborted && isIdle && !worker.isCommitting) this.#giveBack(worker);
  }

  #giveBack(worker: Worker): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    this.#store.release();
  }

  #carryOut(worker: Worker, { calls, commit, wakeAt, stalled }: Turn): void {
    if (stalled === true) throw new Violation("the body doesn't follow its journal");
    if (commit !== undefined) this.#send(worker, commit);
    if (!worker.abort.signal.aborted) for (const call of calls) this.#call(worker, call);
    if (wakeAt !== undefined) this.#after(Math.max(0, wakeAt - this.#now), worker, () => {});
  }

  #call(worker: Worker, call: StepCall): void {
    const { behaviour, seen } = call.callback(new AbortController().signal) as Act;
    this.#checkCall(worker, call, seen);
    this.#effect();
    this.#calls.push(`${call.name}#${call.attempt}`);
    const { ms = 10, failures = 0, value } = behaviour;
    worker.running += 1;
    this.#after(ms, worker, () => {
      this.#effect();
      worker.running -= 1;
      if (call.attempt > failures) worker.engine.stepSucceeded(call.name, value, ms);
      else if (!worker.abort.signal.aborted)
        worker.engine.stepFailed(call.name, new Error(`${call.name} fails`), ms);
    });
  }

  #send(worker: Worker, { steps, transition, state = [] }: Commit): void {
    const commit: RunCommit = {
      workflow: "simulated",
      runId: "1",
      receipt: worker.receipt,
      journaled: worker.journaled,
      steps,
      transition,
      state,
      restartsCount: false,
    };
    const seen = [...worker.observations.list];
    worker.isCommitting = true;
    this.#effect();
    this.#deliverCommit(worker, commit, seen, false);
  }

  /** A commit arrives even if its worker has died since. */
  #deliverCommit(
    worker: Worker,
    commit: RunCommit,
    seen: readonly string[],
    isRepeated: boolean,
  ): void {
    const { requestMs = 1, answerMs = 1 } = this.#scenario;
    this.#after(requestMs, undefined, () => {
      const { outcome, resolved } = this.#store.commit(commit, isRepeated);
      if (outcome === "ok") this.#becomeDurable(seen);
      if (worker !== this.#worker) return;
      if (this.#isAnswerLost()) {
        this.#deliverCommit(worker, commit, seen, true);
        return;
      }
      this.#effect();
      this.#after(answerMs, worker, () => {
        if (outcome !== "ok") throw new Violation(`the commit of a living worker is ${outcome}`);
        worker.isCommitting = false;
        worker.journaled += commit.steps.length + resolved.length;
        worker.engine.committed(resolved);
        this.#effect();
      });
    });
  }

  #signal(signal: Signal): void {
    const isAwaited = this.#store.signal(signal);
    const worker = this.#worker;
    if (!isAwaited || worker === undefined) return;
    this.#after(NOTICE_MS, worker, () => worker.engine.signalled());
  }

  // ── Faults ────────────────────────────────────────────────────────────────────────────────────────────────

  /** The worker may die here. */
  #effect(): void {
    const index = this.#effects;
    this.#effects += 1;
    if (this.#faults.crashes?.has(index) === true) throw new Crash();
    if (this.#faults.cuts?.has(index) === true) this.#cut();
  }

  #cut(): void {
    const worker = this.#worker;
    if (worker === undefined) return;
    worker.engine.cut();
    worker.abort.abort(new Error("The run was cut."));
    this.#after(CUT_MS, worker, () => {
      worker.isOver = true;
    });
  }

  #isAnswerLost(): boolean {
    const isLost = this.#faults.lostAnswers?.has(this.#effects) === true;
    if (isLost) this.#effects += 1;
    return isLost;
  }

  #kill(error: unknown): void {
    if (!(error instanceof Crash)) throw error;
    if (this.#worker === undefined) return;
    this.#worker = undefined;
    this.#store.abandon();
  }

  // ── Checks ────────────────────────────────────────────────────────────────────────────────────────────────

  #checkObservation(index: number, what: string): void {
    const durable = this.#durable[index];
    if (durable === undefined || durable === what) return;
    this.#violation ??= new Violation(
      `a replay saw [${what}] where [${durable}] had been durable (S1)`,
    );
  }

  #becomeDurable(seen: readonly string[]): void {
    if (seen.length < this.#durable.length) {
      throw new Violation(`a replay saw ${seen.length} of ${this.#durable.length} outcomes (S1)`);
    }
    this.#durable = seen;
  }

  #checkCall(worker: Worker, call: StepCall, seen: number): void {
    const journaled = new Set(this.#store.journal.map((entry) => entry.name));
    if (journaled.has(call.name)) throw new Violation(`${call.name} was called again (S2)`);
    const early = worker.observations.steps.slice(0, seen).find((step) => !journaled.has(step));
    if (early !== undefined) {
      throw new Violation(`${call.name} was called before ${early} was durable (S2)`);
    }
    const retry = this.#store.continuation.retries.find(({ step }) => step === call.name);
    if (call.attempt !== (retry?.attempts ?? 0) + 1) {
      throw new Violation(
        `attempt ${call.attempt} of ${call.name}: the one before is not durable (S2)`,
      );
    }
    if (retry !== undefined && retry.until > this.#now) {
      throw new Violation(`${call.name} was called before its backoff was over (S2)`);
    }
  }

  async #checkReplay(): Promise<void> {
    const delivery = {
      ...DELIVERY,
      journal: this.#store.journal,
      startedAt: this.#now,
    };
    const { engine, observations } = this.#makeEngine(delivery);
    const { calls, commit } = await engine.poll(settle);
    const { published } = observations;
    const durable = this.#store.values.get(PUBLISHED);
    if (durable !== JSON.stringify(published)) {
      throw new Violation(`the body set ${published}, and ${durable} is durable (S6)`);
    }
    const { status, output, error } = this.#store;
    const end = commit?.transition;
    const isSame =
      status === "completed"
        ? end?.kind === "complete" && JSON.stringify(output) === end.output
        : end?.kind === "fail" && error?.message === end.error.message;
    if (calls.length > 0 || commit?.steps.length !== 0 || !isSame) {
      throw new Violation(`the journal leads to another end: ${JSON.stringify(end)} (S4)`);
    }
  }

  // ── Parts ─────────────────────────────────────────────────────────────────────────────────────────────────

  #startWorker(delivery: WorkflowDelivery): Worker {
    this.#deliveries += 1;
    return {
      ...this.#makeEngine(delivery),
      receipt: delivery.receipt,
      journaled: delivery.journal.length,
      running: 0,
      isCommitting: false,
      isOver: false,
    };
  }

  #makeEngine(delivery: Omit<WorkflowDelivery, "receipt" | "receivedAt" | "name">): {
    engine: Engine;
    observations: Observations;
    abort: AbortController;
  } {
    const abort = new AbortController();
    const observations = new Observations(
      (index, what) => this.#checkObservation(index, what),
      (what) => {
        this.#violation ??= new Violation(what);
      },
    );
    const definition = defineWorkflow({
      name: "simulated",
      run: (ctx) =>
        Promise.race([
          this.#scenario.body(new Script(ctx, observations), ctx),
          untilAborted(ctx.signal),
        ]),
    });
    const engine = new Engine({
      definition,
      delivery,
      clock: { now: () => this.#now, latest: () => this.#now },
      random: () => 0.5,
      getSignal: () => abort.signal,
    });
    return { engine, observations, abort };
  }

  #after(ms: number, worker: Worker | undefined, happen: () => void): void {
    this.#eventCount += 1;
    if (this.#eventCount > MAX_EVENTS) throw new Violation("the run does not end");
    this.#events.push(this.#now + ms, { worker, happen });
  }
}

const DELIVERY = {
  runId: "1",
  version: 1,
  attempt: 1,
  input: undefined,
  continuation: { waits: [], retries: [] },
} as const;
