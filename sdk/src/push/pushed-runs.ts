/**
 * Executes deliveries that a server has pushed, each within the time that its request may take.
 *
 * Promises:
 *   P1  A delivery is executed as by a worker: `run-executor.ts` has what happens to steps, commits and leases. It commits as
 *       often as it can continue, so that one request executes many steps.
 *   P2  A second before its time is over, or a quarter of a shorter time, nothing further is called, and the signals of
 *       callbacks in progress abort. Values that they return until the end are journaled; then the run is given back, and the next
 *       request continues it. The log and the run's explanation name the steps that were aborted.
 *   P3  A step with a `timeout` that is longer than what is left waits for the next request, unless it is also longer than
 *       what a request has.
 *   P4  Calls that take longer than a second are reported, as by a worker. No answer waits for a report.
 *   P5  A request that may have been under way for long, since the clocks differ, calls nothing before the database has
 *       confirmed its lease.
 *   P6  A run is over here some seconds after its time at the latest, also if nothing answers: its journal is read no longer
 *       than until it would be cut, its last commit is repeated for some seconds, and a heartbeat is waited for a moment.
 */
import { startTimer } from "../async/timer.ts";
import { within } from "../async/within.ts";
import type { Codec } from "../core/codec.ts";
import { Emitter } from "../core/events.ts";
import type { Logger } from "../definition/context.ts";
import type { Workflow } from "../definition/workflow.ts";
import type { PushOutcome, PushRequest } from "../protocol/push.ts";
import type { RunFacts, WorkerEvents } from "../worker/events.ts";
import { loadJournal } from "../worker/large-journal.ts";
import { ProgressReporter } from "../worker/progress-reporter.ts";
import type { RunExecutor } from "../worker/run-executor.ts";
import { RunsInProgress } from "../worker/runs-in-progress.ts";
import type { ServedWorkflows } from "../worker/served-workflows.ts";
import { tracedRuns } from "../worker/traced-runs.ts";
import { logWorker } from "../worker/worker-log.ts";
import type { PushedTransport } from "./lease-transport.ts";

/** Leases are extended by this. */
const LEASE_MS = 30_000;
/** P2. */
const LAST_MS = 1_000;
/** How long after its end the last commit may take. */
const GRACE_MS = 3_000;
/** How long a heartbeat that is under way at the end may take. */
const LAST_HEARTBEAT_MS = 1_000;
/** P5: requests take less on their way, and clocks that agree differ by less. */
const ON_ITS_WAY_MS = 5_000;
const CLOCK_MARGIN_MS = 250;

export interface PushedRunsOptions {
  readonly served: ServedWorkflows;
  readonly transport: PushedTransport;
  readonly logger: Logger | false | undefined;
  readonly codec: Codec | undefined;
}

type EndOfDelivery = "runCompleted" | "runContinued" | "runFailed" | "runRetried" | "runSuspended";

const NO_FILLER = {
  nudge: () => {},
  slotFreed: () => {},
  runEnded: () => {},
  stepAside: () => {},
};

export class PushedRuns {
  readonly #transport: PushedTransport;
  readonly #events = new Emitter<WorkerEvents>();
  readonly #endLog: () => void;
  readonly #runs: RunsInProgress;
  readonly #progress: ProgressReporter;
  #executing = 0;
  /** For each run, until its request is answered. */
  readonly #outcomes = new Map<string, PushOutcome>();

