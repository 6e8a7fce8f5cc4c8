import type { Codec } from "../core/codec.ts";
import { type Duration, parseDuration } from "../core/duration.ts";
import {
  DefinitionNotFound,
  type DefinitionProblem,
  InvalidArgument,
  InvalidDefinition,
} from "../core/errors.ts";
import { type JsonText, toStorableText } from "../core/json.ts";
import { checkWorkflowName } from "../core/names.ts";
import { checkOptions, type OptionNames } from "../core/options.ts";
import { catalogFor, type RegisteredCatalog } from "../protocol/catalog.ts";
import type {
  AppliedDefinition,
  DefinitionDocument,
  DefinitionRecord,
  DefinitionState,
  DefinitionSummary,
  DefinitionVersion,
  PublishedDefinition,
  VersionedDocument,
} from "../protocol/definitions.ts";
import type {
  CheckedDefinition,
  DefinitionChange,
  DefinitionTools,
} from "../protocol/definition-tools.ts";
import type { DefinitionProgressEvent } from "../protocol/definition-progress.ts";
import { readTestedNode, revisionConflict, type TestedNode } from "../protocol/definitions.ts";
import { requireInput, requireTestable } from "../protocol/definition-tools.ts";
import { type MigratedRun, migrateRun } from "../protocol/migration.ts";
import { type RerunFromNode, rerunFromNode } from "../protocol/rerun-from-node.ts";
import { readTestOrigin, type TestOrigin } from "../protocol/test-origin.ts";
import type { TransactionClient } from "../protocol/transaction.ts";
import type { Transport } from "../protocol/transport.ts";
import type {
  DefinitionHook,
  EventExplanation,
  TriggerEvent,
  TriggerEventState,
} from "../protocol/triggers.ts";
import { inSpan } from "../telemetry/tracer.ts";
import { followProgress } from "./definition-progress.ts";
import { RunHandle } from "./run-handle.ts";
import { decodeRecording, recordRun } from "./run-recording.ts";
import { checkRunId } from "./run-id.ts";
import { decodeStep } from "./run-reading.ts";
import { START_OPTIONS, type StartOptions, toStartRequest } from "./start-request.ts";
import { type TransactionOptions, txOf } from "./transaction.ts";

export interface CreateDefinitionOptions extends TransactionOptions {
  /** Folder that lists show it in. */
  readonly folder?: string;
  /** Members that the events which start its runs must contain, kept apart from the document. */
  readonly scope?: Readonly<Record<string, unknown>>;
  /** Whether the authors of a draft since the last version may not publish it. Default: false. */
  readonly isProtected?: boolean;
}

/** A change of what a definition has besides its document. Null: none. */
interface ConfigureOptions extends TransactionOptions {
  readonly folder?: string | null;
  readonly scope?: Readonly<Record<string, unknown>> | null;
  readonly isProtected?: boolean;
  /** The pool whose workers receive its runs from now on; null means the one that its document names. */
  readonly pool?: string | null;
}

/** Selects definitions. */
export interface DefinitionFilter {
  readonly folder?: string;
  readonly state?: DefinitionState;
  /** Text in the name or title. */
  readonly search?: string;
  /** Name of the last definition of the page before. */
  readonly after?: string;
  /** 1 to 1000. Default: 100. */
  readonly limit?: number;
}

/** The draft of a definition. */
export interface Draft {
  readonly document: DefinitionDocument;
  /** Pass it to `save` and `publish`. */
  readonly revision: number;
  readonly savedBy: string;
  readonly savedAt: Date;
  readonly layout: unknown;
}

interface PublishOptions extends TransactionOptions {
  /** Shown with the version. */
  readonly note?: string;
}

export interface ApplyOptions extends PublishOptions {
  /** Publishes the drafts as well. Default: false. */
  readonly publish?: boolean;
  /** Replaces drafts that were changed and not published. Default: false. */
  readonly overwrite?: boolean;
}

/** What a node does in a test instead of its work. */
export interface DefinitionPin {
  readonly output?: unknown;
  /** The handle that it takes. Default: its first one. */
  readonly handle?: string;
  /** It fails with this error. */
  readonly error?: { readonly code?: string; readonly message?: string };
}

