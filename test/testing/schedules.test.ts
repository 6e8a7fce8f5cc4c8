/** Schedules under the clock of the testing kit. */
import { workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import { setupEnvironment } from "../helpers/test-environment.ts";

const report = workflow({
  name: "report",
  run: async (ctx) => {
    await ctx.step.sleep("collect", "10m");
    return ctx.schedule?.scheduledAt.toISOString();
  },
});

it("the time that is skipped has all the ticks of its schedules, and their runs in between", async () => {
  const env = await setupEnvironment([report]);
  await env.client.schedules.create({
    name: "mornings",
    workflow: report,
    cron: "0 9 * * *",
    timeZone: "Europe/Berlin",
    overlap: "skip",
  });
  await env.skip("5d");
  const outputs: unknown[] = [];
  for await (const { runs } of env.client.runs.list({ workflow: report }, { withValues: true })) {
    outputs.push(...runs.map(({ output }) => output));
  }
  expect(outputs).toHaveLength(5);
  expect(new Set(outputs).size).toBe(5);
});

it("a run that nothing wakes is reported, though schedules tick for ever", async () => {
  const waiting = workflow({ name: "waiting", run: (ctx) => ctx.step.waitForEvent("x") });
  const env = await setupEnvironment([report, waiting]);
  await env.client.schedules.create({ name: "s", workflow: report, cron: "* * * * *" });
  await expect(env.run(waiting, undefined)).rejects.toMatchObject({ code: "RUN_BLOCKED" });
});
