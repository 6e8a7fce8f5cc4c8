/** The workflows whose runs the tests of `@oxbow/react` show. */
import { workflow } from "@oxbow/sdk/runtime";
import { z } from "zod";

/** Three rounds, each with a value, a chunk, a step, and a wait for its event. */
export const ticking = workflow({
  name: "ticking",
  run: async (ctx, { rounds }: { rounds: number }) => {
    for (let round = 1; round <= rounds; round += 1) {
      ctx.set("round", round);
      await ctx.step.run(`tick-${round}`, () => ctx.stream.write(round));
      await ctx.step.waitForEvent(`next-${round}`);
    }
    return { rounds };
  },
});

/** As in the guide. */
export const onboardUser = workflow({
  name: "onboard-user",
  events: { approved: z.object({ by: z.string() }) },
  run: async (ctx, { email }: { email: string }) => {
    ctx.set("phase", "checking");
    const userId = await ctx.step.run("create account", () => `user of ${email}`);
    ctx.set("phase", "waiting for you");
    const by = (await ctx.step.waitForEvent("approved"))?.by;
    await ctx.step.run("send welcome", () => ctx.stream.write(`Welcome, says ${by}.`));
    ctx.set("phase", "done");
    return { userId, by };
  },
});

export const failing = workflow({
  name: "failing",
  run: async (ctx) => {
    await ctx.step.run("charge card", () => 1);
    await ctx.step.run(
      "ship",
      () => {
        throw new Error("no stock");
      },
      { retry: { attempts: 1 } },
    );
  },
});
