/** What workers do while there is nothing to do: they must not report trouble, nor ask all the time. */
import { setTimeout as pause } from "node:timers/promises";
import { createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";
import { startPostgres } from "@oxbow/sdk/testing";
import { OLDEST_POSTGRES } from "../../helpers/debian-postgres.ts";
import { eventually } from "../../helpers/eventually.ts";
import type { Fault, Scene } from "../fault.ts";
import type { RunInput } from "../record.ts";
import { NOTHING } from "../workload/plan.ts";
import { SCHEDULE } from "../workload/queues.ts";
import { USUAL_SETTINGS, type World } from "../world/world.ts";

const WATCH_MS = 10_000;
/** A session reports what it has counted once a second while it works, and the rest 10 s after its last transaction. */
const COUNTED_MS = 11_000;
/**
 * An idle worker that is notified of runs looks by itself once a second, and when the lease of a run is about to end: that
 * of the key's holder is 3 s, and extended when 0.9 to 1.5 s of it are left.
 */
const RECEIVES_A_SECOND = 2;

/** Lines of the workers' trouble events, of the processes at work. */
export function troublesOf(world: World): string[] {
  return world.workers
    .flatMap((worker) => worker.process.output)
    .filter((line) => line.startsWith("trouble"));
}

/** How often workers have asked for runs, as far as their sessions have reported it. */
async function receivesOf(world: World): Promise<number> {
  const [row] = await world.query(
    `select coalesce(sum(calls), 0)::int as calls from pg_stat_user_functions
     where schemaname = 'queue' and funcname = 'workflow_receive'`,
  );
  return Number(row?.["calls"]);
}

/** Notes if workers ask for runs too often for a while in which no run starts or ends. */
async function watchIdle({ world, blame }: Scene, when: string): Promise<void> {
  // Until all earlier receives are counted.
  await pause(COUNTED_MS);
  const receives = await receivesOf(world);
  await pause(WATCH_MS);
  const asked = (await receivesOf(world)) - receives;
  const most = (world.workers.length * RECEIVES_A_SECOND * WATCH_MS) / 1_000;
  if (asked > most) {
    blame(`idle workers asked for runs ${asked} times in ${WATCH_MS / 1_000} s ${when}`);
  }
}

/** Starts runs with one key, one at a time, so that a worker is idle after each. */
async function startOneByOne(
  client: WorkflowClient,
  input: RunInput,
  count: number,
): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const run = await client.start("turns", input);
    await run.result({ timeout: "60s" });
    await pause(500);
  }
}

export const IDLE_FAULTS: readonly Fault[] = [
  {
    name: "idle with keys",
    injects:
      "runs with a key each, or one for all, and nothing to do after each of them, then for 10 s; on the oldest PostgreSQL",
    promises: "no worker reports trouble, and each asks for runs at most twice a second",
    load: { ...NOTHING, runs: { turns: 10 }, overMs: 500 },
    world: {
      workers: { direct: 2 },
      cluster: () =>
        startPostgres({
          ...OLDEST_POSTGRES,
          durable: true,
          settings: { ...USUAL_SETTINGS, track_functions: "all" },
        }),
    },
    inject: async (scene) => {
      const { world, trial } = scene;
      await using client = createWorkflowClient({ url: world.urls.direct });
      // Runs of schedules are work.
      await client.schedules.pause(SCHEDULE);
      const input = { trial: `${trial}-held`, number: 1, ms: 2 * (COUNTED_MS + WATCH_MS) };
      const holder = await client.start("turns", input);
      await eventually(
        () => world.workers.flatMap((worker) => worker.process.output),
        (lines) => lines.some((line) => line === `received turns ${holder.runId}`),
      );
      const waiting = [];
      for (let n = 0; n < 3; n += 1) {
        waiting.push(await client.start("turns", { ...input, ms: 1 }));
      }
      await watchIdle(scene, "while runs waited for a key");
      await holder.cancel();
      for (const run of waiting) await run.result({ timeout: "60s" });
      await startOneByOne(client, { ...input, ms: 1 }, 8);
      await watchIdle(scene, "after runs with keys had ended");
      const troubles = troublesOf(world);
      if (troubles.length > 0) {
        scene.blame(`workers have reported ${troubles.length} troubles: ${troubles[0]}`);
      }
    },
  },
];
