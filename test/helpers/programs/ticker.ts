/** A worker that is killed while it carries out schedules. Arguments: url, and by how many ms its clock is ahead. */
import { workflow } from "@oxbow/sdk/runtime";

const [url = "", aheadMs = "0"] = process.argv.slice(2);
const realNow = Date.now;
Date.now = () => realNow() + Number(aheadMs);

const worker = workflow({
  name: "ticked",
  run: (ctx) => ctx.schedule?.scheduledAt.toISOString() ?? null,
}).serve({ url });
const say = (line: string): void => void process.stdout.write(`${line}\n`);
worker.events.on("scheduleTicked", ({ schedule, scheduledAt }) =>
  say(`ticked ${schedule} ${scheduledAt.toISOString()}`),
);
worker.events.on("trouble", ({ doing, error }) => say(`trouble ${doing}: ${String(error)}`));
process.on("SIGTERM", () => void worker.stop());
say("serving");
