import type { StandardSchemaV1 } from "@standard-schema/spec";
import { DEFAULT_RETRY, type RetryOptions, toRetryPolicy } from "../core/retry-policy.ts";
import { type Duration, parseDuration } from "../core/duration.ts";
import type { ErrorRecord } from "../core/error-record.ts";
import { InvalidArgument } from "../core/errors.ts";
import { checkOptions, type OptionNames } from "../core/options.ts";
import { checkEventName, checkWorkflowName } from "../core/names.ts";
import type { Context } from "./context.ts";
import type { ContinueAsNew } from "./continue-as-new.ts";
import type { EventSchemas } from "./events.ts";
import { checkPath, type FlowControl, toFlowSettings } from "./flow-control.ts";
import type { Workflow } from "./workflow.ts";

const DAY_MS = 86_400_000;

/** The argument of `defineWorkflow`. */
export interface WorkflowOptions<Input, Parsed, Output, Events extends EventSchemas> {
  /** 1 to 43 of the characters a-z, 0-9, "_" and "-", beginning with a letter or digit. */
  readonly name: string;
  /** A whole number from 1. A run keeps the version that it was started with. Default: 1. */
  readonly version?: number;
  /** How long an ended run is kept, rounded up to whole days. Default: the setting of the database, 30 days unless changed. */
  readonly retention?: Duration;
  /**
   * Retries a run whose body failed, like `runs.retry`: completed steps are not repeated, the failed step gets new
   * attempts, and rollbacks wait until the last attempt has failed. `attempts` counts attempts of the run, including the
   * first. A run is not retried after a `NonRetriableError`, at its deadline, or if its code departs from its journal.
   * Default: no retries.
   */
  readonly runRetry?: RetryOptions;
  /** Time from its start after which a run fails with `DeadlineExceeded`. Rolls nothing back. Default: no deadline. */
  readonly deadline?: Duration;
  /**
   * Handles failures: a run that is started exactly once, in the transaction in which a run fails. A function becomes the
   * workflow `<name>-on-failure`, which the same workers serve; pass a workflow to share it. Cancelled runs have not
   * failed. Default: no handler.
   */
  readonly onFailure?: FailureHandler<Parsed> | Workflow<FailedRun<Parsed>>;
  /**
   * Schema of the input, from any Standard Schema library (zod, valibot, arktype, …). The body receives the parsed input;
   * an input that doesn't match fails the run with `ValidationFailed`. If the library has Standard JSON Schema (Zod 4.2,
   * ArkType, …), workers register the JSON Schema with the version, and the dashboard starts runs from a form.
   * Default: the input is not checked.
   */
  readonly input?: StandardSchemaV1<Input, Parsed>;
  /** Payload schemas by event name. If present, the body may wait only for these events. Default: any event, unchecked. */
  readonly events?: Events;
  /** Retry policy of steps without one. Default: 3 attempts, exponential backoff from 1 s to 60 s. */
  readonly retry?: RetryOptions;
  /**
   * Limits how many runs are in flight, how fast they begin, and in which order. Workers register it at startup; the
   * settings of the newest version win. `null` removes it; omit it to keep the current settings.
   */
  readonly flowControl?: FlowControl | null;
  /**
   * Where the input has the route of a run, such as its tenant: a path like `"tenant.id"`, to a text or a number. Clients
   * that start this definition use it, unless the start gives a `route`. An idempotency key begins with the route and a
   * slash. Child runs have the route of their parent. Default: no route.
   */
  readonly route?: string;
  /**
   * Fails a run whose body returns without having awaited a step that it asked for, as after a forgotten `await`: such a
   * step may never execute, and its failure stays unseen. Default: false, which completes the run with a warning.
   */
  readonly strict?: boolean;
  /**
   * Offers the workflow as a tool to language models, by the Model Context Protocol: `true`, or with a description that
   * states when to call it. Requires `input`, from a library with Standard JSON Schema: it is the schema of the tool.
   * Default: false.
   */
  readonly expose?: boolean | { readonly description?: string };
  /**
   * The body: plain code that executes from the beginning whenever the run resumes. Journaled steps return immediately.
   * Everything between steps executes again, so put anything that depends on time, randomness or the outside world in a
   * step. A body that returns `ctx.continueAsNew(input)` executes again with that input and an empty journal.
   */
  readonly run: (
    ctx: Context<Events, NoInfer<Input>>,
    input: Parsed,
  ) => Output | PromiseLike<Output>;
}

/** The input of a failure handler: the failed run. */
export interface FailedRun<Input = unknown> {
  /** Id of the failed run, digits as text. */
  readonly runId: string;
  /** Name of its workflow. */
  readonly workflow: string;
  /** Version of its workflow. */
  readonly version: number;
  /** The input that it was started with. */
  readonly input: Input;
  /** The error that it failed with. */
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
  route: true,
  strict: true,
  expose: true,
  run: true,
};

/**
 * Defines a workflow.
 *
 * @throws InvalidName for an invalid workflow or event name; InvalidArgument for an invalid option.
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
>(
  options: WorkflowOptions<Input, Parsed, Output, Events>,
): Workflow<Input, Exclude<Output, ContinueAsNew>, Events> {
  const { name, version = 1, retention, deadline, onFailure, input, events } = options;
  const { retry = {}, runRetry, flowControl, route, strict = false, expose, run } = options;
  checkWorkflowName(name);
  checkOptions(options, WORKFLOW_OPTIONS, `workflow "${name}"`);
  if (!isVersion(version)) {
    throw new InvalidArgument(
      `Invalid version ${version} of workflow "${name}": give a whole number from 1 to ${MAX_VERSION}.`,
    );
  }
  if (typeof run !== "function") {
    throw new InvalidArgument(`Workflow "${name}" has no body: give \`run\` a function.`);
  }
  if (typeof strict !== "boolean") {
    throw new InvalidArgument(
      `Invalid strict ${JSON.stringify(strict)} of workflow "${name}": give true or false.`,
    );
  }
  checkPath("route", route, `workflow "${name}"`);
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
    route,
    strict,
    expose: toExposure(expose, input, name),
    run,
  });
}

function toExposure(expose: unknown, input: unknown, name: string): Workflow["expose"] {
  if (expose === undefined || expose === false) return undefined;
  const { description } = (expose ?? { description: null }) as { readonly description?: unknown };
  const isText = description === undefined || typeof description === "string";
  if (isText && input !== undefined && (expose === true || typeof expose === "object"))
    return { description };
  throw new InvalidArgument(
    `Invalid expose ${JSON.stringify(expose)} of workflow "${name}": give true or a description, and an input schema.`,
  );
}

/** A version is an int4 in the database. */
export const MAX_VERSION = 2_147_483_647;

export const isVersion = (version: number): boolean =>
  Number.isInteger(version) && version >= 1 && version <= MAX_VERSION;

function toDeadlineMs(deadline: Duration, name: string): number {
  const deadlineMs = parseDuration(deadline, `the deadline of workflow "${name}"`);
  if (deadlineMs > 0) return deadlineMs;
  throw new InvalidArgument(
    `Invalid deadline ${JSON.stringify(deadline)} of workflow "${name}": leave it out for no deadline.`,
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
      `Invalid onFailure of workflow "${name}": give a function or a workflow.`,
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
