/** A run that never ends: a subscription that bills each month for ten years, in one run with a small journal. */
import { workflow } from "@oxbow/sdk/runtime";
import { createTestEnvironment } from "@oxbow/sdk/testing";

const bills: string[] = [];

interface Plan {
  readonly month: number;
  readonly price: number;
}

const subscription = workflow({
  name: "subscription",
  run: async (ctx, { month, price }: Plan) => {
    await ctx.step.run("bill", () => bills.push(`month ${month}: ${price} EUR`));
    const change = (await ctx.step.waitForEvent("change", { timeout: "30d" })) as {
      price?: number;
      end?: true;
    } | null;
    if (change?.end === true) return `ended in month ${month}`;
    // The same run, with an empty journal: the next month has a step "bill" of its own.
    return ctx.continueAsNew({ month: month + 1, price: change?.price ?? price });
  },
});

await using env = await createTestEnvironment({
  url: process.env["QUEUE_URL"],
  workflows: [subscription],
});
const run = await env.client.start(subscription, { month: 1, price: 10 });

// A month of 720 hours, and an hour more.
for (let month = 1; month < 60; month += 1) await env.skip("721h");
// The signal ends the wait of this month, and the next one is billed immediately.
await run.signal("change", { price: 12 });
for (let month = 61; month < 120; month += 1) await env.skip("721h");
await run.signal("change", { end: true });

console.log(await env.result(run));
console.log(bills.length, "bills:", bills[0], "…", bills.at(-1));
console.log("rows in the journal:", (await env.client.runs.steps(run.runId)).length);
const generations = await env.client.runs.generations(run.runId);
console.log("generations:", generations[0]?.generation, "to", generations.at(-1)?.generation);
console.log("the first began with", generations[0]?.input);

// Output:
// ended in month 120
// 120 bills: month 1: 10 EUR … month 120: 12 EUR
// rows in the journal: 2
// generations: 1 to 120
// the first began with { month: 1, price: 10 }
