/**
 * A process with a client and a worker that share a database. It starts runs, says which were local, and serves.
 * Arguments: url, lease, a JSON array of idempotency keys, how many milliseconds each run takes.
 */
import { setTimeout as delay } from "node:timers/promises";
import { createWorkflowClient } from "@oxbow/sdk";
import { createWorker, workflow } from "@oxbow/sdk/runtime";

const [url = "", lease = "30s", keys = "[]", takesMs = "0"] = process.argv.slice(2);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const served = workflow({
  name: "served",
  run: (ctx) =>
    ctx.step.run("work", async () => {
      say(`called ${ctx.runId}`);
      await delay(Number(takesMs));
    }),
});
const idle = workflow({ name: "idle", run: async () => {} });

const client = createWorkflowClient({ url });
const worker = createWorker({ url, lease, workflows: [served, idle] });
// A worker takes starts once it has looked for runs.
const ready = new Promise<void>((resolve) => {
  worker.events.on("runReceived", ({ workflow: name, runId, isLocal }) => {
    if (!isLocal) return;
    if (name === "idle") resolve();
    else say(`local ${runId}`);
  });
});
const starting = setInterval(() => void client.start(idle, undefined), 20);
process.once("SIGUSR2", () => {
  const starts = (JSON.parse(keys) as string[]).map((idempotencyKey) =>
    client.start(served, undefined, { idempotencyKey }),
  );
  void Promise.all(starts).then((runs) => {
    say(`started ${runs.filter(({ created }) => created).length}`);
  });
});
await ready;
clearInterval(starting);
say("ready");
