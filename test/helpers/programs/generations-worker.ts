/**
 * A worker for the tests that kill it while runs continue as new. Each turn of the workflow writes down that it was
 * called, in which generation, and adds 1 to a sum that the generations hand over.
 */
import { setTimeout as delay } from "node:timers/promises";
import { workflow } from "@oxbow/sdk/runtime";
import pg from "pg";

/** A call lasts so long that a fast machine has work left at each kill. */
const CALL_MS = 20;

export interface GenerationsInput {
  readonly sum: number;
  readonly generations: number;
  readonly turns: number;
}

const [url = "", through = url] = process.argv.slice(2);
const app = new pg.Pool({ connectionString: url, max: 4 });
app.on("error", () => {});
app.on("connect", (client) => void client.on("error", () => {}));

const write = (runId: string, step: string): Promise<unknown> =>
  app.query("insert into call (run_id, step, pid) values ($1, $2, $3)", [runId, step, process.pid]);

const renewing = workflow({
  name: "renewing",
  retry: { attempts: 10, backoff: { kind: "fixed", base: "50ms" } },
  run: async (ctx, input: GenerationsInput) => {
    let { sum } = input;
    for (let turn = 0; turn < input.turns; turn += 1) {
      const before = sum;
      sum = await ctx.step.run(`turn-${turn}`, async () => {
        await write(ctx.runId, `${ctx.generation}:turn-${turn}`);
        await delay(CALL_MS);
        return before + 1;
      });
    }
    if (ctx.generation === input.generations) return sum;
    return ctx.continueAsNew({ ...input, sum });
  },
});

const worker = renewing.serve({ url: through, lease: "1s" });
process.on("SIGTERM", () => void worker.stop().then(() => app.end()));
process.stdout.write("serving\n");
