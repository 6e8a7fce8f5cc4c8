import { createWorkflowClient } from "@oxbow/sdk";
import { expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { Runs } from "../helpers/runs.ts";
import { startWorkerProcess } from "../helpers/worker-process.ts";

it("a run that kills every worker that takes it fails as poisoned after ten of them, keeps its journal, and others continue", async () => {
  const database = await createDatabase();
  const client = createWorkflowClient({ url: database.url });
  atFileEnd(() => client.close());
  const runs = new Runs(database, "deadly");
  const deadly = await client.start("deadly", { kills: true });
  let deaths = 0;
  const start = () =>
    startWorkerProcess(new URL("../helpers/programs/deadly-worker.ts", import.meta.url), {
      args: [database.url],
    });
  let worker = start();
  let isOver = false;
  const supervise = async (): Promise<void> => {
    for (;;) {
      await worker.end();
      if (isOver) return;
      deaths += 1;
      // As time would.
      await runs.endLeases();
      worker = start();
    }
  };
  const supervising = supervise();
  const error: unknown = await deadly.result({ timeout: "4m" }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "RUN_FAILED", cause: { code: "POISONED_RUN" } });
  expect(deaths).toBe(10);
  expect((await client.runs.steps(deadly.runId)).map(({ name }) => name)).toEqual(["before"]);

  const harmless = await client.start("deadly", { kills: false });
  expect(await harmless.result({ timeout: "60s" })).toBe("lived");
  // The cause is mended: the run resumes from its journal.
  await database.query("create table mended ()");
  expect(await deadly.retry()).toBe(true);
  const ended = await eventually(
    () => deadly.status(),
    ({ status }) => status !== "running",
  );
  expect(ended).toMatchObject({ status: "completed", output: "lived" });
  expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  isOver = true;
  await worker.kill();
  await supervising;
}, 400_000);
