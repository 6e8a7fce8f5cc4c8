import { workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import { eventually, isNotEmpty } from "../helpers/eventually.ts";
import { silent } from "../helpers/silent-logger.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const bench = await setupWorkflows();

const forgets = (name: string, strict?: boolean) => {
  let calls = 0;
  const definition = workflow({
    name,
    ...(strict === undefined ? {} : { strict }),
    run: ({ step }) => {
      void step.run("log", () => {
        calls += 1;
      });
      return Promise.resolve("done");
    },
  });
  return { definition, calls: () => calls };
};

it("a run that completes without having awaited a step warns of it by name", async () => {
  const { definition, calls } = forgets("forgets");
  const warnings: string[] = [];
  const logger = { ...silent, warn: (message: string) => void warnings.push(message) };
  const worker = bench.serve([definition], { logger });
  const reported: unknown[] = [];
  worker.events.on("stepsNotAwaited", (event) => void reported.push(event));
  const run = await bench.client.start(definition, undefined);
  expect(await run.result({ timeout: "60s" })).toBe("done");
  expect(calls()).toBe(0);
  const facts = { runId: run.runId, workflow: "forgets", version: 1, steps: ["log"] };
  // The worker learns of the end a moment after the database.
  expect(await eventually(() => reported, isNotEmpty)).toEqual([facts]);
  expect(warnings).toEqual([expect.stringContaining('never awaited step "log"')]);
});

it("a run of a strict workflow fails instead", async () => {
  const { definition, calls } = forgets("forbids", true);
  bench.serve([definition], { logger: silent });
  const run = await bench.client.start(definition, undefined);
  await expect(run.result({ timeout: "60s" })).rejects.toThrow(/never awaited step "log"/);
  expect(calls()).toBe(0);
});
