/** The log of deliveries to urls: what settling writes, what lists show, and the sweep. */
import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { DeliveryLog, type Entry, type Received, report } from "../../helpers/logged-deliveries.ts";
import { openSession, openTransaction } from "../../helpers/session.ts";

const shared = await createDatabase();
const log = new DeliveryLog(shared);

describe("the log of deliveries", () => {
  it("has what was delivered, with the response, the message and a url without its password", async () => {
    const { id, topic, next } = await log.subscribe();
    const received = await next({ n: 1 });
    await log.succeed(id, received, report(201, `made ${"x".repeat(600)}`));
    expect(await log.list(id)).toMatchObject([
      {
        delivery_id: received.msg_id,
        pattern: topic,
        url: `https://u:***@example.org/${topic}`,
        topic,
        webhook_id: received.webhook_id,
        status: "delivered",
        attempts: 1,
        next_attempt_at: null,
        duration_ms: 12,
        status_code: 201,
        failure: null,
      },
    ]);
    const details = await log.get(received.msg_id);
    expect(details).toMatchObject({
      message: { n: 1 },
      headers: { source: "test" },
      earlier_attempts: [],
    });
    expect(details["response"]).toHaveLength(500);
  });

  it("has what waits for another attempt, the attempts before the last, and what failed for good", async () => {
    const { id, next } = await log.subscribe();
    const first = await next({ n: 2 });
    await log.retry(first, 0, report(500, "oops"));
    await log.retry(await log.receive(id), 600, report(503));
    const [waiting] = await log.list(id);
    expect(waiting).toMatchObject({ status: "waiting", attempts: 2, failure: "status 503" });
    expect(waiting?.["next_attempt_at"]).toBeInstanceOf(Date);
    expect(await log.get(first.msg_id)).toMatchObject({
      message: { n: 2 },
      earlier_attempts: [
        { attempt: 1, status_code: 500, failure: "status 503", response: "oops", duration_ms: 12 },
      ],
    });
    expect(await log.resend(first.msg_id)).toBeNull();
    const third = await log.receive(id);
    expect(third.msg_id).toBe(first.msg_id);
    // While it is being sent, it has no next attempt, and can't be sent at the same time.
    expect(await log.list(id)).toMatchObject([{ status: "waiting", next_attempt_at: null }]);
    expect(await log.resend(first.msg_id)).toBe("an attempt is being made");
    await log.abandon(third, report(410));
    expect(await log.list(id)).toMatchObject([
      { status: "failed", attempts: 3, status_code: 410, failure: "status 410" },
    ]);
    expect((await log.get(first.msg_id))["earlier_attempts"]).toHaveLength(2);
  });

  it("keeps the latest twenty of the earlier attempts", async () => {
    const { id, next } = await log.subscribe();
    let received = await next({});
    for (let attempt = 1; attempt <= 22; attempt += 1) {
      await log.retry(received, 0, report(500));
      received = await log.receive(id);
    }
    await log.succeed(id, received, report(200));
    const { earlier_attempts: earlier } = await log.get(received.msg_id);
    expect(earlier).toHaveLength(20);
    expect(earlier).toMatchObject([
      { attempt: 3 },
      ...Array.from({ length: 18 }, () => ({})),
      { attempt: 22 },
    ]);
  });

  it("doesn't have what is settled without a report, but an outcome of what it has", async () => {
    const { id, next } = await log.subscribe();
    await log.succeed(id, await next(1), null);
    await log.abandon(await next(2), null);
    await log.retry(await next(3), 0, null);
    expect(await log.list(id)).toEqual([]);
    const received = await log.receive(id);
    await log.retry(received, 0, report(500));
    await log.succeed(id, await log.receive(id), null);
    expect(await log.list(id)).toMatchObject([{ status: "delivered", attempts: 3 }]);
  });

  it("has an attempt once, though the call that settles it is repeated after a lost answer", async () => {
    const { id, next } = await log.subscribe();
    const received = await next({});
    await log.retry(received, 0, report(500));
    await log.retry(received, 0, report(500));
    expect(await log.get(received.msg_id)).toMatchObject({ attempts: 1, earlier_attempts: [] });
    const again = await log.receive(id);
    await log.retry(again, 0, report(502));
    await log.retry(again, 0, report(502));
    expect(await log.get(received.msg_id)).toMatchObject({
      attempts: 2,
      status_code: 502,
      earlier_attempts: [{ attempt: 1, status_code: 500 }],
    });
    await log.succeed(id, await log.receive(id), report(200));
    expect(await log.get(received.msg_id)).toMatchObject({
      earlier_attempts: [{ attempt: 1 }, { attempt: 2 }],
    });
  });

  it("has an attempt once, though one call has its receipt twice", async () => {
    const { id, next } = await log.subscribe();
    const { receipt, msg_id: delivery } = await next({});
    expect(
      await shared.query("select queue.deliveries_succeeded($1, $2, $3) as receipt", [
        [id, id],
        [receipt, receipt],
        [report(200), report(200)],
      ]),
    ).toEqual([{ receipt }]);
    expect(await log.list(id)).toMatchObject([{ delivery_id: delivery, attempts: 1 }]);
  });

  it("doesn't change by a dead receipt", async () => {
    const { id, next } = await log.subscribe();
    const first = await next({});
    await log.retry(first, 0, report(500));
    const second = await log.receive(id);
    await log.succeed(id, first, report(200));
    expect(await log.list(id)).toMatchObject([{ status: "waiting" }]);
    await log.succeed(id, second, report(200));
    await log.abandon(second, report(410));
    expect(await log.list(id)).toMatchObject([{ status: "delivered" }]);
  });

  it("doesn't change by a receipt that dies while its outcome is written", async () => {
    const { id, next } = await log.subscribe();
    await log.retry(await next({}), 0, report(500));
    const late = await log.receive(id, 0);
    const other = await openTransaction(shared);
    const second = await new DeliveryLog(other).receive(id);
    const session = await openSession(shared);
    const settled = new DeliveryLog(session).succeed(id, late, report(200));
    await session.isBlocked(other);
    await other.query("commit");
    expect(await settled).toEqual([]);
    expect(await log.list(id)).toMatchObject([{ status: "waiting", attempts: 1 }]);
    expect(await log.succeed(id, second, report(200))).toEqual([second.receipt]);
  });

  it.each<[string, (on: DeliveryLog, id: string, of: Received) => Promise<unknown>]>([
    ["succeeded", (on, id, of) => on.succeed(id, of, report(200))],
    ["failed", (on, _, of) => on.retry(of, 0, report(500))],
  ])("is locked after the message of a delivery that has %s", async (_, settle) => {
    const { id, next } = await log.subscribe();
    const received = await next({});
    await log.retry(received, 0, report(500));
    const again = await log.receive(id);
    const [holder, settling] = [await openSession(shared), await openSession(shared)];
    await holder.query("begin");
    await holder.query("select from queue.q___http where msg_id = $1 for update", [again.msg_id]);
    const settled = settle(new DeliveryLog(settling), id, again);
    await settling.isBlocked(holder);
    // As the other server does that has the message, and finds its subscription disabled.
    await holder.query(
      "select from queue.logged_delivery where delivery_id = $1 for update nowait",
      [again.msg_id],
    );
    await holder.query("commit");
    await settled;
  });

  it("has the reason of a delivery that is refused after an attempt", async () => {
    const { id, next } = await log.subscribe();
    await log.retry(await next({}), 0, report(500));
    await shared.query("select queue.unsubscribe($1)", [id]);
    expect(await shared.query("select * from queue.deliveries_receive(10)")).toEqual([]);
    expect(await log.list(id)).toMatchObject([
      { status: "failed", failure: "the subscription does not exist", pattern: null, url: null },
    ]);
  });

  it("is listed in pages, newest first, by status and by subscription", async () => {
    const database = await createDatabase();
    const own = new DeliveryLog(database);
    const one = await own.subscribe();
    const other = await own.subscribe();
    const delivered: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const of = n === 3 ? other : one;
      const received = await of.next(n);
      if (n === 1) await own.abandon(received, report(410));
      else await own.succeed(of.id, received, report(200));
      delivered.push(received.msg_id);
    }
    const page = (before: string | null, status: string | null) =>
      database
        .query<Entry>("select * from queue.deliveries_list($1, 2, null, $2)", [before, status])
        .then((rows) => rows.map(({ delivery_id: id }) => delivered.indexOf(id)));
    expect(await page(null, null)).toEqual([4, 3]);
    expect(await page(delivered[3] ?? null, null)).toEqual([2, 1]);
    expect(await page(null, "failed")).toEqual([1]);
    expect(await page(delivered[3] ?? null, "delivered")).toEqual([2, 0]);
    expect(await own.list(other.id)).toHaveLength(1);
    await expect(page(null, "sent")).rejects.toMatchObject({
      code: "OX004",
      message: expect.stringContaining('"sent"'),
    });
  });

  it("is empty before a url is subscribed", async () => {
    const database = await createDatabase();
    expect(await database.query("select * from queue.deliveries_list()")).toEqual([]);
    expect(await database.query("select * from queue.deliveries_get(1)")).toEqual([]);
    expect(await database.query("select * from queue.deliveries_resend('{1}')")).toEqual([
      { delivery_id: "1", problem: "the log does not have this delivery, or no longer" },
    ]);
    expect(await database.query("select * from queue.deliveries_sweep(0)")).toEqual([
      { swept: 0, until: null },
    ]);
  });
});

