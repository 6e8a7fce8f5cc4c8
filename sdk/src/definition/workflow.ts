import type { StandardSchemaV1 } from "@standard-schema/spec";
import {
  DEFAULT_RETRY,
  type RetryOptions,
  type RetryPolicy,
  toRetryPolicy,
} from "../core/backoff.ts";
import { type Duration, parseDuration } from "../core/duration.ts";
import type { ErrorRecord } from "../core/error-record.ts";
import { InvalidArgument } from "../core/errors.ts";
import { checkOptions, type OptionNames } from "../core/options.ts";
import { checkEventName, checkWorkflowName } from "../core/names.ts";
import type { Context } from "./context.ts";
import type { EventSchemas } from "./events.ts";
import { type FlowControl, type FlowSettings, toFlowSettings } from "./flow-control.ts";

const DAY_MS = 86_400_000;

export interface WorkflowOptions<Input, Parsed, Output, Events extends EventSchemas> {
  /** 1 to 43 characters of a-z, 0-9, "_" and "-", the first a letter or digit. */
  readonly name: string;
  /** A whole number from 1; default 1. A run keeps the version that it was started with. */
  readonly version?: number;
  /** How long an ended run is kept, in whole days, rounded up. Default: what the database says (30 days). */
  readonly retention?: Duration;
  /**
   * How often and when a run whose body has failed is tried again, as `runs.retry` does it: no step that succeeded is
   * called again, the step that it failed by gets new attempts, and rollbacks wait for the last failure. Counts attempts
   * of the run, the first included. Not after a `NonRetriableError`, a deadline, or a departure from the journal.
   * Default: no retry.
   */
  readonly runRetry?: RetryOptions;
  /** How long after its start a run fails that has not ended. Default: never. */
  readonly deadline?: Duration;
  /**
   * What to do when a run has failed, whatever it failed by: a run of its own that is started in the transaction in
   * which the run fails, exactly once. A function makes the workflow `<name>-on-failure`, which the worker serves too; give
   * a workflow to share it. A run that is cancelled has not failed.
   */
  readonly onFailure?: FailureHandler<Parsed> | Workflow<FailedRun<Parsed>>;
  /** Schema of the input (Standard Schema: zod, valibot, arktype, …). The body gets what it makes of the input. */
  readonly input?: StandardSchemaV1<Input, Parsed>;
  /** Schemas of the payloads of events, by name. With them, the body may wait for no others. */
  readonly events?: Events;
  /** How often and when its steps are retried, unless they say otherwise. Default: 3 attempts, 1 s to 60 s. */
  readonly retry?: RetryOptions;
  /**
   * How many runs are in flight, how fast they begin, in which order. Workers say it to the database when they
   * begin; the newest version has the say. Null: no longer. Left out: as it is.
   */
  readonly flowControl?: FlowControl | null;
  /**
   * The body: plain code, repeated from its beginning whenever the run resumes. Steps that are journaled return
   * at once; everything between steps happens again, so it must not depend on time, chance or the outside.
   */
  readonly run: (ctx: Context<Events>, input: Parsed) => Output | PromiseLike<Output>;
}

/** The input of a failure handler: the run that has failed. */
export interface FailedRun<Input = unknown> {
  readonly runId: string;
  readonly workflow: string;
  readonly version: number;
  readonly input: Input;
  readonly error: ErrorRecord;
}

/** The body of a failure handler. Its steps are durable, as in any workflow. */
export type FailureHandler<Input = unknown> = (ctx: Context, failed: FailedRun<Input>) => unknown;

const WORKFLOW_OPTIONS: OptionNames<WorkflowOptions<never, never, never, never>> = {
  name: true,
  version: true,
  retention: true,
  deadline: true,
  onFailure: true,
  input: true,
  events: true,
  retry: true,
  runRetry: true,
  flowControl: true,
  run: true,
};

/** A workflow: a name, a version and a body. Immutable; give it to a worker or a client. */
export interface Workflow<
  Input = unknown,
  Output = unknown,
  Events extends EventSchemas = EventSchemas,