  constructor({ served, transport, logger, codec }: PushedRunsOptions) {
    this.#transport = transport;
    this.#runs = new RunsInProgress({
      served,
      transport,
      events: this.#events,
      logger,
      codec,
      leaseMs: LEASE_MS,
      filler: () => NO_FILLER,
      // It executes one run at a time, as a rule, and the server knows of which request the function died.
      tracksSuspects: false,
    });
    this.#progress = new ProgressReporter({
      transport: transport.worker,
      worker: "a function",
      runs: () => this.#runs.all(),
    });
    this.#endLog = logWorker(this.#events, logger);
    this.#note("runCompleted", "ended");
    this.#note("runFailed", "ended");
    this.#note("runSuspended", "suspended");
    this.#note("runRetried", "suspended");
    this.#note("runContinued", "suspended");
    this.#events.on("runDropped", ({ runId, reason }) => {
      if (reason === "cancelled") this.#outcomes.set(runId, "ended");
      else if (reason !== "failed") this.#outcomes.set(runId, reason);
    });
  }

  /** @param arrivedAt When the request arrived, by `performance.now()`. */
  async execute(
    definition: Workflow,
    push: PushRequest,
    arrivedAt: number,
    budgetMs: number,
  ): Promise<PushOutcome> {
    const { delivery } = push;
    await tracedRuns.load();
    const wayMs = Date.now() - push.sentAt;
    const isPrompt = Math.abs(wayMs) <= ON_ITS_WAY_MS;
    const onItsWayMs = isPrompt ? Math.max(0, wayMs) + CLOCK_MARGIN_MS : ON_ITS_WAY_MS;
    const times = { sentAt: arrivedAt - push.ageMs - onItsWayMs, answeredAt: arrivedAt };
    const leasedAt = isPrompt ? arrivedAt - onItsWayMs : Number.NEGATIVE_INFINITY;
    const lease = { leasedAt, leaseMs: push.leaseMs };
    const cutAt = arrivedAt + budgetMs - Math.min(LAST_MS, budgetMs / 4);
    const loading = loadJournal(this.#transport.worker, delivery, lease, LEASE_MS);
    if (!(await within(Math.max(0, cutAt - performance.now()), loading))) return "lost";
    const loaded = await loading;
    if (loaded === undefined) return "lost";
    const closing = new AbortController();
    const run = this.#runs.execute(definition, loaded.delivery, times, loaded.lease, {
      mayBegin: (timeoutMs) =>
        timeoutMs === undefined ||
        performance.now() + timeoutMs <= cutAt ||
        timeoutMs > cutAt - arrivedAt,
      onHeldUp: () => run.drain(),
      closing: closing.signal,
    });
    await this.#untilOver(run, cutAt, arrivedAt + budgetMs, budgetMs);
    closing.abort();
    const outcome = this.#outcomes.get(delivery.runId) ?? "lost";
    this.#outcomes.delete(delivery.runId);
    return outcome;
  }

  /** Call it once no run is executed. */
  async close(): Promise<void> {
    await within(LAST_HEARTBEAT_MS, this.#runs.close());
    this.#endLog();
  }

  async #untilOver(
    run: RunExecutor,
    cutAt: number,
    endsAt: number,
    budgetMs: number,
  ): Promise<void> {
    const over = this.#runs.untilOver(run);
    this.#executing += 1;
    if (this.#executing === 1) this.#progress.start();
    const stopTimer = startTimer(cutAt - performance.now(), () =>
      run.cutShort(
        () =>
          new Error("The time of the request is nearly over: the next one calls the step again."),
        (steps) => this.#tell(run.runId, budgetMs, steps),
      ),
    );
    try {
      if (await within(Math.max(0, endsAt - performance.now()), over)) return;
      await within(GRACE_MS, run.release());
    } finally {
      stopTimer();
      this.#executing -= 1;
      if (this.#executing === 0) void this.#progress.stop();
    }
  }

  /** Logs the steps that were aborted, and returns the sentence for the run's explanation. */
  #tell(runId: string, budgetMs: number, steps: readonly string[]): string {
    const reason = `a request has ${Math.round(budgetMs / 100) / 10} s, and these steps were not done then: ${steps.join(", ")}. Divide them, raise maxDuration, or serve the workflow by a worker`;
    this.#events.emit("trouble", { doing: `executing run ${runId}`, error: new Error(reason) });
    return reason;
  }

  #note(event: EndOfDelivery, outcome: PushOutcome): void {
    this.#events.on(event, ({ runId }: RunFacts) => {
      this.#outcomes.set(runId, outcome);
    });
  }
}
