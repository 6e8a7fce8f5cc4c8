/**
 * A database, a worker and a client for tests of workflows, with a clock that skips idle time.
 *
 * Owns a database on an embedded Postgres, or on a given one, a worker in this process, and a client.
 * Promises:
 *   E1  Everything runs as in production: the SQL of the release, the worker, the replay. Only the clock is another,
 *       and the steps that were replaced.
 *   E2  Time is skipped only while nothing happens by itself: no run is executed or ready, no message of a queue is
 *       handled, no event is on its way. Whatever falls due on the way happens, in its order and at its time.
 *   E3  A run that nothing will wake makes `run()` and `result()` reject, and say what it waits for.
 *   E4  `stop()` leaves nothing behind. It may be called twice.
 */
import { createWorkflowClient, type WorkflowClient } from "../client/client.ts";
import type { RunHandle } from "../client/run-handle.ts";
import { type Duration, parseDuration } from "../core/duration.ts";
import { InvalidArgument } from "../core/errors.ts";
import type { Journaled } from "../core/journaled.ts";
import { checkStepName } from "../core/names.ts";
import type { InputOf, OutputOf, Workflow } from "../definition/workflow.ts";
import { versionsOf } from "../worker/served-workflows.ts";
import { Worker } from "../worker/worker.ts";
import type { Replacements } from "./behaviour.ts";
import { toRunBlocked } from "./blocked.ts";
import type { RecordedCall } from "./call-log.ts";
import { troubleBodies } from "./chance.ts";
import type {
  AwaitOptions,
  RunDefinitionOptions,
  SkipOptions,
  TestEnvironmentOptions,
  TestRunOptions,
} from "./environment-options.ts";
import { replayAndCompare } from "./replay-recording.ts";
import { ReplacedEvents } from "./replaced-events.ts";
import { Stage } from "./stage.ts";
import type { Activity, TestClock } from "./test-clock.ts";
import { type Patience, WorkerWatch } from "./worker-watch.ts";

/** A caller outside may be about to send the event that a run waits for. */
const BLOCKED_FOR_MS = 250;
const MAX_CONNECTIONS = 4;

interface EnvironmentParts {
  readonly options: TestEnvironmentOptions;
  readonly url: string;
  readonly clock: TestClock;
  readonly patienceMs: number;
  readonly remove: () => Promise<void>;
}

/** Workflows that run in a test. */
export class TestEnvironment {
  /** Url of the database, which is this environment's own: for your migrations, and your own clients. */
  readonly url: string;
  readonly client: WorkflowClient;
  /** The worker that serves the workflows, in this process; `worker.events` reports events. */
  readonly worker: Worker;
  readonly #options: TestEnvironmentOptions;
  readonly #clock: TestClock;
  readonly #stage: Stage;
  readonly #remove: () => Promise<void>;
  readonly #patienceMs: number;
  readonly #served: ReadonlyMap<string, readonly number[]>;
  readonly #untroubleBodies: (() => void) | undefined;
  readonly #watch: WorkerWatch;
  readonly #events: ReplacedEvents;
  /** Nothing will be served any more: every call throws it. */
  #workerFailure: { readonly error: unknown } | undefined;
  #advancing: Promise<Activity> | undefined;
  #skips = 0;
  #stopped: Promise<void> | undefined;

