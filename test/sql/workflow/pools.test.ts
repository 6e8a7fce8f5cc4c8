/** Pools: workers that receive the runs of many workflows as those of one queue. */
import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { planner } from "../../helpers/plans.ts";
import { type Delivery, Runs } from "../../helpers/runs.ts";

const database = await createDatabase();

const assign = (name: string, pool: string): Promise<unknown> =>
  database.query("select queue._set_workflow_pool($1, $2)", [name, pool]);

const receive = (pool: string, max = 10): Promise<Delivery[]> =>
  database.query<Delivery>(
    `select * from queue.workflow_receive(array['@${pool}'], '{"@${pool}": [1]}', ${max}) order by run_id`,
  );

async function pooled(name: string, pool: string): Promise<Runs> {
  await assign(name, pool);
  return new Runs(database, name);
}

const idsOf = (deliveries: readonly Delivery[]): string[] => deliveries.map(({ run_id: id }) => id);

const violations = () => database.query("select * from queue.check_invariants()");

describe("the runs of workflows in a pool", () => {
  it("are received under the name of the pool, in the order of their times, each with its workflow and version", async () => {
    const [one, other] = [
      await pooled("first-of-two", "two"),
      await pooled("second-of-two", "two"),
    ];
    const ids = [await one.start(", version => 7"), await other.start(), await one.start()];
    expect(await one.receive()).toEqual([]);
    const rows = await database.query(
      `select run_id, name, version from queue.workflow_receive(array['@two'], '{"@two": [1]}', 10)`,
    );
    expect(rows).toEqual([
      { run_id: ids[0], name: "first-of-two", version: 7 },
      { run_id: ids[1], name: "second-of-two", version: 1 },
      { run_id: ids[2], name: "first-of-two", version: 1 },
    ]);
    expect(await receive("two")).toEqual([]);
    expect(await violations()).toEqual([]);
  });

  it("stay in it when they are committed, signalled, retried and run again, and as child runs", async () => {
    const runs = await pooled("lives", "life");
    const parent = new Runs(database, "parent-of-lives");
    const runId = await runs.start();
    const [delivery] = await receive("life");
    if (delivery === undefined) throw new Error("not received");
    const waits = { waits: [{ kind: "event", step: "hold", event: "go" }], retries: [] };
    await runs.commit([{ delivery, transition: "suspend", result: { ...waits, journaled: 0 } }]);
    expect(await receive("life")).toEqual([]);
    await runs.signal(runId, "go", 1);
    const [again] = await receive("life");
    expect(again).toMatchObject({ run_id: runId, journal: [{ name: "hold", output: 1 }] });
    await runs.commit([
      { delivery: again ?? delivery, transition: "fail", result: { name: "Error", message: "no" } },
    ]);

    await database.query("select queue.workflow_retry($1)", [runId]);
    const [rerun] = await database.query<{ id: string }>(
      "select queue.workflow_rerun($1, version => 3) as id",
      [runId],
    );
    expect(idsOf(await receive("life"))).toEqual([runId, rerun?.id]);

    await parent.start();
    const invoking = await parent.receiveOne();
    await database.query(
      `select queue.workflow_commit(array['parent-of-lives'], array[$1::bigint], array[$2::bigint], array['keep'], array[null]::jsonb[],
         null, effect_items => array[1], effect_kinds => array['detach'], effect_steps => array['child'],
         effect_targets => array['lives'], effect_values => array['1']::jsonb[], effect_versions => array[4])`,
      [invoking.run_id, invoking.receipt],
    );
    expect(await receive("life")).toMatchObject([{ name: "lives", version: 4 }]);
    expect(await violations()).toEqual([]);
  });

  it("become suspects, and end as poisoned, as runs of other workflows do", async () => {
    const runs = await pooled("deadly", "danger");
    const runId = await runs.start();
    const expire = () =>
      database.query(
        `update queue.workflow_continuation
         set visible_at = case when suspect_at < 'infinity' then visible_at else clock_timestamp() end,
           suspect_at = case when suspect_at < 'infinity' then clock_timestamp() else suspect_at end
         where msg_id = $1`,
        [runId],
      );
    for (let n = 0; n < 30; n += 1) {
      await database.query(
        `select * from queue.workflow_receive(array['@danger'], '{"@danger": [1]}', 1, suspects => 1)`,
      );
      await expire();
    }
    expect(await runs.status(runId)).toMatchObject({
      status: "failed",
      error: { code: "POISONED_RUN" },
    });
  });

  it("are listed, counted and explained under their workflow", async () => {
    const runs = await pooled("listed", "lists");
    await (await pooled("unlisted", "lists")).start();
    const runId = await runs.start(", version => 2");
    const list = async (filter: object): Promise<unknown> => {
      const rows = await database.query("select run_id from queue.workflow_list($1::jsonb)", [
        JSON.stringify(filter),
      ]);
      return rows.map(({ run_id: id }) => id);
    };
    expect(await list({ name: "listed" })).toEqual([runId]);
    expect(await list({ name: "listed", version: 2, status: "running" })).toEqual([runId]);
    expect(await list({ name: "listed", version: 1 })).toEqual([]);
    expect(await list({ version: 2, status: "running" })).toContain(runId);
    expect(await list({})).toContain(runId);
    const tally = await database.query("select name, running::int from queue.workflow_tally()");
    expect(tally).toContainEqual({ name: "listed", running: 1 });
    expect(tally.map(({ name }) => name)).not.toContain("@lists");
    const backlog = await database.query("select name, version from queue.workflow_backlog()");
    expect(backlog).toContainEqual({ name: "listed", version: 2 });
    const lag = await database.query("select name from queue.workflow_lag()");
    expect(lag).toContainEqual({ name: "@lists" });
    const [why] = await database.query("select cause, summary from queue.workflow_explain($1)", [
      runId,
    ]);
    expect(why).toMatchObject({
      cause: "ready",
      summary: expect.stringContaining('pool "lists"') as string,
    });
  });

  it("that are given back until later are received then", async () => {
    const runs = await pooled("foreign", "away");
    const runId = await runs.start();
    const [delivery] = await receive("away");
    const release = (at: string) =>
      database.query(
        `select outcome from queue.workflow_commit(array['foreign'], array[$1::bigint], array[$2::bigint],
           array['release'], null, array[clock_timestamp() + $3::interval])`,
        [runId, delivery?.receipt, at],
      );
    expect(await release("1 hour")).toEqual([{ outcome: "ok" }]);
    expect(await receive("away")).toEqual([]);
    const [next] = await database.query(
      `select extract(epoch from queue.workflow_next_visible_at(array['@away'], '{"@away": [1]}') - clock_timestamp()) > 3000 as later`,
    );
    expect(next).toEqual({ later: true });
    await database.query(
      "update queue.workflow_continuation set visible_at = clock_timestamp() where msg_id = $1",
      [runId],
    );
    expect(await receive("away")).toMatchObject([{ run_id: runId, attempt: 1, journal: null }]);
  });

  it("that a worker can't execute are received apart from the others, until a worker has executed them", async () => {
    const runs = await pooled("refused", "apart");
    const [refused, other] = [await runs.start(), await runs.start()];
    const receiveRefused = () =>
      database.query<Delivery>(
        `select * from queue.workflow_receive(array['@apart'], '{"@apart": [2]}', 10)`,
      );
    const [delivery] = await database.query<Delivery>(
      `select * from queue.workflow_receive(array['@apart'], '{"@apart": [2, 1]}', 1)`,
    );
    expect(await receiveRefused()).toEqual([]);
    const release = { transition: "release", result: { reason: "Unknown." } } as const;
    await runs.commit([{ delivery: delivery as Delivery, ...release }]);
    expect(idsOf(await receive("apart"))).toEqual([other]);
    expect(await database.query("select name, runs::int from queue.workflow_refusals()")).toEqual([
      { name: "refused", runs: 1 },
    ]);
    // Immediately, and as if it had not been received.
    const [taken] = await receiveRefused();
    expect(taken).toMatchObject({ run_id: refused, attempt: 1 });
    const waits = { waits: [{ kind: "event", step: "hold", event: "go" }], retries: [] };
    await runs.commit([
      { delivery: taken as Delivery, transition: "suspend", result: { ...waits, journaled: 0 } },
    ]);
    await runs.signal(refused, "go", 1);
    expect(await receiveRefused()).toEqual([]);
    const [resumed] = await receive("apart");
    expect(resumed).toMatchObject({ run_id: refused });
    expect(await violations()).toEqual([]);
    await runs.commit([{ delivery: resumed as Delivery, transition: "complete", result: 1 }]);
    expect(await violations()).toEqual([]);
  });

  it("that are in flight stay in their pool when the workflow changes to another", async () => {
    const runs = await pooled("moved", "before");
    const old = await runs.start();
    await assign("moved", "after");
    const fresh = await runs.start();
    expect(idsOf(await receive("before"))).toEqual([old]);
    expect(idsOf(await receive("after"))).toEqual([fresh]);
    expect(await violations()).toEqual([]);
  });
});

