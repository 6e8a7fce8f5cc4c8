import type { Clock } from "../core/clock.ts";
import type { Agenda } from "./agenda.ts";
import type { Commits } from "./commits.ts";
import type { Commit, Turn } from "./effects.ts";
import type { NextContinuation } from "./next-continuation.ts";
import type { StateWrites } from "./state-writes.ts";
import type { StreamWrites } from "./stream-writes.ts";

export const NOTHING: Turn = { calls: [] };

/** While it is made. A spread for each part that may be missing takes longer than the rest. */
type Made<Value> = { -readonly [Key in keyof Value]: Value[Key] };

/** Rows of the journal from which a replay costs more than to keep the run for a moment. */
const MANY_ROWS = 1_000;
/** About the cost of receiving and replaying a row. */
const MS_A_ROW = 0.05;
const LONGEST_KEPT_MS = 2_000;

export interface TurnParts {
  readonly clock: Clock;
  readonly agenda: Agenda;
  readonly continuation: NextContinuation;
  readonly commits: Commits;
  readonly stateWrites: StateWrites;
  readonly streamWrites: StreamWrites;
  /** Deadline of the run. */
  readonly deadline: number | undefined;
  /** Outcomes that the body has seen. */
  readonly journalLength: () => number;
}

/** Makes turns of open steps and of transitions, for a run that goes forward as for one that rolls back. */
export class TurnPlanner {
  readonly #parts: TurnParts;
  /** Names of `step.tx` steps whose callbacks have returned, in the order in which they commit. */
  #readyTx: string[] = [];
  /** Steps abandoned while their callbacks were under way. */
  #aborts: string[] = [];
  /** Until when the run is kept, if it gets no further outcome. */
  #kept: { readonly rows: number; readonly until: number } | undefined;

  constructor(parts: TurnParts) {
    this.#parts = parts;
  }

  /** The transaction of this step is ready to commit. */
  addTx(step: string): void {
    this.#readyTx.push(step);
  }

  /** The callback of this step is under way, and its step abandoned. */
  abort(step: string): void {
    this.#readyTx = this.#readyTx.filter((ready) => ready !== step);
    this.#aborts.push(step);
  }

  /** Adds the callbacks to abort to a turn. */
  withAborts(turn: Turn): Turn {
    if (this.#aborts.length === 0) return turn;
    const aborts = this.#aborts;
    this.#aborts = [];
    return { ...turn, aborts };
  }

  /**
   * The needs of the open steps: callbacks to call, a commit, a time to wake up.
   *
   * @param mayBlock The run is suspended if nothing happens before the next deadline.
   */
  ofSteps(mayBlock: boolean): Turn {
    const { agenda, commits, streamWrites } = this.#parts;
    const turn: Made<Turn> = { calls: agenda.takeCalls((mark) => commits.isReached(mark)) };
    for (const { name, attempt } of turn.calls) {
      if (attempt > 1) streamWrites.callAgain(name, attempt);
    }
    const commit = commits.isIdle ? this.#commitOfSteps(mayBlock) : undefined;
    if (commit !== undefined) turn.commit = this.#withWrites(commit);
    const commitTx = commits.isIdle ? this.#readyTx.shift() : undefined;
    if (commitTx !== undefined) {
      turn.commitTx = commitTx;
      commits.sendTx();
    }
    const wakeAt = this.#wakeAt(mayBlock);
    if (wakeAt !== undefined) turn.wakeAt = wakeAt;
    return turn;
  }

  /** A transition, once the outstanding commit is answered (R6). */
  ofTransition(makeTransition: () => Commit["transition"]): Turn {
    const { commits } = this.#parts;
    if (!commits.isIdle) return NOTHING;
    return { calls: [], commit: this.#withWrites(commits.send(makeTransition())) };
  }

  #commitOfSteps(mayBlock: boolean): Commit | undefined {
    const { agenda, clock, continuation, commits, stateWrites, streamWrites } = this.#parts;
    const isBlocked = agenda.isIdle && mayBlock;
    if (isBlocked && clock.now() >= this.#keptUntil()) return this.#suspend();
    if (continuation.hasChanged) {
      return commits.send({ kind: "keep", continuation: continuation.take() });
    }
    const hasUnsent =
      commits.hasUnsent ||
      streamWrites.hasUnsent ||
      (this.#readyTx.length > 0 && stateWrites.mustPrecedeTx);
    return hasUnsent ? commits.send({ kind: "keep" }) : undefined;
  }

  /**
   * When a blocked run is suspended: immediately, unless a child run may end sooner than the journal is replayed (R7).
   */
  #keptUntil(): number {
    const { clock, continuation, journalLength } = this.#parts;
    const rows = journalLength();
    if (rows < MANY_ROWS || !continuation.awaitsRuns) return Number.NEGATIVE_INFINITY;
    if (this.#kept?.rows !== rows) {
      const keptMs = Math.min(Math.ceil(rows * MS_A_ROW), LONGEST_KEPT_MS);
      this.#kept = { rows, until: clock.now() + keptMs };
    }
    return this.#kept.until;
  }

  /** Every branch is blocked (R7). */
  #suspend(): Commit {
    const { agenda, continuation, commits } = this.#parts;
    const resumeAt = agenda.nextDeadline;
    return commits.send({
      kind: "suspend",
      continuation: continuation.take(),
      ...(resumeAt === undefined ? {} : { resumeAt }),
    });
  }

  /** Every commit takes along what was set and streamed (R11). */
  #withWrites(commit: Commit): Commit {
    const state = this.#parts.stateWrites.take();
    const stream = this.#parts.streamWrites.take();
    if (state.length === 0 && stream.length === 0) return commit;
    return {
      ...commit,
      ...(state.length === 0 ? {} : { state }),
      ...(stream.length === 0 ? {} : { stream }),
    };
  }

  /** A step deadline that has passed waits for the answer to a commit, not for time. */
  #wakeAt(mayBlock: boolean): number | undefined {
    const { agenda, clock, commits, deadline } = this.#parts;
    const keptUntil = agenda.isIdle && mayBlock ? this.#keptUntil() : Number.NEGATIVE_INFINITY;
    const { nextDeadline } = agenda;
    const until =
      keptUntil > clock.now() ? Math.min(keptUntil, nextDeadline ?? keptUntil) : nextDeadline;
    if (until === undefined || commits.isSuspending) return deadline;
    const isDue = until <= clock.now() && !commits.isIdle;
    return isDue ? deadline : Math.min(until, deadline ?? until);
  }
}
