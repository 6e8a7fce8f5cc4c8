/**
 * A database with everything in flight, and what must be so wherever it goes: over an upgrade, or out of a dump. Made
 * by calls that every release knows.
 */
import { createWorkflowClient } from "@oxbow/sdk";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import type pg from "pg";
import { expect } from "vitest";
import { eventually } from "./eventually.ts";

const RUNS = 4;

/** Queues of all kinds, with messages in all states, and runs of the workflow `survivor`. */
export async function fillWithSurvivors(client: pg.ClientBase): Promise<void> {
  await client.query(`
    select queue.create_queue('letters');
    select queue.create_queue('orders', false, 30, 1, 'letters');
    select queue.create_queue('steps', true);

    select queue.send('orders', '"dead"');
    select count(*) from queue.receive('orders', 1, 0);
    select count(*) from queue.receive('orders', 1, 0);
    select queue.send('orders', '"in flight"');
    select count(*) from queue.receive('orders', 1, 3600);
    select queue.send('orders', '"visible"');
    select queue.send('orders', '"delayed"', 3600);

    select queue.send_fifo('steps', '1', 'a', 'once');
    select queue.send_fifo('steps', '2', 'a');
    select queue.send_fifo('steps', '1', 'b');
    select queue.send_fifo('steps', '2', 'b');
    select count(*) from queue.receive_fifo('steps', 1, 3600);`);

  for (let n = 1; n <= RUNS; n += 1) {
    await client.query("select queue.workflow_start('survivor', $1, 1, $2)", [
      JSON.stringify({ n }),
      `key ${n}`,
    ]);
  }
  // One has a journal and waits for its turn, one a journal and a lease that ends soon, one a signal in store.
  const { rows } = await client.query<{ run_id: string; receipt: string }>(
    "select run_id, receipt from queue.workflow_receive(array['survivor'], null, 2, 2) order by run_id",
  );
  for (const { run_id: run, receipt } of rows) {
    await client.query(
      "select queue.workflow_complete_step($1, 'first', '\"first\"', null, '{}', interval '0', $2)",
      [run, receipt],
    );
  }
  await client.query("select from queue.workflow_receive(array['survivor'], null, 1, 2)");
  await client.query(
    `select queue.workflow_signal(max(run_id), 'go', '"signal"')
     from queue.workflow_receive(array['survivor'], null, 10, 1)`,
  );
}

/**
 * Nothing is lost, all of it works, and every run ends.
 *
 * @param isCopy It was released: what a consumer of the source has in flight waits for its time.
 */
export async function expectSurvivors(
  url: string,
  client: pg.ClientBase,
  isCopy = false,
): Promise<void> {
  expect(await column(client, "select message from queue.receive('letters', 10)")).toEqual([
    "dead",
  ]);
  expect(
    await column(client, "select message from queue.receive('orders', 10) order by msg_id"),
  ).toEqual(["visible"]);
  expect(
    await one(client, "select in_flight::int, delayed::int from queue.queue_stats('orders')"),
  ).toEqual(isCopy ? { in_flight: 1, delayed: 2 } : { in_flight: 2, delayed: 1 });
  expect(
    await column(client, "select message_group_id from queue.receive_fifo('steps', 10)"),
  ).toEqual(["b"]);
  const before = await column(client, `select max(msg_id) from queue.q_steps`);
  const again = await column(client, "select queue.send_fifo('steps', '1', 'a', 'once')");
  const next = await column(client, "select queue.send_fifo('steps', '3', 'a')");
  expect(Number(again[0])).toBe(1);
  expect(Number(next[0])).toBeGreaterThan(Number(before[0]));

  await expectRunsToEnd(url, client);
  expect(await column(client, "select invariant from queue.check_invariants()")).toEqual([]);
}

async function expectRunsToEnd(url: string, database: pg.ClientBase): Promise<void> {
  const firstCalls: number[] = [];
  const survivor = workflow({
    name: "survivor",
    run: async (ctx, input: { n: number }) => {
      const first = await ctx.step.run("first", () => {
        firstCalls.push(input.n);
        return "first";
      });
      await ctx.step.sleep("nap", "100ms");
      const signal = await ctx.step.waitForEvent("go");
      return { n: input.n, first, signal };
    },
  });
  await using worker = createWorker({ url, workflows: [survivor] });
  await using client = createWorkflowClient({ url });
  const existing = await client.start(survivor, { n: 1 }, { idempotencyKey: "key 1" });
  const created = await client.start(survivor, { n: 5 });
  expect([existing.created, created.created]).toEqual([false, true]);
  const runs = await database.query<{ run_id: string }>(
    "select run_id from queue.workflow_run where workflow_name = 'survivor' order by run_id",
  );
  expect(runs.rows).toHaveLength(RUNS + 1);
  for (const { run_id: run } of runs.rows) await client.signal(run, "go", "signal");
  const ended = await eventually(
    () =>
      column(
        database,
        `select output from queue.workflow_run
         where workflow_name = 'survivor' and status = 'completed' order by run_id`,
      ),
    { length: RUNS + 1 },
  );
  expect(ended).toEqual([1, 2, 3, 4, 5].map((n) => ({ n, first: "first", signal: "signal" })));
  // Journaled steps aren't called again.
  expect(firstCalls.toSorted((a, b) => a - b)).toEqual([3, 4, 5]);
  await worker.stop();
}

async function column(client: pg.ClientBase, text: string): Promise<unknown[]> {
  const { rows } = await client.query<unknown[]>({ text, rowMode: "array" });
  return rows.map(([value]) => value);
}

async function one(client: pg.ClientBase, text: string): Promise<unknown> {
  const { rows } = await client.query<Record<string, unknown>>(text);
  return rows[0];
}
