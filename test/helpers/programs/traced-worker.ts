/** A worker whose process traces: a parent that retries, sleeps, invokes a child, waits for an event and sends one. */
import { trace } from "@opentelemetry/api";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import { registerTracing } from "../tracing.ts";

const [url = "", endpoint = ""] = process.argv.slice(2);
const provider = registerTracing(endpoint);

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const child = workflow({
  name: "traced-child",
  run: (ctx) => ctx.step.run("work", () => "child"),
});

const listener = workflow({
  name: "traced-listener",
  run: (ctx) => ctx.step.waitForEvent("news"),
});

const parent = workflow({
  name: "traced-parent",
  retry: { attempts: 3, backoff: { kind: "fixed", base: 10 } },
  run: async (ctx, listenerId: string) => {
    await ctx.step.run("flaky", () => {
      calls += 1;
      if (calls === 1) throw new Error("it fails at first");
      // A span of the application's own.
      trace.getTracer("app").startSpan("app.query").end();
    });
    say("naps");
    await ctx.step.sleep("nap", "1500ms");
    await ctx.step.run("after", () => process.pid);
    await ctx.step.invoke("child", child, undefined);
    await ctx.step.waitForEvent("go", { event: "go" });
    await ctx.step.signal("tell", listenerId, "news");
    return "done";
  },
});
let calls = 0;

const worker = createWorker({ url, workflows: [parent, child, listener] });
process.on("SIGTERM", () => void worker.stop().then(() => provider.shutdown()));
say("serving");
