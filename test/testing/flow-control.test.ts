/** Flow control under the clock of the testing kit. */
import { workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import { setupEnvironment } from "../helpers/test-environment.ts";

it("runs that a rate holds back for hours begin in milliseconds", async () => {
  const begun: Date[] = [];
  const hourly = workflow({
    name: "hourly",
    flowControl: { rateLimit: { limit: 1, per: "1h" } },
    run: async (ctx) => {
      await ctx.step.run("begin", () => 1);
      begun.push(ctx.startedAt);
    },
  });
  const env = await setupEnvironment([hourly]);
  const runs = await Promise.all([1, 2, 3].map(() => env.client.start(hourly, undefined)));
  const from = await env.now();
  for (const run of runs) await env.result(run);
  expect((await env.now()).getTime() - from.getTime()).toBeGreaterThan(1.9 * 3_600_000);
  expect(begun).toHaveLength(3);
});

it("a run whose turn never comes is reported", async () => {
  const serial = workflow({
    name: "serial",
    flowControl: { concurrency: 1 },
    run: (ctx) => ctx.step.waitForEvent("never"),
  });
  const env = await setupEnvironment([serial]);
  await env.client.start(serial, undefined);
  await expect(env.run(serial, undefined)).rejects.toMatchObject({ code: "RUN_BLOCKED" });
});
