/**
 * A worker whose machine has the wrong time, and stays so. Arguments: url, and by how many ms its clock is ahead.
 * Its workflow does everything that has to do with time.
 */
import { setTimeout as pause } from "node:timers/promises";
import { StepFailed, workflow } from "@oxbow/sdk/runtime";

const [url = "", aheadMs = "0"] = process.argv.slice(2);
const RightDate = Date;
const wrongNow = (): number => RightDate.now() + Number(aheadMs);
globalThis.Date = new Proxy(RightDate, {
  construct: (date, values) =>
    Reflect.construct(date, values.length === 0 ? [wrongNow()] : values) as Date,
  get: (date, key) => (key === "now" ? wrongNow : (Reflect.get(date, key) as unknown)),
});

let attempts = 0;
const timed = workflow({
  name: "timed",
  retry: { attempts: 2, backoff: { kind: "fixed", base: "300ms", jitter: 0 } },
  run: async (ctx, input: { until: string }) => {
    await ctx.step.sleep("nap", "500ms");
    await ctx.step.sleepUntil("until", new Date(input.until));
    const nothing = await ctx.step.waitForEvent("never", { timeout: "300ms" });
    await ctx.step.run("flaky", () => {
      attempts += 1;
      if (attempts === 1) throw new Error("not yet");
    });
    // Longer than the lease: it is extended in time, and no other worker has the run.
    await ctx.step.run("long", () => pause(5_500));
    try {
      await ctx.step.run("late", () => new Promise(() => {}), {
        timeout: "200ms",
        retry: { attempts: 1 },
      });
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
    }
    return { nothing, startedAt: ctx.startedAt.toISOString() };
  },
});
const sleeps = workflow({
  name: "sleeps-long",
  run: (ctx) => ctx.step.sleep("days", "7d"),
});

const worker = timed.serve({ url, lease: "4s" });
const other = sleeps.serve({ url, lease: "4s" });
const say = (line: string): void => void process.stdout.write(`${line}\n`);
for (const { events } of [worker, other]) {
  events.on("runDropped", ({ runId, reason }) => say(`dropped ${runId} ${reason}`));
  events.on("trouble", ({ doing, error }) => say(`trouble ${doing}: ${String(error)}`));
}
say(`serving at ${new Date().toISOString()}`);
