/**
 * A function in a separate process, for tests that kill or freeze it: listens at `PORT`, and prints a line when a step is
 * called. Its clock is ahead by `CLOCK_AHEAD_MS`.
 */
import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

const aheadMs = Number(process.env["CLOCK_AHEAD_MS"] ?? 0);
const realNow = Date.now.bind(Date);
if (aheadMs !== 0) Date.now = () => realNow() + aheadMs;

const { createHandler, toNodeHandler } = await import("@oxbow/sdk/http");
const { workflow } = await import("@oxbow/sdk/runtime");

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Four steps, each as long as the input. */
const paying = workflow({
  name: "paying",
  run: async (ctx, stepMs: number) => {
    for (let step = 1; step <= 4; step += 1) {
      await ctx.step.run(`pay-${step}`, async () => {
        say(`called ${ctx.runId} pay-${step}`);
        await delay(stepMs);
        return step;
      });
    }
    return "paid";
  },
});

/** Ends its process. */
const killing = workflow({
  name: "killing",
  run: (ctx, _input: unknown) =>
    ctx.step.run("kill", () => {
      say(`called ${ctx.runId} kill`);
      process.kill(process.pid, "SIGKILL");
    }),
});

const handler = createHandler({
  workflows: [paying, killing],
  maxDuration: Number(process.env["MAX_DURATION_MS"] ?? 20_000),
  logger: false,
});
const listener = toNodeHandler(handler);
createServer((request, response) => void listener(request, response)).listen(
  Number(process.env["PORT"]),
  "127.0.0.1",
  () => say("listening"),
);
