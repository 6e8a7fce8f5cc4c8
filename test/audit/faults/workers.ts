/** Faults of workers: kills, freezes, blocked event loops, and runs that kill their process. */
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createWorkflowClient } from "@oxbow/sdk";
import type { Fault, Scene } from "../fault.ts";
import { monotonic, type RunInput } from "../record.ts";
import { NOTHING } from "../workload/plan.ts";
import type { Post } from "../world/post.ts";

const LONG = { ...NOTHING, runs: { long: 20 }, overMs: 500, stepMs: 4_000 };

/** Kills a worker every so often, in turn. */
async function killInTurn(posts: readonly Post[], everyMs: number, forMs: number): Promise<void> {
  const end = performance.now() + forMs;
  for (let turn = 0; performance.now() < end; turn += 1) {
    await pause(everyMs);
    await posts[turn % posts.length]?.kill();
  }
}

/** Kills workers in turn, each as soon as it has received a run whose step takes long. */
async function killWhileBusy(posts: readonly Post[], times: number): Promise<void> {
  for (let turn = 0; turn < times; turn += 1) {
    const post = posts[turn % posts.length];
    // Where the other one has all of them, it is left in peace.
    await post?.process.line(/^received long/, { withinMs: 5_000 }).catch(() => {});
    await post?.kill();
  }
}

const MOST_DEATHS = 14;
const LONGEST_POISONING_MS = 90_000;

/** Starts runs that kill their process, until they are given up, or many processes have died. */
async function poison(
  { world, trial, blame }: Scene,
  deadly: NonNullable<RunInput["deadly"]>,
): Promise<void> {
  await using client = createWorkflowClient({ url: world.urls.direct });
  const input = { trial: `${trial}-deadly`, number: 1, ms: 10, deadly };
  const before = deaths(world.workers);
  const runs = await Promise.all([1, 2].map(() => client.start("chain", input)));
  const end = performance.now() + LONGEST_POISONING_MS;
  let isOver = false;
  while (!isOver && performance.now() < end) {
    await pause(500);
    const states = await Promise.all(runs.map((run) => run.status()));
    isOver =
      states.every(({ status }) => status !== "running") ||
      deaths(world.workers) - before >= MOST_DEATHS;
  }
  if (deaths(world.workers) === before) blame("no worker has died");
  closeSync(openSync(join(world.mended, `${trial}-deadly`), "w"));
  // They end as poisoned, or complete: either is right. They don't stay.
  for (const run of runs) await run.result({ timeout: "90s" }).catch(poisonedOnly(blame));
}

const poisonedOnly =
  (blame: Scene["blame"]) =>
  (error: unknown): void => {
    const cause = error instanceof Error ? error.cause : undefined;
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code !== "POISONED_RUN") blame(`a deadly run ended by ${String(error)} (${String(cause)})`);
  };

const deaths = (posts: readonly Post[]): number =>
  posts.reduce((sum, post) => sum + post.deaths, 0);

const deadlyFault = (
  name: string,
  deadly: NonNullable<RunInput["deadly"]>,
  how: string,
): Fault => ({
  name,
  injects: `two runs ${how} the worker that takes them, again and again, while its other runs are in steps of 6 s`,
  promises: "they fail as poisoned at the most; no other run does",
  load: { ...LONG, stepMs: 6_000 },
  world: { flags: ["--max-old-space-size=160"], workers: { direct: 1 }, lease: "1s" },
  inject: (scene) => poison(scene, deadly),
});

