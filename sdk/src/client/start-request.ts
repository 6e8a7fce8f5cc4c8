/** Options of a start, and the request made from them. */
import type { Codec } from "../core/codec.ts";
import { type Duration, parseDuration } from "../core/duration.ts";
import { InvalidArgument } from "../core/errors.ts";
import { toStorableText } from "../core/json.ts";
import { checkStartableName, checkWorkflowName } from "../core/names.ts";
import type { OptionNames } from "../core/options.ts";
import { validate } from "../core/schema.ts";
import type { Workflow } from "../definition/workflow.ts";
import type { OnEnded, OnRunning, StartRequest } from "../protocol/runs.ts";
import { requireKeyOfRoute } from "../protocol/routes.ts";
import type { TransactionClient } from "../protocol/transaction.ts";

export interface StartOptions {
  /**
   * At most one run of the workflow holds a key. If a run holds this one, the start returns that run, unless `onRunning`
   * or `onEnded` specifies otherwise. 1 to 512 characters.
   */
  readonly idempotencyKey?: string;
  /**
   * What the run belongs with, such as a tenant: over the shards of a fleet, runs with one route are in one shard. With
   * both, the idempotency key begins with the route and a slash, as in `acme/order-7`; a key without a route is its own
   * route. 1 to 512 characters without slashes. One database ignores it.
   */
  readonly route?: string;
  /**
   * If the run that holds the key is in progress: `use-existing` (the default) returns it, `fail` throws
   * IdempotencyConflict, and `cancel-existing` cancels it and starts this one.
   */
  readonly onRunning?: OnRunning;
  /**
   * If the run that holds the key has ended: `use-existing` (the default) returns it, `start-new` starts a run that takes
   * over the key, and `start-new-if-failed` does so only if the run failed or was cancelled.
   */
  readonly onEnded?: OnEnded;
  /** The key under which flow control counts the run. Default: from the input, as the workflow specifies. */
  readonly flowKey?: string;
  /** Priority in flow control, a whole number; higher starts first. Default: from the input if specified, else 0. */
  readonly priority?: number;
  /**
   * The version to start. Default: the definition's; for a workflow given by name, the latest registered version. If no
   * worker has registered any, the first registration decides it.
   */
  readonly version?: number;
  /** How long the ended run is kept, rounded up to whole days. Default: from the definition or registration, else 30 days. */
  readonly retention?: Duration;
  /** The retention in days, from 0 to 36500. */
  readonly retentionDays?: number;
  /** Delay before the run begins. Default: no delay. */
  readonly delay?: Duration;
  /** The time at which the run may begin, by the database's clock, instead of a delay. A past date means no delay. */
  readonly at?: Date;
  /**
   * When the run fails if it is still in progress: a date, or a duration from the time at which it may begin. Default: from
   * the definition or registration, else never.
   */
  readonly deadline?: Date | Duration;
  /** JSON by which filters find the run. */
  readonly tags?: Readonly<Record<string, unknown>>;
  /** A connection with an open transaction of the caller: the run starts if and when that commits. */
  readonly tx?: TransactionClient;
}

/** A start by a transaction whose database may be another shard than that of the run. */
export interface StartElsewhereOptions extends StartOptions {
  /**
   * Starts the run where its route, or else its key, is at home: if that is another shard than that of `tx`, once, soon
   * after the commit. Then only that shard knows its id, and `start` returns undefined; the same start with the same key,
   * without `tx`, returns the run. `onRunning` can't be `fail`.
   */
  readonly elsewhere: true;
}

/** One run of a batch. */
export interface BatchItem<Input = unknown> extends Omit<StartOptions, "tx"> {
  readonly input: Input;
}

export interface SignalWithStartOptions<Payload = unknown> extends Omit<StartOptions, "onRunning"> {
  readonly idempotencyKey: string;
  readonly event: string;
  readonly payload?: Payload;
  /** A repeated signal with this id to the same run has no effect. 1 to 512 characters. */
  readonly deduplicationId?: string;
  /** As for `start`, but the default is `start-new`; with `use-existing`, a signal to an ended run is ignored. */
  readonly onEnded?: OnEnded;
}

const STARTED_OPTIONS: OptionNames<StartOptions> = {
  idempotencyKey: true,
  route: true,
  onRunning: true,
  onEnded: true,
  flowKey: true,
  priority: true,
  at: true,
  version: true,
  retention: true,
  retentionDays: true,
  delay: true,
  deadline: true,
  tags: true,
  tx: true,
};

export const START_OPTIONS: OptionNames<StartElsewhereOptions> = {
  ...STARTED_OPTIONS,
  elsewhere: true,
};

const { tx: _, ...ITEM_OPTIONS } = STARTED_OPTIONS;
export const BATCH_ITEM: OptionNames<BatchItem> = { ...ITEM_OPTIONS, input: true };

const { onRunning: _ignored, ...SIGNALLED_OPTIONS } = STARTED_OPTIONS;
export const SIGNAL_WITH_START_OPTIONS: OptionNames<SignalWithStartOptions> = {
  ...SIGNALLED_OPTIONS,
  event: true,
  payload: true,
  deduplicationId: true,
};