interface TestNodeOptions {
  /** The document to test, which need not be saved. Default: the draft. */
  readonly document?: DefinitionDocument;
  /** By node. */
  readonly pins?: Readonly<Record<string, DefinitionPin>>;
  /**
   * `mock`: nodes that read or write anything outside of the run take their pin, or a sample of their output. `real`: they
   * do their work, which requires the right to publish. Default: `mock`.
   */
  readonly effects?: "mock" | "real";
  /** A kept event: the input is what a trigger of the document makes of it. The guard is not asked. */
  readonly eventId?: string;
  /** Name of that trigger. Default: the only one that wants the topic of the event. */
  readonly trigger?: string;
  /** A past run of the definition, whose input is taken. */
  readonly fromRun?: string;
  /** Gives each node the result that it had in that run, unless `pins` has one. Default: false. */
  readonly pinResults?: boolean;
}

export interface TestDefinitionOptions extends TestNodeOptions {
  /** Id of a node after which the run ends, with its output. */
  readonly until?: string;
}

export interface TestDefinitionNodeOptions extends TestNodeOptions {
  readonly input?: unknown;
  /** The item of the loop that contains the node. */
  readonly item?: unknown;
  /** Time limit of the test. Default: 1m. */
  readonly timeout?: Duration;
}

export interface RerunDefinitionOptions {
  /** Default: that of the run. */
  readonly version?: number;
}

export interface FollowProgressOptions {
  /** Position of the last event that the caller has. Default: from the beginning. */
  readonly after?: string;
  /** Ends the iteration, which then throws the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface MigrateOptions {
  /** Default: the published one. */
  readonly version?: number;
  /** How long to wait while a worker executes the run. Default: 10s. */
  readonly wait?: Duration;
}

interface PauseOptions extends TransactionOptions {
  /** Shown with the definition. */
  readonly reason?: string;
}

/** A version, or one of the two documents that change. */
type DocumentName = number | "draft" | "published";

interface DiffOptions {
  readonly from?: DocumentName;
  readonly to?: DocumentName;
}

/** Selects events of triggers. */
export interface TriggerEventFilter {
  /** Definition whose triggers they reach. */
  readonly definition?: string;
  readonly topic?: string;
  readonly state?: TriggerEventState;
  /** Id of the last event of the page before. */
  readonly before?: string;
  /** 1 to 1000. Default: 50. */
  readonly limit?: number;
}

interface ExplainOptions {
  readonly version?: number;
}

const EVENTS: OptionNames<TriggerEventFilter> = {
  definition: true,
  topic: true,
  state: true,
  before: true,
  limit: true,
};
const EXPLAIN: OptionNames<ExplainOptions> = { version: true };
const DIFF: OptionNames<DiffOptions> = { from: true, to: true };
const CREATE: OptionNames<CreateDefinitionOptions> = {
  folder: true,
  scope: true,
  isProtected: true,
  tx: true,
};
const CONFIGURE: OptionNames<ConfigureOptions> = { ...CREATE, pool: true };
const FILTER: OptionNames<DefinitionFilter> = {
  folder: true,
  state: true,
  search: true,
  after: true,
  limit: true,
};
const PUBLISH: OptionNames<PublishOptions> = { note: true, tx: true };
const APPLY: OptionNames<ApplyOptions> = { ...PUBLISH, publish: true, overwrite: true };
const ORIGIN: OptionNames<TestOrigin> = {
  eventId: true,
  trigger: true,
  fromRun: true,
  pinResults: true,
};
const TEST: OptionNames<TestDefinitionOptions> = {
  ...ORIGIN,
  document: true,
  pins: true,
  effects: true,
  until: true,
};
const TEST_NODE: OptionNames<TestDefinitionNodeOptions> = {
  ...ORIGIN,
  document: true,
  pins: true,
  effects: true,
  input: true,
  item: true,
  timeout: true,
};
const FOLLOW: OptionNames<FollowProgressOptions> = { after: true, signal: true };
const RERUN: OptionNames<RerunDefinitionOptions> = { version: true };
const MIGRATE: OptionNames<MigrateOptions> = { version: true, wait: true };
const PAUSE: OptionNames<PauseOptions> = { reason: true, tx: true };

/**
 * `client.definitions`: workflows as data. A definition has one draft, whose revision a save names, and published
 * versions, to which runs are pinned.
 */
export class Definitions {
  readonly #transport: Transport;
  readonly #codec: Codec | undefined;
  readonly #tools: DefinitionTools | undefined;
  readonly #actor: string | undefined;

