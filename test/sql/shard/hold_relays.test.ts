/** Relays that are held: nothing arrives from other shards, nothing else waits, and no hold is for ever. */
import { expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { eventually } from "../../helpers/eventually.ts";
import { createFleet } from "../../helpers/fleet.ts";
import { acceptIn, move, pending, startIn, take } from "../../helpers/outbox.ts";
import { openSession, openTransaction, type Session } from "../../helpers/session.ts";

const { a, b } = (await createFleet()).databases;

const HOLD = "select queue.hold_relays()";

/** Asked in another session than that of the one that waits. */
const waitsForLock = async (watcher: Session): Promise<unknown> =>
  eventually(
    () =>
      watcher.query(
        `select from pg_locks where relation = 'queue.accepted'::regclass and not granted
           and database = (select oid from pg_database where datname = current_database())`,
      ),
    { length: 1 },
  );

it("nothing arrives until the transaction ends, and everything else continues", async () => {
  const run = await startIn(b);
  const holder = await openTransaction(b);
  await holder.query(HOLD);

  await a.query("select queue.workflow_signal($1, 'go', '1')", [run]);
  const moving = move(a, b, "b");
  const other = await openSession(b);
  await waitsForLock(other);
  await other.query("select queue.workflow_signal($1, 'go', '2')", [run]);
  await other.query("select queue.workflow_start('crossed')");
  const received =
    "select payload from queue.workflow_buffered_signal where run_id = $1 order by payload";
  expect(await other.query(received, [run])).toEqual([{ payload: 2 }]);
  await holder.query("commit");
  expect((await moving).outcomes).toEqual(["ok"]);
  expect(await b.query(received, [run])).toEqual([{ payload: 1 }, { payload: 2 }]);
  expect(await pending(a)).toEqual([]);
});

it("a hold waits for what is arriving", async () => {
  const run = await startIn(b);
  await a.query("select queue.workflow_signal($1, 'go', '1')", [run]);
  const [source, target] = [await a.connect(), await b.connect()];
  await source.query("begin");
  await target.query("begin");
  await acceptIn(target, await take(source, "b"));
  const holder = await openSession(b);
  const holding = holder.query(HOLD);
  await holder.isBlocked();
  await target.query("commit");
  await source.query("rollback");
  expect(await holding).toHaveLength(1);
  expect((await move(a, b, "b")).outcomes).toEqual(["ok"]);
});

it("ends with its connection, and after a minute of silence", async () => {
  const holder = await openTransaction(b);
  await holder.query(HOLD);
  expect(await holder.query("show idle_in_transaction_session_timeout")).toEqual([
    { idle_in_transaction_session_timeout: "1min" },
  ]);
  await a.query("select queue.workflow_signal($1, 'go', '1')", [await startIn(b)]);
  const moving = move(a, b, "b");
  const other = await openSession(b);
  await waitsForLock(other);
  await other.query("select pg_terminate_backend($1)", [holder.pid]);
  expect((await moving).outcomes).toEqual(["ok"]);
});

it("gives up after ten seconds, and reports what it has waited for", async () => {
  const holder = await openTransaction(b);
  await holder.query(HOLD);
  await expect(b.query(HOLD)).rejects.toMatchObject({
    code: "55P03",
    message: expect.stringContaining('the relays of shard "b" are held by another checkpoint'),
  });
  await holder.query("rollback");
  expect(await b.query(HOLD)).toHaveLength(1);
});

it("is recorded, and refused by a standalone database", async () => {
  await b.query(HOLD);
  expect(
    await b.query("select action from queue.audit_list() as l where action = 'shard.hold_relays'"),
  ).not.toEqual([]);
  const alone = await createDatabase();
  await expect(alone.query(HOLD)).rejects.toMatchObject({ code: "OX004" });
});
