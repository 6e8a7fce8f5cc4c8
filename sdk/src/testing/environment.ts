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
import { randomBytes } from "node:crypto";
import { createWorkflowClient, type WorkflowClient } from "../client/client.ts";
import type { StartOptions } from "../client/start-request.ts";
import type { RunHandle } from "../client/run-handle.ts";
import type { Codec } from "../core/codec.ts";
import { type Duration, parseDuration } from "../core/duration.ts";
import { DeadlineExceeded, InvalidArgument } from "../core/errors.ts";
import type { Journaled } from "../core/journaled.ts";
import { checkStepName } from "../core/names.ts";
import { WakeUp } from "../async/wake-up.ts";
import type { Logger } from "../definition/context.ts";
import type { InputOf, OutputOf, Workflow } from "../definition/workflow.ts";
import { releaseIncarnation } from "../install/incarnation.ts";
import { migrate } from "../install/migrate.ts";
import { versionsOf } from "../worker/served-workflows.ts";
import { Worker } from "../worker/worker.ts";
import type { Replacements } from "./behaviour.ts";
import { toRunBlocked } from "./blocked.ts";
import type { RecordedCall } from "./call-log.ts";
import { outsideBody, troubleBodies } from "./chance.ts";
import { createDatabase, dropDatabase } from "./embedded/databases.ts";
import { replayAndCompare } from "./replay-recording.ts";
import { type BorrowedCluster, borrowCluster } from "./shared-cluster.ts";
import { Stage, STAND_IN } from "./stage.ts";
import { type Activity, TestClock } from "./test-clock.ts";

/** How to make a {@link TestEnvironment}. */
export interface TestEnvironmentOptions {
  /** The workflows to serve; several versions of one name may be there. */
  readonly workflows: readonly Workflow[];
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
  /** Most runs that are executed at once. Default 100. */
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
   * True to move the clock at once, even while callbacks are called: for a callback that doesn't come back before the
   * time has passed. Default: wait until nothing happens, and let what falls due on the way happen.
   */
  readonly whileExecuting?: boolean;
}

/** Between two looks, ever longer, unless the worker reports an event. */
const FIRST_LOOK_MS = 5;
const LAST_LOOK_MS = 100;
/** A caller outside may be about to send the event that a run waits for. */
const BLOCKED_FOR_MS = 250;
const MAX_CONNECTIONS = 4;

/**
 * Makes a database with Oxbow and a worker for some workflows, and a clock that skips.
 *
 * @throws InvalidArgument for options that make no sense, and what the database throws.
 * @example
 * await using env = await createTestEnvironment({ workflows: [onboardUser] });
 * env.replace(onboardUser, { "create-user": { id: 42 }, "send-welcome": failTimes(2) });
 * const result = await env.run(onboardUser, { email: "ada@example.com" });
 */
