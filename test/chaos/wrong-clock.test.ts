import { createWorkflowClient } from "@oxbow/sdk";
import { describe, expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { startWorkerProcess } from "../helpers/worker-process.ts";

const HOUR_MS = 3_600_000;

async function setup(aheadMs: number) {
  const database = await createDatabase();
  const worker = startWorkerProcess(
    new URL("../helpers/programs/wrong-clock-worker.ts", import.meta.url),
    { args: [database.url, String(aheadMs)] },
  );
  const client = createWorkflowClient({ url: database.url });
  atFileEnd(() => client.close());
  const said = await worker.line(/^serving at/);
  const wrongBy = new Date(said.slice("serving at ".length)).getTime() - Date.now();
  expect(Math.abs(wrongBy - aheadMs)).toBeLessThan(HOUR_MS / 2);
  return { database, worker, client };
}

describe.each([
  ["ahead", 5 * HOUR_MS],
  ["behind", -5 * HOUR_MS],
])("a worker whose clock is hours %s", (_which, aheadMs) => {
  it("sleeps, waits, backs off, times out and keeps its leases as the others do: the database's clock decides", async () => {
    const { database, worker, client } = await setup(aheadMs);
    const until = new Date(Date.now() + 1_500);
    const run = await client.start("timed", { until: until.toISOString() });
    const result = (await run.result({ timeout: "60s" })) as { startedAt: string };
    expect(result).toMatchObject({ nothing: null });
    expect(Math.abs(Date.parse(result.startedAt) - Date.now())).toBeLessThan(60_000);

    const ended = new Map(
      (await client.runs.steps(run.runId)).map(({ name, completedAt }) => [
        name,
        completedAt.getTime(),
      ]),
    );
    const at = (step: string): number => ended.get(step) ?? Number.NaN;
    const [started] = await database.query<{ at: Date }>(
      "select started_at as at from queue.workflow_run where run_id = $1",
      [run.runId],
    );
    expect(at("nap") - (started?.at.getTime() ?? 0)).toBeGreaterThanOrEqual(500);
    expect(at("until")).toBeGreaterThanOrEqual(until.getTime());
    expect(at("never") - until.getTime()).toBeGreaterThanOrEqual(300);
    expect(at("flaky") - at("never")).toBeGreaterThanOrEqual(300);
    expect(at("late") - at("until")).toBeLessThan(20_000);
    expect(worker.output.filter((line) => line.startsWith("dropped"))).toEqual([]);
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });

  it("neither ends a long sleep early nor fixes its end by its own time, and fails no run before its deadline", async () => {
    const { client } = await setup(aheadMs);
    const deadline = new Date(Date.now() + HOUR_MS);
    const run = await client.start("sleeps-long", undefined, { deadline });
    const state = await eventually(() => run.status(), { activity: "sleeping" });
    const [wait] = state.waits as readonly { readonly until: string }[];
    const endsInMs = Date.parse(wait?.until ?? "") - Date.now();
    expect(endsInMs).toBeGreaterThan(7 * 24 * HOUR_MS - 60_000);
    expect(endsInMs).toBeLessThan(7 * 24 * HOUR_MS + 60_000);
  });
});
