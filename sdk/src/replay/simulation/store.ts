/**
 * A database with one run, in memory, with the behaviour of `workflow_receive`, `workflow_commit` and `workflow_signal`,
 * for the simulation of crashes. Checks the soundness of durable state at every write.
 */
import type {
  CommitResult,
  ResolvedWait,
  RunCommit,
  StepRecord,
  Transition,
} from "../../protocol/commit.ts";
import type { Continuation, EventWait, Wait } from "../../protocol/continuation.ts";
import type { ErrorRecord } from "../../core/error-record.ts";
import type { Decision, JournalEntry } from "../../protocol/journal.ts";
import type { WorkflowDelivery } from "../../protocol/worker.ts";

export interface Signal {
  readonly event: string;
  readonly payload: unknown;
}

/** A broken promise. */
export class Violation extends Error {
  override readonly name = "Violation";
}

/** Longer than everything else takes. */
const LEASE_MS = 30_000;

export class Store {
  readonly journal: JournalEntry[] = [];
  /** The values that the body has set, as JSON. */
  readonly values = new Map<string, string | undefined>();
  status: "running" | "completed" | "failed" = "running";
  output: unknown;
  error: ErrorRecord | undefined;
  continuation: Continuation = { waits: [], retries: [] };
  /** When the run is received next: its delay, or the end of its lease. */
  visibleAt: number;
  readonly #startedAt: number;
  readonly #now: () => number;
  readonly #deadlines = new Map<string, number>();
  readonly #buffered: Signal[] = [];
  #receipts = 0;
  #receipt: string | undefined;
  #settledReceipt: string | undefined;
  #attempts = 0;

  constructor(now: () => number) {
    this.#now = now;
    this.#startedAt = now();
    this.visibleAt = now();
  }

  receive(): WorkflowDelivery | undefined {
    if (this.status !== "running" || this.visibleAt > this.#now()) return undefined;
    this.#receipts += 1;
    this.#attempts += 1;
    this.#receipt = `receipt-${this.#receipts}`;
    this.visibleAt = Number.POSITIVE_INFINITY;
    return structuredClone({
      runId: "1",
      receipt: this.#receipt,
      name: "simulated",
      version: 1,
      attempt: this.#attempts,
      input: undefined,
      journal: this.journal,
      continuation: this.continuation,
      startedAt: this.#startedAt,
      receivedAt: this.#now(),
    });
  }

  /** The worker gives the run back. */
  release(): void {
    this.#receipt = undefined;
    this.#attempts = 0;
    this.visibleAt = this.#now();
  }

  /** The worker is gone; its lease expires later. */
  abandon(): void {
    if (this.#receipt !== undefined) this.visibleAt = this.#now() + LEASE_MS;
  }

  /** Returns whether a worker has a wait for it, of which it gets notice. */
  signal(signal: Signal): boolean {
    if (this.status !== "running") return false;
    const wait = this.continuation.waits.find((candidate) => matches(candidate, signal));
    const isLeased = this.#receipt !== undefined && this.visibleAt > this.#now();
    if (wait === undefined || isLeased) {
      this.#buffered.push(signal);
      return wait !== undefined;
    }
    this.#journalWait(wait.step, signal);
    const waits = this.continuation.waits.filter((other) => other !== wait);
    this.#setContinuation({ ...this.continuation, waits });
    this.#receipt = undefined;
    this.#attempts = 0;
    this.visibleAt = this.#now();
    return false;
  }

  /** @param isRepeated The same commit was sent before, and its answer was lost. */
  commit(commit: RunCommit, isRepeated: boolean): CommitResult {
    const { runId, receipt, transition } = commit;
    if (receipt !== this.#receipt) {
      const outcome = receipt === this.#settledReceipt ? "ok" : "lost";
      return { runId, receipt, outcome, resolved: [] };
    }
    if (commit.journaled !== this.journal.length && !isRepeated) {
      throw new Violation(`journaled is ${commit.journaled} instead of ${this.journal.length}`);
    }
    for (const step of commit.steps) this.#journalStep(step, isRepeated);
    for (const { key, value } of commit.state ?? []) this.values.set(key, value);
    const resolved = this.#move(transition);
    this.#checkContinuation();
    return structuredClone({ runId, receipt, outcome: "ok", resolved });
  }

  #move(transition: Transition): ResolvedWait[] {
    switch (transition.kind) {
      case "complete":
        this.status = "completed";
        this.output = parse(transition.output);
        return this.#end();
      case "fail":
      case "cancel":
        this.status = "failed";
        this.error = transition.error;
        return this.#end();
      case "keep":
        this.#attempts = 1;
        return transition.continuation === undefined ? [] : this.#resolve(transition.continuation);
      case "suspend":
        return this.#suspend(transition.continuation, transition.resumeAt);
      case "continue":
        throw new Violation("no simulated workflow continues as new");
      case "retry":
        throw new Violation("no simulated workflow retries its runs");
      case "release":
        throw new Violation("an engine never gives a run back");
      default:
        return transition satisfies never;
    }
  }

  #suspend(continuation: Continuation, resumeAt: number | undefined): ResolvedWait[] {
    const resolved = this.#resolve(continuation);
    this.#attempts = resolved.length > 0 ? 1 : 0;
    if (resolved.length === 0) {
      this.#settle();
      this.visibleAt = resumeAt ?? Number.POSITIVE_INFINITY;
    }
    return resolved;
  }

