/** Loads that are faults: hot keys, storms, large values. */
import { setTimeout as pause } from "node:timers/promises";
import { createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";
import type { Fault, Scene } from "../fault.ts";
import type { RunInput } from "../record.ts";
import { NOTHING } from "../workload/plan.ts";
import { startReader } from "../workload/reader.ts";

async function withClient<Result>(
  { world }: Scene,
  act: (client: WorkflowClient) => Promise<Result>,
): Promise<Result> {
  await using client = createWorkflowClient({ url: world.urls.direct });
  return await act(client);
}

const MEGABYTE = 1_048_576;

export const LOAD_FAULTS: readonly Fault[] = [
  {
    name: "hot message group",
    injects: "300 messages in each queue, all of one group",
    load: { ...NOTHING, messages: 300, groups: 1, overMs: 3_000 },
    inject: () => pause(3_000),
  },
  {
    name: "starts doubled",
    injects: "each run is started by four clients at once, with one idempotency key, in all ways",
    load: { starters: 4 },
    inject: () => pause(2_000),
  },
  {
    name: "signal storm",
    injects: "each waiting run gets 40 signals at once, of which one matches",
    load: { ...NOTHING, runs: { wait: 25 }, signals: 40, overMs: 1_000 },
    inject: () => pause(2_000),
  },
  {
    name: "cancel storm",
    injects: "60 runs are cancelled as soon as they are started",
    load: { runs: { wait: 60, chain: 10 }, cancels: 60, overMs: 2_000 },
    inject: () => pause(2_000),
  },
  {
    name: "pauses",
    injects: "all runs are paused and resumed, eight times",
    load: { overMs: 5_000 },
    // A pause outlasts a sleep, and its end is the end of both.
    inject: (scene) =>
      withClient(scene, async (client) => {
        for (let time = 0; time < 8; time += 1) {
          await client.runs.pauseAll({ status: "running" });
          await pause(300);
          await client.runs.resumeAll({ status: "running" });
          await pause(300);
        }
      }),
  },
  {
    name: "sweeper under load",
    injects: "400 runs end without retention while the sweeper runs without a pause for 6 s",
    load: { overMs: 5_000 },
    inject: (scene) =>
      withClient(scene, async (client) => {
        const end = performance.now() + 6_000;
        const input: RunInput = { trial: "swept", number: 1, ms: 1 };
        const sweep = async (): Promise<void> => {
          while (performance.now() < end) {
            await scene.world.query("select queue.workflow_sweep(50)");
            await pause(10);
          }
        };
        const start = async (): Promise<void> => {
          for (let batch = 0; batch < 8; batch += 1) {
            await client.startBatch(
              "leaf",
              Array.from({ length: 50 }, () => ({ input, retentionDays: 0 })),
            );
            await pause(500);
          }
        };
        await Promise.all([sweep(), sweep(), start()]);
      }),
  },
  {
    name: "large values",
    injects: "24 runs with steps of 8 MB become due together, on workers with 320 MB of heap",
    load: { runs: { chain: 8 }, notes: 0, overMs: 2_000 },
    world: { flags: ["--max-old-space-size=320"], workers: { direct: 2 } },
    inject: (scene) =>
      withClient(scene, async (client) => {
        const input = {
          trial: `${scene.trial}-large`,
          number: 1,
          ms: 5,
          filler: 8 * MEGABYTE,
          steps: 2,
        };
        const runs = [];
        for (let n = 0; n < 24; n += 1) runs.push(await client.start("chain", input));
        await scene.world.workers[0]?.kill();
        for (const run of runs) {
          await run.result({ timeout: "120s" }).catch((error: unknown) => {
            scene.blame(`a run with large values ended by ${String(error)}`);
          });
        }
      }),
  },
  {
    name: "huge journal",
    injects: "a run journals 30 steps of 10 MB, among others",
    promises: "it fails by PAYLOAD_TOO_LARGE, and no other run waits for it",
    load: { runs: { chain: 10, nap: 10 }, overMs: 5_000 },
    world: { workers: { direct: 2 } },
    inject: (scene) =>
      withClient(scene, async (client) => {
        const input = {
          trial: `${scene.trial}-huge`,
          number: 1,
          ms: 5,
          filler: 10 * MEGABYTE,
          steps: 30,
        };
        const run = await client.start("hoard", input);
        await run.result({ timeout: "120s" }).then(
          () => scene.blame("a journal of 300 MB was taken"),
          (error: unknown) => {
            const cause = error instanceof Error ? error.cause : undefined;
            if (
              !JSON.stringify([String(error), String(cause)]).includes("256 MiB") &&
              codeOf(cause) !== "PAYLOAD_TOO_LARGE"
            ) {
              scene.blame(`a huge journal ended by ${String(error)} (${String(cause)})`);
            }
          },
        );
      }),
  },
  {
    name: "deadlines",
    injects: "12 runs whose deadline of 1 s passes while their steps take 3 s",
    promises: "each fails by DEADLINE_EXCEEDED, within 2 s of it",
    load: { runs: { chain: 10 } },
    inject: (scene) =>
      withClient(scene, async (client) => {
        const input = { trial: `${scene.trial}-late`, number: 1, ms: 3_000, steps: 4 };
        const began = performance.now();
        const runs = await Promise.all(
          Array.from({ length: 12 }, () =>
            client.start("chain", input, { deadline: new Date(Date.now() + 1_000) }),
          ),
        );
        await Promise.all(
          runs.map(async (run) => {
            const error: unknown = await run
              .result({ timeout: "60s" })
              .catch((reason: unknown) => reason);
            const tookMs = performance.now() - began;
            const cause = error instanceof Error ? error.cause : undefined;
            if (codeOf(cause) !== "DEADLINE_EXCEEDED")
              scene.blame(`run ${run.runId} ended by ${String(error)}`);
            else if (tookMs > 4_000)
              scene.blame(
                `run ${run.runId} ended ${Math.round(tookMs - 1_000)} ms after its deadline`,
              );
          }),
        );
      }),
  },
  {
    name: "stream readers cut",
    injects: "readers of streams reconnect at each chunk, while the workers that write are killed",
    load: { ...NOTHING, runs: { stream: 8 }, stepMs: 250, overMs: 500 },
    world: { workers: { direct: 2 }, lease: "1s" },
    inject: async (scene) => {
      await startReader(scene, 8, async () => {
        for (let time = 0; time < 4; time += 1) {
          await pause(1_200);
          await scene.world.workers[time % 2]?.kill();
        }
      });
    },
  },
];

const codeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined;
