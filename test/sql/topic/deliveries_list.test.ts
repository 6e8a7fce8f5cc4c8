/** The log of deliveries to urls: what settling writes, what lists show, what is sent again, and the sweep. */
import { describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../../helpers/database.ts";
import { only } from "../../helpers/queues.ts";
import { publish, subscribe } from "../../helpers/topics.ts";

const shared = await createDatabase();

interface Received {
  readonly msg_id: string;
  readonly receipt: string;
  readonly webhook_id: string;
}

interface Entry {
  readonly delivery_id: string;
  readonly status: string;
  readonly [column: string]: unknown;
}

let subscriptions = 0;

/** Subscribes a url to a topic of its own. */
async function newSubscription(database: TestDatabase = shared): Promise<{
  readonly id: string;
  readonly topic: string;
  readonly next: (message: unknown) => Promise<Received>;
}> {
  subscriptions += 1;
  const topic = `logged.t${subscriptions}`;
  const id = await subscribe(database, topic, { http: `https://u:secret@example.org/${topic}` });
  return {
    id,
    topic,
    next: async (message) => {
      await publish(database, topic, message, { source: "test" });
      return receive(database, id);
    },
  };
}

/** Receives the only delivery that is due. */
async function receive(database: TestDatabase, id: string): Promise<Received> {
  const rows = await database.query<Received & { subscription_id: string }>(
    "select msg_id, receipt, webhook_id, subscription_id from queue.deliveries_receive(10)",
  );
  return only(rows.filter(({ subscription_id: of }) => of === id));
}

const report = (statusCode: number, response?: string): string =>
  JSON.stringify({ status_code: statusCode, duration_ms: 12, response });

const succeed = (id: string, { receipt }: Received, given: string | null, database = shared) =>
  database.query("select queue.deliveries_succeeded($1, $2, $3)", [
    [id],
    [receipt],
    given === null ? null : [given],
  ]);

const retry = ({ receipt }: Received, seconds: number, given: string | null) =>
  shared.query("select queue.delivery_retry($1, $2, 'status 503', $3)", [receipt, seconds, given]);

const abandon = ({ receipt }: Received, given: string | null, database = shared) =>
  database.query("select queue.delivery_abandon($1, 'status 410', $2)", [receipt, given]);

const list = (id: string, database = shared): Promise<Entry[]> =>
  database.query<Entry>("select * from queue.deliveries_list(subscription_id => $1)", [id]);

const get = async (id: string): Promise<Entry> =>
  only(await shared.query<Entry>("select * from queue.deliveries_get($1)", [id]));

const resend = async (id: string): Promise<string | null> =>
  only(
    await shared.query<{ problem: string | null }>(
      "select problem from queue.deliveries_resend($1)",
      [[id]],
    ),
  ).problem;

describe("the log of deliveries", () => {
  it("has what was delivered, with the response, the message and a url without its password", async () => {
    const { id, topic, next } = await newSubscription();
    const received = await next({ n: 1 });
    await succeed(id, received, report(201, `made ${"x".repeat(600)}`));
    expect(await list(id)).toMatchObject([
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
    const details = await get(received.msg_id);
    expect(details).toMatchObject({
      message: { n: 1 },
      headers: { source: "test" },
      earlier_attempts: [],
    });
    expect(details["response"]).toHaveLength(500);
  });

  it("has what waits for another attempt, the attempts before the last, and what failed for good", async () => {
    const { id, next } = await newSubscription();
    const first = await next({ n: 2 });
    await retry(first, 0, report(500, "oops"));
    await retry(await receive(shared, id), 600, report(503));
    const [waiting] = await list(id);
    expect(waiting).toMatchObject({ status: "waiting", attempts: 2, failure: "status 503" });
    expect(waiting?.["next_attempt_at"]).toBeInstanceOf(Date);
    expect(await get(first.msg_id)).toMatchObject({
      message: { n: 2 },
      earlier_attempts: [
        { attempt: 1, status_code: 500, failure: "status 503", response: "oops", duration_ms: 12 },
      ],
    });
    expect(await resend(first.msg_id)).toBeNull();
    const third = await receive(shared, id);
    expect(third.msg_id).toBe(first.msg_id);
    // While it is being sent, it has no next attempt, and can't be sent at the same time.
    expect(await list(id)).toMatchObject([{ status: "waiting", next_attempt_at: null }]);
    expect(await resend(first.msg_id)).toBe("an attempt is being made");
    await abandon(third, report(410));
    expect(await list(id)).toMatchObject([
      { status: "failed", attempts: 3, status_code: 410, failure: "status 410" },
    ]);
    expect((await get(first.msg_id))["earlier_attempts"]).toHaveLength(2);
  });

  it("keeps the latest twenty of the earlier attempts", async () => {
    const { id, next } = await newSubscription();
    let received = await next({});
    for (let attempt = 1; attempt <= 22; attempt += 1) {
      await retry(received, 0, report(500));
      received = await receive(shared, id);
    }
    await succeed(id, received, report(200));
    const { earlier_attempts: earlier } = await get(received.msg_id);
    expect(earlier).toHaveLength(20);
    expect(earlier).toMatchObject([
      { attempt: 3 },
      ...Array.from({ length: 18 }, () => ({})),
      { attempt: 22 },
    ]);
  });

  it("doesn't have what is settled without a report, but an outcome of what it has", async () => {
    const { id, next } = await newSubscription();
    await succeed(id, await next(1), null);
    await abandon(await next(2), null);
    await retry(await next(3), 0, null);
    expect(await list(id)).toEqual([]);
    const received = await receive(shared, id);
    await retry(received, 0, report(500));
    await succeed(id, await receive(shared, id), null);
    expect(await list(id)).toMatchObject([{ status: "delivered", attempts: 3 }]);
  });

  it("has an attempt once, though the call that settles it is repeated after a lost answer", async () => {
    const { id, next } = await newSubscription();
    const received = await next({});
    await retry(received, 0, report(500));
    await retry(received, 0, report(500));
    expect(await get(received.msg_id)).toMatchObject({ attempts: 1, earlier_attempts: [] });
    const again = await receive(shared, id);
    await retry(again, 0, report(502));
    await retry(again, 0, report(502));
    expect(await get(received.msg_id)).toMatchObject({
      attempts: 2,
      status_code: 502,
      earlier_attempts: [{ attempt: 1, status_code: 500 }],
    });
    await succeed(id, await receive(shared, id), report(200));
    expect(await get(received.msg_id)).toMatchObject({
      earlier_attempts: [{ attempt: 1 }, { attempt: 2 }],
    });
  });

  it("doesn't change by a dead receipt", async () => {
    const { id, next } = await newSubscription();
    const first = await next({});
    await retry(first, 0, report(500));
    const second = await receive(shared, id);
    await succeed(id, first, report(200));
    expect(await list(id)).toMatchObject([{ status: "waiting" }]);
    await succeed(id, second, report(200));
    await abandon(second, report(410));
    expect(await list(id)).toMatchObject([{ status: "delivered" }]);
  });

  it("has the reason of a delivery that is refused after an attempt", async () => {
    const { id, next } = await newSubscription();
    await retry(await next({}), 0, report(500));
    await shared.query("select queue.unsubscribe($1)", [id]);
    expect(await shared.query("select * from queue.deliveries_receive(10)")).toEqual([]);
    expect(await list(id)).toMatchObject([
      { status: "failed", failure: "the subscription does not exist", pattern: null, url: null },
    ]);
  });

  it("is listed in pages, newest first, by status and by subscription", async () => {
    const database = await createDatabase();
    const one = await newSubscription(database);
    const other = await newSubscription(database);
    const delivered: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const of = n === 3 ? other : one;
      const received = await of.next(n);
      if (n === 1) await abandon(received, report(410), database);
      else await succeed(of.id, received, report(200), database);
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
    expect(await list(other.id, database)).toHaveLength(1);
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

describe("deliveries_resend", () => {
  it("queues a delivered message again, under the same webhook id, as another delivery", async () => {
    const { id, next } = await newSubscription();
    const received = await next({ n: 1 });
    await succeed(id, received, report(200));
    expect(await resend(received.msg_id)).toBeNull();
    const again = await receive(shared, id);
    expect(again.webhook_id).toBe(received.webhook_id);
    expect(again.msg_id).not.toBe(received.msg_id);
    await succeed(id, again, report(202));
    expect(await list(id)).toMatchObject([{ status_code: 202 }, { status_code: 200 }]);
    expect(await get(again.msg_id)).toMatchObject({
      message: { n: 1 },
      headers: { source: "test" },
    });
  });

  it("takes a failed delivery out of the dead letters", async () => {
    const { id, next } = await newSubscription();
    const received = await next({ n: 1 });
    await abandon(received, report(410));
    const letters = () =>
      shared.query("select * from queue.topic_dead_letters(subscription_id => $1)", [id]);
    expect(await letters()).toHaveLength(1);
    expect(await resend(received.msg_id)).toBeNull();
    expect(await letters()).toEqual([]);
    expect((await receive(shared, id)).webhook_id).toBe(received.webhook_id);
  });

  it("refuses what has no enabled subscription, and names the reason", async () => {
    const { id, next } = await newSubscription();
    const received = await next({});
    await succeed(id, received, report(200));
    await shared.query("select queue.delivery_failed($1, 'status 500', '0')", [id]);
    expect(await resend(received.msg_id)).toBe(`subscription ${id} is disabled: status 500`);
    await shared.query("select queue.unsubscribe($1)", [id]);
    expect(await resend(received.msg_id)).toBe(`subscription ${id} has ended`);
  });

  it("is audited", async () => {
    const { id, next } = await newSubscription();
    const received = await next({});
    await succeed(id, received, report(200));
    await resend(received.msg_id);
    expect(
      await shared.query(
        "select action from queue.audit_list(subject_type => 'delivery', subject => $1)",
        [received.msg_id],
      ),
    ).toEqual([{ action: "delivery.resend" }]);
    await receive(shared, id);
  });
});

describe("deliveries_sweep", () => {
  it("deletes what ended before the retention, in batches, and nothing that waits", async () => {
    const database = await createDatabase();
    const { id, next } = await newSubscription(database);
    for (let n = 0; n < 3; n += 1) await succeed(id, await next(n), report(200), database);
    const waiting = await next("waits");
    await database.query("select queue.delivery_retry($1, 600, 'status 500', $2)", [
      waiting.receipt,
      report(500),
    ]);
    await abandon(await next("fails"), report(410), database);
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
    await succeed(id, fresh, report(200), database);
    // A call reads two, and deletes those of them that have expired; the next one continues behind them.
    const ids = (await list(id, database)).map(({ delivery_id: of }) => of).toReversed();
    expect(await sweep(1, 2)).toEqual({ swept: 1, until: ids[1] });
    expect(await sweep(1, 2, ids[1])).toEqual({ swept: 1, until: ids[3] });
    expect(await sweep(1, 2, ids[3])).toEqual({ swept: 1, until: null });
    expect((await list(id, database)).map(({ status }) => status)).toEqual([
      "delivered",
      "waiting",
      "delivered",
    ]);
    expect(await sweep(0, 1_000)).toEqual({ swept: 2, until: null });
    await expect(sweep(-1, 1)).rejects.toMatchObject({ code: "OX004" });
  });
});
