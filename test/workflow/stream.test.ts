import { setTimeout as pause } from "node:timers/promises";
import { createWorkflowClient, type StreamChunk } from "@oxbow/sdk";
import { workflow } from "@oxbow/sdk/runtime";
import { describe, expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { Latch } from "../helpers/latch.ts";
import { startTestServer } from "../helpers/server.ts";
import { silent as quiet } from "../helpers/silent-logger.ts";
import { isThroughServer } from "../helpers/transport.ts";
import { startWorkerProcess, type WorkerProcess } from "../helpers/worker-process.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const bench = await setupWorkflows();

async function readAll(runId: string, from?: string): Promise<StreamChunk[]> {
  const chunks: StreamChunk[] = [];
  for await (const chunk of bench.client.runs.stream(runId, { from })) chunks.push(chunk);
  return chunks;
}

const valuesOf = (chunks: readonly StreamChunk[]): unknown[] => chunks.map(({ value }) => value);

describe("the stream of a run", () => {
  it("reaches its reader while the step that writes it is running", async () => {
    const finished = new Latch();
    const answer = workflow({
      name: "answer",
      run: (ctx) =>
        ctx.step.run("ask", async () => {
          ctx.stream.write("to");
          await pause(5);
          ctx.stream.write("ken");
          await finished.opened;
          ctx.stream.write({ done: true });
        }),
    });
    bench.serve([answer]);
    const run = await bench.client.start(answer, undefined);
    const seen: unknown[] = [];
    for await (const { value, step, attempt } of bench.client.runs.stream(run.runId)) {
      seen.push(value);
      expect([step, attempt]).toEqual(["ask", 1]);
      if (value === "ken") finished.open();
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

  it("keeps the chunks of the last attempt of a step, and a retry of the run begins with the step afresh", async () => {
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
    expect(failed.map(({ value, attempt }) => [value, attempt])).toEqual([["a", 2]]);
    isBroken = false;
    await run.retry();
    await run.result({ timeout: "60s" });
    expect(valuesOf(await readAll(run.runId))).toEqual(["a", "b"]);
  });

  it("begins again with a call that repeats one whose worker died, directly and through a server", async () => {
    const asked = workflow({
      name: "asked",
      run: (ctx) =>
        ctx.step.run("ask", () => {
          ctx.stream.write("B1");
          ctx.stream.write("B2");
        }),
    });
    const { runId } = await bench.client.start(asked, undefined);
    // A worker that writes two chunks, and is never heard of again.
    await bench.database.query(
      `select outcome from queue.workflow_receive(array['asked'], max_runs => 1, lease_seconds => 1) as d
       cross join lateral queue.workflow_commit(array['asked'], array[d.run_id], array[d.receipt], array['keep'],
         array[null::jsonb], array[null::timestamptz], stream_items => array[1, 1], stream_steps => array['ask', 'ask'],
         stream_attempts => array[1, 1], stream_numbers => array[1, 2], stream_chunks => array['"A1"', '"A2"']::jsonb[])`,
    );
    const { shards } = bench.connection;
    const server = await startTestServer(
      bench.database,
      shards === undefined ? {} : { url: undefined, shards },
    );
    await using remote = createWorkflowClient({ url: server.url });
    let halfway = 0;
    const readings = [bench.client, remote].map(async (client) => {
      const seen: unknown[] = [];
      for await (const { value, reset, since } of client.runs.stream(runId)) {
        seen.push(reset === true ? `reset ${since}` : value);
        if (value === "A2") halfway += 1;
      }
      return seen;
    });
    await eventually(() => halfway, 2);
    bench.serve([asked]);
    const expected = ["A1", "A2", "reset 1", "B1", "B2"];
    expect(await Promise.all(readings)).toEqual([expected, expected]);
    expect(valuesOf(await readAll(runId))).toEqual(["B1", "B2"]);
  });

  it("begins again after a SIGKILL to the worker that was writing it", async () => {
    const start = (letter: string): WorkerProcess =>
      startWorkerProcess(new URL("../helpers/programs/streaming-worker.ts", import.meta.url), {
        args: [JSON.stringify(bench.connection), letter],
      });
    const killed = start("A");
    const { runId } = await bench.client.start("streamed");
    const seen: unknown[] = [];
    for await (const { value, reset, since } of bench.client.runs.stream(runId)) {
      seen.push(reset === true ? `reset ${since}` : value);
      if (value === "A2") {
        await killed.kill();
        start("B");
      }
    }
    expect(await killed.end()).toEqual({ code: null, signal: "SIGKILL" });
    expect(seen).toEqual(["A1", "A2", "reset 1", "B1", "B2"]);
    expect(valuesOf(await readAll(runId))).toEqual(["B1", "B2"]);
    // The call that repeats the interrupted one is the same attempt.
    expect(await bench.client.runs.steps(runId)).toMatchObject([{ name: "ask", attempts: 1 }]);
  });

  it.skipIf(isThroughServer)(
    "has what the committed call of a step.tx wrote, though the database broke an earlier one",
    async () => {
      let calls = 0;
      const broken = workflow({
        name: "broken",
        run: async (ctx) => {
          await ctx.step.tx("work", async (tx) => {
            calls += 1;
            ctx.stream.write(`a of call ${calls}`);
            const deadlock = "do $$ begin raise exception 'broken' using errcode = '40P01'; end $$";
            if (calls === 1) await tx.query(deadlock);
            ctx.stream.write(`b of call ${calls}`);
          });
          ctx.stream.write("of the body");
        },
      });
      bench.serve([broken], { logger: quiet });
      const run = await bench.client.start(broken, undefined);
      await run.result({ timeout: "60s" });
      const chunks = (await readAll(run.runId)).map(({ step, attempt, value }) => [
        step,
        attempt,
        value,
      ]);
      expect(chunks).toEqual([
        ["work", 1, "a of call 2"],
        ["work", 1, "b of call 2"],
        [null, null, "of the body"],
      ]);
    },
  );

  it.skipIf(isThroughServer)(
    "has nothing of a step.tx whose only call that wrote failed",
    async () => {
      let calls = 0;
      const failing = workflow({
        name: "failing",
        run: (ctx) =>
          ctx.step.tx(
            "work",
            () => {
              calls += 1;
              if (calls > 1) return;
              ctx.stream.write("of the failed call");
              throw new Error("fails once");
            },
            { retry: { attempts: 2, backoff: { kind: "fixed", base: 1 } } },
          ),
      });
      bench.serve([failing]);
      const run = await bench.client.start(failing, undefined);
      await run.result({ timeout: "60s" });
      expect(await readAll(run.runId)).toEqual([]);
    },
  );

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