const DAY_MS = 86_400_000;

export const nameOf = (workflow: Workflow | string): string =>
  typeof workflow === "string" ? workflow : workflow.name;

/** @throws InvalidName, InvalidArgument, ValidationFailed, SerializationError, PayloadTooLarge */
export async function toStartRequest(
  workflow: Workflow | string,
  input: unknown,
  options: StartOptions,
  codec: Codec | undefined,
): Promise<StartRequest> {
  const definition = typeof workflow === "string" ? undefined : workflow;
  const name = nameOf(workflow);
  checkWorkflowName(name);
  checkStartableName(name);
  // The worker applies the schema to the stored input; this check rejects an invalid one early.
  if (definition?.input !== undefined)
    await validate(definition.input, input, `input of workflow "${name}"`);
  const encoded = codec === undefined ? input : codec.encode(input);
  const { deadline, delay, at, tags, idempotencyKey, onRunning, onEnded, flowKey, priority } =
    options;
  const route = options.route ?? routeIn(input, definition);
  checkRules({ ...options, route }, name);
  return {
    workflow: name,
    version: options.version ?? definition?.version,
    input: toStorableText(encoded, `the input of workflow "${name}"`),
    idempotencyKey,
    route,
    retentionDays: retentionDays(options) ?? definition?.retentionDays,
    delayMs:
      delay === undefined ? undefined : parseDuration(delay, `the delay of workflow "${name}"`),
    startAt: at,
    deadline: deadline instanceof Date ? deadline : undefined,
    deadlineMs: deadlineMs(deadline, name) ?? definition?.deadlineMs,
    tags: tags === undefined ? undefined : toStorableText(tags, `the tags of a run of "${name}"`),
    onRunning,
    onEnded,
    flowKey,
    priority,
  };
}

/** The route of a run, where the definition finds it in the input. @throws InvalidArgument */
export function routeIn(input: unknown, definition: Workflow | undefined): string | undefined {
  if (definition?.route === undefined) return undefined;
  let value = input;
  for (const name of definition.route.split(".")) {
    const isObject = typeof value === "object" && value !== null && Object.hasOwn(value, name);
    value = isObject ? (value as Record<string, unknown>)[name] : undefined;
  }
  if (typeof value === "string" || typeof value === "number") return String(value);
  throw new InvalidArgument(
    `The input of a run of "${definition.name}" has no text or number at ${definition.route}, its route: correct the input, or give the start a \`route\`.`,
  );
}

const ON_RUNNING: readonly OnRunning[] = ["use-existing", "fail", "cancel-existing"];
const ON_ENDED: readonly OnEnded[] = ["use-existing", "start-new", "start-new-if-failed"];

function checkRules(
  options: Omit<StartOptions, "route"> & Pick<StartRequest, "route">,
  name: string,
): void {
  const { deadline, delay, at, onRunning, onEnded, priority } = options;
  requireKeyOfRoute(options, name);
  checkRule("onRunning", onRunning, ON_RUNNING);
  checkRule("onEnded", onEnded, ON_ENDED);
  if (priority !== undefined && !Number.isInteger(priority)) {
    throw new InvalidArgument(
      `Invalid priority ${priority} of a run of "${name}": give a whole number.`,
    );
  }
  if (at !== undefined && delay !== undefined) {
    throw new InvalidArgument(`A run of "${name}" has both a delay and a date: give one of them.`);
  }
  checkDate(at, `date of a run of "${name}"`);
  if (deadline instanceof Date) checkDate(deadline, `deadline of a run of "${name}"`);
}

function checkRule(name: string, value: string | undefined, known: readonly string[]): void {
  if (value === undefined || known.includes(value)) return;
  throw new InvalidArgument(`Invalid ${name} "${value}": it is one of ${known.join(", ")}.`);
}

function checkDate(date: unknown, what: string): void {
  if (date === undefined || (date instanceof Date && !Number.isNaN(date.getTime()))) return;
  throw new InvalidArgument(`Invalid ${what}: it is not a date.`);
}

/** Undefined for a deadline given as a date. */
function deadlineMs(deadline: StartOptions["deadline"], name: string): number | undefined {
  if (deadline === undefined || deadline instanceof Date) return undefined;
  const ms = parseDuration(deadline, `the deadline of a run of "${name}"`);
  if (ms > 0) return ms;
  throw new InvalidArgument(
    `Invalid deadline ${JSON.stringify(deadline)} of a run of "${name}": it has passed at the start.`,
  );
}

export function retentionDays({
  retention,
  retentionDays: days,
}: Pick<StartOptions, "retention" | "retentionDays">): number | undefined {
  if (days !== undefined) {
    if (Number.isInteger(days) && days >= 0 && days <= 36_500) return days;
    throw new InvalidArgument(
      `Invalid retentionDays ${days}: give a whole number from 0 to 36500.`,
    );
  }
  return retention === undefined
    ? undefined
    : Math.ceil(parseDuration(retention, "the retention of a run") / DAY_MS);
}