  #end(): [] {
    this.continuation = { waits: [], retries: [] };
    this.#settle();
    return [];
  }

  #settle(): void {
    this.#settledReceipt = this.#receipt;
    this.#receipt = undefined;
  }

  /** Lets event waits, in their order, take buffered signals; returns them in the order of the journal. */
  #resolve(continuation: Continuation): ResolvedWait[] {
    const resolved = new Set<string>();
    for (const wait of continuation.waits) {
      if (wait.kind !== "event") continue;
      if (this.#isJournaled(wait.step) || this.#takeSignal(wait)) resolved.add(wait.step);
    }
    const waits = continuation.waits.filter((wait) => !resolved.has(wait.step));
    this.#setContinuation({ ...continuation, waits });
    return this.journal
      .filter((entry) => resolved.has(entry.name))
      .map(({ name, attempts, output }) => ({
        step: name,
        ...(attempts === 0 ? { expired: true } : { payload: output }),
      }));
  }

  #takeSignal(wait: EventWait): boolean {
    const at = this.#buffered.findIndex((signal) => matches(wait, signal));
    if (at < 0 && wait.expired !== true) return false;
    const [signal] = at < 0 ? [] : this.#buffered.splice(at, 1);
    this.#journalWait(wait.step, signal);
    return true;
  }

  #journalWait(step: string, signal: Signal | undefined): void {
    const attempts = signal === undefined ? 0 : 1;
    this.journal.push({ name: step, kind: "wait", attempts, ...outputOf(signal?.payload) });
  }

  #journalStep(step: StepRecord, isRepeated: boolean): void {
    if (this.#isJournaled(step.name)) {
      if (!isRepeated) throw new Violation(`step "${step.name}" was journaled twice`);
      return;
    }
    const { name, kind, attempts, error, decisions } = step;
    const result = error === undefined ? outputOf(parse(step.output)) : { error };
    const decided =
      decisions === undefined ? {} : { decisions: JSON.parse(decisions) as readonly Decision[] };
    this.journal.push(Object.freeze({ name, kind, attempts, ...result, ...decided }));
  }

  #setContinuation(continuation: Continuation): void {
    for (const wait of continuation.waits) {
      if (wait.until !== undefined) this.#checkDeadline(`step "${wait.step}"`, wait.until);
    }
    for (const retry of continuation.retries) {
      this.#checkDeadline(`attempt ${retry.attempts + 1} of step "${retry.step}"`, retry.until);
    }
    this.continuation = structuredClone(continuation);
  }

  #checkDeadline(what: string, until: number): void {
    const before = this.#deadlines.get(what) ?? until;
    if (before !== until)
      throw new Violation(`the deadline of ${what} moved by ${until - before} ms`);
    this.#deadlines.set(what, until);
  }

  #checkContinuation(): void {
    for (const { step } of [...this.continuation.waits, ...this.continuation.retries]) {
      if (this.#isJournaled(step)) throw new Violation(`step "${step}" is pending and journaled`);
    }
  }

  #isJournaled(step: string): boolean {
    return this.journal.some((entry) => entry.name === step);
  }
}

const matches = (wait: Wait, signal: Signal): boolean =>
  wait.kind === "event" && wait.event === signal.event;

const parse = (text: string | undefined): unknown =>
  text === undefined ? undefined : JSON.parse(text);

const outputOf = (output: unknown): { output?: unknown } =>
  output === undefined ? {} : { output };
