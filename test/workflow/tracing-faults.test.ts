import { createWorkflowClient } from "@oxbow/sdk";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import { NodeTracerProvider, type SpanProcessor } from "@opentelemetry/sdk-trace-node";
import { afterAll, expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { atFileEnd } from "../helpers/file-end.ts";

const { url } = await createDatabase();

let phase: "start" | "end" | undefined;
const failIn = (own: typeof phase) => (): void => {
  if (phase === own) throw new TypeError(`The processor fails at the ${own} of a span.`);
};
const processor: SpanProcessor = {
  onStart: failIn("start"),
  onEnd: failIn("end"),
  forceFlush: () => Promise.resolve(),
  shutdown: () => Promise.resolve(),
};
const provider = new NodeTracerProvider({ spanProcessors: [processor] });
provider.register();
afterAll(() => provider.shutdown());

const traced = workflow({
  name: "traced",
  run: async (ctx) => {
    await ctx.step.sleep("nap", 1);
    return ctx.step.run("work", () => Promise.resolve("done"));
  },
});

it.each(["start", "end"] as const)(
  "a span processor that throws at the %s of spans fails no run",
  async (when) => {
    phase = when;
    const worker = createWorker({ url, workflows: [traced], localStarts: false });
    const client = createWorkflowClient({ url });
    atFileEnd(async () => {
      await worker.stop();
      await client.close();
    });
    const run = await client.start(traced, undefined);
    expect(await run.result({ timeout: "60s" })).toBe("done");
  },
);

it.each(["throws", "rejects with"] as const)(
  "a call of a traced step that %s an object without a prototype is an attempt",
  async (how) => {
    phase = undefined;
    let calls = 0;
    const odd = workflow({
      name: `odd-${how.split(" ")[0]}`,
      retry: { attempts: 3, backoff: { kind: "fixed", base: 1 } },
      run: (ctx) =>
        ctx.step.run("work", () => {
          calls += 1;
          if (calls === 3) return "done";
          const thrown = Object.setPrototypeOf({ code: "E_ODD" }, null) as Error;
          if (how === "throws") throw thrown;
          return Promise.reject(thrown);
        }),
    });
    const worker = createWorker({ url, workflows: [odd], localStarts: false });
    const client = createWorkflowClient({ url });
    atFileEnd(async () => {
      await worker.stop();
      await client.close();
    });
    const run = await client.start(odd, undefined);
    expect(await run.result({ timeout: "60s" })).toBe("done");
    expect(await client.runs.steps(run.runId)).toMatchObject([{ name: "work", attempts: 3 }]);
  },
);
