/** An engine driven by hand: for tests of one rule, where the simulation would do too much in one go. */
import type { Codec } from "../../core/codec.ts";
import type { Context, Logger } from "../../definition/context.ts";
import type { EventSchemas } from "../../definition/events.ts";
import { defineWorkflow, type WorkflowOptions } from "../../definition/define-workflow.ts";
import type { Continuation } from "../../protocol/continuation.ts";
import type { ErrorRecord } from "../../core/error-record.ts";
import type { JournalEntry } from "../../protocol/journal.ts";
import type { ResolvedWait, Transition } from "../../protocol/commit.ts";
import type { Turn } from "../effects.ts";
import { Engine } from "../engine.ts";

export type Body = (ctx: Context, input: unknown) => unknown;

export interface DriveOptions {
  readonly journal?: readonly JournalEntry[];
  readonly continuation?: Partial<Continuation>;
  readonly attempt?: number;
  readonly retried?: number;
  readonly input?: unknown;
  readonly codec?: Codec;
  readonly logger?: Logger;
  readonly now?: number;
  readonly deadline?: number;
  readonly generation?: number;
  readonly failureOf?: string;
  readonly workflow?: Pick<
    WorkflowOptions<unknown, unknown, unknown, EventSchemas>,
    "input" | "events" | "retry" | "runRetry" | "strict"
  >;
}

export const T0 = Date.UTC(2026, 0, 1);

/** Resolves when all microtasks have drained. */
export const macrotask = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

export class Drive {
  readonly engine: Engine;
  readonly abort = new AbortController();
  now: number;
  activities = 0;
  /** Names of the callbacks that the engine gave out, "name#attempt". */
  readonly calls: string[] = [];

  constructor(body: Body, options: DriveOptions = {}) {
    this.now = options.now ?? T0;
    const { journal = [], continuation, attempt = 1, input, codec, logger, workflow } = options;
    const { retried, deadline, generation, failureOf } = options;
    this.engine = new Engine({
      definition: defineWorkflow({ ...workflow, name: "driven", run: body }),
      delivery: {
        runId: "42",
        version: 3,
        attempt,
        input,
        journal,
        continuation: { waits: [], retries: [], ...continuation },
        startedAt: T0,
        retried,
        deadline,
        generation,
        failureOf,
      },
      clock: { now: () => this.now, latest: () => this.now },
      random: () => 0.5,
      getSignal: () => this.abort.signal,
      onActivity: () => {
        this.activities += 1;
      },
      codec,
      logger,
    });
  }

  async poll(): Promise<Turn> {
    const turn = await this.engine.poll(macrotask);
    this.calls.push(...turn.calls.map((call) => `${call.name}#${call.attempt}`));
    return turn;
  }

  /** Reports the success of a callback, and polls. */
  async succeed(name: string, value?: unknown): Promise<Turn> {
    this.engine.stepSucceeded(name, value, 5);
    return this.poll();
  }

  async fail(name: string, error: unknown = new Error("boom")): Promise<Turn> {
    this.engine.stepFailed(name, error, 5);
    return this.poll();
  }

  /** Answers the outstanding commit, and polls. */
  async commit(resolved: readonly ResolvedWait[] = []): Promise<Turn> {
    this.engine.committed(resolved);
    return this.poll();
  }

  async advance(ms: number): Promise<Turn> {
    this.now += ms;
    return this.poll();
  }

  /** Answers commits, and lets every callback succeed with its name, until the run has ended or is suspended. */
  async finish(): Promise<Transition> {
    let turn = await this.poll();
    for (;;) {
      if (turn.stalled === true) throw new Error("stalled");
      for (const { name } of turn.calls) this.engine.stepSucceeded(name, name, 5);
      if (turn.commit !== undefined) this.engine.committed([]);
      if (this.engine.state !== "running" && turn.commit !== undefined)
        return turn.commit.transition;
      turn = await this.poll();
    }
  }
}

export const called = (turn: Turn): string[] => turn.calls.map(({ name }) => name);

export const committed = (turn: Turn): string[] | undefined =>
  turn.commit?.steps.map(({ name }) => name);

const journaled =
  (kind: JournalEntry["kind"]) =>
  (name: string, output?: unknown): JournalEntry => ({
    name,
    kind,
    attempts: 1,
    ...(output === undefined ? {} : { output }),
  });

export const ran: (name: string, output?: unknown) => JournalEntry = journaled("run");
export const waited: typeof ran = journaled("wait");
export const slept = (name: string): JournalEntry =>
  journaled("sleep")(name, { until: new Date(T0).toISOString() });

/** A row that carries these decisions, by name. */
export const deciding = (
  entry: JournalEntry,
  decisions: Readonly<Record<string, unknown>>,
  before = false,
): JournalEntry => ({
  ...entry,
  decisions: Object.entries(decisions).map(([name, output]) => ({
    name,
    output,
    ...(before ? { before } : {}),
  })),
});

export function failure(turn: Turn): ErrorRecord | undefined {
  return turn.commit?.transition.kind === "fail" ? turn.commit.transition.error : undefined;
}

/** The output with which a turn completes the run. */
export function completion(turn: Turn): unknown {
  const transition = turn.commit?.transition;
  if (transition?.kind !== "complete") throw new Error(`not completed: ${JSON.stringify(turn)}`);
  return transition.output === undefined ? undefined : JSON.parse(transition.output);
}
