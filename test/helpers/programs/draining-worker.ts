/** Drains the database of its environment once, for tests that kill it. Each step prints a line when it is called. */
import { drain, workflow } from "@oxbow/sdk/runtime";
import { setTimeout as delay } from "node:timers/promises";

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const order = workflow({
  name: "order",
  run: async (ctx) => {
    await ctx.step.run("first", () => say("called first"));
    return ctx.step.run("second", async () => {
      say("called second");
      await delay(Number(process.env["SECOND_MS"]));
      return "done";
    });
  },
});

const drained = await drain({ workflows: [order], for: "1m", lease: "1s" });
say(`drained ${JSON.stringify(drained)}`);
