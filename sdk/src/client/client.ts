import type { Codec } from "../core/codec.ts";
import { type Duration, parseDuration } from "../core/duration.ts";
import { InvalidArgument } from "../core/errors.ts";
import type { Journaled } from "../core/journaled.ts";
import { toJournal } from "../core/json.ts";
import { checkEventName, checkWorkflowName } from "../core/names.ts";
import { type OptionNames, checkOptions } from "../core/options.ts";
import { validate } from "../core/schema.ts";
import type { EventsOf, InputOf, OutputOf, Workflow } from "../definition/workflow.ts";
import type { FlowOutcome, FlowState } from "../protocol/flow-control.ts";
import type {
  OnEnded,
  OnRunning,
  SignalOutcome,
  StartRequest,
  StartedRun,
} from "../protocol/runs.ts";
import type { TransactionClient } from "../protocol/transaction.ts";
import type { Transport } from "../protocol/transport.ts";
import type { RegisteredVersion } from "../protocol/workflows.ts";
import { inSpan } from "../telemetry/tracer.ts";
import { CONNECT_OPTIONS, type ConnectOptions, connect } from "../transport/connect.ts";
import { Queues } from "./queues.ts";
import { RunHandle, SIGNAL_OPTIONS, type SignalOptions } from "./run-handle.ts";
import { checkRunId } from "./run-id.ts";
import { Runs } from "./runs.ts";
import { Schedules } from "./schedules.ts";
import { Topics } from "./topics.ts";
import { type TransactionOptions, txOf } from "./transaction.ts";

export interface ClientOptions extends ConnectOptions {
  /** How values are encoded; the same as the workers'. */
  readonly codec?: Codec;
}

export interface StartOptions {
  /**
   * At most one run of the workflow holds this key. A start that finds it taken returns that run, unless
   * `onRunning` or `onEnded` say otherwise. 1 to 512 characters.
   */
  readonly idempotencyKey?: string;
  /**
   * What to do while the run that holds the key is in flight: return it (`use-existing`, the default), throw
   * IdempotencyConflict (`fail`), or cancel it and start this one (`cancel-existing`).
   */
  readonly onRunning?: OnRunning;
  /**
   * What to do when the run that holds the key has ended: return it (`use-existing`, the default), start a new one
   * that takes the key over (`start-new`), or that only if it failed or was cancelled (`start-new-if-failed`).
   */
  readonly onEnded?: OnEnded;
  /** For the flow control of the workflow: what it counts the run under, instead of what it finds in the input. */
  readonly flowKey?: string;
  /** For flow control with a priority: the higher goes first. A whole number; default what the input says, else 0. */
  readonly priority?: number;
  /**
   * Version to start. Default: that of the definition; of a workflow by name the latest that a worker has registered, or 1
   * when none has.
   */
  readonly version?: number;
  /** How long the ended run is kept, in whole days, rounded up. Default: the definition's or the registered version's, else 30 days. */
  readonly retention?: Duration;
  /** The same in days. */
  readonly retentionDays?: number;
  /** How long the run waits before it begins. Default: not at all. */
  readonly delay?: Duration;
  /** Instead of a delay: when the run may begin, by the database's clock. A date that has passed is no delay. */
  readonly at?: Date;
  /**
   * When a run that is still running fails: a date, or how long after it may begin. Default: the definition's or the
   * registered version's, else never.
   */
  readonly deadline?: Date | Duration;
  /** Anything to find the run by. */
  readonly tags?: Readonly<Record<string, unknown>>;
  /** The caller's own connection, inside a transaction: the run starts if, and when, that commits. */
  readonly tx?: TransactionClient;
}

/** One run of a batch. */
export interface BatchItem<Input = unknown> extends Omit<StartOptions, "tx"> {
  readonly input: Input;
}

export interface SignalWithStartOptions<Payload = unknown> extends Omit<StartOptions, "onRunning"> {
  readonly idempotencyKey: string;
  readonly event: string;
  readonly payload?: Payload;
  /** A second signal to the run with this id does nothing. */
  readonly deduplicationId?: string;
  /** As in `start`, but by default `start-new`; with `use-existing` a signal to an ended run is ignored. */
  readonly onEnded?: OnEnded;
}

/** A run that was started or found, and what became of the signal. */
export interface SignalledRun<Handle> {
  readonly run: Handle;
  readonly outcome: SignalOutcome;
}

