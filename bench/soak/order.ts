/** The run of the soak: each table that a sweep has to empty gets rows of it. */
import { workflow } from "@oxbow/sdk/runtime";

export const order = workflow({
  name: "soak-order",
  run: async (ctx, { amount }: { amount: number }) => {
    const reserved = await ctx.step.run("reserve", () => ({ amount, note: "x".repeat(100) }));
    await ctx.step.run("charge", () => {
      ctx.stream.write("charging");
      return reserved.amount;
    });
    await ctx.step.sleep("settle", 200);
    const paid = await ctx.step.waitForEvent("paid", { timeout: "1m" });
    await ctx.step.run("ship", () => paid);
    return amount;
  },
});

/** Durable steps of a run: three calls, a sleep and a wait. */
export const STEPS = 5;
