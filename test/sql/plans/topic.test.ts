import { expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { newQueue } from "../../helpers/queues.ts";
import { planner } from "../../helpers/plans.ts";
import { publish, subscribe } from "../../helpers/topics.ts";

it("a publish or a subscription among eight thousand others reads what matches, through the index, and nothing else", async () => {
  const database = await createDatabase();
  const queue = await newQueue(database);
  await subscribe(database, "order.*.paid", { queue });
  await subscribe(database, "order.paid", { queue }, { filter: { type: "x", tenant: 0 } });
  const explain = await planner(database);
  const topics = ["order.7.paid", "order.paid", "nothing.of.this"];
  const messages = [{}, { type: "x", tenant: 77 }, {}];
  // A session plans a statement anew for its first five executions.
  await explain(
    "select queue.subscribe('first.' || i, 'queue', $1) from generate_series(1, 6) as i",
    [queue],
  );

  // Fewer of one pattern, since each of them is compared with those of its pattern that exist.
  await database.query(
    `select count(queue.subscribe('order.paid', 'queue', $1, jsonb_build_object('type', 'x', 'tenant', i)))
       from generate_series(1, 500) as i`,
    [queue],
  );
  for (const [first, last] of [
    [1, 1_000],
    [1_001, 2_500],
  ]) {
    await database.query(
      `select count(queue.subscribe('order.' || i || '.cancelled', 'queue', $1))
           + count(queue.subscribe('*.' || i || '.paid', 'queue', $1))
           + count(queue.subscribe('#.cancelled.' || i, 'queue', $1))
         from generate_series($2::integer, $3::integer) as i`,
      [queue, first, last],
    );
    // A session that planned the statements when there were few, and one that plans them now.
    for (const session of [explain, await planner(database)]) {
      for (const [i, topic] of topics.entries()) {
        const many = await session("select queue._subscriptions_for($1, $2)", [topic, messages[i]]);
        expect(many.scanned).toEqual([]);
        expect(many.indexes).toEqual(["subscription_match"]);
        expect(many.buffers).toBeLessThan(200);
      }
    }
  }
  expect(await publish(database, "order.7.paid", {})).toBe(2);
  expect(await publish(database, "order.paid", { type: "x", tenant: 77 })).toBe(1);
  expect(await publish(database, "a.b.cancelled.77", {})).toBe(1);

  const another = await explain("select queue.subscribe('order.new', 'queue', $1)", [queue]);
  expect(another.scanned).not.toContain("subscription");
  // Not by the target, which all of them have.
  expect(another.indexes).not.toContain("subscription_target");
});

it("a redrive of the letters of one subscription reads all letters once, however many subscriptions there are", async () => {
  const database = await createDatabase();
  const queue = await newQueue(database);
  const explain = await planner(database);
  await database.query(
    "select queue.subscribe('order.' || i, 'queue', $1) from generate_series(1, 50) as i",
    [queue],
  );
  await database.query(
    `insert into queue.q___topic_dead_letters (msg_id, visible_at, enqueued_at, message, headers)
       overriding system value
     select i, clock_timestamp(), clock_timestamp(), to_jsonb(repeat('x', 1000)), jsonb_build_object('dead_letter',
       jsonb_build_object('topic', 'order.1', 'subscription_id', (select min(subscription_id) from queue.subscription)))
     from generate_series(1, 2000) as i`,
  );
  const { buffers } = await explain(
    "select queue.redrive_topic_dead_letters(10, (select max(subscription_id) from queue.subscription))",
  );
  expect(buffers).toBeLessThan(1_000);
});
