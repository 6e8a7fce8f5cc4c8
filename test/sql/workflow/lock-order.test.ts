/** The order of locks: parents, children and their cancellations take locks in one order, or don't wait. */
import { expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { eventually } from "../../helpers/eventually.ts";
import { only } from "../../helpers/queues.ts";
import { openSession, type Session } from "../../helpers/session.ts";

interface Delivery {
  readonly run_id: string;
  readonly receipt: string;
}

const database = await createDatabase();

const receive = async (name: string): Promise<Delivery> =>
  only(
    await database.query<Delivery & Record<string, unknown>>(
      "select run_id, receipt from queue.workflow_receive(array[$1])",
      [name],
    ),
  );

/** The parent's worker commits that it waits for children, and starts another. */
const invoke = (session: Session, name: string, parent: Delivery, ...children: string[]) =>
  session.query(
    `select outcome from queue.workflow_commit(array[$1], array[$2::bigint], array[$3::bigint], array['keep'],
       array[$4::jsonb], array[null::timestamptz],
       effect_items => array[1], effect_kinds => array['invoke'], effect_steps => array[$5],
       effect_targets => array[$5], effect_events => array[null::text], effect_values => array['1'::jsonb],
       effect_versions => array[1], effect_retention => array[1])`,
    [
      name,
      parent.run_id,
      parent.receipt,
      JSON.stringify({
        waits: children.map((step) => ({ kind: "invoke", step })),
        retries: [],
        journaled: 0,
      }),
      children.at(-1),
    ],
  );

const complete = (session: Session, name: string, run: Delivery) =>
  session.query(
    `select outcome from queue.workflow_commit(array[$1], array[$2::bigint], array[$3::bigint], array['complete'],
       array['1'::jsonb], array[null::timestamptz])`,
    [name, run.run_id, run.receipt],
  );

/** As a worker commits most ends: with the last step. */
const completeWithStep = (session: Session, name: string, run: Delivery) =>
  session.query(
    `select outcome from queue.workflow_commit(array[$1], array[$2::bigint], array[$3::bigint], array['complete'],
       array['1'::jsonb], array[null::timestamptz], step_items => array[1], step_positions => array[1],
       step_names => array['last'], step_kinds => array['run'], step_outputs => array['1'::jsonb],
       step_errors => array[null::jsonb], step_attempts => array[1], step_durations => array[1.0],
       known => array['{}'::jsonb])`,
    [name, run.run_id, run.receipt],
  );

const statusOf = async (runId: string) =>
  only(await database.query("select status::text from queue.workflow_get($1)", [runId]))["status"];

it("a cancel that meets a child started while it waited for locks begins again, and causes no circular wait", async () => {
  const [worker, canceller, holder, child] = await Promise.all([
    openSession(database),
    openSession(database),
    openSession(database),
    openSession(database),
  ]);
  // Each session draws ids from a separate range, so that a child may come before its parent in their order: the
  // cancel locks the parent, then z; the commit of the other child locks that, then the parent.
  await worker.query("select queue.workflow_start('lowest', '{}'::jsonb)");
  await database.query("select queue.workflow_start('m', '{}'::jsonb)");
  const parent = await receive("m");
  await invoke(holder, "m", parent, "z");
  const late = await receive("z");

  await worker.query("begin");
  await invoke(worker, "m", parent, "z", "a");
  await holder.query("begin");
  await holder.query('select from queue."q___wf_z" where msg_id = $1 for update', [late.run_id]);
  const cancelled = canceller.query("select queue.workflow_cancel($1)", [parent.run_id]);
  await canceller.isBlocked(worker);
  await worker.query("commit");
  await canceller.isBlocked(holder);
  const early = await receive("a");
  expect(Number(early.run_id)).toBeLessThan(Number(parent.run_id));
  expect(Number(parent.run_id)).toBeLessThan(Number(late.run_id));
  const ended = complete(child, "a", early);
  await child.isBlocked(canceller);
  await holder.query("commit");

  expect(await cancelled).toEqual([{ workflow_cancel: true }]);
  expect(await ended).toEqual([{ outcome: "ok" }]);
  expect(await statusOf(parent.run_id)).toBe("cancelled");
  expect(await statusOf(early.run_id)).toBe("completed");
  expect(await statusOf(late.run_id)).toBe("cancelled");
});

it("the end of a child that waits for its parent has not locked the child", async () => {
  const [worker, canceller] = await Promise.all([openSession(database), openSession(database)]);
  await database.query("select queue.workflow_start('mother', '{}'::jsonb)");
  const parent = await receive("mother");
  await invoke(worker, "mother", parent, "daughter");
  const child = await receive("daughter");
  const lock = 'select from queue."q___wf_%s" where msg_id = $1 for update';
  await canceller.query("begin");
  await canceller.query(lock.replace("%s", "mother"), [parent.run_id]);
  const ended = completeWithStep(worker, "daughter", child);
  await worker.isBlocked(canceller);
  await canceller.query(`${lock.replace("%s", "daughter")} nowait`, [child.run_id]);
  await canceller.query("commit");
  expect(await ended).toEqual([{ outcome: "ok" }]);
});

it("a receive that ends an overdue child waits for no holder of its parent, and ends it a moment later", async () => {
  await database.query("select queue.workflow_start('father', '{}'::jsonb)");
  const parent = await receive("father");
  const [worker, holder] = await Promise.all([openSession(database), openSession(database)]);
  await invoke(worker, "father", parent, "son");
  await database.query(
    "update queue.workflow_run set deadline = clock_timestamp() where workflow_name = 'son'",
  );
  const [son] = await database.query<{ run_id: string }>(
    "select run_id from queue.workflow_run where workflow_name = 'son'",
  );

  await holder.query("begin");
  await holder.query('select from queue."q___wf_father" where msg_id = $1 for update', [
    parent.run_id,
  ]);
  const receiveSon = () =>
    database.query("select run_id from queue.workflow_receive(array['son'])");
  expect(await receiveSon()).toEqual([]);
  expect(await statusOf(son?.run_id ?? "")).toBe("running");

  await holder.query("commit");
  await eventually(async () => {
    expect(await receiveSon()).toEqual([]);
    return statusOf(son?.run_id ?? "");
  }, "failed");
});

it("a commit that abandons a child which starts a run meanwhile locks again, and causes no circular wait", async () => {
  const [worker, committer, holder, grandchild] = await Promise.all([
    openSession(database),
    openSession(database),
    openSession(database),
    openSession(database),
  ]);
  // As above: the grandchild's id comes before those of the children that the commit has locked.
  await worker.query("select queue.workflow_start('lowest', '{}'::jsonb)");
  await database.query("select queue.workflow_start('abandoning', '{}'::jsonb)");
  const parent = await receive("abandoning");
  await invoke(holder, "abandoning", parent, "y");
  await invoke(holder, "abandoning", parent, "y", "z");
  const [first, second] = [await receive("y"), await receive("z")];

  await worker.query("begin");
  await invoke(worker, "y", first, "early");
  await holder.query("begin");
  await holder.query("select from queue.workflow_continuation where msg_id = $1 for update", [
    second.run_id,
  ]);
  const committed = committer.query(
    `select outcome from queue.workflow_commit('{abandoning}', array[$1::bigint], array[$2::bigint], '{keep}', null, null,
       effect_items => '{1,1}', effect_kinds => '{cancel,cancel}', effect_steps => '{y,z}')`,
    [parent.run_id, parent.receipt],
  );
  await committer.isBlocked(worker);
  await worker.query("commit");
  await committer.isBlocked(holder);
  const early = await receive("early");
  expect(Number(early.run_id)).toBeLessThan(Number(first.run_id));
  const ended = complete(grandchild, "early", early);
  await grandchild.isBlocked(committer);
  await holder.query("commit");

  expect(await committed).toEqual([{ outcome: "ok" }]);
  expect(await ended).toEqual([{ outcome: "ok" }]);
  expect(await statusOf(first.run_id)).toBe("cancelled");
  expect(await statusOf(second.run_id)).toBe("cancelled");
  expect(await statusOf(early.run_id)).toBe("completed");
});