describe("a pool", () => {
  it("takes a workflow only if no worker that names it has runs of it", async () => {
    const runs = new Runs(database, "in-code");
    const runId = await runs.start();
    await expect(assign("in-code", "two")).rejects.toMatchObject({ code: "OX009" });
    await database.query("select queue.workflow_cancel($1)", [runId]);
    await assign("in-code", "two");
    const again = await runs.start();
    expect(idsOf(await receive("two"))).toEqual([again]);
    expect(await violations()).toEqual([]);
  });

  it("admits the runs of its workflows with flow control, and wakes its workers for them", async () => {
    await database.query(`select queue.workflow_set_flow_control('limited', '{"concurrency": 1}')`);
    await assign("limited", "gates");
    const limited = new Runs(database, "limited");
    const free = await pooled("unlimited", "gates");
    const [first, second] = [await limited.start(), await limited.start(", version => 2")];
    const other = await free.start();
    const [a, b, ...more] = await receive("gates");
    expect([idsOf([a, b] as never).toSorted(), more]).toEqual([[first, other].toSorted(), []]);
    const delivery = a?.run_id === first ? a : b;
    if (delivery === undefined) throw new Error("not received");
    const next = () =>
      database.query(
        `select queue.workflow_next_visible_at(array['@gates'], '{"@gates": [1]}') <= clock_timestamp() as now`,
      );
    expect(await next()).toEqual([{ now: false }]);
    await limited.commit([{ delivery, transition: "complete", result: 1 }]);
    expect(await next()).toEqual([{ now: true }]);
    expect(await receive("gates")).toMatchObject([{ run_id: second, version: 2 }]);
    expect(await violations()).toEqual([]);

    // Settings that come later count and hold back what was started before.
    const held = [await free.start(), await free.start()];
    await database.query(
      `select queue.workflow_set_flow_control('unlimited', '{"concurrency": 2}')`,
    );
    expect(idsOf(await receive("gates"))).toEqual([held[0]]);
    expect(await violations()).toEqual([]);
  });

  it("is named as workflows are", async () => {
    for (const name of ["", "@two", "Two", "x".repeat(43)]) {
      await expect(assign("other", name)).rejects.toMatchObject({ code: "OX003" });
    }
  });

  it("wakes its workers, whichever of its workflows has something to do", async () => {
    const runs = await pooled("waking", "sleepers");
    const listener = await database.connect();
    const heard: string[] = [];
    listener.on("notification", ({ channel, payload }) => void heard.push(`${channel} ${payload}`));
    await listener.query('listen "queue___wf_@sleepers"');
    await listener.query("select pg_advisory_lock_shared(queue._wake_key('queue___wf_@sleepers'))");
    const runId = await runs.start();
    await receive("sleepers");
    await database.query("select queue.workflow_pause($1)", [runId]);
    await listener.query("select 1");
    expect(heard).toEqual(["queue___wf_@sleepers ", `queue___wf_@sleepers ${runId}`]);
  });

  it("of 500 workflows with flow control is received without a look at each", async () => {
    await database.query(
      `select queue._set_workflow_pool('gated-' || n, 'barrier'), queue.workflow_set_flow_control('gated-' || n, '{"concurrency": 1}')
       from generate_series(1, 500) as n`,
    );
    await database.query("select queue.workflow_start('gated-7') from generate_series(1, 3)");
    const explain = await planner(database);
    const call = `select * from queue.workflow_receive(array['@barrier'], '{"@barrier": [1]}', 10)`;
    await explain(call);
    const { buffers, scanned } = await explain(call);
    expect(scanned).toEqual([]);
    expect(buffers).toBeLessThan(200);
  });

  it("of 2,000 workflows is received as fast as one of few", async () => {
    await database.query(
      `select queue._set_workflow_pool('many-' || n, 'crowd') from generate_series(1, 2000) as n`,
    );
    await database.query(
      `select queue.workflow_start('many-' || n) from generate_series(1, 2000, 20) as n`,
    );
    const explain = await planner(database);
    const call = `select * from queue.workflow_receive(array['@crowd'], '{"@crowd": [1]}', 10)`;
    await explain(call);
    const { buffers, scanned, indexes } = await explain(call);
    expect(indexes).toContain("workflow_continuation_ready");
    expect(scanned).toEqual([]);
    expect(buffers).toBeLessThan(600);
    const [delivery] = await receive("crowd", 1);
    const end = await explain(
      `select * from queue.workflow_commit(array['x'], array[$1::bigint], array[$2::bigint], array['complete'], array['1']::jsonb[], null)`,
      [delivery?.run_id, delivery?.receipt],
    );
    expect(end.scanned).toEqual([]);
    expect(end.buffers).toBeLessThan(100);
  });
});
