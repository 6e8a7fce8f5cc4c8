import type { Codec } from "../core/codec.ts";
import { type Duration, parseDuration } from "../core/duration.ts";
import { InvalidArgument } from "../core/errors.ts";
import { toJournal } from "../core/json.ts";
import { checkEventName, checkWorkflowName } from "../core/names.ts";
import { validate } from "../core/schema.ts";
import type { Journaled } from "../core/journaled.ts";
import type { InputOf, OutputOf, Workflow } from "../definition/workflow.ts";
import type {
  SignalOutcome,
  StartRequest,
  TransactionClient,
  Transport,
} from "../protocol/transport.ts";
import { connect, type ConnectOptions } from "../transport/connect.ts";
import { Queues } from "./queues.ts";
import { RunHandle } from "./run-handle.ts";
import { checkRunId, Runs } from "./runs.ts";
import { Topics } from "./topics.ts";

export interface ClientOptions extends ConnectOptions {
  /** How values are encoded; the same as the workers'. */
  readonly codec?: Codec;
}

export interface StartOptions {
  /** A second start of the workflow with this key finds the run of the first. 1 to 512 characters. */
  readonly idempotencyKey?: string;
  /** Version to start; default that of the definition, or 1 where only a name is given. */
  readonly version?: number;
  /** How long the ended run is kept, in whole days, rounded up. Default: the definition's, else 30 days. */
  readonly retention?: Duration;
  /** The same in days. */
  readonly retentionDays?: number;
  /** How long the run waits before it begins. Default: not at all. */
  readonly delay?: Duration;
  /** When a run that is still running fails. Default: never. */
  readonly deadline?: Date;
  /** Anything to find the run by. */
  readonly tags?: Readonly<Record<string, unknown>>;
  /** The caller's own connection, inside a transaction: the run starts if, and when, that commits. */
  readonly tx?: TransactionClient;
}

export interface SignalOptions {
  /** The caller's own connection, inside a transaction. */
  readonly tx?: TransactionClient;
}

const DAY_MS = 86_400_000;

/** A client of the database at `url`. Connects at its first use; close it when you are done. */
export function createWorkflowClient(options: ClientOptions = {}): WorkflowClient {
  return new WorkflowClient(connect(options), options.codec);
}

/** Starts runs, sends them signals, and looks at them. */
export class WorkflowClient {
  readonly runs: Runs;
  readonly queues: Queues;
  readonly topics: Topics;
  readonly #transport: Transport;
  readonly #codec: Codec | undefined;

  constructor(transport: Transport, codec: Codec | undefined) {
    this.#transport = transport;
    this.#codec = codec;
    this.runs = new Runs(transport, codec);
    this.queues = new Queues(transport.queues);
    this.topics = new Topics(transport.topics);
  }

  /**
   * Starts a run, of a definition or of a workflow by name.
   *
   * @throws InvalidName, InvalidArgument, ValidationFailed, SerializationError: then nothing was written.
   *   ConnectionFailed: perhaps it was; with an `idempotencyKey` it is safe to start again.
   */
  start<Definition extends Workflow>(
    workflow: Definition,
    input: InputOf<Definition>,
    options?: StartOptions,
  ): Promise<RunHandle<Journaled<OutputOf<Definition>>>>;
  start(workflow: string, input?: unknown, options?: StartOptions): Promise<RunHandle>;
  async start(
    workflow: Workflow | string,
    input?: unknown,
    options: StartOptions = {},
  ): Promise<RunHandle> {
    const request = await this.#toRequest(workflow, input, options);
    const started = await this.#transport.start(request, options.tx);
    return new RunHandle(this.#transport, this.#codec, started);
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
    const { text } = toJournal(payload, `the payload of event "${event}"`);
    return this.#transport.signal(checkRunId(runId), event, text, options.tx);
  }

  /** Stops the consumers of queues, then ends the connections. Waiting calls reject. */
  async close(): Promise<void> {
    await this.queues.stop();
    await this.#transport.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
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
    const { deadline, delay, tags, idempotencyKey } = options;
    if (deadline !== undefined && Number.isNaN(deadline.getTime())) {
      throw new InvalidArgument(`Invalid deadline of a run of "${name}": it is not a date.`);
    }
    return {
      workflow: name,
      version: options.version ?? definition?.version ?? 1,
      input: toJournal(encoded, `the input of workflow "${name}"`).text,
      idempotencyKey,
      retentionDays: retentionDays(options) ?? definition?.retentionDays,
      delayMs:
        delay === undefined ? undefined : parseDuration(delay, `the delay of workflow "${name}"`),
      deadline,
      tags: tags === undefined ? undefined : toJournal(tags, `the tags of a run of "${name}"`).text,
    };
  }
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
