/** Failures of runs in another shard around a retry of their parent: which attempt of the parent they belong to. */
import { describe, expect, it } from "vitest";
import { eventually } from "../../helpers/eventually.ts";
import { createFleet } from "../../helpers/fleet.ts";
import {
  end,
  invoke as invokeBy,
  type Leased,
  receive,
  routeAt,
  start,
} from "../../helpers/invoking.ts";
import { move } from "../../helpers/outbox.ts";
import { openSession, openTransaction } from "../../helpers/session.ts";

const { a, b } = (await createFleet()).databases;
const route = await routeAt(a, "b");

const BOOM = { name: "Error", message: "boom" };
const OTHER = { name: "Error", message: "of another step" };

const invoke = (parent: Leased, transition: "suspend" | "keep", database = a): Promise<unknown> =>
  invokeBy(database, parent, { route, transition });

/** What the journal of a parent has of its step. */
const journal = async ({ run }: Leased, database = a): Promise<unknown> =>
  database.query("select output, error from queue.workflow_step where run_id = $1", [run]);

const failed = [{ output: null, error: BOOM }];
const completed = [{ output: 2, error: null }];

/** A parent whose policy retries it while its child runs. */
async function retried(): Promise<{ parent: Leased; child: Leased }> {
  const first = await start(a, "parent");
  await invoke(first, "keep");
  await move(a, b, "b");
  const child = await receive(b, "child");
  await end(a, "parent", first, "retry", OTHER);
  return { parent: await receive(a, "parent"), child };
}

async function completesBy(parent: Leased): Promise<void> {
  await end(b, "child", await receive(b, "child"), "complete", 2);
  await move(b, a, "a");
  expect(await journal(parent)).toEqual(completed);
  await end(a, "parent", await receive(a, "parent"), "complete", 1);
}

describe("a run in another shard", () => {
  it("that has failed before its retried parent invokes it again is started again", async () => {
    const { parent, child } = await retried();
    await end(b, "child", child, "fail", BOOM);
    await invoke(parent, "suspend");
    expect((await move(b, a, "a")).outcomes).toEqual(["gone"]);
    expect(await journal(parent)).toEqual([]);
    await move(a, b, "b");
    await completesBy(parent);
  });

  it("that has completed before its retried parent invokes it again is not", async () => {
    const { parent, child } = await retried();
    await end(b, "child", child, "complete", 2);
    await invoke(parent, "suspend");
    await move(b, a, "a");
    expect(await journal(parent)).toEqual(completed);
    await move(a, b, "b");
    expect((await move(b, a, "a")).outcomes).toEqual(["gone"]);
    await end(a, "parent", await receive(a, "parent"), "complete", 1);
    await expect(receive(b, "child")).rejects.toThrow(/ready/);
  });

  it("that fails after its retried parent has found it again fails the step", async () => {
    const { parent, child } = await retried();
    await invoke(parent, "suspend");
    await move(a, b, "b");
    await end(b, "child", child, "fail", BOOM);
    expect((await move(b, a, "a")).outcomes).toEqual(["ok"]);
    expect(await journal(parent)).toEqual(failed);
    await end(a, "parent", await receive(a, "parent"), "complete", 1);
  });

  it("that fails while its retried parent invokes it again is started again", async () => {
    const { parent, child } = await retried();
    await invoke(parent, "suspend");
    const worker = await openTransaction(b);
    await worker.query(
      `select queue.workflow_commit(array['child'], array[$1::bigint], array[$2::bigint], array['fail'],
         array[$3::jsonb], array[null::timestamptz])`,
      [child.run, child.receipt, JSON.stringify(BOOM)],
    );
    const moving = move(a, b, "b");
    // The connection of the database is that of the move.
    const watcher = await openSession(b);
    await eventually(
      () =>
        watcher.query("select from pg_stat_activity where $1::int = any (pg_blocking_pids(pid))", [
          worker.pid,
        ]),
      { length: 1 },
    );
    await worker.query("commit");
    expect((await moving).outcomes).toEqual(["ok"]);
    expect((await move(b, a, "a")).outcomes).toEqual(["gone"]);
    expect(await journal(parent)).toEqual([]);
    await completesBy(parent);
  });

  it("whose shard is of a release that sends no attempts fails the step of a retried parent", async () => {
    const { parent, child } = await retried();
    await invoke(parent, "suspend");
    await move(a, b, "b");
    await b.query("update queue.workflow_run set parent_rewound = null where run_id = $1", [
      child.run,
    ]);
    await end(b, "child", child, "fail", BOOM);
    await move(b, a, "a");
    expect(await journal(parent)).toEqual(failed);
    await end(a, "parent", await receive(a, "parent"), "complete", 1);
  });

  it("that rolls back is started again by a parent that was retried, and has moved next to it", async () => {
    const undone = { code: "RUN_CANCELLED", message: "undo" };
    const parent = await start(a, "parent");
    await invoke(parent, "keep");
    await move(a, b, "b");
    const child = await receive(b, "child");
    await a.query("select queue.workflow_cancel($1, 'undo', true)", [parent.run]);
    await move(a, b, "b");
    await end(a, "parent", parent, "release", null);
    await end(a, "parent", await receive(a, "parent"), "cancel", undone);
    await a.query("select queue.workflow_retry($1)", [parent.run]);
    await a.query("select queue.hand_over_run($1, 'b')", [parent.run]);
    await move(a, b, "b");
    await invoke(await receive(b, "parent"), "suspend", b);

    await end(b, "child", child, "release", null);
    const children = [await receive(b, "child"), await receive(b, "child")];
    const [undoing, again] = children.toSorted((x) => (x.run === child.run ? -1 : 1));
    await end(b, "child", undoing as Leased, "cancel", undone);
    expect(await journal(parent, b)).toEqual([]);
    await end(b, "child", again as Leased, "complete", 2);
    expect(await journal(parent, b)).toEqual(completed);
    await end(b, "parent", await receive(b, "parent"), "complete", 1);
  });

  it("that failed for the last attempt of a parent which has moved next to it fails the step", async () => {
    const { parent, child } = await retried();
    await invoke(parent, "suspend");
    await move(a, b, "b");
    await end(b, "child", child, "fail", BOOM);
    await a.query("select queue.hand_over_run($1, 'b')", [parent.run]);
    await move(a, b, "b");
    await move(b, a, "a");
    await move(a, b, "b");
    expect(await journal(parent, b)).toEqual(failed);
    expect(
      await b.query("select run_id::text as run from queue.workflow_run where parent_run_id = $1", [
        parent.run,
      ]),
    ).toEqual([{ run: child.run }]);
    await end(b, "parent", await receive(b, "parent"), "complete", 1);
  });

  it("breaks no invariant", async () => {
    for (const database of [a, b]) {
      expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
    }
  });
});
