/**
 * A worker for the tests that kill it. Its workflow runs `steps` steps; each writes down that it was called, and that
 * it returned. The step named by `hold` returns only once the gate is open, and prints when its signal aborts. With
 * `fails` the run fails after them, and what rolls `s0` back writes down `undo-s0`.
 */
import { setTimeout as pause } from "node:timers/promises";
import { workflow } from "@oxbow/sdk/runtime";
import pg from "pg";

export interface LedgerInput {
  readonly steps: number;
  readonly hold?: string;
  readonly fails?: boolean;
}

const [url = "", concurrency = "20", through = url, lease = "1s"] = process.argv.slice(2);
const app = new pg.Pool({ connectionString: url, max: 4 });
app.on("error", () => {});
app.on("connect", (client) => void client.on("error", () => {}));

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function write(runId: string, step: string): Promise<void> {
  await app.query("insert into call (run_id, step, pid) values ($1, $2, $3)", [
    runId,
    step,
    process.pid,
  ]);
}

async function gateOpens(): Promise<void> {
  for (;;) {
    const { rows } = await app.query("select from gate");
    if (rows.length > 0) return;
    await pause(10);
  }
}

const ledger = workflow({
  name: "ledger",
  retry: { attempts: 10, backoff: { kind: "fixed", base: "50ms" } },
  run: async (ctx, { steps, hold, fails = false }: LedgerInput) => {
    let sum = 0;
    for (let n = 0; n < steps; n += 1) {
      const act = async (name: string, signal?: AbortSignal): Promise<number> => {
        await write(ctx.runId, name);
        if (hold === name) {
          const tell = (): void => say(`aborted ${name}`);
          signal?.addEventListener("abort", tell);
          await gateOpens();
          signal?.removeEventListener("abort", tell);
          say(`returns ${name}`);
        }
        return n;
      };
      sum += await ctx.step.run(`s${n}`, (signal) => act(`s${n}`, signal), {
        rollback: () => act(`undo-s${n}`),
      });
    }
    if (fails) throw new Error("it fails");
    return sum;
  },
});

const worker = ledger.serve({
  url: through,
  concurrency: Number(concurrency),
  lease: lease as "1s",
});
worker.events.on("runDropped", ({ runId, reason }) => say(`dropped ${runId} ${reason}`));
worker.events.on("runCompleted", ({ runId }) => say(`completed ${runId}`));
worker.events.on("trouble", ({ doing, error }) => say(`trouble ${doing}: ${String(error)}`));
process.on("SIGTERM", () => void worker.stop().then(() => app.end()));
say("serving");
