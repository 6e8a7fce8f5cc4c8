import type { EventSchemas } from "./events.ts";
import type { Step } from "./step.ts";

/** Takes log lines: `console`, pino and the like have this shape. */
export interface Logger {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

/** The output that a run streams while it goes on: `client.runs.stream(runId)` reads it. */
export interface OutputStream {
  /**
   * Appends a chunk, in the body or in a callback. It is durable a moment later; what is written at the same time
   * shares a commit. What the body writes is there once. What a callback writes is there once for each of its calls.
   */
  readonly write: (chunk: unknown) => void;
}

/** What started a run by the clock. */
export interface RunSchedule {
  readonly name: string;
  /** The tick: the time that the run is for, whenever it began. Where it was triggered by hand, when that was. */
  readonly scheduledAt: Date;
}

/** What a workflow's body is given to work with. */
export interface Context<Events extends EventSchemas = EventSchemas> {
  readonly runId: string;
  /** 1, and one more each time that a worker was lost before anything new was journaled. */
  readonly attempt: number;
  /** The version that the run was started with; it never changes. */
  readonly version: number;
  /** When the run was started, by the database's clock. */
  readonly startedAt: Date;
  /** The schedule that started the run, or the run that this one repeats; undefined for others. */
  readonly schedule: RunSchedule | undefined;
  /** Aborts when the run is cancelled or its lease is lost: pass it on to what should stop then. */
  readonly signal: AbortSignal;
  readonly step: Step<Events>;
  /**
   * Shows a value to others: `client.runs.state(runId)` has the last one of each key. It goes with the next commit
   * of the run, that of the step which finishes next, and costs no round trip.
   */
  readonly set: (key: string, value: unknown) => void;
  readonly stream: OutputStream;
  /**
   * Lets runs in flight finish as they began, when the code of a version changes: true in a run that gets here for
   * the first time, and from then on; false in one that went on from here before, with the old code.
   *
   * @example
   * if (await ctx.patched("new-mail")) await ctx.step.run("mail-2", …); else await ctx.step.run("mail", …);
   */
  readonly patched: (id: string) => Promise<boolean>;
  /** Silent while the body only repeats what it did before, so that a line is logged once. */
  readonly logger: Logger;
}