type HandleOf<Definition extends Workflow> = RunHandle<
  Journaled<OutputOf<Definition>>,
  EventsOf<Definition>,
  InputOf<Definition>
>;

const CLIENT_OPTIONS: OptionNames<ClientOptions> = { ...CONNECT_OPTIONS, codec: true };

const START_OPTIONS: OptionNames<StartOptions> = {
  idempotencyKey: true,
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

const { tx: _, ...ITEM_OPTIONS } = START_OPTIONS;
const BATCH_ITEM: OptionNames<BatchItem> = { ...ITEM_OPTIONS, input: true };

const { onRunning: _ignored, ...SIGNALLED_OPTIONS } = START_OPTIONS;
const SIGNAL_WITH_START_OPTIONS: OptionNames<SignalWithStartOptions> = {
  ...SIGNALLED_OPTIONS,
  event: true,
  payload: true,
  deduplicationId: true,
};

const DAY_MS = 86_400_000;

/** A client of the database at `url`. Connects at its first use; close it when you are done. */
export function createWorkflowClient(options: ClientOptions = {}): WorkflowClient {
  checkOptions(options, CLIENT_OPTIONS, "createWorkflowClient()");
  return new WorkflowClient(connect(options), options.codec);
}

/** Starts runs, sends them signals, and looks at them. */
export class WorkflowClient {
  readonly runs: Runs;
  readonly queues: Queues;
  readonly topics: Topics;
  readonly schedules: Schedules;
  readonly #transport: Transport;
  readonly #codec: Codec | undefined;

  constructor(transport: Transport, codec: Codec | undefined) {
    this.#transport = transport;
    this.#codec = codec;
    this.runs = new Runs(transport, codec);
    this.queues = new Queues(transport.queues);
    this.topics = new Topics(transport.topics);
    this.schedules = new Schedules(transport, codec);
  }

  /**
   * Starts a run, of a definition or of a workflow by name.
   *
   * @throws InvalidName, InvalidArgument, ValidationFailed, SerializationError: then nothing was written.
   *   IdempotencyConflict: `onRunning` is `fail`, and a run with the key is in flight.
   *   ConnectionFailed: perhaps it was; with an `idempotencyKey` it is safe to start again.
   */
  start(workflow: string, input?: unknown, options?: StartOptions): Promise<RunHandle>;
  // Last, since the last overload is the one whose argument a compiler blames.
  start<Definition extends Workflow>(
    workflow: Definition,
    input: InputOf<Definition>,
    options?: StartOptions,
  ): Promise<HandleOf<Definition>>;
  async start(
    workflow: Workflow | string,
    input?: unknown,
    options: StartOptions = {},
  ): Promise<unknown> {
    checkOptions(options, START_OPTIONS, `start() of "${nameOf(workflow)}"`);
    const request = await this.#toRequest(workflow, input, options);
    const started = await inSpan("workflow.start", startFacts(request), async (trace, span) => {
      const traced = trace === undefined ? request : { ...request, trace };
      const found = await this.#transport.runs.start(traced, options.tx);
      span?.setAttribute("run_id", found.runId);
      return found;
    });
    return this.#toHandle(workflow, started);
  }

  /**
   * Starts many runs of a workflow in one statement: all of them, or none.
   *
   * @returns Their handles, in order.
   * @throws As `start`.
   */
  startBatch(
    workflow: string,
    items: readonly BatchItem[],
    options?: TransactionOptions,
  ): Promise<RunHandle[]>;
  startBatch<Definition extends Workflow>(
    workflow: Definition,
    items: readonly BatchItem<InputOf<Definition>>[],
    options?: TransactionOptions,
  ): Promise<HandleOf<Definition>[]>;
  async startBatch(
    workflow: Workflow | string,
    items: readonly BatchItem[],
    options?: TransactionOptions,
  ): Promise<unknown[]> {
    const what = `startBatch() of "${nameOf(workflow)}"`;
    const tx = txOf(options, what);
    for (const item of items) checkOptions(item, BATCH_ITEM, `an item of ${what}`);
    const requests = await Promise.all(
      items.map(({ input, ...rest }) => this.#toRequest(workflow, input, rest)),
    );
    if (requests.length === 0) return [];
    const name = typeof workflow === "string" ? workflow : workflow.name;
    const facts = { "workflow.name": name, "batch.size": requests.length };
    const started = await inSpan("workflow.start", facts, (trace) => {
      const traced =
        trace === undefined ? requests : requests.map((request) => ({ ...request, trace }));
      return this.#transport.runs.startBatch(name, traced, tx);
    });
    return started.map((run) => this.#toHandle(workflow, run));
  }

  /**
   * Sends an event to the run that holds an idempotency key, and starts that run where there is none: one
   * transaction.
   *
   * @throws As `start` and `signal`.
   */
  signalWithStart(
    workflow: string,
    input: unknown,
    options: SignalWithStartOptions,
  ): Promise<SignalledRun<RunHandle>>;
  signalWithStart<Definition extends Workflow>(
    workflow: Definition,
    input: InputOf<Definition>,
    options: SignalWithStartOptions,
  ): Promise<SignalledRun<HandleOf<Definition>>>;
  async signalWithStart(
    workflow: Workflow | string,
    input: unknown,
    signalOptions: SignalWithStartOptions,
  ): Promise<SignalledRun<unknown>> {
    const what = `signalWithStart() of "${nameOf(workflow)}"`;
    checkOptions(signalOptions, SIGNAL_WITH_START_OPTIONS, what);
    const { event, payload, deduplicationId, ...options } = signalOptions;
    checkEventName(event);
    const request = await this.#toRequest(workflow, input, options);
    if (options.idempotencyKey === undefined) {
      throw new InvalidArgument(
        `signalWithStart() of "${request.workflow}" needs an idempotencyKey to find the run by.`,
      );
    }
    const schema = typeof workflow === "string" ? undefined : workflow.events[event];
    if (schema !== undefined) await validate(schema, payload, `payload of event "${event}"`);
    const { text } = toJournal(payload, `the payload of event "${event}"`);
    const signal = { event, payload: text, deduplicationId };
    const facts = { "workflow.name": request.workflow, event };
    const { outcome, ...started } = await inSpan("workflow.signal", facts, async (trace, span) => {
      const found = await this.#transport.runs.signalWithStart(
        { ...request, trace },
        signal,
        options.tx,
      );
      span?.setAttribute("run_id", found.runId);
      return found;
    });
    return { run: this.#toHandle(workflow, started), outcome };
  }

  /**
   * Sends an event to a run.
   *
   * @returns `delivered` to a wait, `buffered` for the next one that matches, or `ignored`: the run has ended.
   * @throws RunNotFound, InvalidName, SerializationError
   */
  async signal(
    runId: string,
    event: string,
    payload?: unknown,
    options: SignalOptions = {},
  ): Promise<SignalOutcome> {
    checkEventName(event);
    checkOptions(options, SIGNAL_OPTIONS, `signal() of event "${event}"`);
    const { deduplicationId, tx } = options;
    const { text } = toJournal(payload, `the payload of event "${event}"`);
    const facts = { run_id: checkRunId(runId), event };
    return inSpan("workflow.signal", facts, () =>
      this.#transport.runs.signal(runId, { event, payload: text, deduplicationId }, tx),
    );
  }

  /**
   * Says how many runs of a workflow are in flight, how fast they begin, in which order: what a worker that serves
   * it does by itself.
   *
   * @returns `created`, `changed`, `unchanged`, or `kept`: a newer version has said it.
   * @throws InvalidArgument when the definition says nothing of it.
   */
  async setFlowControl(workflow: Workflow, options?: TransactionOptions): Promise<FlowOutcome> {
    const tx = txOf(options, "setFlowControl()");
    const { name, version, flowControl } = workflow;
    if (flowControl === undefined) {
      throw new InvalidArgument(
        `Workflow "${name}" says nothing of its flow control: give it \`flowControl\`, or null for none.`,
      );
    }
    return this.#transport.flowControl.set(name, flowControl, version, tx);
  }

  /** The flow control of a workflow, and how it stands; undefined where it has none. */
  async flowControl(workflow: Workflow | string): Promise<FlowState | undefined> {
    const name = typeof workflow === "string" ? workflow : workflow.name;
    checkWorkflowName(name);
    return this.#transport.flowControl.get(name);
  }

  /**
   * The versions of a workflow that workers have registered, the latest first, with the defaults of their runs: what a
   * start by name goes by.
   */
  async versions(workflow: Workflow | string): Promise<RegisteredVersion[]> {
    const name = typeof workflow === "string" ? workflow : workflow.name;
    checkWorkflowName(name);
    return this.#transport.workflows.versions(name);
  }

  /**
   * Forgets a registered version, so that starts by name take an earlier one: after a deployment that was taken back.
   *
   * @returns False when it was not registered.
   */
  async unregister(workflow: Workflow | string, version: number): Promise<boolean> {
    const name = typeof workflow === "string" ? workflow : workflow.name;
    checkWorkflowName(name);
    return this.#transport.workflows.unregister(name, version);
  }

  /** Stops the consumers of queues, then ends the connections. Waiting calls reject. */
  async close(): Promise<void> {
    await this.queues.stop();
    await this.#transport.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #toHandle(workflow: Workflow | string, started: StartedRun): RunHandle {
    const events = typeof workflow === "string" ? undefined : workflow.events;
    const name = typeof workflow === "string" ? workflow : workflow.name;
    const parts = { transport: this.#transport, codec: this.#codec, events, workflow: name };
    return new RunHandle(parts, started);
  }

  async #toRequest(
    workflow: Workflow | string,
    input: unknown,
    options: StartOptions,
  ): Promise<StartRequest> {
    const definition = typeof workflow === "string" ? undefined : workflow;
    const name = typeof workflow === "string" ? workflow : workflow.name;
    checkWorkflowName(name);
    // The body's schema is applied by the worker, to what is stored; here it only says no in time.
    if (definition?.input !== undefined)
      await validate(definition.input, input, `input of workflow "${name}"`);
    const encoded = this.#codec === undefined ? input : this.#codec.encode(input);
    const { deadline, delay, at, tags, idempotencyKey, onRunning, onEnded, flowKey, priority } =
      options;
    checkRule("onRunning", onRunning, ON_RUNNING);
    checkRule("onEnded", onEnded, ON_ENDED);
    if (priority !== undefined && !Number.isInteger(priority)) {
      throw new InvalidArgument(
        `Invalid priority ${priority} of a run of "${name}": give a whole number.`,
      );
    }
    if (at !== undefined && delay !== undefined) {
      throw new InvalidArgument(
        `A run of "${name}" has both a delay and a date: give one of them.`,
      );
    }
    checkDate(at, `date of a run of "${name}"`);
    if (deadline instanceof Date) checkDate(deadline, `deadline of a run of "${name}"`);
    return {
      workflow: name,
      version: options.version ?? definition?.version,
      input: toJournal(encoded, `the input of workflow "${name}"`).text,
      idempotencyKey,
      retentionDays: retentionDays(options) ?? definition?.retentionDays,
      delayMs:
        delay === undefined ? undefined : parseDuration(delay, `the delay of workflow "${name}"`),
      startAt: at,
      deadline: deadline instanceof Date ? deadline : undefined,
      deadlineMs: deadlineMs(deadline, name) ?? definition?.deadlineMs,
      tags: tags === undefined ? undefined : toJournal(tags, `the tags of a run of "${name}"`).text,
      onRunning,
      onEnded,
      flowKey,
      priority,
    };
  }
}

const startFacts = ({ workflow, version }: StartRequest) => ({
  "workflow.name": workflow,
  ...(version === undefined ? {} : { "workflow.version": version }),
});

function checkDate(date: unknown, what: string): void {
  if (date === undefined || (date instanceof Date && !Number.isNaN(date.getTime()))) return;
  throw new InvalidArgument(`Invalid ${what}: it is not a date.`);
}

/** Undefined for a date, which is given as one. */
function deadlineMs(deadline: StartOptions["deadline"], name: string): number | undefined {
  if (deadline === undefined || deadline instanceof Date) return undefined;
  const ms = parseDuration(deadline, `the deadline of a run of "${name}"`);
  if (ms > 0) return ms;
  throw new InvalidArgument(
    `Invalid deadline ${JSON.stringify(deadline)} of a run of "${name}": it has passed at the start.`,
  );
}

const ON_RUNNING: readonly OnRunning[] = ["use-existing", "fail", "cancel-existing"];
const ON_ENDED: readonly OnEnded[] = ["use-existing", "start-new", "start-new-if-failed"];

function checkRule(name: string, value: string | undefined, known: readonly string[]): void {
  if (value === undefined || known.includes(value)) return;
  throw new InvalidArgument(`Invalid ${name} "${value}": it is one of ${known.join(", ")}.`);
}

function retentionDays({ retention, retentionDays: days }: StartOptions): number | undefined {
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

const nameOf = (workflow: Workflow | string): string =>
  typeof workflow === "string" ? workflow : workflow.name;
