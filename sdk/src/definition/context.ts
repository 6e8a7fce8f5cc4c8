import type { ContinueAsNew, ContinueAsNewOptions } from "./continue-as-new.ts";
import type { EventSchemas } from "./events.ts";
import type { Step } from "./step.ts";

/** Receives log lines. `console`, pino and similar loggers have this shape. */
export interface Logger {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

/** Output that a run streams while it executes. Read it with `client.runs.stream(runId)`. */
export interface OutputStream {
  /**
   * Appends a chunk, from the body or from a callback. Chunks become durable with the next commit, which the first chunk
   * causes; those of a `step.tx` with its transaction. A chunk of the body appears once; a call of a callback replaces the
   * chunks of earlier calls.
   *
   * @param chunk Any JSON value.
   * @throws SerializationError if JSON can't represent the chunk.
   */
  readonly write: (chunk: unknown) => void;
}

/** The schedule that started a run. */
export interface RunSchedule {
  /** Name of the schedule. */
  readonly name: string;
  /** The time that the run was scheduled for, even if it began later. For a manual trigger: the time of the trigger. */
  readonly scheduledAt: Date;
}

/** The first argument of a workflow's body. */
export interface Context<Events extends EventSchemas = EventSchemas, Input = unknown> {
  /** Id of the run, digits as text. */
  readonly runId: string;
  /** Deliveries of the run since its last commit: 1, plus 1 for each worker that was lost without committing. */
  readonly attempt: number;
  /** The workflow version that the run executes. It changes only by `continueAsNew`. */
  readonly version: number;
  /** When the run was started, by the clock of the database. */
  readonly startedAt: Date;
  /** The number of this generation: 1, plus 1 for each `continueAsNew` of the run. */
  readonly generation: number;
  /**
   * How many steps of this generation have ended at this point of the code. A replay gets the same numbers, so the body may
   * decide by them when to continue as new.
   */
  readonly journalLength: number;
  /** The schedule that started the run, or started the run that this one reruns. Otherwise undefined. */
  readonly schedule: RunSchedule | undefined;
  /**
   * Aborts when the run is cancelled, the worker loses its lease, or a drain has no more time. Pass it to work that must
   * stop then. Nothing that the body does then counts: a run that has not ended is resumed from its journal.
   */
  readonly signal: AbortSignal;
  /** The durable steps of the run. */
  readonly step: Step<Events>;
  /**
   * Publishes a value of the run, such as its progress. `client.runs.state(runId)` returns the last value of each key.
   * The value becomes durable with the next commit of the run and costs no round trip, except before a `step.tx`.
   *
   * @throws InvalidName for an invalid key; SerializationError if JSON can't represent the value.
   * @example
   * ctx.set("progress", { done: 3, total: 10 });
   */
  readonly set: (key: string, value: unknown) => void;
  /** Output for readers that follow the run. */
  readonly stream: OutputStream;
  /**
   * Guards a change of the code of a version while runs are in flight. Returns true in a run that reaches this point for
   * the first time, and in its replays; false in a run that passed this point with the old code.
   * Further calls with the same id return the same.
   *
   * @param id Names the change; follows the rules for step names.
   * @example
   * if (await ctx.patched("new-mail")) await ctx.step.run("mail-2", …); else await ctx.step.run("mail", …);
   */
  readonly patched: (id: string) => Promise<boolean>;
  /**
   * Ends this generation of the run, once the body returns the result: the next one begins with the given input and an
   * empty journal, in the same run. The run keeps its id, tags, idempotency key, deadline, published values and buffered
   * signals. Rollbacks of this generation are given up, as if the run had completed, and child runs that it does not
   * await continue by themselves.
   *
   * @throws InvalidArgument for an invalid version, or inside a callback; SerializationError if JSON can't represent the
   *   input.
   * @example
   * if (ctx.journalLength >= 1_000) return ctx.continueAsNew({ cursor });
   */
  continueAsNew(
    ...given: undefined extends Input
      ? [input?: Input, options?: ContinueAsNewOptions]
      : [input: Input, options?: ContinueAsNewOptions]
  ): ContinueAsNew;
  /** Silent while the body replays, so that each line is logged once. */
  readonly logger: Logger;
}
