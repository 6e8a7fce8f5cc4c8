import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import {
  documentOf,
  newDefinitionName,
  publishDefinition,
  publishedDefinition,
  saveDraft,
} from "../../helpers/definitions.ts";
import {
  messages,
  newQueue,
  only,
  receive,
  receiveFifo,
  uniqueQueueName,
} from "../../helpers/queues.ts";
import { openSession, openTransaction } from "../../helpers/session.ts";
import { publish, subscribe } from "../../helpers/topics.ts";

const database = await createDatabase();
const LETTERS = "__topic_dead_letters";

const runsOf = (workflow: string): Promise<Record<string, unknown>[]> =>
  database.query(
    `select input, workflow_version, tags, retention_days
     from queue.workflow_run where workflow_name = $1 order by run_id`,
    [workflow],
  );

/** Dead letters of one topic, without waiting for those of the other tests. */
async function lettersOf(topic: string): Promise<Record<string, unknown>[]> {
  return database.query(
    `select m.message, m.headers -> 'dead_letter' as letter
     from queue.q___topic_dead_letters as m
     where m.headers #>> '{dead_letter,topic}' = $1
     order by m.msg_id`,
    [topic],
  );
}

describe("send_topic to queues", () => {
  it("sends one copy for each subscription, with the topic as a header", async () => {
    const [one, two] = [await newQueue(database), await newQueue(database)];
    await subscribe(database, "copies.*", { queue: one });
    await subscribe(database, "copies.a", { queue: one });
    await subscribe(database, "#.a", { queue: two });
    expect(await publish(database, "copies.a", { n: 1 }, { trace: "t" })).toBe(3);
    const received = await receive(database, one, 10);
    expect(messages(received)).toEqual([{ n: 1 }, { n: 1 }]);
    expect(received[0]?.headers).toEqual({ trace: "t", topic: "copies.a" });
    expect(messages(await receive(database, two, 10))).toEqual([{ n: 1 }]);
  });

  it("reaches nothing without subscriptions", async () => {
    expect(await publish(database, "nobody.listens", {})).toBe(0);
  });

  it("takes part in the caller's transaction", async () => {
    const queue = await newQueue(database);
    await subscribe(database, "undone", { queue });
    const session = await openTransaction(database);
    await session.query("select queue.send_topic('undone', '1')");
    await session.query("rollback");
    expect(await receive(database, queue, 10)).toEqual([]);
  });

  it("keeps the order of a message group that the message names", async () => {
    const queue = await newQueue(database, { fifo: true });
    await subscribe(database, "order.*", { queue }, { options: { group: "order.id" } });
    for (const [id, n] of [
      ["x", 1],
      ["y", 2],
      ["x", 3],
    ] as const)
      await publish(database, "order.updated", { order: { id }, n });
    const heads = await receiveFifo(database, queue, 10);
    expect(heads.map((head) => [head.message_group_id, head.message])).toEqual([
      ["x", { order: { id: "x" }, n: 1 }],
      ["y", { order: { id: "y" }, n: 2 }],
    ]);
  });

  it("takes numbers that are equal for one message group, however they are written", async () => {
    const queue = await newQueue(database, { fifo: true });
    await subscribe(database, "numbers", { queue }, { options: { group: "customer" } });
    await database.query(
      `select queue.send_topic('numbers', '{"customer": 7}'), queue.send_topic('numbers', '{"customer": 7.0}')`,
    );
    const groups = await database.query(
      "select distinct p.message_group_id from queue.peek($1) as p",
      [queue],
    );
    expect(groups).toEqual([{ message_group_id: "7" }]);
  });

  it("takes the topic for the message group when the subscription doesn't name one", async () => {
    const queue = await newQueue(database, { fifo: true });
    await subscribe(database, "grouped.*", { queue });
    await publish(database, "grouped.a", 1);
    await publish(database, "grouped.a", 2);
    await publish(database, "grouped.b", 3);
    expect(messages(await receiveFifo(database, queue, 10))).toEqual([1, 3]);
  });

  it("delays by the subscription's setting", async () => {
    const queue = await newQueue(database);
    await subscribe(database, "late", { queue }, { options: { delay_seconds: 60.5 } });
    await publish(database, "late", {});
    expect(await receive(database, queue)).toEqual([]);
    const row = only(
      await database.query(
        `select extract(epoch from visible_at - enqueued_at)::float as delay from queue."q_${queue}"`,
      ),
    );
    expect(row).toEqual({ delay: 60.5 });
  });
});

