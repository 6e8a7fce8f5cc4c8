/** Deliveries to urls that are sent again: which are, which aren't, and what concurrent callers see of each other. */
import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { DeliveryLog, report } from "../../helpers/logged-deliveries.ts";
import { openSession, openTransaction } from "../../helpers/session.ts";
import { publish } from "../../helpers/topics.ts";

const shared = await createDatabase();
const log = new DeliveryLog(shared);

describe("deliveries_resend", () => {
  it("queues a delivered message again, under the same webhook id, as another delivery", async () => {
    const { id, next } = await log.subscribe();
    const received = await next({ n: 1 });
    await log.succeed(id, received, report(200));
    expect(await log.resend(received.msg_id)).toBeNull();
    const again = await log.receive(id);
    expect(again.webhook_id).toBe(received.webhook_id);
    expect(again.msg_id).not.toBe(received.msg_id);
    await log.succeed(id, again, report(202));
    expect(await log.list(id)).toMatchObject([{ status_code: 202 }, { status_code: 200 }]);
    expect(await log.get(again.msg_id)).toMatchObject({
      message: { n: 1 },
      headers: { source: "test" },
    });
  });

  it("takes a failed delivery out of the dead letters", async () => {
    const { id, next } = await log.subscribe();
    const received = await next({ n: 1 });
    await log.abandon(received, report(410));
    expect(await log.letters(id)).toHaveLength(1);
    expect(await log.resend(received.msg_id)).toBeNull();
    expect(await log.letters(id)).toEqual([]);
    expect((await log.receive(id)).webhook_id).toBe(received.webhook_id);
  });

  it("sends a message of more than 64 KiB again only from its dead letter", async () => {
    const { id, next } = await log.subscribe();
    const large = { text: "x".repeat(70_000) };
    const [failed, delivered] = [await next(large), await next(large)];
    await log.abandon(failed, report(410));
    await log.succeed(id, delivered, report(200));
    expect(await log.get(failed.msg_id)).toMatchObject({ message: null, status_code: 410 });
    expect(await log.get(delivered.msg_id)).toMatchObject({ message: null, status_code: 200 });
    expect(await log.resend(delivered.msg_id)).toBe(
      "its message has more than 64 KiB, which the log does not keep",
    );
    expect(await log.resend(failed.msg_id)).toBeNull();
    const again = await log.receive(id);
    // While it waits, the queue has it.
    await log.retry(again, 600, report(500));
    expect(await log.get(again.msg_id)).toMatchObject({ message: large });
    const small = await next({ text: "x".repeat(60_000) });
    await log.succeed(id, small, report(200));
    expect(await log.resend(small.msg_id)).toBeNull();
    await log.succeed(id, await log.receive(id), report(200));
  });

  it("makes a delivery due that waits after it was given back", async () => {
    const { id, next } = await log.subscribe();
    await log.retry(await next({}), 0, report(429));
    const second = await log.receive(id);
    await shared.query("select queue.deliveries_give_back($1, 900)", [[second.receipt]]);
    const [waiting] = await log.list(id);
    expect(Number(waiting?.["next_attempt_at"])).toBeGreaterThan(Date.now() + 600_000);
    expect(await log.resend(second.msg_id)).toBeNull();
    // Until a server takes it, it is due, however often it is asked for.
    expect(await log.resend(second.msg_id)).toBeNull();
    const third = await log.receive(id);
    expect(third.msg_id).toBe(second.msg_id);
    expect(await log.resend(second.msg_id)).toBe("an attempt is being made");
    await log.succeed(id, third, report(200));
    expect(await log.get(third.msg_id)).toMatchObject({ status: "delivered", attempts: 2 });
  });

  it("makes a delivery due whose server died during the attempt", async () => {
    const { id, next } = await log.subscribe();
    await log.retry(await next({}), 0, report(500));
    const { msg_id: delivery } = await log.receive(id, 0);
    expect((await log.list(id))[0]?.["next_attempt_at"]).toBeInstanceOf(Date);
    expect(await log.resend(delivery)).toBeNull();
    await log.succeed(id, await log.receive(id), report(200));
    // The attempt whose outcome is unknown counts.
    expect(await log.get(delivery)).toMatchObject({
      attempts: 3,
      earlier_attempts: [{ attempt: 1 }],
    });
  });

  it("makes deliveries due that waited in a copy that went live, and each attempt is logged", async () => {
    const database = await createDatabase();
    const own = new DeliveryLog(database);
    const { id, next } = await own.subscribe();
    const late = await next("late");
    await own.retry(late, 3_600, report(500));
    const soon = await next("soon");
    await own.retry(soon, 10, report(500));
    await database.query("select queue.hold_incarnation('a test', clock_timestamp())");
    await database.query("select queue.release_incarnation('live', 'fire')");
    expect(await own.list(id)).toMatchObject([
      { delivery_id: soon.msg_id, next_attempt_at: expect.any(Date) },
      { delivery_id: late.msg_id, next_attempt_at: expect.any(Date) },
    ]);
    expect(await own.resend(soon.msg_id)).toBeNull();
    await own.abandon(await own.receive(id), report(410));
    expect(await own.get(soon.msg_id)).toMatchObject({
      status: "failed",
      attempts: 2,
      earlier_attempts: [{ attempt: 1, status_code: 500 }],
    });
    expect(await own.resend(late.msg_id)).toBeNull();
    expect((await own.receive(id)).msg_id).toBe(late.msg_id);
  });

  it.each<[string, string]>([
    [
      "sent again",
      "select from queue.deliveries_resend(array[$1::bigint]), (select $2::bigint) as l",
    ],
    [
      "redriven",
      "select queue.redrive_topic_dead_letters(letter_ids => array[$2::bigint]), $1::bigint",
    ],
    ["deleted", "select queue.delete_topic_dead_letters(array[$2::bigint]), $1::bigint"],
  ])("sends no failed delivery again whose dead letter is being %s", async (_, otherCall) => {
    const { id, next } = await log.subscribe();
    const received = await next({});
    await log.abandon(received, report(410));
    const [one, other] = [await openSession(shared), await openSession(shared)];
    await other.query("begin");
    await other.query(otherCall, [received.msg_id, ...(await log.letters(id))]);
    const answer = new DeliveryLog(one).resend(received.msg_id);
    await one.isBlocked(other);
    await other.query("commit");
    const gone = "its dead letter was sent again or deleted";
    expect(await answer).toBe(gone);
    expect(await log.resend(received.msg_id)).toBe(gone);
    const sent = await shared.query("select from queue.deliveries_receive(10)");
    expect(sent).toHaveLength(otherCall.includes("delete") ? 0 : 1);
  });

  it("doesn't deadlock with the deletion of the same dead letters, whichever order they have", async () => {
    const [one, ordered] = [await log.subscribe(), await log.subscribe({ ordered: true })];
    const [first, second] = [await one.next(1), await ordered.next(2)];
    await log.abandon(second, report(410));
    await log.abandon(first, report(410));
    const letters = [...(await log.letters(ordered.id)), ...(await log.letters(one.id))];
    const [publishing, resending, deleting] = [
      await openSession(shared),
      await openSession(shared),
      await openSession(shared),
    ];
    // The resend has published the first, and waits for the message group of the second.
    await publishing.query("begin");
    await publish(publishing, ordered.topic, 3);
    const resent = resending.query("select problem from queue.deliveries_resend($1)", [
      [first.msg_id, second.msg_id],
    ]);
    await resending.isBlocked(publishing);
    const deleted = deleting.query("select queue.delete_topic_dead_letters($1)", [letters]);
    await deleting.isBlocked(resending);
    await publishing.query("commit");
    expect(await resent).toEqual([{ problem: null }, { problem: null }]);
    expect(await deleted).toEqual([]);
  });

  it("lets no subscription end while it waits, so that no letter is lost", async () => {
    const [ordered, other] = [await log.subscribe({ ordered: true }), await log.subscribe()];
    const [first, second] = [await ordered.next({ n: 1 }), await other.next({ n: 1 })];
    await log.abandon(first, report(410));
    await log.abandon(second, report(410));
    const [publishing, resending, ending] = [
      await openTransaction(shared),
      await openSession(shared),
      await openSession(shared),
    ];
    await publish(publishing, ordered.topic, { n: 2 });
    const resent = resending.query("select problem from queue.deliveries_resend($1)", [
      [first.msg_id, second.msg_id],
    ]);
    await resending.isBlocked(publishing);
    const ended = ending.query("select queue.unsubscribe($1) as ended", [other.id]);
    await ending.isBlocked(resending);
    await publishing.query("commit");
    expect(await resent).toEqual([{ problem: null }, { problem: null }]);
    expect(await ended).toEqual([{ ended: true }]);
    expect(
      await shared.query(
        "select message from queue.q___http where headers -> 'subscription_id' = to_jsonb($1::bigint)",
        [other.id],
      ),
    ).toEqual([{ message: { n: 1 } }]);
  });

  it("refuses what has no enabled subscription, and names the reason", async () => {
    const { id, next } = await log.subscribe();
    const received = await next({});
    await log.succeed(id, received, report(200));
    await shared.query("select queue.delivery_failed($1, 'status 500', '0')", [id]);
    expect(await log.resend(received.msg_id)).toBe(`subscription ${id} is disabled: status 500`);
    await shared.query("select queue.unsubscribe($1)", [id]);
    expect(await log.resend(received.msg_id)).toBe(`subscription ${id} has ended`);
  });

  it("is audited", async () => {
    const { id, next } = await log.subscribe();
    const received = await next({});
    await log.succeed(id, received, report(200));
    await log.resend(received.msg_id);
    expect(
      await shared.query(
        "select action from queue.audit_list(subject_type => 'delivery', subject => $1)",
        [received.msg_id],
      ),
    ).toEqual([{ action: "delivery.resend" }]);
    await log.receive(id);
  });
});
