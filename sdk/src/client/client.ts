import type { Codec } from "../core/codec.ts";
import { InvalidArgument } from "../core/errors.ts";
import { isNextBuild } from "../core/host.ts";
import type { Journaled } from "../core/journaled.ts";
import { toJournal } from "../core/json.ts";
import { checkEventName, checkWorkflowName } from "../core/names.ts";
import { type OptionNames, checkOptions } from "../core/options.ts";
import { validate } from "../core/schema.ts";
import type { EventsOf, InputOf, OutputOf, Workflow } from "../definition/workflow.ts";
import type { FlowOutcome, FlowState } from "../protocol/flow-control.ts";
import type { RunEnd } from "../protocol/local-workers.ts";
import type { SignalOutcome, StartRequest, StartedRun } from "../protocol/runs.ts";
import type { TransactionClient } from "../protocol/transaction.ts";
import type { ClientTransport } from "../protocol/transport.ts";
import type { RegisteredVersion, WorkerEntry } from "../protocol/workflows.ts";
import { inSpan } from "../telemetry/tracer.ts";
import { callsWhenUsed, loadTransport } from "../transport/loading-transport.ts";
import { CONNECT_OPTIONS, type ConnectOptions, targetOf } from "../transport/target.ts";
import { Approvals } from "./approvals.ts";
import { Audit } from "./audit.ts";
import type { Endpoints } from "./endpoints.ts";
import { type LocalStart, startLocally } from "./local-start.ts";
import { Queues } from "./queues.ts";
import { RunHandle, SIGNAL_OPTIONS, type SignalOptions } from "./run-handle.ts";
import { checkRunId } from "./run-id.ts";
import { Runs } from "./runs.ts";
import { Schedules } from "./schedules.ts";
import {
  BATCH_ITEM,
  type BatchItem,
  nameOf,
  SIGNAL_WITH_START_OPTIONS,
  type SignalWithStartOptions,
  START_OPTIONS,
  type StartElsewhereOptions,
  type StartOptions,
  toStartRequest,
} from "./start-request.ts";
import { Topics } from "./topics.ts";
import { type TransactionOptions, txOf } from "./transaction.ts";

export interface ClientOptions extends ConnectOptions {
  /** Encodes values for the journal; must match the workers' codec. Default: plain JSON. */
  readonly codec?: Codec;
  /**
   * Author of changes to definitions, for the record: 1 to 200 printable ASCII characters. A server believes tokens with the
   * scope `act`. Default: the role of the database, or the token.
   */
  readonly actor?: string;
}

/** The run of `signalWithStart`, started or existing, and the outcome of the signal. */
export interface SignalledRun<Handle> {
  readonly run: Handle;
  readonly outcome: SignalOutcome;
}

type HandleOf<Definition extends Workflow> = RunHandle<
  Journaled<OutputOf<Definition>>,
  EventsOf<Definition>,
  InputOf<Definition>
>;

const CLIENT_OPTIONS: OptionNames<ClientOptions> = {
  ...CONNECT_OPTIONS,
  codec: true,
  actor: true,
};

/**
 * Creates a client of the database, or of the server, at `url`. It connects at its first call.
 *
 * @throws InvalidArgument
 * @example
 * const client = createWorkflowClient({ url: "postgres://localhost/app" });
 * const run = await client.start(greet, { name: "Ada" });
 * console.log(await run.result());
 * await client.close();
 */
export function createWorkflowClient(options: ClientOptions = {}): WorkflowClient {
  checkOptions(options, CLIENT_OPTIONS, "createWorkflowClient()");
  checkActor(options.actor);
  const target = targetOf(options, isNextBuild() ? UNREACHABLE : undefined);
  return new WorkflowClient(loadTransport(target), options.codec, options.actor);
}

/** Named in the error of a call during `next build`. */
const UNREACHABLE = "postgres://no-url-in-next-build.invalid";

/** A header has no other characters. */
const ACTOR = /^[\u0021-\u007E](?:[\u0020-\u007E]{0,198}[\u0021-\u007E])?$/;

