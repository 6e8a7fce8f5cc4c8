import {
  parseDuration,
  checkWorkflowName,
  checkOptions,
  inSpan,
  RunHandle,
  checkRunId,
  decodeStep,
  decodeRecording,
  recordRun,
  START_OPTIONS,
  toStartRequest,
  txOf,
} from "@oxbow/sdk/internal/rooms";
import {
  InvalidArgument,
  type RunRecording,
  type StartOptions,
  type TransactionOptions,
} from "@oxbow/sdk";
import type {
  DefinitionProgress,
  DefinitionProgressEvent,
} from "../protocol/definition-progress.ts";
import { requireInput } from "../protocol/definition-tools.ts";
import {
  type MigratedRun,
  readTestedNode,
  type RerunFromNode,
  type TestedNode,
} from "../protocol/definitions.ts";
import { migrateRun } from "../protocol/migration.ts";
import { rerunFromNode } from "../protocol/rerun-from-node.ts";
import {
  FOLLOW,
  type FollowProgressOptions,
  MIGRATE,
  type MigrateOptions,
  NOW,
  RERUN,
  type RerunDefinitionOptions,
  TEST,
  TEST_NODE,
  type TestDefinitionNodeOptions,
  type TestDefinitionOptions,
} from "./definition-options.ts";
import { type DefinitionParts, needTools } from "./definition-parts.ts";
import { followProgress } from "./definition-progress.ts";
import { progressNow } from "./definition-states.ts";
import { startTest } from "./definition-tests.ts";

/** The part of `definitionsOf(client)` that is about runs: it starts, tests, follows, repeats and migrates them. */
export class DefinitionRuns {
  readonly #parts: DefinitionParts;

  constructor(parts: DefinitionParts) {
    this.#parts = parts;
  }

  /**
   * Starts a run of the published version, or of `version`.
   *
   * The server, or `tools`, compares the input with the schema of the document. Without either, the run does when
   * it begins, and fails if they differ.
   *
   * @throws ValidationFailed, DefinitionNotFound; DefinitionInactive if it is paused, archived or was never published; those of `client.start`
   */
  async start(name: string, input?: unknown, options: StartOptions = {}): Promise<RunHandle> {
    checkOptions(options, START_OPTIONS, `definitions.start() of "${name}"`);
    const hasEncodedInput = this.#parts.codec !== undefined;
    const request = {
      ...(await toStartRequest(name, input, options, this.#parts.codec)),
      hasEncodedInput,
    };
    if (this.#parts.tools !== undefined) {
      const { version } = options;
      await requireInput(this.#parts.tools, this.#parts.calls.definitions, {
        name,
        version,
        input,
      });
    }
    const started = await inSpan("workflow.start", { "workflow.name": name }, (trace) =>
      this.#parts.calls.definitions.start(
        trace === undefined ? request : { ...request, trace },
        options.tx,
      ),
    );
    return new RunHandle(
      { transport: this.#parts.transport, codec: this.#parts.codec, events: undefined },
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
   * const run = await definitions.test("page-on-major", { incident }, { pins: { page: { error: { code: "DOWN" } } } });
   * await run.result();
   */
  async test(
    name: string,
    input?: unknown,
    options: TestDefinitionOptions = {},
  ): Promise<RunHandle> {
    checkOptions(options, TEST, "definitions.test()");
    const { until, ...common } = options;
    return startTest(this.#parts, name, input, common, { until });
  }

  /**
   * Executes only one node: the nodes before it are as they are pinned.
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
    const run = await startTest(this.#parts, name, input, common, { only: node, item });
    const output = await run.result({ timeout });
    return readTestedNode(this.#parts.calls.runs, { runId: run.runId, node, output });
  }

  /** Deletes a test run, also one in progress. @returns False if the definition has no test run with this id. */
  async deleteTest(name: string, runId: string, options?: TransactionOptions): Promise<boolean> {
    checkWorkflowName(name);
    return this.#parts.calls.definitions.deleteTest(
      name,
      checkRunId(runId),
      txOf(options, "definitions.deleteTest()"),
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
   * const again = await definitions.rerun("page-on-major", run.runId, "page", { version: 3 });
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
    const { remote } = this.#parts.calls.definitions;
    if (remote !== undefined && this.#parts.codec === undefined) return remote.rerun(rerunning);
    const tools = needTools(this.#parts, "rerun()");
    return rerunFromNode(this.#parts.calls, tools, rerunning, this.#record);
  }

  /**
   * Yields what happens to the nodes and edges of a run, up to its end: the states so far, then each change when it is
   * journaled. A connection that breaks is set up again where it was.
   *
   * @param options - `after`: the position of the last event that you have.
   * @throws RunNotFound; DefinitionNotFound for a workflow in code; the reason of the signal
   * @example
   * for await (const event of definitions.followProgress(run.runId)) {
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
    const { remote } = this.#parts.calls.definitions;
    if (remote !== undefined && this.#parts.codec === undefined) {
      yield* remote.followProgress(id, after, signal);
      return;
    }
    const tools = needTools(this.#parts, "followProgress()");
    yield* followProgress(this.#parts.calls, tools, id, after, signal, (row) =>
      decodeStep(row, this.#parts.codec),
    );
  }

  /**
   * Returns the states of all nodes and edges of a run as they are now.
   *
   * @throws RunNotFound; DefinitionNotFound for a workflow in code; the reason of the signal
   * @example
   * const { nodes } = await definitions.progress(run.runId);
   * nodes["page"]; // "waiting"
   */
  async progress(
    runId: string,
    options: Pick<FollowProgressOptions, "signal"> = {},
  ): Promise<DefinitionProgress> {
    checkOptions(options, NOW, "definitions.progress()");
    const { calls, codec } = this.#parts;
    const { signal = new AbortController().signal } = options;
    const id = checkRunId(runId);
    const { remote } = calls.definitions;
    if (remote !== undefined && codec === undefined) return remote.progress(id, signal);
    const tools = needTools(this.#parts, "progress()");
    return progressNow({ calls, tools, decode: (row) => decodeStep(row, codec) }, id, signal);
  }

  /**
   * Moves a run in progress to another version: its journal is replayed by that version first, and the run moves if it
   * repeats all that was done. The run then continues with the new document. While a worker executes the run, the call
   * waits, for `wait` at most.
   *
   * @returns Which version it had, and whether it has moved.
   * @throws NotMigratable, whose facts name the node that differs; RunNotFound, DefinitionNotFound
   * @example
   * await definitions.migrate("page-on-major", run.runId, { version: 3 });
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
    const { remote } = this.#parts.calls.definitions;
    if (remote !== undefined) {
      if (this.#parts.codec === undefined) return remote.migrate(migrating);
      throw new InvalidArgument(
        "A server can't read runs that a codec has encoded: migrate them by a client of the database.",
      );
    }
    const tools = needTools(this.#parts, "migrate()");
    return migrateRun(this.#parts.calls, tools, migrating, this.#record);
  }

  readonly #record = async (runId: string): Promise<RunRecording> =>
    decodeRecording(await recordRun(this.#parts.transport, runId), this.#parts.codec);
}
