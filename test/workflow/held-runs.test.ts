/** Transactions that stay open and hold one run, or one idempotency key: everything else continues. */
import { setTimeout as pause } from "node:timers/promises";
import { createWorkflowClient } from "@oxbow/sdk";
import { workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import type { TestDatabase } from "../helpers/database.ts";
import { eventually, isNotEmpty } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { createOwnCluster } from "../helpers/own-cluster.ts";
import { startTestServer } from "../helpers/server.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const bench = await setupWorkflows();

const waitingSessions = async (database: TestDatabase): Promise<number> => {
  const rows = await database.query(
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rows.length;
};

interface Hold {
  /** A statement about the run, whose transaction stays open. */
  readonly statement: string;
  /** The transaction outlives its session. */
  readonly isPrepared?: true;
}

it.each<[string, Hold]>([
  [
    "a signal that is not committed",
    {
      statement: "select queue.workflow_signal($1, 'note', '1')",
    },
  ],
  [
    "a lock on the run",
    {
      statement: "select from queue.workflow_run where run_id = $1 for update",
    },
  ],
  [
    "a prepared transaction",
    {
      statement: "select from queue.workflow_continuation where msg_id = $1 for update",
      isPrepared: true,
    },
  ],
])(
  "%s keeps no other run's lease, and no other commit, waiting",
  async (what, { statement, isPrepared }) => {
    const { database, client, serve, violations } =
      isPrepared === true
        ? // As all open transactions do, it holds back the marks of every queue on its server.
          await setupWorkflows(await createOwnCluster({ max_prepared_transactions: "1" }))
        : bench;
    const name = what.replaceAll(" ", "-");
    const calls: string[] = [];
    const steps = workflow({
      name,
      run: async (ctx, count: number) => {
        for (let step = 1; step <= count; step += 1) {
          await ctx.step.run(`step-${step}`, async () => {
            calls.push(`${ctx.runId} ${step}`);
            await pause(250);
          });
        }
      },
    });
    serve([steps], { lease: "4s" });
    serve([steps], { lease: "4s" });
    const held = await client.start(steps, 2);
    const others = await Promise.all(Array.from({ length: 10 }, () => client.start(steps, 24)));
    await eventually(
      () => Promise.resolve(new Set(calls.map((call) => call.split(" ")[0])).size),
      11,
    );
    const holder = await database.connect();
    await holder.query("begin");
    await holder.query(statement, [held.runId]);
    if (isPrepared === true) await holder.query("prepare transaction 'held'");
    // So do clients that want something of it.
    const signals = Array.from({ length: 30 }, () => held.signal("note", 2));
    let mostWaiting = 0;
    const over = new AbortController();
    const watch = (async () => {
      while (!over.signal.aborted) {
        mostWaiting = Math.max(mostWaiting, await waitingSessions(database));
        await pause(20);
      }
    })();
    const other = await client.start(steps, 0);
    await other.result({ timeout: "60s" });
    for (const run of others) await run.result({ timeout: "60s" });
    await holder.query(isPrepared === true ? "commit prepared 'held'" : "commit");
    await held.result({ timeout: "60s" });
    await Promise.all(signals);
    over.abort();
    await watch;
    const innocent = calls.filter((call) => !call.startsWith(`${held.runId} `));
    expect(new Set(innocent).size).toBe(240);
    expect(innocent).toHaveLength(240);
    expect(mostWaiting).toBeLessThanOrEqual(6);
    expect(await violations()).toEqual([]);
  },
  120_000,
);

it("a call that waits, and is cancelled as its lock is granted, is repeated", async () => {
  const { client, database } = bench;
  const run = await client.start("unserved", 0);
  const holder = await database.connect();
  await holder.query("begin");
  await holder.query("select from queue.workflow_continuation where msg_id = $1 for update", [
    run.runId,
  ]);
  const signalled = run.signal("note", 1);
  // As PostgreSQL reports a limit whose cause it has lost.
  await eventually(
    () =>
      database.query(
        `with waiting as materialized (
           select pid from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock')
         select pg_cancel_backend(pid) from waiting`,
      ),
    isNotEmpty,
  );
  await holder.query("rollback");
  expect(await signalled).toBe("buffered");
});

it("over HTTP, a start and an acknowledgement that wait keep no other waiting", async () => {
  const server = await startTestServer(bench.database);
  const client = createWorkflowClient({ url: server.url });
  atFileEnd(() => client.close());
  const holder = await bench.database.connect();
  await client.start("keyed", 0);
  await client.queues.create("held");
  for (const n of [1, 2, 3]) await client.queues.send("held", n);
  const messages = await client.queues.receive("held", { max: 3 });
  await holder.query("begin");
  await holder.query("select queue.workflow_start('keyed', '1', idempotency_key => 'taken')");
  await holder.query("select queue.delete('held', $1)", [messages[0]?.receipt]);
  const settled: string[] = [];
  const note = (what: string) => (): void => void settled.push(what);
  const waiting = [
    client.start("keyed", 1, { idempotencyKey: "taken" }).then(note("start")),
    client.queues.delete("held", messages[0]?.receipt ?? "").then(note("delete")),
  ];
  await Promise.all([
    client.start("keyed", 2, { idempotencyKey: "free" }),
    client.start("keyed", 3),
    client.queues.delete("held", messages[1]?.receipt ?? ""),
    client.queues.delete("held", messages[2]?.receipt ?? ""),
  ]);
  expect(settled).toEqual([]);
  await holder.query("rollback");
  await Promise.all(waiting);
});

it("a receive does not wait for a transaction that holds a run past its deadline", async () => {
  const query = bench.database.query.bind(bench.database);
  const [late] = await query(
    "select run_id from queue.workflow_start('late', '1', deadline => clock_timestamp() + interval '1 day')",
  );
  await query("update queue.workflow_run set deadline = clock_timestamp() where run_id = $1", [
    late?.["run_id"],
  ]);
  const holder = await bench.database.connect();
  await holder.query("begin");
  await holder.query("select from queue.workflow_run where run_id = $1 for update", [
    late?.["run_id"],
  ]);
  const [other] = await query("select run_id from queue.workflow_start('late', '2')");
  const receive = (): Promise<Record<string, unknown>[]> =>
    query("select run_id from queue.workflow_receive(array['late'], max_runs => 10)");
  await query("set statement_timeout = '20s'");
  expect(await receive()).toEqual([other]);
  await holder.query("rollback");
  const status = async (): Promise<unknown> => {
    await receive();
    const [row] = await query("select status from queue.workflow_get($1)", [late?.["run_id"]]);
    return row?.["status"];
  };
  await eventually(status, "failed");
  expect(await bench.violations()).toEqual([]);
});
