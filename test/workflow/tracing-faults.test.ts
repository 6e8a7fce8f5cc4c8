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