it("deliveries_sweep deletes what ended before the retention, in batches, and nothing that waits", async () => {
  const database = await createDatabase();
  const own = new DeliveryLog(database);
  const { id, next } = await own.subscribe();
  for (let n = 0; n < 3; n += 1) await own.succeed(id, await next(n), report(200));
  const waiting = await next("waits");
  await own.retry(waiting, 600, report(500));
  await own.abandon(await next("fails"), report(410));
  const sweep = async (hours: number, most: number, after = "0") => {
    const [{ swept, until }] = (await database.query(
      "select * from queue.deliveries_sweep($1, $2, $3)",
      [hours, most, after],
    )) as [{ swept: number; until: string | null }];
    return { swept, until };
  };
  expect(await sweep(1, 1_000)).toEqual({ swept: 0, until: null });
  await database.query(
    `update queue.logged_delivery
       set published_at = published_at - interval '2 hours', attempted_at = attempted_at - interval '2 hours'`,
  );
  // It was published long ago, and has ended just now.
  await database.query(
    "update queue.logged_delivery set attempted_at = clock_timestamp() where message = '0'",
  );
  const fresh = await next("fresh");
  await own.succeed(id, fresh, report(200));
  // A call reads two, and deletes those of them that have expired; the next one continues behind them.
  const ids = (await own.list(id)).map(({ delivery_id: of }) => of).toReversed();
  expect(await sweep(1, 2)).toEqual({ swept: 1, until: ids[1] });
  expect(await sweep(1, 2, ids[1])).toEqual({ swept: 1, until: ids[3] });
  expect(await sweep(1, 2, ids[3])).toEqual({ swept: 1, until: null });
  expect((await own.list(id)).map(({ status }) => status)).toEqual([
    "delivered",
    "waiting",
    "delivered",
  ]);
  expect(await sweep(0, 1_000)).toEqual({ swept: 2, until: null });
  await expect(sweep(-1, 1)).rejects.toMatchObject({ code: "OX004" });
});
