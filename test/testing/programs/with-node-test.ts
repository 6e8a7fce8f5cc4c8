/** The testing kit under the test runner of Node. */
import { deepEqual } from "node:assert/strict";
import { after, before, test } from "node:test";
import { workflow } from "@oxbow/sdk/runtime";
import { createTestEnvironment, type TestEnvironment } from "@oxbow/sdk/testing";

const nap = workflow({
  name: "nap",
  run: async (ctx, input: { days: number }) => {
    await ctx.step.sleep("nap", `${input.days}d`);
    return { slept: input.days };
  },
});

let env: TestEnvironment;
before(async () => {
  env = await createTestEnvironment({ url: process.argv.at(-1) ?? "", workflows: [nap] });
});
after(() => env.stop());

void test("a nap of a week takes no time", async () => {
  deepEqual(await env.run(nap, { days: 7 }), { slept: 7 });
});