export async function createTestEnvironment(
  options: TestEnvironmentOptions,
): Promise<TestEnvironment> {
  checkOptions(options);
  const { workflows, template, patience = "30s" } = options;
  const patienceMs = parseDuration(patience, "the patience of a test environment");
  const server = await findServer(options.url);
  const name = `oxbow_test_${randomBytes(6).toString("hex")}`;
  const url = urlOf(server.url, name);
  let clock: TestClock | undefined;
  const remove = async (): Promise<void> => {
    try {
      await clock?.close();
      await dropDatabase(server.url, name);
    } finally {
      await server.giveBack();
    }
  };
  try {
    await createDatabase(server.url, name, template === undefined ? {} : { template });
    await migrate(url);
    // A template in which runs were received is a copy like any other, but one that is meant to run.
    if (template !== undefined) await releaseIncarnation(url, { as: "live", timers: "fire" });
    const versions = new Map([...versionsOf(workflows), [STAND_IN, [1]]]);
    clock = await TestClock.install(url, { versions, patienceMs });
    const environment = new TestEnvironment({ options, url, clock, patienceMs, remove });
    // The worker registers it too, but perhaps not before the first start.
    for (const workflow of workflows) {
      if (workflow.flowControl !== undefined) await environment.client.setFlowControl(workflow);
    }
    return environment;
  } catch (error) {
    // The first error is the relevant one.
    await remove().catch(() => {});
    throw error;
  }
}

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
  readonly #wakeUps = new Set<WakeUp>();
  /** Callbacks that are being called, in words. */
  readonly #called = new Map<string, string>();
  readonly #eventsOnTheWay = new Set<Promise<void>>();
  /** An event could not be sent: the next call throws it. */
  #failure: { readonly error: unknown } | undefined;
  /** Nothing will be served any more: every call throws it. */
  #workerFailure: { readonly error: unknown } | undefined;
  #advancing: Promise<Activity> | undefined;
  #skips = 0;
  #stopped: Promise<void> | undefined;

  /** @internal Use {@link createTestEnvironment}. */
  constructor({ options, url, clock, patienceMs, remove }: EnvironmentParts) {
    const { workflows, codec, logger, concurrency, replay } = options;
    this.url = url;
    this.#options = options;
    this.#clock = clock;
    this.#remove = remove;
    this.#patienceMs = patienceMs;
    this.#served = versionsOf(workflows);
    this.#stage = new Stage({
      sendEvent: (...event) => this.#sendEvent(...event),
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
    this.#untroubleBodies = replay === "every-step" ? troubleBodies() : undefined;
    this.#watch();
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
    if (!this.#isServed({ name: workflow.name, version })) {
      throw new InvalidArgument(
        `This environment doesn't serve version ${version} of workflow "${workflow.name}": give it to createTestEnvironment().`,
      );
    }
    const run = await this.client.start(workflow, input, startOptions);
    return this.result(run, { autoSkip });
  }

  /** Waits for the end of a run that was started by a client. Returns and throws as {@link run}. */
  async result<Output>(
    run: Pick<RunHandle<Output>, "runId" | "status" | "result">,
    { autoSkip = true }: AwaitOptions = {},
  ): Promise<Output> {
    const giveUpAt = performance.now() + this.#patienceMs;
    let blockedSince: number | undefined;
    await this.#look(async () => {
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
      this.#checkPatience(giveUpAt, `Run ${run.runId} of "${state.name}" has not ended`, activity);
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
    await this.#quiet(performance.now() + this.#patienceMs);
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
    const giveUpAt = performance.now() + this.#patienceMs;
    if (options.whileExecuting !== true) await this.#quiet(giveUpAt);
    const now = await this.now();
    await this.#skipTo(new Date(now.getTime() + durationMs), options, giveUpAt);
  }

  /** Skips the time until a date, as {@link skip} does. @throws InvalidArgument for a date that has passed. */
  async skipTo(date: Date, options: SkipOptions = {}): Promise<void> {
    if (!(date instanceof Date) || Number.isNaN(date.getTime())) {
      throw new InvalidArgument(`Invalid date ${String(date)} for skipTo(): give a valid Date.`);
    }
    const giveUpAt = performance.now() + this.#patienceMs;
    if (options.whileExecuting !== true) await this.#quiet(giveUpAt);
    const now = await this.now();
    if (date < now) {
      throw new InvalidArgument(
        `It is ${now.toISOString()} in this test, and time does not go back to ${date.toISOString()}.`,
      );
    }
    await this.#skipTo(date, options, giveUpAt);
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
   * what was sent, once a run. Those of the rollback of step "x" are called "rollback:x".
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

  async #skipTo(date: Date, { whileExecuting }: SkipOptions, giveUpAt: number): Promise<void> {
    if (whileExecuting === true) {
      await this.#clock.moveTo(date);
      this.#moved(await this.now());
      return;
    }
    await this.#look(async () => {
      const activity = await this.#advance(date);
      if (isQuiet(activity) && !activity.moved && activity.now >= date) return "done";
      this.#checkPatience(giveUpAt, "The time could not be skipped", activity);
      return activity.moved ? "again" : "wait";
    });
  }

  async #quiet(giveUpAt: number): Promise<void> {
    await this.#look(async () => {
      const activity = await this.#advance();
      if (isQuiet(activity)) return "done";
      this.#checkPatience(giveUpAt, "The environment is still busy", activity);
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
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
    if (this.#stopped !== undefined) throw new InvalidArgument("The test environment was stopped.");
    await Promise.all(this.#eventsOnTheWay);
    const activity = await this.#clock.advance(until);
    if (activity.moved) this.#moved(activity.now);
    // A body may have requested another one since.
    return this.#eventsOnTheWay.size === 0 ? activity : { ...activity, handled: 1 };
  }

  #moved(now: Date): void {
    this.#skips += 1;
    this.worker.clockMoved(now.getTime());
  }

  /** Looks again when the worker has news, or after a while. */
  async #look(take: () => Promise<"again" | "wait" | "done">): Promise<void> {
    const wakeUp = new WakeUp();
    this.#wakeUps.add(wakeUp);
    try {
      let lookMs = FIRST_LOOK_MS;
      for (let next = await take(); next !== "done"; next = await take()) {
        if (next === "again") {
          lookMs = FIRST_LOOK_MS;
        } else {
          await wakeUp.wait(lookMs);
          lookMs = Math.min(LAST_LOOK_MS, lookMs * 2);
        }
      }
    } finally {
      this.#wakeUps.delete(wakeUp);
    }
  }

  #checkPatience(giveUpAt: number, what: string, activity: Activity): void {
    if (performance.now() < giveUpAt) return;
    const called = [...this.#called.values()];
    const reasons = [
      ...(called.length > 0 ? [`being called: ${called.slice(0, 5).join(", ")}`] : []),
      ...(activity.executing > 0 ? [`${activity.executing} runs are executed`] : []),
      ...(activity.ready > 0 ? [`${activity.ready} runs are ready`] : []),
      ...(activity.handled > 0 ? [`${activity.handled} messages of queues are handled`] : []),
      ...(this.#skips > 0
        ? [`time was skipped ${this.#skips} times, to ${activity.now.toISOString()}`]
        : []),
    ];
    throw new DeadlineExceeded(
      `${what} within ${this.#patienceMs} ms of real time (${reasons.join("; ") || "nothing happens"}). ` +
        "Let callbacks that wait for the test end first, skip with `whileExecuting`, or raise the environment's `patience`.",
      { facts: { patienceMs: this.#patienceMs } },
    );
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
    return this.#served.get(name)?.includes(version) === true;
  }

  #sendEvent(runId: string, step: string, event: string, payload: unknown): void {
    const deduplicationId = `oxbow-test ${step}`;
    const sent = outsideBody(async () => {
      try {
        await this.client.signal(runId, event, payload, { deduplicationId });
      } catch (error) {
        this.#failure ??= { error };
      }
    });
    this.#eventsOnTheWay.add(sent);
    void sent.then(() => this.#eventsOnTheWay.delete(sent));
  }

  #watch(): void {
    const { events } = this.worker;
    const look = (): void => {
      for (const wakeUp of this.#wakeUps) wakeUp.now();
    };
    for (const name of [
      "runCompleted",
      "runFailed",
      "runRetried",
      "runSuspended",
      "runDropped",
    ] as const)
      events.on(name, look);
    events.on("stepStarted", ({ workflow, runId, step, attempt }) => {
      this.#called.set(
        `${runId} ${step}`,
        `step "${step}" of run ${runId} of "${workflow}" (attempt ${attempt})`,
      );
    });
    const ended = ({ runId, step }: { runId: string; step: string }): void =>
      void this.#called.delete(`${runId} ${step}`);
    events.on("stepSucceeded", ended);
    events.on("stepFailed", ended);
  }

  async #stop(): Promise<void> {
    try {
      await this.worker.stop();
      await Promise.all(this.#eventsOnTheWay);
      await this.client.close();
    } finally {
      this.#untroubleBodies?.();
      await this.#remove();
    }
  }
}

const isQuiet = ({ executing, ready, handled }: Activity): boolean =>
  executing + ready + handled === 0;

function checkOptions({ workflows, url, replay }: TestEnvironmentOptions): void {
  if (!Array.isArray(workflows) || workflows.length === 0) {
    throw new InvalidArgument("A test environment needs at least one workflow: pass `workflows`.");
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

const findServer = async (url: string | undefined): Promise<BorrowedCluster> =>
  url === undefined ? borrowCluster() : { url, giveBack: async () => {} };

function urlOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}
