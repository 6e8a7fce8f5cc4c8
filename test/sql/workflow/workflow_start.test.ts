import type pg from "pg";
import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { Runs } from "../../helpers/runs.ts";

interface Started {
  readonly run_id: string;
  readonly created: boolean;
  readonly status: string;
}

const runs = new Runs(await createDatabase(), "keyed");

async function start(key: string, options = ""): Promise<Started> {
  const [row] = await runs.database.query<Started & pg.QueryResultRow>(
    `select * from queue.workflow_start('keyed', '{}', idempotency_key => '${key}'${options})`,
  );
  if (row === undefined) throw new Error("No run was returned.");
  return row;
}

const end = async (runId: string, transition: "complete" | "fail"): Promise<void> => {
  const deliveries = await runs.receive("max_runs => 1000");
  const delivery = deliveries.find(({ run_id: id }) => id === runId);
  if (delivery === undefined) throw new Error(`Run ${runId} is not ready.`);
  await runs.commit([{ delivery, transition, result: { name: "Error", message: "no" } }]);
  await runs.endLeases();
};

const holders = (key: string) =>
  runs.database.query<{ run_id: string; status: string; superseded_by: string | null }>(
    `select run_id, status, superseded_by from queue.workflow_run where idempotency_key = $1
     order by run_id`,
    [key],
  );

describe("a start whose key is held by a run in flight", () => {
  it("returns that run by default", async () => {
    const first = await start("a");
    expect(await start("a", ", on_ended => 'start-new'")).toEqual({
      run_id: first.run_id,
      created: false,
      status: "running",
    });
  });

  it("fails on request, and names the run", async () => {
    const { run_id: runId } = await start("b");
    await expect(start("b", ", on_running => 'fail'")).rejects.toMatchObject({
      code: "OX010",
      message: expect.stringContaining(`run ${runId} `),
    });
  });

  it("cancels the run on request, and takes the key over; the old one names its successor", async () => {
    const first = await start("c");
    const second = await start("c", ", on_running => 'cancel-existing'");
    expect(second).toMatchObject({ created: true, status: "running" });
    expect(await holders("c")).toEqual([
      { run_id: first.run_id, status: "cancelled", superseded_by: second.run_id },
      { run_id: second.run_id, status: "running", superseded_by: null },
    ]);
    expect(await start("c")).toMatchObject({ run_id: second.run_id, created: false });
  });
});

describe("a start whose key is held by a run that has ended", () => {
  it("returns that run, even when it would cancel a running one", async () => {
    const { run_id: runId } = await start("d");
    await end(runId, "complete");
    expect(await start("d", ", on_running => 'cancel-existing'")).toEqual({
      run_id: runId,
      created: false,
      status: "completed",
    });
  });

  it("starts again on request", async () => {
    const { run_id: runId } = await start("e");
    await end(runId, "complete");
    const second = await start("e", ", on_ended => 'start-new'");
    expect(second.created).toBe(true);
    expect(second.run_id).not.toBe(runId);
  });

  it("starts again only after a failure on request", async () => {
    const failed = await start("f");
    await end(failed.run_id, "fail");
    const second = await start("f", ", on_ended => 'start-new-if-failed'");
    expect(second.created).toBe(true);
    await end(second.run_id, "complete");
    expect(await start("f", ", on_ended => 'start-new-if-failed'")).toMatchObject({
      run_id: second.run_id,
      created: false,
    });
  });
});

describe("starts at the same time, from 16 connections", () => {
  const atOnce = async (key: string, options: string): Promise<Started[]> => {
    const clients = await Promise.all(Array.from({ length: 16 }, () => runs.database.connect()));
    const answers = await Promise.all(
      clients.map((client) =>
        client.query<Started>(
          `select * from queue.workflow_start('keyed', '{}', idempotency_key => $1${options})`,
          [key],
        ),
      ),
    );
    return answers.flatMap(({ rows }) => rows);
  };

  it("make one run a key", async () => {
    const started = await atOnce("many", "");
    expect(new Set(started.map(({ run_id: id }) => id)).size).toBe(1);
    expect(started.filter(({ created }) => created).length).toBe(1);
  });

  it("begin one new run when the old one has failed", async () => {
    const { run_id: runId } = await start("retried");
    await end(runId, "fail");
    const started = await atOnce("retried", ", on_ended => 'start-new-if-failed'");
    expect(started.filter(({ created }) => created).length).toBe(1);
    expect(new Set(started.map(({ run_id: id }) => id)).size).toBe(1);
  });

  it("that cancel each other leave one run in flight, and a chain of successors", async () => {
    await start("fought-over");
    const started = await atOnce("fought-over", ", on_running => 'cancel-existing'");
    expect(started.every(({ created }) => created)).toBe(true);
    const rows = await holders("fought-over");
    expect(rows.length).toBe(17);
    expect(rows.filter(({ status }) => status === "running")).toMatchObject([
      { superseded_by: null },
    ]);
    const successors = new Set(rows.flatMap(({ superseded_by: by }) => (by === null ? [] : [by])));
    expect(successors.size).toBe(16);
    expect(await runs.violations()).toEqual([]);
  });
});

it("elements of a batch with one key are like starts one after the other", async () => {
  const rows = await runs.database.query<Started & pg.QueryResultRow>(
    `select * from queue.workflow_start_batch('keyed', array['1', '2', '3']::jsonb[],
       idempotency_keys => array['x', 'x', 'y'], on_running => array[null, 'cancel-existing', null])`,
  );
  expect(rows.map(({ created, status }) => [created, status])).toEqual([
    [true, "cancelled"],
    [true, "running"],
    [true, "running"],
  ]);
});

it("a batch starts runs with and without a key, and returns a taken key's run", async () => {
  const [holder] = await runs.database.query<Started & pg.QueryResultRow>(
    "select * from queue.workflow_start('mixed', '0', idempotency_key => 'taken')",
  );
  const rows = await runs.database.query<Started & pg.QueryResultRow>(
    `select * from queue.workflow_start_batch('mixed', array['1', '2', '3', '4']::jsonb[],
       idempotency_keys => array[null, 'taken', 'free'], retention_days => array[1, null, 2])`,
  );
  expect(rows.map(({ created }) => created)).toEqual([true, false, true, true]);
  expect(rows[1]?.run_id).toBe(holder?.run_id);
  expect(
    await runs.database.query(
      `select input, idempotency_key, retention_days from queue.workflow_run
       where workflow_name = 'mixed' order by input`,
    ),
  ).toEqual([
    { input: 0, idempotency_key: "taken", retention_days: 30 },
    { input: 1, idempotency_key: null, retention_days: 1 },
    { input: 3, idempotency_key: "free", retention_days: 2 },
    { input: 4, idempotency_key: null, retention_days: 30 },
  ]);
  expect(await runs.violations()).toEqual([]);
});

it.each([
  ["on_running => 'explode'", 'on_running "explode"'],
  ["on_ended => ''", 'on_ended ""'],
  ["tags => '5'", "5"],
  [`tags => '["a"]'`, '["a"]'],
])("%s is refused, and the value named", async (option, named) => {
  await expect(start("strict", `, ${option}`)).rejects.toMatchObject({
    code: "OX004",
    message: expect.stringContaining(named),
  });
});

it("a rule about a key is refused where there is no key", async () => {
  await expect(
    runs.database.query(`select queue.workflow_start('keyed', '{}', on_running => 'fail')`),
  ).rejects.toMatchObject({ code: "OX004" });
});