describe("a filter", () => {
  it.each([
    [{ a: 1 }, { a: 1, b: 2 }, true],
    [{ a: 1 }, { a: 1.0 }, true],
    [{ a: 1 }, { a: 2 }, false],
    [{ a: { b: "x" } }, { a: { b: "x", c: 1 } }, true],
    [{ a: { b: "x" } }, { a: [{ b: "x" }] }, false],
    [{ a: [1, 2] }, { a: [2, 1, 3] }, true],
    [{ a: [{ b: 1 }] }, { a: [{ b: 1, c: 2 }] }, true],
    [{ a: { "0": 5 } }, { a: [5] }, false],
    [{ a: null }, { a: null }, true],
    [{ a: null }, {}, false],
    [{}, { anything: true }, true],
    [["x"], ["x", "y"], true],
    ["x", "x", true],
    ["x", "y", false],
    [{ a: 1, b: "x" }, { a: 1, b: "y" }, false],
  ])("%j takes %j: %j", async (filter, message, taken) => {
    const queue = await newQueue(database);
    const topic = uniqueQueueName();
    await subscribe(database, topic, { queue }, { filter });
    expect(await publish(database, topic, message)).toBe(taken ? 1 : 0);
    expect(messages(await receive(database, queue, 10))).toEqual(taken ? [message] : []);
  });
});

describe("send_topic to workflows", () => {
  it("starts a run with the message as its input", async () => {
    const workflow = uniqueQueueName();
    await subscribe(database, "plain", { workflow });
    await publish(database, "plain", { a: 1 });
    await publish(database, "plain", { a: 1 });
    expect((await runsOf(workflow)).map((run) => run["input"])).toEqual([{ a: 1 }, { a: 1 }]);
  });

  it("maps the message to the input", async () => {
    const workflow = uniqueQueueName();
    const input = { id: "incident.id", first: "tags.0", kind: { const: "page" }, all: "$" };
    await subscribe(
      database,
      "mapped",
      { workflow },
      { options: { input, version: 3, retention_days: 7, tags: { team: "x" } } },
    );
    const message = { incident: { id: "i1" }, tags: ["a", "b"] };
    await publish(database, "mapped", message);
    expect(await runsOf(workflow)).toEqual([
      {
        input: { id: "i1", first: "a", kind: "page", all: message },
        workflow_version: 3,
        retention_days: 7,
        tags: { team: "x" },
      },
    ]);
  });

  it("takes whole numbers in the options, however they are written", async () => {
    const workflow = uniqueQueueName();
    await database.query("select queue.subscribe('whole', 'workflow', $1, options => $2)", [
      workflow,
      '{"version": 2.0, "retention_days": 7.0, "delay_seconds": 0.0}',
    ]);
    await publish(database, "whole", {});
    expect(await runsOf(workflow)).toMatchObject([{ workflow_version: 2, retention_days: 7 }]);
  });

  it("starts one run for each combination of once_for, whichever trigger fires and how often", async () => {
    const workflow = uniqueQueueName();
    const options = { once_for: ["incident.id", "user"] };
    await subscribe(database, "incident.*", { workflow }, { options });
    await subscribe(database, "#.joined", { workflow }, { options });
    const sessions = await Promise.all([1, 2, 3, 4].map(() => openSession(database)));
    await Promise.all(
      sessions.flatMap((session) =>
        ["a", "b"].map((user) =>
          publish(session, "incident.joined", { incident: { id: 1 }, user }),
        ),
      ),
    );
    expect(await runsOf(workflow)).toHaveLength(2);
  });

  it("takes numbers that are equal for one in once_for, however they are written", async () => {
    const workflow = uniqueQueueName();
    await subscribe(database, "equal", { workflow }, { options: { once_for: ["order"] } });
    for (const order of ["1", "1.0", '{"n": [2, "1.0"]}', '{"n": [2.00, "1.0"]}', '"1"']) {
      await database.query(`select queue.send_topic('equal', '{"order": ${order}}')`);
    }
    expect((await runsOf(workflow)).map((run) => run["input"])).toEqual([
      { order: 1 },
      { order: { n: [2, "1.0"] } },
      { order: "1" },
    ]);
  });

  it("makes a key of any length out of once_for", async () => {
    const workflow = uniqueQueueName();
    await subscribe(database, "long", { workflow }, { options: { once_for: ["text"] } });
    for (const text of ["x".repeat(5000), "x".repeat(5000), "x".repeat(5001)])
      await publish(database, "long", { text });
    expect(await runsOf(workflow)).toHaveLength(2);
  });
});

