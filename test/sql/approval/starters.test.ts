/** The starters of a run, as approvals exclude them: known in whichever shard, whatever happens to its cause. */
import { describe, expect, it } from "vitest";
import type { TestDatabase } from "../../helpers/database.ts";
import { createFleet, routesAt } from "../../helpers/fleet.ts";
import { accept, move, take } from "../../helpers/outbox.ts";

const { a, b } = (await createFleet()).databases;
/** A route that is at home in shard "b". */
const [route] = await routesAt(a, "b");

interface Leased {
  readonly database: TestDatabase;
  readonly workflow: string;
  readonly run: string;
  readonly receipt: string;
}

/** Runs a statement for a person, in a separate transaction. */
async function actAs(
  actor: string,
  database: TestDatabase,
  text: string,
  values: unknown[] = [],
): Promise<unknown> {
  const session = await database.connect();
  await session.query("begin");
  await session.query("select set_config('oxbow.actor', $1, true)", [actor]);
  const { rows } = await session.query<{ value: unknown }>(`select ${text} as value`, values);
  await session.query("commit");
  await session.end();
  return rows[0]?.value;
}

async function receive(database: TestDatabase, workflow: string): Promise<Leased> {
  const [row] = await database.query<{ run: string; receipt: string }>(
    "select run_id::text as run, receipt::text from queue.workflow_receive(array[$1], max_runs => 1)",
    [workflow],
  );
  if (row === undefined) throw new Error(`No run of ${workflow} is ready.`);
  return { database, workflow, ...row };
}

async function startAs(actor: string, database: TestDatabase, workflow: string): Promise<Leased> {
  await actAs(actor, database, "(queue.workflow_start($1)).run_id", [workflow]);
  return receive(database, workflow);
}

async function commit(
  { database, workflow, run, receipt }: Leased,
  transition: string,
  result: unknown,
): Promise<void> {
  await database.query(
    `select queue.workflow_commit(array[$1], array[$2::bigint], array[$3::bigint], array[$4], array[$5::jsonb],
       array[null::timestamptz])`,
    [workflow, run, receipt, transition, JSON.stringify(result)],
  );
}

/** Commits a step that has an effect, and keeps or gives back the lease. */
async function have(
  { database, workflow, run, receipt }: Leased,
  effect: { kind: string; target?: string; event?: string; value?: unknown },
  wait: object,
  transition = "suspend",
): Promise<void> {
  const [row] = await database.query(
    `select outcome from queue.workflow_commit(array[$1], array[$2::bigint], array[$3::bigint], array[$4],
       array[$5::jsonb], array[null::timestamptz], effect_items => array[1], effect_kinds => array[$6],
       effect_steps => array['step'], effect_targets => array[$7], effect_events => array[$8],
       effect_values => array[$9::jsonb], effect_versions => array[null::integer],
       effect_retention => array[null::integer], effect_traces => array[null::jsonb])`,
    [
      workflow,
      run,
      receipt,
      transition,
      JSON.stringify({ waits: [wait], retries: [], journaled: 0 }),
      effect.kind,
      effect.target ?? null,
      effect.event ?? null,
      JSON.stringify(effect.value ?? null),
    ],
  );
  expect(row).toEqual({ outcome: "ok" });
}

const invoke = (parent: Leased, target: string, transition?: string): Promise<void> =>
  have(parent, { kind: "invoke", target }, { kind: "invoke", step: "step" }, transition);
const invokeElsewhere = (parent: Leased, target: string): Promise<void> =>
  have(parent, { kind: "invoke", target, event: route }, { kind: "invoke", step: "step", route });
const detach = (parent: Leased, target: string): Promise<void> =>
  have(parent, { kind: "detach", target }, { kind: "sleep", step: "other" });

/** Lets people decide a request of the run, one after the other. Returns the names that are refused. */
async function excluded(asking: Leased, ...people: string[]): Promise<string[]> {
  await have(
    asking,
    { kind: "approval", value: { title: "Ship?", excludeStarter: true } },
    { kind: "event", step: "step", event: " approval:step", approval: true },
  );
  const refused: string[] = [];
  for (const person of people) {
    try {
      await asking.database.query(
        `select queue.approval_decide(approval_id, 'approved', null, $2)
         from queue.approval_list(run_id => $1)`,
        [asking.run, person],
      );
    } catch (error) {
      if ((error as { code?: string }).code !== "OX023") throw error;
      refused.push(person);
    }
  }
  return refused;
}

/** Delivers what waits in a shard, after a relay that died before it could note that. */
async function deliver(from: TestDatabase, to: TestDatabase, target: string): Promise<void> {
  const session = await from.connect();
  await session.query("begin");
  await accept(to, await take(session, target));
  await session.query("rollback");
  await session.end();
  const { outcomes } = await move(from, to, target);
  expect(new Set(outcomes)).toEqual(new Set(["ok"]));
}

