/** One round of one fault: clients at work, the fault, the drain, and the auditor's verdict. */
import { setTimeout as pause } from "node:timers/promises";
import { createWorkflowClient } from "@oxbow/sdk";
import type { Aftermath, Fault } from "./fault.ts";
import type { Violation } from "./promises/history.ts";
import { startWorkerProcess, type WorkerProcess } from "../helpers/worker-process.ts";
import type { ClientSettings } from "./programs/audited-client.ts";
import { Chance } from "./workload/chance.ts";
import { USUAL } from "./workload/plan.ts";
import type { FullVerdict } from "./world/auditor.ts";
import { program } from "./world/program.ts";
import type { World } from "./world/world.ts";

export interface TrialOutcome {
  readonly acknowledged: number;
  readonly effects: number;
  readonly violations: readonly Violation[];
  /** From the end of the fault to the end of a run that was started then. */
  readonly recoveredMs: number | undefined;
  /** From the end of the fault until nothing of the trial was left to do. */
  readonly drainedMs: number | undefined;
  readonly lastedMs: number;
  readonly verdict: FullVerdict;
}

export interface TrialOptions {
  readonly fault: Fault;
  readonly world: World;
  readonly trial: string;
  readonly seed: number;
  readonly verbose?: boolean;
}

/** Work without progress for this long is stuck. A call through a server fails a minute after its connection falls silent. */
const STUCK_MS = 75_000;
const LONGEST_DRAIN_MS = 180_000;
const PATIENCE_MS = 90_000;

export async function runTrial(options: TrialOptions): Promise<TrialOutcome> {
  const { fault, world, trial, seed, verbose = false } = options;
  const ticksSince = new Date(Date.now() + 2_000).toISOString();
  const found: Violation[] = [];
  const blame = (detail: string): void => void found.push({ promise: "of the fault", detail });

  const client = new ClientPost({
    auditor: world.auditor.port,
    trial,
    seed,
    load: { ...USUAL, ...fault.load },
    urls: world.urls,
    patienceMs: PATIENCE_MS,
  });
  await client.isUnderWay();

  const chance = new Chance(seed);
  const began = performance.now();
  const aftermath: Aftermath =
    (await fault.inject({ world, client, trial, chance, blame }).catch((error: unknown) => {
      blame(`could not be injected: ${String(error)}`);
    })) ?? {};
  const healed = performance.now();

  const recovered = probe(world).then(() => performance.now() - healed);
  recovered.catch(() => {});
  const drained = await drain({ world, client, trial });
  if (drained !== undefined) found.push({ promise: "nothing is stuck", detail: drained });
  const drainedMs = drained === undefined ? performance.now() - healed : undefined;
  await client.close();
  const [recovery] = await Promise.allSettled([recovered]);
  if (recovery.status === "rejected") {
    found.push({ promise: "work is taken up again", detail: String(recovery.reason) });
  }
  const recoveredMs = recovery.status === "fulfilled" ? recovery.value : undefined;

  const verdict = await world.auditor.audit({
    trial,
    url: world.url,
    ticksSince,
    ...aftermath,
    ...(fault.except === undefined ? {} : { except: fault.except }),
    ...(verbose ? { verbose } : {}),
  });
  return {
    acknowledged: verdict.acknowledged,
    effects: verdict.effects,
    violations: [...found, ...verdict.violations],
    recoveredMs,
    drainedMs,
    lastedMs: healed - began,
    verdict,
  };
}

/** The client process of a trial. When it is killed, a successor repeats the same plan. */
class ClientPost {
  /** Resolves when all calls of the plan are acknowledged or given up. */
  readonly done: Promise<void>;
  readonly #settings: ClientSettings;
  #process: WorkerProcess;
  #isClosed = false;

  constructor(settings: ClientSettings) {
    this.#settings = settings;
    this.#process = this.#start();
    this.done = this.#follow();
  }

  async isUnderWay(): Promise<void> {
    await this.#process.line(/^under way/, { withinMs: 120_000 });
  }

  async kill(): Promise<void> {
    await this.#process.kill();
  }

  /** Ends the client for good. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#process.kill();
  }

  #start(): WorkerProcess {
    return startWorkerProcess(program("audited-client"), {
      args: [JSON.stringify(this.#settings)],
    });
  }

  async #follow(): Promise<void> {
    for (;;) {
      const { code } = await this.#process.end();
      if (code === 0 || this.#isClosed) return;
      if (code !== null) throw new Error(`The client ended: ${this.#process.output.join("\n")}`);
      this.#process = this.#start();
    }
  }
}

/** A run that is started after the fault, in each way. */
async function probe(world: World): Promise<void> {
  await Promise.all(
    Object.values(world.urls).map(async (url) => {
      const deadline = performance.now() + LONGEST_DRAIN_MS;
      await using client = createWorkflowClient({ url, answerTimeout: "3s" });
      const input = { trial: "probe", number: 1, ms: 1 };
      const idempotencyKey = crypto.randomUUID();

      for (;;) {
        try {
          const run = await client.start("leaf", input, { idempotencyKey });
          await run.result({ timeout: "60s" });
          return;
        } catch (error) {
          if (performance.now() > deadline) throw error;
          await pause(50);
        }
      }
    }),
  );
}

interface Draining {
  readonly world: World;
  readonly client: ClientPost;
  readonly trial: string;
}

/** Waits until the clients have all their answers and no work is left. Returns what is left if progress stops. */
async function drain({ world, client, trial }: Draining): Promise<string | undefined> {
  let isDone = false;
  let failure: Error | undefined;
  client.done.then(
    () => (isDone = true),
    (error: Error) => (failure = error),
  );
  const began = performance.now();
  let changedAt = began;
  let last = "";
  for (;;) {
    const left = await whatIsLeft(world, trial).catch((error: unknown) => ({
      text: `unknown: ${String(error)}`,
      isEmpty: false,
      progress: "",
    }));
    if (failure !== undefined) throw failure;
    if (isDone && left.isEmpty) return undefined;
    const progress = `${left.progress} ${isDone}`;
    const now = performance.now();
    if (progress !== last) changedAt = now;
    last = progress;
    if (now - changedAt > STUCK_MS) return `no progress for ${STUCK_MS / 1_000} s: ${left.text}`;
    if (now - began > LONGEST_DRAIN_MS)
      return `not done after ${LONGEST_DRAIN_MS / 1_000} s: ${left.text}`;
    await pause(200);
  }
}

async function whatIsLeft(
  world: World,
  trial: string,
): Promise<{ text: string; isEmpty: boolean; progress: string }> {
  const [row] = await world.query(
    `select
       (select count(*) from queue.workflow_run as r
        where r.status = 'running' and r.input ->> 'trial' = $1)::int as running,
       (select count(*) from queue.workflow_step as s
        join queue.workflow_run as r using (run_id) where r.input ->> 'trial' = $1)::int as steps,
       (select sum(t.visible + t.in_flight + t.delayed)
        from unnest(array['audit-ordered', 'audit-booked', 'audit-left', 'audit-right']) as q,
          queue.queue_stats(q) as t)::int as messages`,
    [trial],
  );
  const running = Number(row?.["running"]);
  const messages = Number(row?.["messages"]);
  return {
    text: `${running} runs and ${messages} messages are left`,
    isEmpty: running + messages === 0,
    progress: `${running} ${messages} ${Number(row?.["steps"])}`,
  };
}