  /** @internal Use {@link createTestEnvironment}. */
  constructor({ options, url, clock, patienceMs, remove }: EnvironmentParts) {
    const { workflows = [], definitions, codec, logger, concurrency, replay } = options;
    this.url = url;
    this.#options = options;
    this.#clock = clock;
    this.#remove = remove;
    this.#patienceMs = patienceMs;
    this.#served = versionsOf(workflows);
    this.#stage = new Stage({
      sendEvent: (...event) => this.#events.send(...event),
      troublesBodies: replay === "every-step",
    });
    const connection = {
      url,
      maxConnections: MAX_CONNECTIONS,
      ...(codec === undefined ? {} : { codec }),
    };
    this.worker = new Worker(
      {
        ...connection,
        workflows: this.#stage.serve(workflows),
        ...(definitions === undefined ? {} : { sources: [definitions] }),
        stopTimeout: "1s",
        ...(logger === undefined ? {} : { logger }),
        ...(concurrency === undefined ? {} : { concurrency }),
      },
      { replaysEveryStep: replay === "every-step", printsFailures: false },
    );
    this.worker.finished.catch((error: unknown) => {
      this.#workerFailure = { error };
    });
    this.client = createWorkflowClient(connection);
    this.#events = new ReplacedEvents(this.client);
    this.#watch = new WorkerWatch(this.worker);
    this.#untroubleBodies = replay === "every-step" ? troubleBodies() : undefined;
  }

  /**
   * Starts a run and waits for its end, skipping the time while nothing happens: a sleep of 7 days takes milliseconds.
   *
   * @returns The body's result, as journaled.
   * @throws RunFailed, RunCancelled; RunBlocked when it waits for something that nothing brings, like an event;
   *   DeadlineExceeded when the environment's patience is at its end.
   */
  async run<Definition extends Workflow>(
    workflow: Definition,
    input: InputOf<Definition>,
    options: TestRunOptions = {},
  ): Promise<Journaled<OutputOf<Definition>>> {
    const { autoSkip = true, ...startOptions } = options;
    const version = startOptions.version ?? workflow.version;
    if (this.#served.get(workflow.name)?.includes(version) !== true) {
      throw new InvalidArgument(
        `This environment doesn't serve version ${version} of workflow "${workflow.name}": give it to createTestEnvironment().`,
      );
    }
    const run = await this.client.start(workflow, input, startOptions);
    return this.result(run, { autoSkip });
  }

  /**
   * Executes a document as a test run, and waits for its end as {@link run} does. Nodes that read or write anything outside
   * of the run take their pin, or a sample of their output, unless `effects` is `real`.
   *
   * @returns The output of the document.
   * @throws InvalidDefinition, ValidationFailed; InvalidArgument if the environment serves no definitions; those of {@link run}
   * @example
   * await using env = await createTestEnvironment({ definitions: createDefinitions({ nodes: [slackPost] }) });
   * const output = await env.runDefinition(document, { id: 7 }, { pins: { ask: { handle: "rejected" } } });
   */
  async runDefinition(
    document: Readonly<Record<string, unknown>>,
    input?: unknown,
    options: RunDefinitionOptions = {},
  ): Promise<unknown> {
    const { definitions } = this.#options;
    if (definitions === undefined) {
      throw new InvalidArgument(
        "This environment serves no definitions: give createDefinitions() of @oxbow/declared as `definitions` to createTestEnvironment().",
      );
    }
    const { autoSkip = true, ...given } = options;
    const run = await definitions.startTest(this.client, document, input, given);
    await this.#clock.liftDeadline(run.runId);
    return this.result(run, { autoSkip });
  }

  /** Waits for the end of a run that was started by a client. Returns and throws as {@link run}. */
  async result<Output>(
    run: Pick<RunHandle<Output>, "runId" | "status" | "result">,
    { autoSkip = true }: AwaitOptions = {},
  ): Promise<Output> {
    const patience = this.#patience();
    let blockedSince: number | undefined;
    await this.#watch.until(async () => {
      const activity = await this.#advance(autoSkip ? "infinity" : undefined);
      const state = await run.status();
      if (state.status !== "running") return "done";
      if (activity.moved || !isQuiet(activity)) blockedSince = undefined;
      else if (autoSkip || activity.nextAt === undefined) blockedSince ??= performance.now();
      if (blockedSince !== undefined && performance.now() - blockedSince > BLOCKED_FOR_MS) {
        throw await toRunBlocked({
          client: this.client,
          run: state,
          isServed: (other) => this.#isServed(other),
          skips: autoSkip,
        });
      }
      this.#check(patience, `Run ${run.runId} of "${state.name}" has not ended`, activity);
      return activity.moved ? "again" : "wait";
    });
    return this.#end(run);
  }

  /**
   * Waits until nothing happens by itself any more, without skipping time: every run has ended, sleeps, or waits.
   *
   * @throws DeadlineExceeded when the environment's patience is at its end; it names the steps that are being called.
   */
  async idle(): Promise<void> {
    await this.#quiet(this.#patience());
  }

  /** The time by which the workflows of this environment live. Its machine's, and what was skipped. */
  now(): Promise<Date> {
    return this.#clock.now();
  }

  /**
   * Skips a length of time, once nothing happens any more. Timers that become due on the way fire at their time.
   *
   * @param duration Milliseconds, or text like "7d".
   * @throws InvalidArgument; DeadlineExceeded when the environment's patience is at its end.
   * @example
   * const run = await env.client.start(trial, { userId: 42 });
   * await env.skip("13d");
   * expect(env.calls("remind")).toHaveLength(1);
   */
  async skip(duration: Duration, options: SkipOptions = {}): Promise<void> {
    const durationMs = parseDuration(duration, "skip()");
    await this.#skip((now) => new Date(now.getTime() + durationMs), options);
  }

  /** Skips the time until a date, as {@link skip} does. @throws InvalidArgument for a date that has passed. */
  async skipTo(date: Date, options: SkipOptions = {}): Promise<void> {
    if (!(date instanceof Date) || Number.isNaN(date.getTime())) {
      throw new InvalidArgument(`Invalid date ${String(date)} for skipTo(): give a valid Date.`);
    }
    await this.#skip((now) => {
      if (date >= now) return date;
      throw new InvalidArgument(
        `It is ${now.toISOString()} in this test, and time does not go back to ${date.toISOString()}.`,
      );
    }, options);
  }

  /**
   * Replaces steps of a workflow, in all of its versions, by name: in runs that are under way too, from the next call on.
   *
   * - `step.run`, `step.tx`, `step.invoke`: a value that the step returns; a function that is called instead; or
   *   {@link failTimes}, {@link timesOut}. For `step.map`, by the name of the step, or `<name>-<index>` for one item.
   * - `step.waitForEvent`: the payload of the event that comes, or {@link timesOut}.
   * - `step.sleep`, `step.sleepUntil`: `true`, which skips it: no time passes.
   *
   * @returns A function that removes these replacements.
   * @throws InvalidArgument for a workflow that isn't served, InvalidName for what is no name of a step. A replacement
   *   that its step can't have fails the run.
   * @example
   * env.replace(onboardUser, {
   *   "create-user": { id: 42 },
   *   "send-welcome": failTimes(2, new Error("mail server is down")),
   *   verify: timesOut(),
   * });
   */
  replace(workflow: Workflow | string, replacements: Replacements): () => void {
    const name = typeof workflow === "string" ? workflow : workflow.name;
    if (!this.#served.has(name)) {
      throw new InvalidArgument(
        `This environment doesn't serve workflow "${name}": it serves ${[...this.#served.keys()].map((each) => `"${each}"`).join(", ")}.`,
      );
    }
    for (const step of Object.keys(replacements)) checkStepName(step);
    return this.#stage.replace(name, replacements);
  }

  /**
   * The calls of a step's callback so far, real or replaced, in order; of `step.invoke`, `step.publish` and `step.signal`
   * what was sent, however often it was replayed. Those of the rollback of step "x" are called "rollback:x".
   *
   * @param workflow Only those of this one.
   */
  calls(step: string, workflow?: Workflow | string): RecordedCall[] {
    return this.#stage.log.of(step, typeof workflow === "object" ? workflow.name : workflow);
  }

  /** Takes all replacements back and forgets all calls, between two tests that share the environment. Runs stay. */
  reset(): void {
    this.#stage.reset();
  }

  /** Stops the worker and removes the database, and the Postgres when no other environment of this process uses it. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  // ── Waiting ───────────────────────────────────────────────────────────────────────────────────────────────

  async #skip(toDate: (now: Date) => Date, { whileExecuting }: SkipOptions): Promise<void> {
    const patience = this.#patience();
    if (whileExecuting !== true) await this.#quiet(patience);
    const date = toDate(await this.now());
    if (whileExecuting === true) {
      await this.#clock.moveTo(date);
      this.#moved(await this.now());
      return;
    }
    await this.#watch.until(async () => {
      const activity = await this.#advance(date);
      if (isQuiet(activity) && !activity.moved && activity.now >= date) return "done";
      this.#check(patience, "The time could not be skipped", activity);
      return activity.moved ? "again" : "wait";
    });
  }

  async #quiet(patience: Patience): Promise<void> {
    await this.#watch.until(async () => {
      const activity = await this.#advance();
      if (isQuiet(activity)) return "done";
      this.#check(patience, "The environment is still busy", activity);
      return "wait";
    });
  }

  /** Concurrent waits for runs share their looks. */
  #advance(until?: Date | "infinity"): Promise<Activity> {
    if (until !== "infinity") return this.#advanceTo(until);
    this.#advancing ??= this.#advanceTo(until).finally(() => {
      this.#advancing = undefined;
    });
    return this.#advancing;
  }

  async #advanceTo(until?: Date | "infinity"): Promise<Activity> {
    if (this.#workerFailure !== undefined) throw this.#workerFailure.error;
    this.#events.check();
    if (this.#stopped !== undefined) throw new InvalidArgument("The test environment was stopped.");
    await this.#events.arrived();
    const activity = await this.#clock.advance(until);
    if (activity.moved) this.#moved(activity.now);
    // A body may have requested another one since.
    return this.#events.areOnTheWay ? { ...activity, handled: 1 } : activity;
  }

  #moved(now: Date): void {
    this.#skips += 1;
    this.worker.clockMoved(now.getTime());
  }

  #patience(): Patience {
    return { ms: this.#patienceMs, giveUpAt: performance.now() + this.#patienceMs };
  }

  #check(patience: Patience, what: string, activity: Activity): void {
    this.#watch.check(patience, what, activity, this.#skips);
  }

  // ── Runs ──────────────────────────────────────────────────────────────────────────────────────────────────

  /** Once more from its journal: the last step is journaled together with the end of the run. */
  async #end<Output>(run: Pick<RunHandle<Output>, "runId" | "result">): Promise<Output> {
    if (this.#options.replay === "every-step") {
      const recording = await this.client.runs.record(run.runId);
      const definition = this.#stage.definition(recording.workflow, recording.version);
      const { codec } = this.#options;
      if (definition !== undefined && recording.status === "completed") {
        await replayAndCompare(definition, recording, {
          ...(codec === undefined ? {} : { codec }),
          // The time in a body's result may differ: it has one end.
          compares: "outcome",
        });
      }
    }
    return run.result();
  }

  #isServed({ name, version }: { readonly name: string; readonly version: number }): boolean {
    // Versions of test runs and of definitions are not listed.
    return this.#served.get(name)?.includes(version) ?? this.#options.definitions !== undefined;
  }

  async #stop(): Promise<void> {
    try {
      await this.worker.stop();
      await this.#events.arrived();
      await this.client.close();
    } finally {
      this.#untroubleBodies?.();
      await this.#remove();
    }
  }
}

const isQuiet = ({ executing, ready, handled }: Activity): boolean =>
  executing + ready + handled === 0;