describe("a message that a subscription cannot take", () => {
  it("goes to the dead letters with the reason, and to all the others", async () => {
    const [workflow, queue] = [uniqueQueueName(), await newQueue(database)];
    const options = { once_for: ["incident.id"], input: { id: "incident.id", who: "user.name" } };
    const id = await subscribe(database, "broken", { workflow }, { options });
    await subscribe(database, "broken", { queue });
    expect(await publish(database, "broken", { user: {} }, { trace: "t" })).toBe(1);
    expect(messages(await receive(database, queue))).toEqual([{ user: {} }]);
    expect(await lettersOf("broken")).toMatchObject([
      {
        message: { user: {} },
        letter: {
          subscription_id: Number(id),
          target_type: "workflow",
          target: workflow,
          reason: 'the message has no value at "incident.id", "user.name"',
        },
      },
    ]);
  });

  it("fails the publish as a whole where the subscription is strict", async () => {
    const [workflow, queue] = [uniqueQueueName(), await newQueue(database)];
    await subscribe(database, "strict", { queue });
    await subscribe(
      database,
      "strict",
      { workflow },
      { options: { input: { id: "id" }, strict: true } },
    );
    await expect(publish(database, "strict", {})).rejects.toMatchObject({
      code: "OX004",
      message: expect.stringContaining('no value at "id"') as string,
    });
    expect(await receive(database, queue)).toEqual([]);
    expect(await publish(database, "strict", { id: 1 })).toBe(2);
  });

  it("goes to the dead letters while its definition lacks the version, and starts a run afterwards", async () => {
    const name = await publishedDefinition(database, documentOf(newDefinitionName()));
    const [queue, topic] = [await newQueue(database), name];
    await subscribe(database, topic, { queue });
    await subscribe(database, topic, { workflow: name });
    const later = await subscribe(
      database,
      `${topic}.#`,
      { workflow: name },
      { options: { version: 2 } },
    );
    expect(await publish(database, topic, { n: 1 })).toBe(2);
    expect(messages(await receive(database, queue))).toEqual([{ n: 1 }]);
    expect(await runsOf(name)).toMatchObject([{ workflow_version: 1 }]);
    expect(await lettersOf(topic)).toMatchObject([
      {
        letter: {
          subscription_id: Number(later),
          reason: `definition "${name}" has no version 2`,
        },
      },
    ]);

    const revision = await saveDraft(database, documentOf(name, 2), 1);
    await publishDefinition(database, name, revision);
    await database.query("select queue.redrive_topic_dead_letters(subscription_id => $1)", [later]);
    expect(await runsOf(name)).toMatchObject([{ workflow_version: 1 }, { workflow_version: 2 }]);
    expect(await lettersOf(topic)).toEqual([]);
  });

  it("fails the publish where the subscription is strict and its definition lacks the version", async () => {
    const name = await publishedDefinition(database, documentOf(newDefinitionName()));
    await subscribe(database, name, { workflow: name }, { options: { version: 2, strict: true } });
    await expect(publish(database, name, {})).rejects.toMatchObject({
      code: "OX004",
      message: expect.stringContaining("has no version 2") as string,
    });
  });

  it("starts nothing of an archived definition, and is no dead letter", async () => {
    const name = await publishedDefinition(database, documentOf(newDefinitionName()));
    await subscribe(database, name, { workflow: name });
    await subscribe(database, `${name}.#`, { workflow: name }, { options: { version: 7 } });
    await database.query("select queue.definition_archive($1)", [name]);
    await publish(database, name, {});
    expect(await runsOf(name)).toEqual([]);
    expect(await lettersOf(name)).toEqual([]);
  });

  it("is tried again by itself if it is selected", async () => {
    const fifo = await newQueue(database, { fifo: true });
    const broken = await subscribe(
      database,
      "selected",
      { queue: fifo },
      { options: { group: "customer" } },
    );
    for (const n of [1, 2]) await publish(database, "selected", { n });
    await database.query(
      `update queue.subscription set options = '{"group": "n"}' where subscription_id = $1`,
      [broken],
    );
    const [, second] = await database.query<{ letter_id: string }>(
      "select letter_id from queue.topic_dead_letters(0, 100, $1)",
      [broken],
    );
    expect(
      await database.query(
        "select queue.redrive_topic_dead_letters(letter_ids => array[$1::bigint]) as redriven",
        [second?.letter_id],
      ),
    ).toEqual([{ redriven: "1" }]);
    expect(await receiveFifo(database, fifo)).toMatchObject([{ message: { n: 2 } }]);
    expect(await lettersOf("selected")).toMatchObject([{ message: { n: 1 } }]);
  });

  it("is tried again by redrive, only for that subscription", async () => {
    const [queue, fifo] = [await newQueue(database), await newQueue(database, { fifo: true })];
    await subscribe(database, "again", { queue });
    const broken = await subscribe(
      database,
      "again",
      { queue: fifo },
      { options: { group: "customer" } },
    );
    await publish(database, "again", { n: 1 }, { trace: "t" });
    await receive(database, queue);
    const redrive = (): Promise<Record<string, unknown>[]> =>
      database.query(`select queue.redrive('${LETTERS}') as redriven`);
    await redrive();
    expect(await lettersOf("again")).toHaveLength(1);

    // Subscribed again, the id is another: the letter waits for its own subscription.
    await database.query(
      `update queue.subscription set options = '{"group": "n"}' where subscription_id = $1`,
      [broken],
    );
    await redrive();
    expect(await receiveFifo(database, fifo)).toMatchObject([
      { message: { n: 1 }, message_group_id: "1", headers: { trace: "t", topic: "again" } },
    ]);
    expect(await lettersOf("again")).toEqual([]);
    expect(await receive(database, queue)).toEqual([]);
  });
});