describe("a run of another shard", () => {
  const elsewhere = (actor: string, workflow: string, key: string | null = null) =>
    actAs(actor, a, "(queue.workflow_start_elsewhere($1, $2, idempotency_key => $3)).run_id", [
      route,
      workflow,
      key,
    ]);

  it("is not decided by the person whose transaction started it", async () => {
    await elsewhere("ada", "start");
    await deliver(a, b, "b");
    expect(await excluded(await receive(b, "start"), "ada", "bob")).toEqual(["ada"]);
  });

  it("has the starter who came first, if its key was taken", async () => {
    await actAs("bob", b, "(queue.workflow_start('keyed', idempotency_key => $1)).run_id", [
      `${route}/1`,
    ]);
    await elsewhere("ada", "keyed", `${route}/1`);
    await deliver(a, b, "b");
    expect(await excluded(await receive(b, "keyed"), "bob", "ada")).toEqual(["bob"]);
  });

  it("is not decided by its starter after the start has followed a key that moved", async () => {
    await elsewhere("ada", "followed", `${route}/2`);
    await deliver(a, b, "b");
    await b.query(
      "select queue.hand_over_run(run_id, 'a') from queue.workflow_run where workflow_name = 'followed'",
    );
    await deliver(b, a, "a");
    await a.query(
      "select queue.workflow_cancel(run_id) from queue.workflow_run where workflow_name = 'followed'",
    );
    await actAs(
      "bob",
      a,
      "(queue.workflow_start_elsewhere($1, 'followed', idempotency_key => $2, on_ended => 'start-new')).run_id",
      [route, `${route}/2`],
    );
    await deliver(a, b, "b");
    await deliver(b, a, "a");
    expect(await excluded(await receive(a, "followed"), "bob", "ada")).toEqual(["bob"]);
  });

  it("is not decided by the starters of its parents", async () => {
    const parent = await startAs("ada", a, "parent");
    await invokeElsewhere(parent, "child");
    await deliver(a, b, "b");
    const child = await receive(b, "child");
    await invoke(child, "grandchild");
    expect(await excluded(await receive(b, "grandchild"), "ada", "bob")).toEqual(["ada"]);
  });

  it("is not decided by them either if a retry of its parent invoked it", async () => {
    const parent = await startAs("ada", a, "retried");
    await invokeElsewhere(parent, "failing");
    await deliver(a, b, "b");
    const first = await receive(b, "failing");
    await commit(first, "fail", { name: "Error", message: "boom" });
    await deliver(b, a, "a");
    const error = { code: "STEP_FAILED", message: `Step "step" of run ${parent.run} failed` };
    await commit(await receive(a, "retried"), "fail", error);
    await actAs("bob", a, "queue.workflow_retry($1)", [parent.run]);
    await invokeElsewhere(await receive(a, "retried"), "failing");
    await deliver(a, b, "b");
    const second = await receive(b, "failing");
    expect(second.run).not.toBe(first.run);
    expect(await excluded(second, "ada", "bob")).toEqual(["ada"]);
  });
});

describe("a run that something caused which is gone", () => {
  const handOver = async (run: string): Promise<void> => {
    expect(await a.query("select queue.hand_over_run($1, 'b') as moved", [run])).toEqual([
      { moved: true },
    ]);
    await deliver(a, b, "b");
  };

  it("keeps the starters of a parent that moved", async () => {
    const parent = await startAs("ada", a, "leaves");
    await detach(parent, "stays");
    await handOver(parent.run);
    expect(await excluded(await receive(a, "stays"), "ada", "bob")).toEqual(["ada"]);
  });

  it("keeps the starters of a parent that stays", async () => {
    const parent = await startAs("ada", a, "remains");
    await detach(parent, "moves");
    const [child] = await a.query<{ run: string }>(
      "select run_id::text as run from queue.workflow_run where parent_run_id = $1",
      [parent.run],
    );
    await handOver(child?.run ?? "");
    expect(await excluded(await receive(b, "moves"), "ada", "bob")).toEqual(["ada"]);
  });

  it("keeps the starters of the run that it repeats", async () => {
    const first = await startAs("ada", a, "repeated");
    await commit(first, "complete", 1);
    await actAs("bob", a, "queue.workflow_rerun($1)", [first.run]);
    await handOver(first.run);
    expect(await excluded(await receive(a, "repeated"), "ada", "bob", "cyd")).toEqual([
      "ada",
      "bob",
    ]);
  });

  it("keeps the starters of a parent that has continued as new, or was deleted", async () => {
    const parent = await startAs("ada", a, "continues");
    await detach(parent, "earlier");
    await a.query(
      "update queue.workflow_continuation set visible_at = clock_timestamp() where msg_id = $1",
      [parent.run],
    );
    await commit(await receive(a, "continues"), "continue", { input: null });
    expect(await excluded(await receive(a, "earlier"), "ada", "bob")).toEqual(["ada"]);

    const next = await receive(a, "continues");
    await detach(next, "orphan");
    await a.query("select queue.workflow_cancel($1)", [next.run]);
    await a.query(
      "update queue.workflow_run set expires_at = now() - interval '1 day' where run_id = $1",
      [next.run],
    );
    await a.query("select queue.workflow_sweep()");
    expect(await a.query("select from queue.workflow_run where run_id = $1", [next.run])).toEqual(
      [],
    );
    expect(await excluded(await receive(a, "orphan"), "ada", "bob")).toEqual(["ada"]);
  });

  it("keeps them after a retry of its parent has given up the link", async () => {
    const parent = await startAs("ada", a, "forgets");
    await invoke(parent, "forgotten");
    const child = await receive(a, "forgotten");
    await commit(child, "fail", { name: "Error", message: "boom" });
    const error = { code: "STEP_FAILED", message: `Step "step" of run ${parent.run} failed` };
    await commit(await receive(a, "forgets"), "fail", error);
    await actAs("ada", a, "queue.workflow_retry($1)", [parent.run]);
    await actAs("ada", a, "queue.workflow_retry($1)", [child.run]);
    const again = await receive(a, "forgotten");
    expect(again.run).toBe(child.run);
    expect(await excluded(again, "ada", "bob")).toEqual(["ada"]);
  });

  it("breaks no invariant", async () => {
    for (const database of [a, b]) {
      expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
    }
  });
});