function checkActor(actor: string | undefined): void {
  if (actor === undefined || ACTOR.test(actor)) return;
  throw new InvalidArgument(
    `Invalid actor ${JSON.stringify(actor)}: give 1 to 200 printable ASCII characters, such as "ada@example.com".`,
  );
}

/** What a package needs of a client to add calls. */
export interface ClientParts {
  readonly transport: ClientTransport;
  readonly codec: Codec | undefined;
  readonly actor: string | undefined;
}

let readParts: (client: WorkflowClient) => ClientParts | undefined;

/** @throws InvalidArgument for an object that is no client, or that of another copy of this package. */
export function partsOf(client: WorkflowClient): ClientParts {
  const parts = readParts(client);
  if (parts !== undefined) return parts;
  throw new InvalidArgument(
    "This is no client of the installed @oxbow/sdk: give one that createWorkflowClient() has returned. `npm ls @oxbow/sdk` shows whether there are two copies.",
  );
}

/** Starts, signals, reads and operates runs, and sends and receives messages. */
export class WorkflowClient {
  static {
    readParts = (client: WorkflowClient): ClientParts | undefined =>
      #transport in client
        ? { transport: client.#transport, codec: client.#codec, actor: client.#actor }
        : undefined;
  }

  readonly runs: Runs;
  readonly queues: Queues;
  readonly topics: Topics;
  readonly schedules: Schedules;
  readonly approvals: Approvals;
  readonly endpoints: Endpoints;
  readonly audit: Audit;
  readonly #transport: ClientTransport;
  readonly #codec: Codec | undefined;
  readonly #actor: string | undefined;

  constructor(transport: ClientTransport, codec: Codec | undefined, actor?: string) {
    this.#transport = transport;
    this.#codec = codec;
    this.#actor = actor;
    this.runs = new Runs(transport, codec);
    this.queues = new Queues(transport.queues);
    this.topics = new Topics(transport.topics);
    this.schedules = new Schedules(transport, codec);
    this.approvals = new Approvals(transport, actor);
    this.endpoints = callsWhenUsed(async () => {
      const endpoints = await import("./endpoints.ts");
      return new endpoints.Endpoints(transport);
    });
    this.audit = new Audit(transport);
  }

  /**
   * Returns the name of the shard where a route is at home: where to open a transaction that starts its runs. Undefined if
   * the client has one database.
   */
  async home(route: string): Promise<string | undefined> {
    return this.#transport.fleet?.home(route);
  }

  /**
   * Returns a client of one shard, for what does not cross shards. It shares the connections of this client: close this
   * one only.
   *
   * @throws InvalidArgument for an unknown shard, or a client of one database.
   */
  shard(name: string): WorkflowClient {
    const { fleet } = this.#transport;
    if (fleet === undefined) {
      throw new InvalidArgument(
        `This client has no shard "${name}": it was created with one \`url\`, not with \`shards\`.`,
      );
    }
    return new WorkflowClient(fleet.shard(name), this.#codec, this.#actor);
  }

  /**
   * Starts a run of a definition, or of a workflow given by name.
   *
   * @throws InvalidName, InvalidArgument, ValidationFailed, SerializationError, PayloadTooLarge: no run was started.
   *   IdempotencyConflict if `onRunning` is `fail` and a run in progress holds the key.
   *   ConnectionFailed: the run may have been started; with an `idempotencyKey` it is safe to repeat the start.
   */
  start(workflow: string, input?: unknown, options?: StartOptions): Promise<RunHandle>;
  /** Starts a run where its route is at home, by a transaction of any shard. Undefined if that is another shard. */
  start<Definition extends Workflow>(
    workflow: Definition | string,
    input: InputOf<Definition>,
    options: StartElsewhereOptions,
  ): Promise<HandleOf<Definition> | undefined>;
  /** Starts a run of a workflow whose input is optional. */
  start<Definition extends Workflow>(
    workflow: undefined extends InputOf<Definition> ? Definition : never,
  ): Promise<HandleOf<Definition>>;
  // Last: compilers report errors against the last overload.
  start<Definition extends Workflow>(
    workflow: Definition,
    input: InputOf<Definition>,
    options?: StartOptions,
  ): Promise<HandleOf<Definition>>;
  async start(
    workflow: Workflow | string,
    input?: unknown,
    options: StartOptions | StartElsewhereOptions = {},
  ): Promise<unknown> {
    checkOptions(options, START_OPTIONS, `start() of "${nameOf(workflow)}"`);
    const request = await toStartRequest(workflow, input, options, this.#codec);
    if ("elsewhere" in options && options.elsewhere) {
      const route = routeOf(request);
      if (options.tx !== undefined)
        return this.#startElsewhere(workflow, request, route, options.tx);
    }
    const [found] = await inSpan("workflow.start", startFacts(request), async (trace, span) => {
      const traced = trace === undefined ? request : { ...request, trace };
      const starts = await this.#startLocally([traced], options.tx, async ([one = traced]) => [
        await this.#transport.runs.start(one, options.tx),
      ]);
      for (const { started } of starts) span?.setAttribute("run_id", started.runId);
      return starts;
    });
    if (found === undefined) throw new Error("A start returned no run.");
    return this.#toHandle(workflow, found.started, found.end);
  }

  /**
   * Starts many runs of a workflow in one statement, atomically.
   *
   * @returns The handles of the runs, in the order of the items.
   * @throws The errors of `start`.
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
      items.map(({ input, ...rest }) => toStartRequest(workflow, input, rest, this.#codec)),
    );
    if (requests.length === 0) return [];
    const name = nameOf(workflow);
    const facts = { "workflow.name": name, "batch.size": requests.length };
    const found = await inSpan("workflow.start", facts, (trace) => {
      const traced =
        trace === undefined ? requests : requests.map((request) => ({ ...request, trace }));
      return this.#startLocally(traced, tx, (all) =>
        this.#transport.runs.startBatch(name, all, tx),
      );
    });
    return found.map(({ started, end }) => this.#toHandle(workflow, started, end));
  }

  /**
   * Sends an event to the run that holds an idempotency key, and starts that run first if it does not exist, in one
   * transaction.
   *
   * @throws The errors of `start` and `signal`.
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
    const request = await toStartRequest(workflow, input, options, this.#codec);
    if (options.idempotencyKey === undefined) {
      throw new InvalidArgument(
        `signalWithStart() of "${request.workflow}" needs an idempotencyKey to find the run by.`,
      );
    }
    const schema =
      typeof workflow === "string" || !Object.hasOwn(workflow.events, event)
        ? undefined
        : workflow.events[event];
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
   * @returns `delivered` to a wait, `buffered` for the next wait that matches, `ignored` if the run has ended, or `sent` to another shard than that of `tx`.
   * @throws RunNotFound, InvalidName, SerializationError, PayloadTooLarge
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
   * Registers the flow control of a workflow: how many runs are in progress, how fast they begin, and in which order.
   * Workers do so themselves when they start.
   *
   * @returns `created`, `changed`, `unchanged`, or `kept` if a newer version has registered its own.
   * @throws InvalidArgument if the definition has no `flowControl`.
   */
  async setFlowControl(workflow: Workflow, options?: TransactionOptions): Promise<FlowOutcome> {
    const tx = txOf(options, "setFlowControl()");
    const { name, version, flowControl } = workflow;
    if (flowControl === undefined) {
      throw new InvalidArgument(
        `Workflow "${name}" does not specify its flow control: set \`flowControl\`, or null to have no limits.`,
      );
    }
    return this.#transport.flowControl.set(name, flowControl, version, tx);
  }

  /**
   * Counts towards the rate limits of a workflow what a run has used beyond itself, such as the tokens of a language model: the
   * next runs begin when the rate has caught up.
   *
   * @param amount In the unit of the rate limit, of which each run that begins takes 1.
   * @param options `flowKey` names the key of a limit per key.
   * @returns When the next run may begin; null if it may begin now.
   * @throws InvalidArgument for a workflow without a rate limit, or an invalid amount.
   * @example
   * await client.chargeFlow(support, usage.totalTokens, { flowKey: tenant });
   */
  async chargeFlow(
    workflow: Workflow | string,
    amount: number,
    options: TransactionOptions & { readonly flowKey?: string } = {},
  ): Promise<Date | null> {
    checkOptions(options, { tx: true, flowKey: true }, "chargeFlow()");
    const name = nameOf(workflow);
    checkWorkflowName(name);
    if (!Number.isInteger(amount) || amount < 1 || amount > 1_000_000_000) {
      throw new InvalidArgument(
        `Invalid amount ${String(amount)} of chargeFlow(): give a whole number from 1 to 1000000000.`,
      );
    }
    return this.#transport.flowControl.charge(name, amount, options.flowKey, options.tx);
  }

  /** Returns the flow control of a workflow with its current counts; undefined for a workflow without flow control. */
  async flowControl(workflow: Workflow | string): Promise<FlowState | undefined> {
    const name = nameOf(workflow);
    checkWorkflowName(name);
    return this.#transport.flowControl.get(name);
  }

  /**
   * Returns the registered versions of a workflow, latest first, with the defaults of their runs. A start by name uses the
   * latest.
   */
  async versions(workflow: Workflow | string): Promise<RegisteredVersion[]> {
    const name = nameOf(workflow);
    checkWorkflowName(name);
    return this.#transport.workflows.versions(name);
  }

  /**
   * Removes a registered version, so that starts by name use an earlier one, for example after a rollback of a deployment.
   *
   * @returns False if the version was not registered.
   */
  async unregister(workflow: Workflow | string, version: number): Promise<boolean> {
    const name = nameOf(workflow);
    checkWorkflowName(name);
    return this.#transport.workflows.unregister(name, version);
  }

  /** Lists the workers that have reported themselves within the last hour, with what they serve, by host and process. */
  async workers(): Promise<WorkerEntry[]> {
    return this.#transport.workflows.workers();
  }

  /** Stops the consumers of queues, then closes the connections. Pending calls reject with ConnectionFailed. */
  async close(): Promise<void> {
    await this.queues.stop();
    await this.#transport.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #startElsewhere(
    workflow: Workflow | string,
    request: StartRequest,
    route: string,
    tx: TransactionClient,
  ): Promise<RunHandle | undefined> {
    const started = await inSpan("workflow.start", startFacts(request), async (trace, span) => {
      const found = await this.#transport.runs.startElsewhere({ ...request, trace }, route, tx);
      if (found !== undefined) span?.setAttribute("run_id", found.runId);
      return found;
    });
    return started === undefined ? undefined : this.#toHandle(workflow, started);
  }

  /** A run that starts in the caller's transaction may begin only after its commit, so no worker here can take it. */
  #startLocally(
    requests: readonly StartRequest[],
    tx: TransactionClient | undefined,
    send: (requests: readonly StartRequest[]) => Promise<readonly StartedRun[]>,
  ): Promise<LocalStart[]> {
    return startLocally(tx === undefined ? this.#transport.database : undefined, requests, send);
  }

  #toHandle(
    workflow: Workflow | string,
    started: StartedRun,
    end?: Promise<RunEnd | undefined>,
  ): RunHandle {
    const events = typeof workflow === "string" ? undefined : workflow.events;
    const name = nameOf(workflow);
    const parts = { transport: this.#transport, codec: this.#codec, events, workflow: name };
    return new RunHandle(parts, started, end);
  }
}

/** @throws InvalidArgument */
function routeOf({ workflow, route, idempotencyKey }: StartRequest): string {
  const home = route ?? idempotencyKey;
  if (home !== undefined) return home;
  throw new InvalidArgument(
    `A start of "${workflow}" elsewhere has neither a route nor an idempotencyKey: give one, which has a home.`,
  );
}

const startFacts = ({ workflow, version }: StartRequest) => ({
  "workflow.name": workflow,
  ...(version === undefined ? {} : { "workflow.version": version }),
});
