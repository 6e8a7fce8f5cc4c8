/** Items from one shard to another: each has its effect once, whatever is lost, repeated or rejected in between. */
import type pg from "pg";
import { describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../../helpers/database.ts";
import { createFleet } from "../../helpers/fleet.ts";
import {
  accept,
  acceptIn,
  acceptOnly,
  move,
  pending,
  startIn,
  take,
} from "../../helpers/outbox.ts";

const { a, b } = (await createFleet()).databases;

async function signal(
  from: TestDatabase | pg.Client,
  run: string,
  payload: unknown,
  deduplicationId?: string,
): Promise<string> {
  const text = "select queue.workflow_signal($1, 'go', $2, $3) as outcome";
  const values = [run, JSON.stringify(payload), deduplicationId ?? null];
  const { query }: { query: (text: string, values: unknown[]) => Promise<unknown> } = from;
  const answer = await query.call(from, text, values);
  const rows = Array.isArray(answer) ? answer : (answer as pg.QueryResult).rows;
  return (rows as { outcome: string }[])[0]?.outcome ?? "";
}

async function received(database: TestDatabase, run: string): Promise<unknown[]> {
  const rows = await database.query<{ payload: unknown }>(
    "select payload from queue.workflow_buffered_signal where run_id = $1 order by signal_id",
    [run],
  );
  return rows.map(({ payload }) => payload);
}

describe("a signal to a run of another shard", () => {
  it("is written by its transaction, and reaches the run when it is moved", async () => {
    const run = await startIn(b);
    const session = await a.connect();
    await session.query("begin");
    expect(await signal(session, run, { n: 1 })).toBe("sent");
    await session.query("rollback");
    expect(await pending(a)).toEqual([]);

    for (const payload of [{ n: 2 }, null, "3"]) expect(await signal(a, run, payload)).toBe("sent");
    await a.query("select queue.workflow_signal($1, 'go')", [run]);
    expect(await pending(a)).toEqual(["b"]);
    expect((await move(a, b, "b")).outcomes).toEqual(["ok", "ok", "ok", "ok"]);
    expect(await received(b, run)).toEqual([{ n: 2 }, null, "3", null]);
    const missing = await b.query<{ n: number }>(
      "select count(*)::integer as n from queue.workflow_buffered_signal where run_id = $1 and payload is null",
      [run],
    );
    expect(missing).toEqual([{ n: 1 }]);
    expect(await pending(a)).toEqual([]);
  });

  it("resolves its wait, and counts once by its deduplication id", async () => {
    const run = await startIn(b);
    await signal(a, run, 1, "once");
    await signal(a, run, 2, "once");
    await move(a, b, "b");
    expect(await received(b, run)).toEqual([1]);
  });

  it("is nothing to a run that is gone, and an error for an id of no shard", async () => {
    await signal(a, String(2n ** 36n + 10n ** 9n), 1);
    expect((await move(a, b, "b")).outcomes).toEqual(["gone"]);
    await expect(signal(a, String(9n * 2n ** 36n), 1)).rejects.toMatchObject({ code: "OX005" });
    await expect(
      a.query("select queue.workflow_signal($1, ' go')", [await startIn(b)]),
    ).rejects.toMatchObject({ code: "OX003" });
  });
});

describe("delivery", () => {
  it("of the same items twice has one effect, also at the same time", async () => {
    const run = await startIn(b);
    for (let n = 0; n < 5; n++) await signal(a, run, n);
    const session = await a.connect();
    await session.query("begin");
    const batch = await take(session, "b");
    // A relay whose answer was lost, and two that are slow.
    const other = await b.connect();
    await other.query("begin");
    await acceptIn(other, batch);
    const second = accept(b, batch);
    await other.query("commit");
    expect((await second).outcomes).toEqual(Array.from({ length: 5 }, () => "ok"));
    await session.query("rollback");
    await move(a, b, "b");
    expect(await received(b, run)).toEqual([0, 1, 2, 3, 4]);
  });

  it("finds items whose ids commit after later ones", async () => {
    const run = await startIn(b);
    const late = await a.connect();
    await late.query("begin");
    await signal(late, run, "early id");
    await signal(a, run, "late id");
    await move(a, b, "b");
    expect(await received(b, run)).toEqual(["late id"]);
    await late.query("commit");
    await move(a, b, "b");
    expect(await received(b, run)).toEqual(["late id", "early id"]);
  });

  it("is by one relay at a time for a pair, which a relay that died does not block", async () => {
    const run = await startIn(b);
    await signal(a, run, 1);
    const dead = await a.connect();
    await dead.query("begin");
    expect((await take(dead, "b")).size).toBe(1);
    const other = await a.connect();
    await other.query("begin");
    expect(await take(other, "b")).toBeUndefined();
    await other.query("rollback");
    const [row] = (await dead.query("select pg_backend_pid() as pid")).rows as { pid: number }[];
    const ended = dead.query("select pg_sleep(60)").catch(() => {});
    await a.query("select pg_terminate_backend($1, 5000)", [row?.pid]);
    await ended;
    await move(a, b, "b");
    expect(await received(b, run)).toEqual([1]);
  });

  it("of what can't be carried out rejects only that, until it is repeated", async () => {
    const run = await startIn(b);
    await signal(a, run, 1);
    // As from a fault of ours.
    await a.query(
      `insert into queue.outbox (created_at, target, kind, body) values
         (now(), 1, 'cancel', '{"run": "y"}'), (now(), 1, 'signal', '{"run": "x"}'),
         (now(), 1, 'child_cancel', '{"parent": "x", "step": "s"}')`,
    );
    await signal(a, run, 2);
    const answer = await move(a, b, "b");
    expect(answer.outcomes).toEqual(["ok", "rejected", "rejected", "rejected", "ok"]);
    expect(answer.problems[1]).toContain('"y"');
    expect(await received(b, run)).toEqual([1, 2]);
    expect(await pending(a)).toEqual([]);
    expect(await a.query("select shard, kind, problem from queue.outbox_rejected()")).toEqual([
      { shard: "b", kind: "cancel", problem: answer.problems[1] },
      { shard: "b", kind: "signal", problem: answer.problems[2] },
      { shard: "b", kind: "child_cancel", problem: answer.problems[3] },
    ]);
    for (const most of [null, 0, -1]) {
      await expect(a.query("select from queue.outbox_rejected($1)", [most])).rejects.toMatchObject({
        code: "OX004",
      });
    }
    expect(await a.query("select shard, items, rejected from queue.shard_lag()")).toEqual([
      { shard: "b", items: "0", rejected: "3" },
    ]);

    await a.query("delete from queue.outbox where kind = 'child_cancel'");
    await a.query(`update queue.outbox set kind = 'signal', body = $1 where problem is not null`, [
      { run, event: "go", payload: 3 },
    ]);
    expect(await a.query("select queue.outbox_repeat() as n")).toEqual([{ n: "2" }]);
    expect((await move(a, b, "b")).outcomes).toEqual(["ok", "ok"]);
    expect(await received(b, run)).toEqual([1, 2, 3, 3]);
  });

  it("of a kind that the other shard does not know yet waits for its upgrade, and so does what follows", async () => {
    const run = await startIn(b);
    await signal(a, run, 1);
    await a.query(
      "insert into queue.outbox (created_at, target, kind, body) values (now(), 1, 'unheard-of', '{}')",
    );
    await signal(a, run, 2);
    await expect(move(a, b, "b")).rejects.toMatchObject({
      code: "OX006",
      message: 'unknown kind "unheard-of" of an item',
    });
    expect(await received(b, run)).toEqual([]);
    expect(await a.query("select from queue.outbox_rejected()")).toEqual([]);
    await a.query("update queue.outbox set kind = 'signal', body = $1 where kind = 'unheard-of'", [
      { run, event: "go", payload: 3 },
    ]);
    await move(a, b, "b");
    expect(await received(b, run)).toEqual([1, 3, 2]);
  });

  it("fails as a whole by what passes, and is repeated", async () => {
    const run = await startIn(b);
    await signal(a, run, 1);
    const holder = await b.connect();
    await holder.query("begin");
    await holder.query("select from queue.workflow_continuation where msg_id = $1 for update", [
      run,
    ]);
    // Well before the client of a relay gives up, whose backend would wait on.
    const startedAt = performance.now();
    await expect(move(a, b, "b")).rejects.toMatchObject({ code: "55P03" });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await holder.query("rollback");
    await move(a, b, "b");
    expect(await received(b, run)).toEqual([1]);
  });

  it("of a batch that was read long ago is refused, as is one for another shard or fleet", async () => {
    const run = await startIn(b);
    await signal(a, run, 1);
    const session = await a.connect();
    await session.query("begin");
    const batch = await take(session, "b");
    for (const hours of [-61, 61]) {
      const moved = new Date(Date.parse(batch.read_at) + hours * 60_000).toISOString();
      await expect(accept(b, { ...batch, read_at: moved })).rejects.toMatchObject({
        code: "OX004",
        message: expect.stringContaining("more than an hour") as string,
      });
    }
    await expect(accept(a, batch)).rejects.toMatchObject({ code: "OX028" });
    const stranger = { ...batch, fleet_id: "7b4c1f5e-2f57-4a39-8a4c-3f4a7d6f1c11" };
    await expect(accept(b, stranger)).rejects.toMatchObject({ code: "OX028" });
    await session.query("rollback");
    await move(a, b, "b");
    expect(await received(b, run)).toEqual([1]);
  });

  it("begins again for the last hour when the target may have lost commits", async () => {
    const run = await startIn(b);
    for (const n of [1, 2]) await signal(a, run, n);
    await move(a, b, "b");
    // A crash loses the effect and the receipt of one, and skips ids.
    await b.query(
      "delete from queue.workflow_buffered_signal where run_id = $1 and payload = '2'",
      [run],
    );
    await b.query(
      "delete from queue.accepted where item_id = (select max(item_id) from queue.accepted)",
    );
    await move(a, b, "b");
    expect(await received(b, run)).toEqual([1]);
    await b.query("select setval('queue.crash_marker', 1, false)");
    await b.query("select set_config('oxbow.ids_are_ahead', '', false)");
    // Even without any item.
    await move(a, b, "b");
    await move(a, b, "b");
    expect(await received(b, run)).toEqual([1, 2]);
    await move(a, b, "b");
    expect(await received(b, run)).toEqual([1, 2]);
  });

  it("begins again where a shard was before it was away for days, and lost commits", async () => {
    const run = await startIn(b);
    for (const n of [1, 2]) await signal(a, run, n);
    await move(a, b, "b");
    await move(a, b, "b");
    await b.query(
      "delete from queue.workflow_buffered_signal where run_id = $1 and payload = '2'",
      [run],
    );
    await b.query(
      "delete from queue.accepted where item_id = (select max(item_id) from queue.accepted)",
    );
    await a.query("update queue.outbox set delivered_at = delivered_at - interval '2 days'");
    await a.query("update queue.fleet_shard set answered_at = answered_at - interval '2 days'");
    await b.query("update queue.accepted set accepted_at = accepted_at - interval '2 days'");
    await b.query("select setval('queue.crash_marker', 1, false)");
    await b.query("select set_config('oxbow.ids_are_ahead', '', false)");
    // The first has an item, and its relay dies before it notes the answer.
    await signal(a, run, 3);
    await acceptOnly(a, b, "b");
    for (let n = 0; n < 3; n++) await move(a, b, "b");
    expect(await received(b, run)).toEqual([1, 3, 2]);
  });

  it("keeps receipts until the source has noted them, and then for a day", async () => {
    const run = await startIn(b);
    const late = await a.connect();
    await late.query("begin");
    await signal(late, run, "late");
    await signal(a, run, "kept");
    await acceptOnly(a, b, "b");
    // The source is away for two days, before it could note the delivery.
    await b.query("update queue.accepted set accepted_at = accepted_at - interval '2 days'");
    await a.query("update queue.outbox set delivered_at = delivered_at - interval '2 days'");
    await late.query("commit");
    await move(a, b, "b", 1);
    await move(a, b, "b");
    expect(await received(b, run)).toEqual(["kept", "late"]);
    await b.query("update queue.accepted set accepted_at = accepted_at - interval '2 days'");
    await signal(a, run, "new");
    await move(a, b, "b");
    // The source has not noted that one yet.
    const receipts = async () => b.query("select count(*)::integer as n from queue.accepted");
    expect(await receipts()).not.toEqual([{ n: 1 }]);
    await move(a, b, "b");
    expect(await receipts()).toEqual([{ n: 1 }]);
    expect(
      await a.query(
        "select count(*)::integer as n from queue.outbox where delivered_at < now() - interval '1 day'",
      ),
    ).toEqual([{ n: 0 }]);
  });
});

it("the lag counts up to 10,000 items, and has the age of the first", async () => {
  const { databases } = await createFleet();
  const first = databases.a;
  await first.query(
    `insert into queue.outbox (created_at, target, kind, body)
     select now() - interval '1 hour' + n * interval '1 ms', 1, 'signal', '{}' from generate_series(1, 10020) as n`,
  );
  const lag =
    "select items, oldest_seconds between 3590 and 3660 as is_old, rejected from queue.shard_lag()";
  expect(await first.query(lag)).toEqual([{ items: "10000", is_old: true, rejected: "0" }]);
  await first.query("update queue.outbox set problem = 'x'");
  expect(await first.query(lag)).toEqual([{ items: "0", is_old: false, rejected: "10000" }]);
});

it("a new database that takes the place of a shard sends items that the others don't know", async () => {
  const { databases } = await createFleet();
  const [lost, other] = Object.values(databases) as [TestDatabase, TestDatabase];
  const run = await startIn(other);
  await signal(lost, run, "old");
  await move(lost, other, "b");
  const replacement = await createDatabase();
  const [row] = await lost.query<{ map: object }>("select queue.fleet_map() - 'own' as map");
  await replacement.query("select queue.join_fleet('a', $1)", [JSON.stringify(row?.map)]);
  await signal(replacement, run, "new");
  await move(replacement, other, "b");
  expect(await received(other, run)).toEqual(["old", "new"]);
});

it("copies neither send nor accept while they are held, and take nothing into a sandbox", async () => {
  const fleet = await createFleet();
  const [first, second] = Object.values(fleet.databases) as [TestDatabase, TestDatabase];
  const run = await startIn(second);
  await signal(first, run, 1);
  const session = await first.connect();
  await second.query("select queue.hold_incarnation('copy')");
  await expect(move(first, second, "b")).rejects.toMatchObject({ code: "OX028" });
  await first.query("select queue.hold_incarnation('copy')");
  expect(await take(session, "b")).toBeUndefined();
  await first.query("select queue.release_incarnation('sandbox')");
  expect(await pending(first)).toEqual([]);
  expect(await first.query("select from queue.outbox")).toEqual([]);
});

it("a step that a retry repeats sends its signal again", async () => {
  const [source, target] = [await startIn(a), await startIn(b)];
  const receive = async (): Promise<string | undefined> => {
    const [delivery] = await a.query<{ receipt: string }>(
      "select receipt::text from queue.workflow_receive(array['crossed'], null, 100, 60) where run_id = $1",
      [source],
    );
    return delivery?.receipt;
  };
  const failure = '{"message": "lost", "code": "STEP_FAILED"}';
  // The body fails by a step that runs at the same time.
  const end = async (transition: string): Promise<void> => {
    const receipt = await receive();
    await a.query(
      `select * from queue.workflow_commit(
         array['crossed'], array[$1::bigint], array[$2::bigint], array[$3], array[$4::jsonb], array[now()],
         array[1, 1], array[1, 2], array['fails', 'notify'], array['run', 'signal'], array[null::jsonb, 'null'],
         array[$4::jsonb, null], array[1, 1], array[1.0, 1.0],
         effect_items => array[1], effect_kinds => array['signal'], effect_steps => array['notify'],
         effect_targets => array[$5], effect_events => array['go'], effect_values => array['1'::jsonb],
         effect_versions => array[null::integer], effect_retention => array[null::integer], effect_traces => array[null::jsonb])`,
      [source, receipt, transition, failure, target],
    );
    // That the step began after the failure.
    await a.query("delete from queue.workflow_step where run_id = $1", [source]);
  };
  await end("retry");
  await move(a, b, "b");
  expect(await received(b, target)).toEqual([1]);
  await end("fail");
  await move(a, b, "b");
  expect(await received(b, target)).toEqual([1, 1]);
  await a.query("select queue.workflow_retry($1)", [source]);
  await end("fail");
  await move(a, b, "b");
  expect(await received(b, target)).toEqual([1, 1, 1]);
});

it("a commit that is repeated after a crash sends the signal of its step once", async () => {
  const [source, target] = [await startIn(a), await startIn(b)];
  const commit = `select * from queue.workflow_commit(
    array['crossed'], array[$1::bigint], array[$2::bigint], array['keep'], null, null,
    array[1], array[1], array['notify'], array['signal'], array['null'::jsonb], array[null::jsonb], array[1], array[1.0],
    effect_items => array[1], effect_kinds => array['signal'], effect_steps => array['notify'],
    effect_targets => array[$3], effect_events => array['go'], effect_values => array['1'::jsonb],
    effect_versions => array[null::integer], effect_retention => array[null::integer], effect_traces => array[null::jsonb])`;
  const [delivery] = await a.query<{ receipt: string }>(
    "select receipt::text from queue.workflow_receive(array['crossed'], null, 100, 60) where run_id = $1",
    [source],
  );
  await a.query(commit, [source, delivery?.receipt, target]);
  await a.query(commit, [source, delivery?.receipt, target]);
  expect(await pending(a)).toEqual(["b"]);
  await move(a, b, "b");
  // The crash loses the commit, not what had crossed.
  await a.query("delete from queue.workflow_step where run_id = $1", [source]);
  await a.query(commit, [source, delivery?.receipt, target]);
  expect((await move(a, b, "b")).outcomes).toEqual(["ok"]);
  expect(await received(b, target)).toEqual([1]);
});
