/**
 * A worker over shards, for tests that move its runs: `1s a=url b=url`, with the time of a lease. Each step writes down in a table of the first shard
 * that it was called.
 */
import { setTimeout as pause } from "node:timers/promises";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import pg from "pg";
import { silent } from "../silent-logger.ts";

export interface MovingInput {
  readonly steps: number;
  readonly ms: number;
}

const [lease, ...places] = process.argv.slice(2);
const shards = Object.fromEntries(
  places.map((text) => {
    const at = text.indexOf("=");
    return [text.slice(0, at), text.slice(at + 1)];
  }),
);
const app = new pg.Pool({ connectionString: shards["a"], max: 4 });
app.on("error", () => {});

const moving = workflow({
  name: "moving",
  run: async (ctx, { steps, ms }: MovingInput) => {
    let sum = 0;
    for (let n = 0; n < steps; n += 1) {
      sum += await ctx.step.run(`s${n}`, async () => {
        await app.query("insert into call (run_id, step) values ($1, $2)", [ctx.runId, `s${n}`]);
        await pause(ms);
        return n;
      });
    }
    return sum;
  },
});

createWorker({ shards, workflows: [moving], lease: lease as "1s", logger: silent });
process.stdout.write("serving\n");