> {
  readonly name: string;
  readonly version: number;
  /** Undefined: what the database says. */
  readonly retentionDays: number | undefined;
  /** Undefined: never. */
  readonly deadlineMs: number | undefined;
  /** The workflow that handles its failures. */
  readonly onFailure: Workflow<never> | undefined;
  readonly input: StandardSchemaV1<Input, unknown> | undefined;
  readonly events: EventSchemas;
  readonly retry: RetryPolicy;
  /** Of runs. Undefined: they fail at once. */
  readonly runRetry: RetryPolicy | undefined;
  /** Undefined: nothing is said of it. */
  readonly flowControl: FlowSettings | null | undefined;
  /** Called by the replay engine, with the context and the input that belong to it. */
  readonly run: (ctx: never, input: never) => unknown;
  /** For inference only; never there. */
  readonly types?: { readonly input: Input; readonly output: Output; readonly events: Events };
}

/** What `client.start` takes as the input of a workflow. */
export type InputOf<Definition extends Workflow> = NonNullable<Definition["types"]>["input"];

/** What a workflow's body returns. */
export type OutputOf<Definition extends Workflow> = NonNullable<Definition["types"]>["output"];

/** The events that a workflow declares. */
export type EventsOf<Definition extends Workflow> = NonNullable<Definition["types"]>["events"];

/**
 * Defines a workflow.
 *
 * @throws InvalidName, InvalidArgument if an option makes no sense.
 * @example
 * const greet = defineWorkflow({
 *   name: "greet",
 *   run: async (ctx, input: { name: string }) => {
 *     const text = await ctx.step.run("compose", () => `Hello, ${input.name}!`);
 *     await ctx.step.sleep("pause", "1m");
 *     await ctx.step.run("send", () => mail.send(text));
 *   },
 * });
 */
export function defineWorkflow<
  Parsed,
  Output,
  Events extends EventSchemas = EventSchemas,
  Input = Parsed,
>(options: WorkflowOptions<Input, Parsed, Output, Events>): Workflow<Input, Output, Events> {
  const { name, version = 1, retention, deadline, onFailure, input, events } = options;
  const { retry = {}, runRetry, flowControl, run } = options;
  checkWorkflowName(name);
  checkOptions(options, WORKFLOW_OPTIONS, `workflow "${name}"`);
  if (!Number.isInteger(version) || version < 1 || version > MAX_VERSION) {
    throw new InvalidArgument(
      `Invalid version ${version} of workflow "${name}": give a whole number from 1 to ${MAX_VERSION}.`,
    );
  }
  if (typeof run !== "function") {
    throw new InvalidArgument(`Workflow "${name}" has no body: give \`run\` a function.`);
  }
  for (const event of Object.keys(events ?? {})) checkEventName(event);
  return Object.freeze({
    name,
    version,
    retentionDays: retention === undefined ? undefined : toRetentionDays(retention, name),
    deadlineMs: deadline === undefined ? undefined : toDeadlineMs(deadline, name),
    onFailure: onFailure === undefined ? undefined : toHandler(onFailure, name, version),
    input,
    events: Object.freeze({ ...events }),
    retry: toRetryPolicy(retry, DEFAULT_RETRY, `workflow "${name}"`),
    runRetry:
      runRetry === undefined
        ? undefined
        : toRetryPolicy(runRetry, DEFAULT_RETRY, `runs of workflow "${name}"`),
    flowControl:
      flowControl && toFlowSettings(flowControl, `the flow control of workflow "${name}"`),
    run,
  });
}

/** A version is an int4 in the database. */
const MAX_VERSION = 2_147_483_647;

function toDeadlineMs(deadline: Duration, name: string): number {
  const deadlineMs = parseDuration(deadline, `the deadline of workflow "${name}"`);
  if (deadlineMs > 0) return deadlineMs;
  throw new InvalidArgument(
    `Invalid deadline ${JSON.stringify(deadline)} of workflow "${name}": leave it out for none.`,
  );
}

function toHandler<Parsed>(
  onFailure: FailureHandler<Parsed> | Workflow<FailedRun<Parsed>>,
  name: string,
  version: number,
): Workflow<never> {
  if (typeof onFailure === "function") {
    return defineWorkflow({ name: `${name}-on-failure`, version, run: onFailure });
  }
  if (typeof onFailure !== "object" || typeof onFailure.run !== "function") {
    throw new InvalidArgument(
      `Invalid onFailure of workflow "${name}": give a function, or what workflow() returned.`,
    );
  }
  if (onFailure.name === name) {
    throw new InvalidArgument(`Workflow "${name}" cannot handle its own failures.`);
  }
  return onFailure as Workflow<never>;
}

function toRetentionDays(retention: Duration, name: string): number {
  return Math.max(
    1,
    Math.ceil(parseDuration(retention, `the retention of workflow "${name}"`) / DAY_MS),
  );
}
