import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { planner } from "../../helpers/plans.ts";
import { newQueue, only, uniqueQueueName } from "../../helpers/queues.ts";
import { openSession, openTransaction } from "../../helpers/session.ts";
import { publish, subscribe } from "../../helpers/topics.ts";

const database = await createDatabase();

describe("subscribe", () => {
  it("is idempotent, and names the differences otherwise", async () => {
    const queue = await newQueue(database, { fifo: true });
    const id = await subscribe(database, "same.*", { queue }, { options: { group: "a" } });
    expect(await subscribe(database, "same.*", { queue }, { options: { group: "a" } })).toBe(id);
    await expect(
      subscribe(database, "same.*", { queue }, { options: { group: "b" } }),
    ).rejects.toMatchObject({ code: "OX002", message: expect.stringContaining('"b"') as string });
    expect(await subscribe(database, "same.*", { queue }, { filter: { x: 1 } })).not.toBe(id);
  });

  it("refuses an empty list as a filter, which looks like no filter", async () => {
    const queue = await newQueue(database);
    await expect(subscribe(database, "empty.*", { queue }, { filter: [] })).rejects.toMatchObject({
      code: "OX004",
      message: "the filter is an empty list",
    });
  });

  it.each([{ n: 1 }, { a: { b: "x" }, c: [1] }, { a: [] }, {}, ["x"], "x"])(
    "finds the subscription with the filter %j",
    async (filter) => {
      const queue = await newQueue(database);
      const id = await subscribe(database, "found.*", { queue }, { filter });
      expect(await subscribe(database, "found.*", { queue }, { filter })).toBe(id);
      expect(await subscribe(database, "found.*", { queue })).not.toBe(id);
    },
  );

  it("finds and matches a filter whose path is too long for an index", async () => {
    const queue = await newQueue(database);
    // Not compressible, so that its size in the index is that of the text.
    const filter = { [randomBytes(6_000).toString("base64")]: { deep: 1 } };
    const id = await subscribe(database, "long.path", { queue }, { filter });
    expect(await subscribe(database, "long.path", { queue }, { filter })).toBe(id);
    expect(await publish(database, "long.path", filter)).toBe(1);
    expect(await publish(database, "long.path", { deep: 1 })).toBe(0);
  });

  it("finds the queues of subscriptions that are newer than the snapshot of its transaction", async () => {
    const fresh = await createDatabase();
    const session = await openTransaction(fresh, "repeatable read");
    await session.query("select from queue.queue");
    const http = "https://example.org/first";
    await subscribe(fresh, "first.*", { http });
    await expect(subscribe(session, "second.*", { http })).resolves.toBeDefined();
    await session.query("commit");
  });

  it("refuses a url that is too long for an index", async () => {
    const http = `https://example.org/${"é".repeat(1_100)}`;
    await expect(subscribe(database, "long.url", { http })).rejects.toMatchObject({
      code: "OX004",
      hint: expect.stringContaining("2048 bytes") as string,
    });
  });

  it("touches no more pages among many filters of its pattern", async () => {
    const queue = await newQueue(database);
    const explain = await planner(database);
    const subscribeAll = (from: number, to: number): Promise<unknown> =>
      database.query(
        `select queue.subscribe('many.filters', 'queue', $1, jsonb_build_object('n', n))
         from generate_series($2::integer, $3::integer) as n`,
        [queue, from, to],
      );
    /** Pages that filters need which no subscription has yet, the second time. */
    const pages = async (n: number): Promise<number> => {
      const text = "select queue.subscribe('many.filters', 'queue', $1, $2)";
      await explain(text, [queue, JSON.stringify({ n })]);
      return (await explain(text, [queue, JSON.stringify({ n: n + 1 })])).buffers;
    };
    await subscribeAll(1, 50);
    const few = await pages(10_000);
    await subscribeAll(51, 1_500);
    expect(few).toBeGreaterThan(0);
    expect(await pages(20_000)).toBeLessThan(few + 15);
  });

  it("makes one subscription when two sessions come with the same", async () => {
    const queue = await newQueue(database);
    const [first, second] = [await openSession(database), await openSession(database)];
    await first.query("begin");
    const [{ id }] = (await first.query("select queue.subscribe('race', 'queue', $1) as id", [
      queue,
    ])) as [{ id: string }];
    const other = second.query("select queue.subscribe('race', 'queue', $1) as id", [queue]);
    await second.isBlocked();
    await first.query("commit");
    expect(await other).toEqual([{ id }]);
  });

  it("returns the first of several equal subscriptions", async () => {
    const queue = await newQueue(database);
    const find = (): Promise<unknown> =>
      subscribe(database, "doubled", { queue }, { filter: { n: 1 } });
    const first = await find();
    // As a transaction with an older snapshot inserts it.
    await database.query(
      `insert into queue.subscription (filter_hash, pattern, filter_path, target_type, target, filter, options)
       select s.filter_hash, s.pattern, s.filter_path, s.target_type, s.target, s.filter, s.options
       from queue.subscription as s
       where s.target = $1`,
      [queue],
    );
    expect(await find()).toBe(first);
  });

  it.each([
    ["queue", "no-such-queue", undefined, "OX001"],
    ["queue", "__wf_x", undefined, "OX001"],
    ["topic", "x", undefined, "OX004"],
    ["http", "ftp://example.org", undefined, "OX004"],
    ["http", "https://", undefined, "OX004"],
    ["workflow", "Not A Name", undefined, "OX003"],
    ["workflow", "w", { version: 0 }, "OX004"],
    ["workflow", "w", { version: 1.5 }, "OX004"],
    ["workflow", "w", { once_for: [] }, "OX004"],
    ["workflow", "w", { once_for: ["a..b"] }, "OX004"],
    ["workflow", "w", { input: { a: 1 } }, "OX004"],
    ["workflow", "w", { input: "a" }, "OX004"],
    ["workflow", "w", { delay_seconds: -1 }, "OX004"],
    ["workflow", "w", { tags: 5 }, "OX004"],
    ["workflow", "w", { tags: ["a"] }, "OX004"],
    ["workflow", "w", { group: "a" }, "OX004"],
    ["workflow", "w", { strict: "yes" }, "OX004"],
    ["workflow", "w", { ordered: true }, "OX004"],
    ["http", "https://example.org", { ordered: 1 }, "OX004"],
    ["http", "https://example.org", { ordered: true, group: "a" }, "OX004"],
  ])("refuses %s %s with %j", async (type, target, options, code) => {
    await expect(
      database.query("select queue.subscribe('t', $1, $2, null, $3)", [
        type,
        target,
        options === undefined ? null : JSON.stringify(options),
      ]),
    ).rejects.toMatchObject({ code });
    expect(await database.query("select from queue.list_subscriptions('t')")).toEqual([]);
  });

  it("names an option that it doesn't know, and the known ones", async () => {
    await expect(
      subscribe(database, "t", { workflow: "w" }, { options: { onceFor: ["a"] } }),
    ).rejects.toMatchObject({
      message: expect.stringContaining("onceFor") as string,
      hint: expect.stringContaining("once_for") as string,
    });
  });

  it("keeps a queue from being dropped, until the subscription ends", async () => {
    const queue = await newQueue(database);
    const id = await subscribe(database, "kept", { queue });
    await expect(database.query("select queue.drop_queue($1)", [queue])).rejects.toMatchObject({
      code: "OX009",
      message: expect.stringContaining(id) as string,
    });
    await database.query("select queue.unsubscribe($1)", [id]);
    await database.query("select queue.drop_queue($1)", [queue]);
  });
});

it("unsubscribe ends a subscription once", async () => {
  const queue = await newQueue(database);
  const id = await subscribe(database, "ended", { queue });
  expect(await publish(database, "ended", {})).toBe(1);
  expect(only(await database.query("select queue.unsubscribe($1) as ended", [id]))).toEqual({
    ended: true,
  });
  expect(only(await database.query("select queue.unsubscribe($1) as ended", [id]))).toEqual({
    ended: false,
  });
  expect(await publish(database, "ended", {})).toBe(0);
});

it("list_subscriptions shows all of a subscription, of one pattern or of all", async () => {
  const workflow = uniqueQueueName();
  const filter = { a: { b: [1] } };
  const options = { once_for: ["a.b"], version: 2 };
  const id = await subscribe(database, "listed.#", { workflow }, { filter, options });
  const rows = await database.query("select * from queue.list_subscriptions('listed.#')");
  expect(only(rows)).toMatchObject({
    subscription_id: id,
    pattern: "listed.#",
    target_type: "workflow",
    target: workflow,
    filter,
    options,
  });
  const all = await database.query("select subscription_id from queue.list_subscriptions()");
  expect(all).toContainEqual({ subscription_id: id });
});
