import { setTimeout as pause } from "node:timers/promises";
import type { StreamChunk } from "@oxbow/sdk";
import { workflow } from "@oxbow/sdk/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { setupWorkflows, type WorkflowBench } from "../helpers/workflows.ts";

let bench: WorkflowBench;

beforeAll(async () => {
  bench = await setupWorkflows();
});

async function readAll(runId: string, from?: string): Promise<StreamChunk[]> {
  const chunks: StreamChunk[] = [];
  for await (const chunk of bench.client.runs.stream(runId, { from })) chunks.push(chunk);
  return chunks;
}

const valuesOf = (chunks: readonly StreamChunk[]): unknown[] => chunks.map(({ value }) => value);

describe("the stream of a run", () => {
  it("reaches its reader while the step that writes it goes on", async () => {
    let finish = (): void => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const answer = workflow({
      name: "answer",
      run: (ctx) =>
        ctx.step.run("ask", async () => {
          ctx.stream.write("to");
          await pause(5);
          ctx.stream.write("ken");
          await finished;
          ctx.stream.write({ done: true });
        }),
    });
    bench.serve([answer]);
    const run = await bench.client.start(answer, undefined);
    const seen: unknown[] = [];
    for await (const { value, step, attempt } of bench.client.runs.stream(run.runId)) {
      seen.push(value);
      expect([step, attempt]).toEqual(["ask", 1]);
      if (value === "ken") finish();
    }
    expect(seen).toEqual(["to", "ken", { done: true }]);
  });

  it("has what the body writes once, whatever is replayed, and can be read from any position", async () => {
    const narrated = workflow({
      name: "narrated",
      run: async (ctx) => {
        ctx.stream.write("one");
        await ctx.step.sleep("nap", 20);
        ctx.stream.write("two");
        await ctx.step.waitForEvent("go");
        ctx.stream.write("three");
        await ctx.step.sleep("nap-again", 20);
        ctx.stream.write("four");
      },
    });
    bench.serve([narrated]);
    const run = await bench.client.start(narrated, undefined);
    const reading = readAll(run.runId);
    await run.signal("go");
    await run.result({ timeout: "60s" });
    const chunks = await reading;
    expect(valuesOf(chunks)).toEqual(["one", "two", "three", "four"]);
    expect(valuesOf(await readAll(run.runId, chunks[1]?.position))).toEqual(["three", "four"]);
  });

  it("tells which attempt of a step wrote what, and a retry of the run begins with the step afresh", async () => {
    let isBroken = true;
    const flaky = workflow({
      name: "flaky",
      run: (ctx) =>
        ctx.step.run(
          "ask",
          () => {
            ctx.stream.write("a");
            if (isBroken) throw new Error("cut");
            ctx.stream.write("b");
          },
          { retry: { attempts: 2, backoff: { kind: "fixed", base: "20ms", jitter: 0 } } },
        ),
    });
    bench.serve([flaky]);
    const run = await bench.client.start(flaky, undefined);
    await expect(run.result({ timeout: "60s" })).rejects.toThrow("cut");
    const failed = await readAll(run.runId);
    expect(failed.map(({ value, attempt }) => [value, attempt])).toEqual([
      ["a", 1],
      ["a", 2],
    ]);
    isBroken = false;
    await run.retry();
    await run.result({ timeout: "60s" });
    expect(valuesOf(await readAll(run.runId))).toEqual(["a", "b"]);
  });

  it("is left when the reader's signal aborts", async () => {
    const silent = workflow({ name: "silent", run: (ctx) => ctx.step.waitForEvent("never") });
    const run = await bench.client.start(silent, undefined);
    const stream = bench.client.runs.stream(run.runId, { signal: AbortSignal.timeout(50) });
    await expect(stream.next()).rejects.toThrow(/timeout/i);
  });
});

it("no invariant is broken by any of this", async () => {
  expect(await bench.violations()).toEqual([]);
});
