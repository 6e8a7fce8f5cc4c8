import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { newQueue, only } from "../../helpers/queues.ts";
import { openSession } from "../../helpers/session.ts";
import { publish, subscribe } from "../../helpers/topics.ts";

const database = await createDatabase();

const fail = async (id: string, disableAfter: string | null): Promise<boolean> => {
  const rows = await database.query<{ is_disabled: boolean }>(
    "select queue.delivery_failed($1, 'status 500', $2) as is_disabled",
    [id, disableAfter],
  );
  return only(rows).is_disabled;
};

describe("delivery_failed", () => {
  it("disables nothing before its time, nor without one", async () => {
    const id = await subscribe(database, "patient", { http: "https://example.org/patient" });
    expect(await fail(id, null)).toBe(false);
    expect(await fail(id, "1 hour")).toBe(false);
    expect(await fail(id, "0")).toBe(true);
    expect(await fail(id, null)).toBe(true);
  });

  it("reports that another server has disabled the subscription, with one event for all", async () => {
    const events = await newQueue(database);
    await subscribe(database, "oxbow.subscription.disabled", { queue: events });
    const id = await subscribe(database, "raced", { http: "https://example.org/raced" });
    const [first, second] = [await openSession(database), await openSession(database)];
    const statement = "select queue.delivery_failed($1, 'timeout', '0') as is_disabled";
    await first.query("begin");
    await first.query(statement, [id]);
    const other = second.query(statement, [id]);
    await second.isBlocked();
    await first.query("commit");
    expect(await other).toEqual([{ is_disabled: true }]);
    const told = await database.query("select message from queue.receive($1, 10)", [events]);
    expect(told).toMatchObject([{ message: { subscription_id: Number(id), reason: "timeout" } }]);
  });

  it("makes dead letters of what is published afterwards, of a strict subscription too", async () => {
    const options = { strict: true };
    const id = await subscribe(
      database,
      "strict",
      { http: "https://example.org/strict" },
      { options },
    );
    await fail(id, "0");
    expect(await publish(database, "strict", 1)).toBe(0);
    const letters = await database.query(
      "select subscription_id, reason from queue.topic_dead_letters()",
    );
    expect(only(letters)).toEqual({
      subscription_id: id,
      reason: "the subscription is disabled: status 500",
    });
  });

  it("of a subscription that is gone does nothing", async () => {
    expect(await fail("987654321", "0")).toBe(false);
  });
});
