import { expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { documentOf, newDefinitionName, publishedDefinition } from "../../helpers/definitions.ts";
import { newQueue } from "../../helpers/queues.ts";
import { Runs } from "../../helpers/runs.ts";
import { publish, subscribe } from "../../helpers/topics.ts";

const database = await createDatabase();

const targets = (topic: string, message: unknown): Promise<Record<string, unknown>[]> =>
  database.query("select * from queue.topic_targets($1, $2)", [topic, JSON.stringify(message)]);

it("lists the subscriptions that match, with what each would get, and publishes nothing", async () => {
  const queue = await newQueue(database, { fifo: true });
  const grouped = await subscribe(
    database,
    "order.*",
    { queue },
    { options: { group: "customer" } },
  );
  const mapped = await subscribe(
    database,
    "order.#",
    { workflow: "ship" },
    { filter: { paid: true }, options: { input: { id: "order.id" }, once_for: ["order.id"] } },
  );
  await subscribe(database, "order.#", { workflow: "never" }, { filter: { paid: false } });
  await subscribe(database, "invoice.#", { queue });

  const message = { paid: true, customer: "acme", order: { id: 7 } };
  const found = await targets("order.new", message);
  expect(found).toEqual([
    {
      subscription_id: grouped,
      pattern: "order.*",
      target_type: "queue",
      target: queue,
      input: message,
      key: "acme",
      problem: null,
      is_strict: false,
    },
    {
      subscription_id: mapped,
      pattern: "order.#",
      target_type: "workflow",
      target: "ship",
      input: { id: 7 },
      key: '{"order.id": 7}',
      problem: null,
      is_strict: false,
    },
  ]);
  expect(await database.query("select * from queue.peek($1)", [queue])).toEqual([]);
  expect(await publish(database, "order.new", message)).toBe(found.length);
});

it("explains why a message would become a dead letter, or not be published", async () => {
  const options = { group: "customer" };
  for (const strict of [{}, { strict: true }]) {
    const queue = await newQueue(database, { fifo: true });
    await subscribe(database, "lost", { queue }, { options: { ...options, ...strict } });
  }
  const failing = await subscribe(database, "lost", { http: "https://u:secret@example.org/" });
  await database.query("select queue.delivery_failed($1, 'status 500', '0')", [failing]);
  const name = await publishedDefinition(database, documentOf(newDefinitionName()));
  await subscribe(database, "lost", { workflow: name }, { options: { version: 7 } });
  const found = await targets("lost", { n: 1 });
  expect(found.map(({ problem, is_strict: isStrict }) => [problem, isStrict])).toEqual([
    ['the message has no value at "customer"', false],
    ['the message has no value at "customer"', true],
    ["the subscription is disabled: status 500", false],
    [`definition "${name}" has no version 7`, false],
  ]);
});

it("masks passwords for those who may not see them, and refuses patterns", async () => {
  await subscribe(database, "masked", { http: "https://u:secret@example.org/" });
  const reader = await database.connect();
  await reader.query("set role oxbow_reader");
  const { rows } = await reader.query("select target from queue.topic_targets('masked', '1')");
  expect(rows).toEqual([{ target: "https://u:***@example.org/" }]);
  await expect(targets("order.*", 1)).rejects.toMatchObject({ code: "OX004" });
  expect(await targets("nothing.matches", 1)).toEqual([]);
});

it("includes runs that wait for the topic", async () => {
  const runs = new Runs(database, "waits");
  const runId = await runs.start();
  const delivery = await runs.receiveOne();
  await database.query(
    `select queue.workflow_commit(array['waits'], array[$1::bigint], array[$2::bigint], array['suspend'],
       array['{"waits": [{"kind": "event", "step": "wait", "event": "shipped"}], "journaled": 0}'::jsonb],
       array[null::timestamptz], effect_items => '{1}', effect_kinds => '{subscribe}', effect_steps => '{wait}',
       effect_targets => '{parcel.shipped}', effect_events => '{shipped}', effect_values => array[null::jsonb])`,
    [delivery.run_id, delivery.receipt],
  );
  expect(await targets("parcel.shipped", {})).toMatchObject([
    { target_type: "run", target: runId, problem: null },
  ]);
});