describe("send_topic to urls", () => {
  it("queues a delivery, each a separate message group unless the subscription has groups", async () => {
    const url = "https://example.org/hook?x=1";
    const plain = await subscribe(database, "hook", { http: url });
    const ordered = await subscribe(
      database,
      "hook",
      { http: "http://localhost:1/" },
      { options: { group: "id" } },
    );
    await publish(database, "hook", { id: 5 }, { trace: "t" });
    await publish(database, "hook", { id: 5 });
    const rows = await database.query(
      `select message, headers, message_group_id from queue.q___http order by msg_id`,
    );
    expect(rows.map((row) => row["headers"])).toContainEqual({
      trace: "t",
      topic: "hook",
      subscription_id: Number(plain),
      url,
    });
    const groups = rows.map((row) => row["message_group_id"]);
    expect(groups.filter((group) => group === `${ordered}:5`)).toHaveLength(2);
    expect(new Set(groups).size).toBe(3);
  });

  it("passes the subscription's options to the sender", async () => {
    const options = { format: "cloudevents", concurrency: 3, group: "id", strict: true };
    await subscribe(database, "told", { http: "https://example.org/told" }, { options });
    await publish(database, "told", { id: 6 }, { http: { concurrency: 1000 } });
    const told = await database.query<{ topic: string }>(
      "select topic, format, concurrency, headers from queue.deliveries_receive(10)",
    );
    // Not by a header, which the publisher writes.
    expect(told.filter(({ topic }) => topic === "told")).toEqual([
      {
        topic: "told",
        format: "cloudevents",
        concurrency: 3,
        headers: { http: { concurrency: 1000 } },
      },
    ]);
  });
});

describe("redrive_topic_dead_letters", () => {
  const disabled = async (topic: string, ordered: boolean): Promise<string> => {
    const id = await subscribe(
      database,
      topic,
      { http: `https://example.org/${topic}` },
      { options: { ordered } },
    );
    await database.query("select queue.delivery_failed($1, 'status 500', '0')", [id]);
    await publish(database, topic, { n: 1 });
    await database.query("select queue.enable_subscription($1)", [id]);
    return id;
  };
  const queuedOf = (id: string): Promise<unknown[]> =>
    database.query(
      "select message from queue.q___http where headers -> 'subscription_id' = to_jsonb($1::bigint) order by msg_id",
      [id],
    );

  it("lets no subscription end while it waits, so that no letter is lost", async () => {
    const [first, second] = [await disabled("held.a", true), await disabled("held.b", false)];
    const [publishing, redriving, ending] = [
      await openTransaction(database),
      await openSession(database),
      await openSession(database),
    ];
    await publish(publishing, "held.a", { n: 2 });
    const redriven = redriving.query("select queue.redrive_topic_dead_letters() as redriven");
    await redriving.isBlocked(publishing);
    const ended = ending.query("select queue.unsubscribe($1) as ended", [second]);
    await ending.isBlocked(redriving);
    await publishing.query("commit");
    expect(await redriven).toEqual([{ redriven: "2" }]);
    expect(await ended).toEqual([{ ended: true }]);
    expect(await queuedOf(first)).toEqual([{ message: { n: 2 } }, { message: { n: 1 } }]);
    expect(await queuedOf(second)).toEqual([{ message: { n: 1 } }]);
  });

  it("leaves the letter of a subscription that ends while it is locked", async () => {
    const id = await disabled("ending", false);
    const [ending, redriving] = [await openTransaction(database), await openSession(database)];
    await ending.query("select queue.unsubscribe($1)", [id]);
    const redriven = redriving.query(
      "select queue.redrive_topic_dead_letters(subscription_id => $1) as redriven",
      [id],
    );
    await redriving.isBlocked(ending);
    await ending.query("commit");
    expect(await redriven).toEqual([{ redriven: "0" }]);
    expect(await lettersOf("ending")).toMatchObject([{ message: { n: 1 } }]);
  });
});
