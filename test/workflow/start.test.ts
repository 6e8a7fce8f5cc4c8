import { workflow } from "@oxbow/sdk/runtime";
import { describe, expect, it } from "vitest";
import { setupWorkflows } from "../helpers/workflows.ts";
import { isThroughServer } from "../helpers/transport.ts";

const echo = workflow({
  name: "echo",
  retention: "7d",
  run: (_ctx, input: { n: number }) => input.n,
});

const bench = await setupWorkflows();

describe("starting a run", () => {
  it("needs no input if the body doesn't take one", async () => {
    const optional = workflow({
      name: "optional",
      run: (_ctx, input?: { n: number }) => input?.n ?? 0,
    });
    const outer = workflow({
      name: "outer",
      run: (ctx) => ctx.step.invoke("inner", optional),
    });
    bench.serve([optional, outer]);
    const run = await bench.client.start(optional);
    const result: number = await run.result({ timeout: "60s" });
    expect(result).toBe(0);
    const invoked: number = await (await bench.client.start(outer)).result({ timeout: "60s" });
    expect(invoked).toBe(0);
    // @ts-expect-error: the body needs an input.
    await bench.client.start(echo);
  });

  it("twice with one idempotency key finds the run of the first start", async () => {
    const first = await bench.client.start(echo, { n: 1 }, { idempotencyKey: "k" });
    const second = await bench.client.start(echo, { n: 2 }, { idempotencyKey: "k" });
    expect([first.created, second.created]).toEqual([true, false]);
    expect(second.runId).toBe(first.runId);
  });

  it("many at once with the same few keys makes one run a key", async () => {
    const runs = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        bench.client.start(echo, { n }, { idempotencyKey: `many-${n % 5}` }),
      ),
    );
    expect(new Set(runs.map(({ runId }) => runId)).size).toBe(5);
    expect(runs.filter(({ created }) => created).length).toBe(5);
  });

  it.skipIf(isThroughServer)(
    "waits for an open transaction that has used its idempotency key, and keeps no other start waiting",
    async () => {
      const key = { idempotencyKey: "held" };
      const tx = await bench.database.connect();
      await tx.query("begin");
      const { runId } = await bench.client.start(echo, { n: 1 }, { ...key, tx });
      const again = bench.client.start(echo, { n: 2 }, key);
      const others = Array.from({ length: 20 }, (_, n) => bench.client.start(echo, { n }));
      expect(await Promise.race([again, Promise.all(others)])).toHaveLength(20);
      await tx.query("commit");
      expect(await again).toMatchObject({ runId, created: false });
    },
  );

  it("keeps the retention of the definition, or of the start", async () => {
    const one = await bench.client.start(echo, { n: 1 });
    const other = await bench.client.start(echo, { n: 1 }, { retentionDays: 90 });
    const keptFor = (runId: string): Promise<unknown[]> =>
      bench.database.query("select retention_days from queue.workflow_run where run_id = $1", [
        runId,
      ]);
    expect(await keptFor(one.runId)).toEqual([{ retention_days: 7 }]);
    expect(await keptFor(other.runId)).toEqual([{ retention_days: 90 }]);
  });

  it.skipIf(isThroughServer)(
    "in the caller's transaction happens only if that commits",
    async () => {
      const tx = await bench.database.connect();
      const runIds: string[] = [];
      for (const end of ["rollback", "commit"]) {
        await tx.query("begin");
        const { runId } = await bench.client.start(echo, { n: 1 }, { tx });
        await tx.query(end);
        runIds.push(runId);
      }
      const rows = await bench.database.query(
        "select run_id from queue.workflow_run where run_id = any ($1)",
        [runIds],
      );
      expect(rows).toEqual([{ run_id: runIds[1] }]);
      expect(await bench.violations()).toEqual([]);
    },
  );

  it("that is refused does not fail other starts of its statement", async () => {
    const starts = await Promise.allSettled(
      [1, -1, 2].map((version) => bench.client.start("shared", {}, { version })),
    );
    expect(starts.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });

  it("with a deadline that passes fails the run", async () => {
    const late = workflow({ name: "late", run: (ctx) => ctx.step.sleep("long", "1h") });
    bench.serve([late]);
    const run = await bench.client.start(late, undefined, { deadline: new Date(Date.now() + 300) });
    await expect(run.result({ timeout: "60s" })).rejects.toThrow("deadline");
  });
});