  constructor(parts: {
    readonly transport: Transport;
    readonly codec: Codec | undefined;
    readonly tools: DefinitionTools | undefined;
    readonly actor: string | undefined;
  }) {
    this.#transport = parts.transport;
    this.#codec = parts.codec;
    this.#tools = parts.tools;
    this.#actor = parts.actor;
  }

  /**
   * Creates a definition, as a draft.
   *
   * @param document - Need not be complete. A name creates one without nodes.
   * @returns The revision of the draft.
   * @throws InvalidName, InvalidDefinition, NameTaken, PayloadTooLarge
   * @example
   * await client.definitions.create({ format: 1, name: "page-on-major", nodes: {} }, { folder: "incidents" });
   */
  create(
    document: DefinitionDocument | string,
    options: CreateDefinitionOptions = {},
  ): Promise<number> {
    checkOptions(options, CREATE, "definitions.create()");
    const { folder, scope, isProtected, tx } = options;
    const name = typeof document === "string" ? document : nameIn(document);
    return this.#transport.definitions.create(
      {
        name,
        document: typeof document === "string" ? undefined : textOf(document, name),
        folder,
        scope: scope === undefined ? undefined : textOf(scope, name),
        isProtected,
        actor: this.#actor,
      },
      tx,
    );
  }

  /** Returns the draft, with the revision that a save names. @throws DefinitionNotFound */
  async draft(name: string): Promise<Draft> {
    const { draft, revision, draftBy, draftedAt, layout } = await this.#find(name);
    return { document: draft, revision, savedBy: draftBy, savedAt: draftedAt, layout };
  }

  /**
   * Replaces the draft, if it still has this revision. Nothing is published.
   *
   * @param document - Need not be complete; it names the definition.
   * @param revision - Of the draft that the document replaces.
   * @returns The new revision.
   * @throws RevisionConflict if another one was saved since; DefinitionNotFound, InvalidDefinition, PayloadTooLarge
   */
  async save(
    document: DefinitionDocument,
    revision: number,
    options?: TransactionOptions,
  ): Promise<number> {
    const name = nameIn(document);
    checkRevision(revision, name);
    return this.#transport.definitions.saveDraft(
      { name, document: textOf(document, name), revision, actor: this.#actor },
      txOf(options, "definitions.save()"),
    );
  }

  /** Stores the positions of nodes on a canvas. Neither the revision nor a version changes. @throws DefinitionNotFound */
  async move(
    name: string,
    layout: Readonly<Record<string, unknown>>,
    options?: TransactionOptions,
  ): Promise<void> {
    checkWorkflowName(name);
    const tx = txOf(options, "definitions.move()");
    await this.#transport.definitions.move(name, textOf(layout, name), undefined, tx);
  }

  /**
   * Checks a document, stored or not.
   *
   * @param document - A name checks the draft.
   * @returns Errors, which prevent publishing, then warnings.
   * @throws InvalidArgument straight to a database without `definitionTools`; DefinitionNotFound
   */
  async validate(document: DefinitionDocument | string): Promise<readonly DefinitionProblem[]> {
    const name = typeof document === "string" ? document : nameIn(document);
    const { remote } = this.#transport.definitions;
    if (this.#tools === undefined && remote !== undefined) {
      checkWorkflowName(name);
      const text = typeof document === "string" ? undefined : textOf(document, name);
      return remote.validate(name, text);
    }
    const tools = this.#needTools("validate()");
    const checked = typeof document === "string" ? (await this.#find(name)).draft : document;
    const registered = await catalogFor(this.#transport, checked);
    return tools.check(checked, registered).problems;
  }

  /**
   * Publishes the draft as a new version. Starts take it from now on; runs in progress stay with their versions.
   *
   * The checker of the server, or of `definitionTools`, refuses errors, and accepts warnings. Without either, the database
   * checks only whether nodes and edges form a graph.
   *
   * @param revision - Of the draft to publish, as the caller has seen it.
   * @throws InvalidDefinition, RevisionConflict, DefinitionNotFound
   */
  async publish(
    name: string,
    revision: number,
    options: PublishOptions = {},
  ): Promise<PublishedDefinition> {
    checkWorkflowName(name);
    checkRevision(revision, name);
    checkOptions(options, PUBLISH, "definitions.publish()");
    const { note, tx } = options;
    const compiled = await this.#compileDraft(name, revision, tx);
    return this.#transport.definitions.publish(
      { name, revision, compiled, note, actor: this.#actor },
      tx,
    );
  }

  /**
   * Makes the document of a version the draft. Publish it to make it effective.
   *
   * @param revision - Of the draft that is replaced.
   * @returns The new revision.
   * @throws RevisionConflict, DefinitionNotFound
   */
  async restore(
    name: string,
    version: number,
    revision: number,
    options?: TransactionOptions,
  ): Promise<number> {
    checkWorkflowName(name);
    checkRevision(revision, name);
    return this.#transport.definitions.restore(
      { name, version, revision, actor: this.#actor },
      txOf(options, "definitions.restore()"),
    );
  }

  /** Archives a definition: it starts no runs until it is published again. @returns False if it was archived. @throws DefinitionNotFound */
  async archive(name: string, options?: TransactionOptions): Promise<boolean> {
    checkWorkflowName(name);
    return this.#transport.definitions.archive(name, txOf(options, "definitions.archive()"));
  }

  /**
   * Deletes a definition with its versions.
   *
   * @returns False if no definition has this name.
   * @throws DefinitionInUse while it has runs, or something starts it
   */
  async delete(name: string, options?: TransactionOptions): Promise<boolean> {
    checkWorkflowName(name);
    return this.#transport.definitions.delete(name, txOf(options, "definitions.delete()"));
  }

  /** Pauses a definition: it starts no runs until it is resumed. @returns False if it was paused. @throws DefinitionNotFound */
  async pause(name: string, options: PauseOptions = {}): Promise<boolean> {
    checkWorkflowName(name);
    checkOptions(options, PAUSE, "definitions.pause()");
    return this.#transport.definitions.pause(name, options.reason, options.tx);
  }

  /** Resumes a paused definition. @returns False if it was not paused. @throws DefinitionNotFound */
  async resume(name: string, options?: TransactionOptions): Promise<boolean> {
    checkWorkflowName(name);
    return this.#transport.definitions.resume(name, txOf(options, "definitions.resume()"));
  }

  /** Changes folder, scope, protection or pool. @returns Whether anything has changed. @throws DefinitionNotFound */
  async configure(name: string, options: ConfigureOptions): Promise<boolean> {
    checkWorkflowName(name);
    checkOptions(options, CONFIGURE, "definitions.configure()");
    const { folder, scope, isProtected, pool, tx } = options;
    return this.#transport.definitions.configure(
      {
        name,
        folder: folder === null ? "" : folder,
        scope: scope === undefined ? undefined : JSON.stringify(scope),
        isProtected,
        pool: pool === null ? "" : pool,
      },
      tx,
    );
  }

  /**
   * Starts a run of the published version, or of `version`.
   *
   * The server, or `definitionTools`, compares the input with the schema of the document. Without either, the run does when
   * it begins, and fails if they differ.
   *
   * @throws ValidationFailed, DefinitionNotFound; DefinitionInactive if it is paused, archived or was never published; those of `client.start`
   */
  async start(name: string, input?: unknown, options: StartOptions = {}): Promise<RunHandle> {
    checkOptions(options, START_OPTIONS, `definitions.start() of "${name}"`);
    const hasEncodedInput = this.#codec !== undefined;
    const request = {
      ...(await toStartRequest(name, input, options, this.#codec)),
      hasEncodedInput,
    };
    if (this.#tools !== undefined) {
      const { version } = options;
      await requireInput(this.#tools, this.#transport.definitions, { name, version, input });
    }
    const started = await inSpan("workflow.start", { "workflow.name": name }, (trace) =>
      this.#transport.definitions.start(
        trace === undefined ? request : { ...request, trace },
        options.tx,
      ),
    );
    return new RunHandle(
      { transport: this.#transport, codec: this.#codec, events: undefined },
      started,
    );
  }

  /**
   * Starts a test run of the draft, or of a document that is not saved. Lists and counts leave it out, flow control does not
   * apply to it, and it is deleted a day after its end.
   *
   * @param input - Default: with `eventId` or `fromRun`, what the event or the run gives.
   * @throws InvalidDefinition, ValidationFailed, InvalidArgument, DefinitionNotFound, TriggerEventNotFound, RunNotFound
   * @example
   * const run = await client.definitions.test("page-on-major", { incident }, { pins: { page: { error: { code: "DOWN" } } } });
   * await run.result();
   */
  async test(
    name: string,
    input?: unknown,
    options: TestDefinitionOptions = {},
  ): Promise<RunHandle> {
    checkOptions(options, TEST, "definitions.test()");
    const { until, ...common } = options;
    return this.#startTest(name, input, common, { until });
  }

  /**
   * Executes one node alone: the nodes before it are as they are pinned.
   *
   * @throws RunFailed if the node could not be executed; DeadlineExceeded after `timeout`; those of `test`
   */
  async testNode(
    name: string,
    node: string,
    options: TestDefinitionNodeOptions = {},
  ): Promise<TestedNode> {
    checkOptions(options, TEST_NODE, "definitions.testNode()");
    const { input, item, timeout = "1m", ...common } = options;
    const run = await this.#startTest(name, input, common, { only: node, item });
    const output = await run.result({ timeout });
    return readTestedNode(this.#transport.runs, { runId: run.runId, node, output });
  }

  /** Deletes a test run, also one in progress. @returns False if the definition has no test run with this id. */
  async deleteTest(name: string, runId: string, options?: TransactionOptions): Promise<boolean> {
    checkWorkflowName(name);
    return this.#transport.definitions.deleteTest(
      name,
      checkRunId(runId),
      txOf(options, "definitions.deleteTest()"),
    );
  }

  async #startTest(
    name: string,
    input: unknown,
    { document, pins, effects = "mock", ...origin }: TestNodeOptions,
    where: { readonly until?: string | undefined; readonly only?: string; readonly item?: unknown },
  ): Promise<RunHandle> {
    checkWorkflowName(name);
    const hasOrigin = Object.values(origin).some((value) => value !== undefined);
    // A server can read neither the input nor the results of a run that a codec has encoded.
    const isForServer =
      hasOrigin && this.#transport.definitions.remote !== undefined && this.#codec === undefined;
    const tools = hasOrigin && !isForServer ? this.#needTools("test()") : this.#tools;
    let given: Pick<TestDefinitionNodeOptions, "input" | "pins"> =
      pins === undefined ? { input } : { input, pins };
    if (tools !== undefined && !isForServer) {
      const tested = document ?? (await this.#find(name)).draft;
      if (hasOrigin) given = await this.#fromOrigin(tools, name, tested, origin, given);
      requireTestable(tools, tested, { only: where.only, input: given.input });
    }
    const encoded = this.#codec === undefined ? given.input : this.#codec.encode(given.input);
    const { runId } = await this.#transport.definitions.test({
      name,
      document: document && textOf(document, name),
      input: toStorableText(encoded, `the input of a test of "${name}"`),
      pins: given.pins && textOf({ ...given.pins }, name),
      options: JSON.stringify({ ...where, effects }),
      actor: this.#actor,
      ...(isForServer ? { origin } : {}),
    });
    return new RunHandle(
      { transport: this.#transport, codec: this.#codec, events: undefined },
      { runId, created: true, status: "running" },
    );
  }

  /**
   * Starts a run that repeats another one from a node: it has the journal up to where that node began, and continues from
   * there. The nodes that were journaled later begin again, including nodes on other paths. The old run doesn't change.
   *
   * @param node - Its path: `page`, or `pack.17.reserve` in a loop.
   * @param options - `version`: of the definition, which must repeat the journal before the node. Default: that of the run.
   * @throws InvalidArgument for a node to which the run has not come; NotMigratable, RunNotFound, DefinitionNotFound
   * @example
   * const again = await client.definitions.rerun("page-on-major", run.runId, "page", { version: 3 });
   */
  async rerun(
    name: string,
    runId: string,
    node: string,
    options: RerunDefinitionOptions = {},
  ): Promise<RerunFromNode> {
    checkWorkflowName(name);
    checkOptions(options, RERUN, "definitions.rerun()");
    const rerunning = { name, runId: checkRunId(runId), node, version: options.version };
    const { remote } = this.#transport.definitions;
    if (remote !== undefined && this.#codec === undefined) return remote.rerun(rerunning);
    const tools = this.#needTools("rerun()");
    return rerunFromNode(this.#transport, tools, rerunning, async (id) =>
      decodeRecording(await recordRun(this.#transport, id), this.#codec),
    );
  }

  /**
   * Yields what happens to the nodes and edges of a run, up to its end: the states so far, then each change when it is
   * journaled. A connection that breaks is set up again where it was.
   *
   * @param options - `after`: the position of the last event that you have.
   * @throws RunNotFound; DefinitionNotFound for a workflow in code; the reason of the signal
   * @example
   * for await (const event of client.definitions.followProgress(run.runId)) {
   *   if (event.type === "changes") draw(event.nodes, event.edges);
   * }
   */
  async *followProgress(
    runId: string,
    options: FollowProgressOptions = {},
  ): AsyncGenerator<DefinitionProgressEvent, void> {
    checkOptions(options, FOLLOW, "definitions.followProgress()");
    const { after, signal = new AbortController().signal } = options;
    const id = checkRunId(runId);
    const { remote } = this.#transport.definitions;
    if (remote !== undefined && this.#codec === undefined) {
      yield* remote.followProgress(id, after, signal);
      return;
    }
    const tools = this.#needTools("followProgress()");
    yield* followProgress(this.#transport, tools, id, after, signal, (row) =>
      decodeStep(row, this.#codec),
    );
  }

  /**
   * Moves a run in progress to another version: its journal is replayed by that version first, and the run moves if it
   * repeats all that was done. The run then continues with the new document. While a worker executes the run, the call
   * waits, for `wait` at most.
   *
   * @returns Which version it had, and whether it has moved.
   * @throws NotMigratable, whose facts name the node that differs; RunNotFound, DefinitionNotFound
   * @example
   * await client.definitions.migrate("page-on-major", run.runId, { version: 3 });
   */
  async migrate(name: string, runId: string, options: MigrateOptions = {}): Promise<MigratedRun> {
    checkWorkflowName(name);
    checkOptions(options, MIGRATE, "definitions.migrate()");
    const { version, wait = "10s" } = options;
    const migrating = {
      name,
      runId: checkRunId(runId),
      version,
      waitMs: parseDuration(wait, "the wait of definitions.migrate()"),
    };
    const { remote } = this.#transport.definitions;
    if (remote !== undefined) {
      if (this.#codec === undefined) return remote.migrate(migrating);
      throw new InvalidArgument(
        "A server can't read runs that a codec has encoded: migrate them by a client of the database.",
      );
    }
    const tools = this.#needTools("migrate()");
    return migrateRun(this.#transport, tools, migrating, async (id) =>
      decodeRecording(await recordRun(this.#transport, id), this.#codec),
    );
  }

  /** What is given counts more than what the event or the run has. */
  async #fromOrigin(
    tools: DefinitionTools,
    name: string,
    document: DefinitionDocument,
    origin: TestOrigin,
    { input, pins }: Pick<TestDefinitionNodeOptions, "input" | "pins">,
  ): Promise<Pick<TestDefinitionNodeOptions, "input" | "pins">> {
    const codec = this.#codec;
    if (origin.pinResults === true && codec !== undefined) {
      throw new InvalidArgument(
        "pinResults would store the decoded results of the run, because pins are not encoded. Give pins.",
      );
    }
    const found = await readTestOrigin(this.#transport, tools, name, document, origin);
    const own =
      codec === undefined || origin.fromRun === undefined ? found.input : codec.decode(found.input);
    return {
      input: input === undefined ? own : input,
      pins: { ...(found.pins as typeof pins), ...pins },
    };
  }

  /** Returns a definition with its draft; undefined if no definition has this name. */
  async get(name: string): Promise<DefinitionRecord | undefined> {
    checkWorkflowName(name);
    return this.#transport.definitions.get(name);
  }

  /** Returns a page of definitions in the order of their names. */
  async list(filter: DefinitionFilter = {}): Promise<DefinitionSummary[]> {
    checkOptions(filter, FILTER, "definitions.list()");
    const { folder, state, search, after, limit = 100 } = filter;
    return this.#transport.definitions.list({
      folder,
      state,
      search,
      after,
      maxDefinitions: limit,
    });
  }

  /** Returns the versions of a definition, newest first. */
  async versions(name: string): Promise<DefinitionVersion[]> {
    checkWorkflowName(name);
    return this.#transport.definitions.versions(name);
  }

  /** Returns a version with its document; undefined if there is none. @param version - Default: the published one. */
  async version(name: string, version?: number): Promise<VersionedDocument | undefined> {
    checkWorkflowName(name);
    return this.#transport.definitions.document(name, version);
  }

  /**
   * Lists what differs between two documents of a definition, by node and pointer.
   *
   * @param options - Default: from the published version to the draft.
   * @throws InvalidArgument straight to a database without `definitionTools`; DefinitionNotFound
   */
  async diff(name: string, options: DiffOptions = {}): Promise<readonly DefinitionChange[]> {
    checkWorkflowName(name);
    checkOptions(options, DIFF, "definitions.diff()");
    const { from = "published", to = "draft" } = options;
    const { remote } = this.#transport.definitions;
    if (this.#tools === undefined && remote !== undefined) {
      return remote.diff(name, String(from), String(to));
    }
    const tools = this.#needTools("diff()");
    const [before, after] = await Promise.all([
      this.#document(name, from),
      this.#document(name, to),
    ]);
    return tools.diff(before, after);
  }

  /**
   * Lists events that triggers were evaluated for, the newest first. They are kept for 7 days, failed ones for 30.
   *
   * @param filter - `definition`: events that reach its triggers, whether they matched or not.
   * @throws DefinitionNotFound
   * @example
   * const [last] = await client.definitions.events({ definition: "page-on-major", limit: 1 });
   */
  async events(filter: TriggerEventFilter = {}): Promise<TriggerEvent[]> {
    checkOptions(filter, EVENTS, "definitions.events()");
    const { definition, topic, state, before, limit = 50 } = filter;
    if (definition !== undefined) checkWorkflowName(definition);
    return this.#transport.triggers.events({
      name: definition,
      topic,
      state,
      before,
      maxEvents: limit,
    });
  }

  /**
   * Lists the webhook triggers of the published version, with the addresses to which deliveries are posted. Over HTTP, which
   * requires the scope `publish`, they have their secrets. None, if the definition is not published.
   *
   * @example
   * const [{ path, secrets }] = await client.definitions.hooks("deploy-on-push");
   */
  async hooks(name: string): Promise<DefinitionHook[]> {
    checkWorkflowName(name);
    return this.#transport.triggers.hooks(name);
  }

  /**
   * Explains what an event came to for each trigger of a definition: the run that it started, or the first reason for
   * which it started none, with each condition of the guard and the values that it read.
   *
   * @param options - `version`: whose triggers are asked. Default: the published one.
   * @throws DefinitionNotFound, TriggerEventNotFound; InvalidArgument straight to a database without `definitionTools`
   * @example
   * const { triggers } = await client.definitions.explain("page-on-major", last.eventId);
   * console.log(triggers[0]?.reason);
   */
  async explain(
    name: string,
    eventId: string,
    options: ExplainOptions = {},
  ): Promise<EventExplanation> {
    checkWorkflowName(name);
    checkOptions(options, EXPLAIN, "definitions.explain()");
    const { version } = options;
    const { remote } = this.#transport.definitions;
    if (this.#tools === undefined && remote !== undefined) {
      return remote.explain(name, eventId, version);
    }
    const tools = this.#needTools("explain()");
    const { triggers } = this.#transport;
    const facts = await triggers.facts(name, eventId, version);
    return tools.explain(facts, (key) => triggers.once(name, key));
  }

  /**
   * Forgets that a definition has started its one run for values of `once_for`: the next event that has them starts
   * another.
   *
   * @param onceKey - As `events` and `explain` show it.
   * @returns False if no event has had the values.
   */
  forgetOnce(name: string, onceKey: string, options: TransactionOptions = {}): Promise<boolean> {
    checkWorkflowName(name);
    const tx = txOf(options, "definitions.forgetOnce()");
    return this.#transport.triggers.forgetOnce(name, onceKey, tx);
  }

  /**
   * Returns published documents, to be applied to another database.
   *
   * @param names - Default: all that are published or paused.
   * @throws DefinitionNotFound if one of them isn't published
   */
  async export(names?: readonly string[]): Promise<DefinitionDocument[]> {
    const wanted = names ?? (await this.#publishedNames());
    const found = await this.#transport.definitions.documents(wanted);
    const missing = wanted.find((name) => !found.some((each) => each.name === name));
    if (missing !== undefined) {
      throw new DefinitionNotFound(`Definition "${missing}" has no published version.`);
    }
    return found.map(({ document }) => document);
  }

  /**
   * Creates or changes definitions: all of them, or none. Only their drafts, unless `publish`.
   *
   * @returns What became of each, in the order of names.
   * @throws InvalidDefinition; RevisionConflict for a draft that was changed and not published, unless `overwrite`;
   *   NameTaken, PayloadTooLarge
   */
  async apply(
    documents: readonly DefinitionDocument[],
    options: ApplyOptions = {},
  ): Promise<AppliedDefinition[]> {
    checkOptions(options, APPLY, "definitions.apply()");
    const { publish = false, note, overwrite = false, tx } = options;
    const compiled = publish ? await this.#compileAll(documents) : undefined;
    return this.#transport.definitions.apply(
      {
        documents: documents.map((document) => textOf(document, nameIn(document))),
        publish,
        compiled,
        note,
        overwrite,
        actor: this.#actor,
      },
      tx,
    );
  }

  /** @returns Undefined if nothing checks it here, or if the database will refuse the revision. */
  async #compileDraft(
    name: string,
    revision: number,
    tx: TransactionClient | undefined,
  ): Promise<JsonText | undefined> {
    if (this.#tools === undefined || this.#transport.definitions.remote !== undefined) {
      return undefined;
    }
    const found = await this.#find(name, tx);
    // Another revision saved since would be published unchecked.
    if (found.revision !== revision) throw revisionConflict(found, revision);
    const registered = await catalogFor(this.#transport, found.draft);
    return compile(this.#tools, found.draft, registered);
  }

  async #compileAll(
    documents: readonly DefinitionDocument[],
  ): Promise<(JsonText | null)[] | undefined> {
    const tools = this.#tools;
    if (tools === undefined) return undefined;
    return Promise.all(
      documents.map(
        async (document) =>
          compile(tools, document, await catalogFor(this.#transport, document)) ?? null,
      ),
    );
  }

  async #find(name: string, tx?: TransactionClient): Promise<DefinitionRecord> {
    checkWorkflowName(name);
    const found = await this.#transport.definitions.get(name, tx);
    if (found !== undefined) return found;
    throw new DefinitionNotFound(`Definition "${name}" does not exist.`);
  }

  async #document(name: string, which: DocumentName): Promise<DefinitionDocument> {
    if (which === "draft") return (await this.#find(name)).draft;
    const version = which === "published" ? undefined : which;
    const found = await this.#transport.definitions.document(name, version);
    if (found !== undefined) return found.document;
    throw new DefinitionNotFound(
      version === undefined
        ? `Definition "${name}" has no published version.`
        : `Definition "${name}" has no version ${version}.`,
    );
  }

  async #publishedNames(): Promise<string[]> {
    const names: string[] = [];
    for (;;) {
      const after = names.at(-1);
      const page = await this.list({ limit: 1_000, ...(after === undefined ? {} : { after }) });
      names.push(...page.map(({ name }) => name));
      if (page.length < 1_000) break;
    }
    const all = await this.#transport.definitions.documents(names);
    return all.map(({ name }) => name);
  }

  #needTools(what: string): DefinitionTools {
    if (this.#tools !== undefined) return this.#tools;
    throw new InvalidArgument(
      `definitions.${what} needs a checker, which the database doesn't have: pass definitionTools: definitionTools() of @oxbow/declared to createWorkflowClient(), or the url of a server.`,
    );
  }
}

/** @throws InvalidDefinition if the checker finds errors */
function compile(
  tools: DefinitionTools,
  document: DefinitionDocument,
  registered: RegisteredCatalog,
): JsonText | undefined {
  const { problems, compiled }: CheckedDefinition = tools.check(document, registered);
  const errors = problems.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return JSON.stringify(compiled);
  const [first] = errors;
  throw new InvalidDefinition(
    `Definition "${String(document["name"])}" is invalid: ${first?.message}. ${first?.hint}`,
    { facts: { problems } },
  );
}

function nameIn(document: DefinitionDocument): string {
  const { name } = document;
  checkWorkflowName(name);
  return name;
}

function checkRevision(revision: number, name: string): void {
  if (Number.isInteger(revision) && revision >= 1) return;
  throw new InvalidArgument(
    `Invalid revision ${String(revision)} of definition "${name}": give that of definitions.draft().`,
  );
}

const textOf = (value: object, name: string): JsonText =>
  toStorableText(value, `the document of definition "${name}"`) ?? "null";
