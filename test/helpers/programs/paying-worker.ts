/**
 * A worker for tests of failovers, for the database or the shards of its environment. Each run has two effects in the
 * database, in the transactions of their steps: twice would be seen there.
 */
import { createWorker, workflow } from "@oxbow/sdk/runtime";

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const pay = workflow({
  name: "pay",
  run: async (ctx, amount: number) => {
    for (const name of ["debit", "credit"]) {
      await ctx.step.tx(name, async (tx) => {
        await tx.query("insert into effect (run_id, step) values ($1, $2)", [ctx.runId, name]);
      });
    }
    return ctx.step.run("receipt", () => amount + 1);
  },
});

const worker = createWorker({ workflows: [pay], concurrency: 20 });
worker.events.on("trouble", ({ doing, error }) => say(`trouble ${doing}: ${String(error)}`));
process.on("SIGTERM", () => void worker.stop());
say("serving");
