/** The options of test environments. */
import type { WorkflowClient } from "../client/client.ts";
import type { RunHandle } from "../client/run-handle.ts";
import type { StartOptions } from "../client/start-request.ts";
import type { Codec } from "../core/codec.ts";
import type { Duration } from "../core/duration.ts";
import { InvalidArgument } from "../core/errors.ts";
import type { Logger } from "../definition/context.ts";
import type { Workflow } from "../definition/workflow.ts";
import type { WorkflowSource } from "../worker/workflow-source.ts";

/** How to make a {@link TestEnvironment}. */
export interface TestEnvironmentOptions {
  /** The workflows to serve; several versions of one name may be there. Optional, if `definitions` are served. */
  readonly workflows?: readonly Workflow[];
  /** What runs declared workflows: `createDefinitions()` of `@oxbow/declared`. */
  readonly definitions?: TestableDefinitions;
  /**
   * `postgres://…` of a server on which to create the database, as a role that may. Default: an embedded
   * Postgres, which environments of one process share while they live.
   */
  readonly url?: string | undefined;
  /** Name of a database on that server to copy, with your own tables. Default: an empty database. */
  readonly template?: string | undefined;
  /** How values are encoded, as in production. */
  readonly codec?: Codec;
  /** Gets the lines of `ctx.logger`, and the worker's own problems. */
  readonly logger?: Logger;
  /** Maximum number of runs that are executed concurrently. Default 100. */
  readonly concurrency?: number;
  /**
   * `every-step`: after each step that is journaled, the run is replayed from its journal, and so it does once more when
   * it has ended. In the body, `Math.random()` and `Date` give something else each time. Code that isn't safe to
   * replay then fails with `NondeterminismError`. Default: as in production, when a run resumes.
   */
  readonly replay?: "every-step";
  /** How long, in real time, `run`, `result`, `idle` and `skip` wait before they say what keeps them. Default "30s". */
  readonly patience?: Duration;
}

/** A source of declared workflows, with what tests their documents. */
export interface TestableDefinitions extends WorkflowSource {
  /** Starts a test run of a document, whose definition it creates if there is none. */
  startTest(
    client: WorkflowClient,
    document: Readonly<Record<string, unknown>>,
    input: unknown,
    options: Omit<RunDefinitionOptions, keyof AwaitOptions>,
  ): Promise<RunHandle>;
}

/** The result of a node in a test, which replaces its work. */
export interface NodePin {
  readonly output?: unknown;
  /** The handle that it takes. Default: its first one. */
  readonly handle?: string;
  /** It fails with this error. */
  readonly error?: { readonly code?: string; readonly message?: string };
}

/** Options of {@link TestEnvironment.runDefinition}. */
export interface RunDefinitionOptions extends AwaitOptions {
  /** Results of nodes by id, which replace their work. */
  readonly pins?: Readonly<Record<string, NodePin>>;
  /** `real` executes nodes that read or write anything outside of the run. Default: `mock`. */
  readonly effects?: "mock" | "real";
  /** Ends the run with this node, whose output is the result. */
  readonly until?: string;
}

/** How {@link TestEnvironment.result} waits. */
export interface AwaitOptions {
  /** Whether to skip the time while nothing happens. Default true. */
  readonly autoSkip?: boolean;
}

/** Options of {@link TestEnvironment.run}. */
export interface TestRunOptions extends AwaitOptions, Omit<StartOptions, "tx"> {}

/** Options of {@link TestEnvironment.skip}. */
export interface SkipOptions {
  /**
   * True to move the clock immediately, even while callbacks are called: for a callback that doesn't come back before
   * the time has passed. Default: wait until nothing happens, and let what falls due on the way happen.
   */
  readonly whileExecuting?: boolean;
}

/** @throws InvalidArgument */
export function checkOptions(options: TestEnvironmentOptions): void {
  const { workflows = [], definitions, url, replay } = options;
  if (!Array.isArray(workflows) || (workflows.length === 0 && definitions === undefined)) {
    throw new InvalidArgument(
      "A test environment needs at least one workflow: pass `workflows` or `definitions`.",
    );
  }
  if (url !== undefined && !/^postgres(ql)?:\/\//i.test(url)) {
    throw new InvalidArgument(
      `Invalid url "${url.slice(0, 12)}…" of a test environment: give one like postgres://user@host:5432/postgres.`,
    );
  }
  if (replay !== undefined && replay !== "every-step") {
    throw new InvalidArgument(
      `Invalid replay ${JSON.stringify(replay)}: it is "every-step", or left out.`,
    );
  }
}