export const WORKER_FAULTS: readonly Fault[] = [
  {
    name: "worker killed",
    injects: "SIGKILL to one worker",
    inject: async ({ world, chance }) => {
      await chance.pick(world.workers).kill();
    },
  },
  {
    name: "all workers killed",
    injects: "SIGKILL to all workers at once",
    inject: async ({ world }) => {
      await Promise.all(world.workers.map((worker) => worker.kill()));
    },
  },
  {
    name: "workers killed in turn",
    injects: "SIGKILL to one worker after the other, every second for 8 s",
    load: { overMs: 8_000 },
    inject: ({ world }) => killInTurn(world.workers, 1_000, 8_000),
  },
  {
    name: "kills during long steps",
    injects:
      "two workers, each killed in turn as soon as it has a run, 24 times, while steps take 4 s",
    promises: "no run is poisoned",
    load: LONG,
    world: { workers: { direct: 2 }, lease: "2s" },
    inject: ({ world }) => killWhileBusy(world.workers, 24),
  },
  {
    name: "worker frozen past its lease",
    injects: "SIGSTOP to one worker for 6 s, twice its lease",
    inject: async ({ world, chance }) => {
      const { process } = chance.pick(world.workers);
      process.freeze();
      await pause(6_000);
      process.thaw();
      return { stoppedUntil: monotonic() };
    },
  },
  {
    name: "all workers frozen",
    injects: "SIGSTOP to all workers for 5 s",
    inject: async ({ world }) => {
      const processes = world.workers.map((worker) => worker.process);
      for (const process of processes) process.freeze();
      await pause(5_000);
      for (const process of processes) process.thaw();
      return { stoppedUntil: monotonic() };
    },
  },
  {
    name: "worker frozen in short",
    injects: "SIGSTOP to one worker for 1 s, five times",
    inject: async ({ world, chance }) => {
      const { process } = chance.pick(world.workers);
      for (let time = 0; time < 5; time += 1) {
        process.freeze();
        await pause(1_000);
        process.thaw();
        await pause(500);
      }
    },
  },
  deadlyFault("runs that exhaust memory", "memory", "exhaust the memory of"),
  deadlyFault("runs that exit the process", "exit", "exit the process of"),
  deadlyFault("runs that crash the process", "kill", "crash"),
  {
    name: "event loop blocked",
    injects: "six callbacks block a worker for 0.9 s each, while others wait their turn there",
    load: { ...NOTHING, runs: { nap: 30 }, overMs: 1_500 },
    // A blocked process can't abort anything.
    except: ["lost callbacks abort"],
    world: { workers: { direct: 2 }, lease: "2s" },
    inject: (scene) => block(scene, 6, 900),
  },
  {
    name: "event loop blocked past the lease",
    injects: "callbacks block a worker for 5 s each, past its lease",
    promises: "no run is poisoned",
    load: { ...NOTHING, runs: { nap: 20, chain: 10 }, overMs: 2_000 },
    except: ["lost callbacks abort"],
    world: { workers: { direct: 2 }, lease: "2s" },
    inject: (scene) => block(scene, 2, 5_000),
  },
  {
    name: "rolling deploy",
    injects: "SIGTERM to each worker, one after the other, and a successor for each",
    promises: "each ends by itself, with code 0, in 10 s",
    inject: async ({ world, blame }) => {
      for (const worker of world.workers) {
        const { code, tookMs } = await worker.deploy();
        if (code !== 0) blame(`a worker ended with code ${code} after SIGTERM`);
        if (tookMs > 10_000) blame(`a worker took ${Math.round(tookMs)} ms to end`);
        await worker.ready();
      }
    },
  },
  {
    name: "deploy of all at once",
    injects: "SIGTERM to all workers at the same time, while steps take 1 s",
    promises: "each ends by itself, with code 0",
    load: { stepMs: 1_000, runs: { chain: 6, long: 10, wait: 4 }, cancels: 0 },
    inject: async ({ world, blame }) => {
      const ends = await Promise.all(world.workers.map((worker) => worker.deploy()));
      for (const { code } of ends) if (code !== 0) blame(`a worker ended with code ${code}`);
    },
  },
  {
    name: "ticker killed",
    injects: "SIGKILL to a worker at each tick of a schedule, eight times",
    load: { overMs: 10_000 },
    inject: async ({ world }) => {
      for (let tick = 0; tick < 8; tick += 1) {
        await pause(2_000 - (Date.now() % 2_000));
        await world.workers[tick % world.workers.length]?.kill();
      }
    },
  },
];

/** Runs whose callbacks leave their process no turn. */
async function block({ world, trial }: Scene, count: number, ms: number): Promise<void> {
  await using client = createWorkflowClient({ url: world.urls.direct });
  const input = { trial, ms, number: 1_000, blocks: true };
  const runs = await Promise.all(Array.from({ length: count }, () => client.start("leaf", input)));
  for (const run of runs) await run.result({ timeout: "60s" });
}
