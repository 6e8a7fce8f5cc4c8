import { createWorkflowClient } from "@oxbow/sdk";
import { expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { startWorkerProcess } from "../helpers/worker-process.ts";

const PROGRAM = new URL("../helpers/programs/abandoning-worker.ts", import.meta.url);

it("steps that a run has abandoned stay so when its worker is killed", async () => {
  const database = await createDatabase();
  const client = createWorkflowClient({ url: database.url });
  atFileEnd(() => client.close());
  const first = startWorkerProcess(PROGRAM, { args: [database.url, "first"] });
  await first.line(/^serving/);
  const run = await client.start("abandoning", null);
  await first.line(/^lost-call first/);
  await eventually(
    () => database.query("select from queue.workflow_run where parent_run_id = $1", [run.runId]),
    { length: 1 },
  );
  await client.signal(run.runId, "win");
  await first.line(/^held first/);
  await first.kill();

  const second = startWorkerProcess(PROGRAM, { args: [database.url, "second"] });
  await second.line(/^held second/);
  await client.signal(run.runId, "go", 7);
  expect(await run.result({ timeout: "60s" })).toEqual(["second", 7]);
  expect(second.output).not.toContain("lost-call");
  const steps = await client.runs.steps(run.runId);
  expect(steps.map(({ name, error }) => [name, error?.code])).toEqual([
    ["winner", undefined],
    ["lost-wait", "STEP_ABANDONED"],
    ["lost-child", "STEP_ABANDONED"],
    ["lost-call", "STEP_ABANDONED"],
    ["held", undefined],
    ["next", undefined],
  ]);
  expect(
    await database.query("select status::text from queue.workflow_run where parent_run_id = $1", [
      run.runId,
    ]),
  ).toEqual([{ status: "cancelled" }]);
  expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
});
