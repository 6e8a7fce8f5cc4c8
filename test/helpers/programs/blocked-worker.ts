/**
 * A worker whose process is busy for longer than its leases last: the step of "busy" blocks it for 0.9 s. The body of
 * "idle" waits for the first of these, and then calls a step that writes down that it was called.
 */
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import pg from "pg";
import { Latch } from "../latch.ts";

const [url = ""] = process.argv.slice(2);
const app = new pg.Pool({ connectionString: url, max: 4 });
app.on("error", () => {});
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const blocked = new Latch();

const busy = workflow({
  name: "busy",
  run: (ctx) =>
    ctx.step.run("block", () => {
      blocked.open();
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 900);
    }),
});

const idle = workflow({
  name: "idle",
  run: async (ctx) => {
    await blocked.opened;
    await ctx.step.run("call", async () => {
      // The process may be busy again before the statement is sent.
      const calledAt = new Date();
      await app.query("insert into call values ($1, 'call', $2, $3)", [
        ctx.runId,
        process.pid,
        calledAt,
      ]);
    });
  },
});

const worker = createWorker({ url, workflows: [busy, idle], lease: "2s", concurrency: 50 });
worker.events.on("runReceived", ({ workflow: name }) => say(`received ${name}`));
worker.events.on("runDropped", ({ workflow: name, reason }) => say(`dropped ${name} ${reason}`));
worker.events.on("trouble", ({ doing, error }) => say(`trouble ${doing}: ${String(error)}`));
process.on("SIGTERM", () => void worker.stop().then(() => app.end()));
