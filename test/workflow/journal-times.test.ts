import { workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import { setupWorkflows } from "../helpers/workflows.ts";

const bench = await setupWorkflows();

const child = workflow({ name: "times-child", run: (ctx) => ctx.step.run("c", () => 1) });
const sequence = workflow({
  name: "times",
  run: async ({ step }) => {
    await step.run("first", () => 1);
    await step.waitForEvent("signalled", { event: "go" });
    await step.run("second", () => 2);
    await step.sleep("short", 1);
    await step.run("third", () => 3);
    await step.waitForEvent("timed out", { event: "never", timeout: 1 });
    await step.run("fourth", () => 4);
    await step.invoke("invoked", child, undefined);
    await step.run("fifth", () => 5);
    await step.sleep("long", 60);
  },
});

it("no step of a sequence begins before the step before it has ended, whatever its kind", async () => {
  bench.serve([sequence, child]);
  const runs = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const run = await bench.client.start(sequence, undefined);
      await run.signal("go");
      await run.result({ timeout: "200s" });
      return run.runId;
    }),
  );
  const overlaps = await bench.database.query(
    `select step_name, started_at, completed_at, before
     from (
       select run_id, step_name, started_at, completed_at,
         lag(completed_at) over (partition by run_id order by position) as before
       from queue.workflow_step
       where run_id = any ($1)
     ) as s
     where started_at < before or completed_at < started_at`,
    [runs],
  );
  expect(overlaps).toEqual([]);
});
