import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import {
  messages,
  newQueue,
  only,
  receive,
  receiveFifo,
  send,
  sendFifo,
  uniqueQueueName,
} from "../../helpers/queues.ts";
import { openSession } from "../../helpers/session.ts";

const database = await createDatabase();

const ALTER = "select * from queue.alter_queue($1, $2)";
const alter = (queue: string, changes: unknown) =>
  database.query(ALTER, [queue, JSON.stringify(changes)]);

describe("alter_queue", () => {
  it("changes what is named, leaves the rest, and returns the settings", async () => {
    const letters = await newQueue(database);
    const queue = await newQueue(database, { visibilityTimeout: 5 });
    expect(await alter(queue, { visibility_timeout: 60, delay_seconds: 7 })).toMatchObject([
      { name: queue, kind: "standard", visibility_timeout: 60, delay_seconds: 7 },
    ]);
    expect(
      await alter(queue, { max_receives: 3, dead_letter_queue: letters, retention_seconds: 90 }),
    ).toMatchObject([
      {
        visibility_timeout: 60,
        delay_seconds: 7,
        max_receives: 3,
        dead_letter_queue: letters,
        retention_seconds: 90,
      },
    ]);
    const cleared = { max_receives: null, dead_letter_queue: null, retention_seconds: null };
    expect(await alter(queue, cleared)).toMatchObject([{ ...cleared, visibility_timeout: 60 }]);
    expect(await database.query("select * from queue.get_queue($1)", [queue])).toEqual(
      await alter(queue, {}),
    );
    const [entry] = await database.query(
      "select action, outcome, detail from queue.audit_list() where subject = $1 order by acted_at desc offset 1 limit 1",
      [queue],
    );
    expect(entry).toMatchObject({ action: "queue.alter", outcome: "changed" });
  });

  it("lets create_queue succeed with the new settings, and name the difference to the old", async () => {
    const queue = await newQueue(database);
    await alter(queue, { delay_seconds: 3 });
    const create = "select queue.create_queue($1, delay_seconds => $2) as created";
    expect(await database.query(create, [queue, 3])).toEqual([{ created: false }]);
    await expect(database.query(create, [queue, 0])).rejects.toMatchObject({
      code: "OX002",
      message: expect.stringContaining("delay_seconds is 3, not 0") as string,
      hint: expect.stringContaining("alter_queue()") as string,
    });
  });

  it.each([
    ["null", /^changes are not a JSON object$/],
    ["[]", /^changes are not a JSON object$/],
    ['{"fifo": true}', /^fifo of queue ".*" cannot be changed$/],
    ['{"kind": "fifo"}', /^kind of queue ".*" cannot be changed$/],
    ['{"name": "other"}', /^name of queue ".*" cannot be changed$/],
    ['{"color": "red"}', /^queues have no setting "color"$/],
    ['{"visibility_timeout": null}', /^invalid visibility timeout of null seconds$/],
    ['{"visibility_timeout": -1}', /^invalid visibility timeout of -1 seconds$/],
    ['{"visibility_timeout": 1.5}', /^invalid visibility_timeout 1\.5$/],
    ['{"visibility_timeout": "1m"}', /^invalid visibility_timeout "1m"$/],
    ['{"visibility_timeout": 99999999999}', /^invalid visibility_timeout 99999999999$/],
    ['{"delay_seconds": -1}', /^invalid delay of -1 seconds$/],
    ['{"delay_seconds": null}', /^invalid delay of null seconds$/],
    ['{"retention_seconds": 0}', /^invalid retention of 0 seconds$/],
    ['{"max_receives": 3}', /^max_receives and dead_letter_queue require each other$/],
    ['{"deduplication_scope": "all"}', /^invalid deduplication_scope "all"$/],
    ['{"deduplication_scope": null}', /^invalid deduplication_scope "null"$/],
    ['{"dead_letter_queue": 3}', /^invalid dead_letter_queue 3$/],
  ])("refuses %s and changes nothing", async (changes, message) => {
    const queue = await newQueue(database);
    const before = await database.query("select * from queue.get_queue($1)", [queue]);
    await expect(database.query(ALTER, [queue, changes])).rejects.toMatchObject({
      code: "OX004",
      message: expect.stringMatching(message) as string,
      hint: expect.any(String) as string,
    });
    expect(await database.query("select * from queue.get_queue($1)", [queue])).toEqual(before);
  });

  it("refuses a queue that does not exist, or is Oxbow's own", async () => {
    await expect(alter(uniqueQueueName(), {})).rejects.toMatchObject({ code: "OX001" });
    await database.query("select queue.subscribe('made', 'http', 'http://127.0.0.1:1/')");
    await expect(alter("__http", { visibility_timeout: 1 })).rejects.toMatchObject({
      code: "OX007",
    });
  });

  it("refuses dead letter queues that would send letters in a circle", async () => {
    const [first, second, third] = [
      await newQueue(database),
      await newQueue(database),
      await newQueue(database),
    ];
    const to = (letters: string) => ({ max_receives: 1, dead_letter_queue: letters });
    await alter(first, to(second));
    await alter(second, to(third));
    await expect(alter(third, to(first))).rejects.toMatchObject({
      code: "OX004",
      message: `queue "${third}" would get its own dead letters back through queue "${first}"`,
    });
    await expect(alter(third, to(third))).rejects.toMatchObject({
      code: "OX004",
      message: `queue "${third}" cannot be its own dead letter queue`,
    });
    await expect(alter(third, to(await newQueue(database, { fifo: true })))).rejects.toMatchObject({
      code: "OX007",
    });
    await alter(first, { max_receives: null, dead_letter_queue: null });
    expect(await alter(third, to(first))).toMatchObject([{ dead_letter_queue: first }]);
  });

  it("lets only one of two concurrent calls close a circle", async () => {
    const [one, other] = [await newQueue(database), await newQueue(database)];
    const [first, second] = [await openSession(database), await openSession(database)];
    const to = (letters: string) => JSON.stringify({ max_receives: 1, dead_letter_queue: letters });
    await first.query("begin");
    await first.query(ALTER, [one, to(other)]);
    // It may be refused before the answer to the commit arrives.
    const closing = second.query(ALTER, [other, to(one)]).catch((error: unknown) => error);
    await second.isBlocked();
    await first.query("commit");
    expect(await closing).toMatchObject({ code: "OX004" });
  });

  it("merges the changes of concurrent calls", async () => {
    const queue = await newQueue(database);
    const [first, second] = [await openSession(database), await openSession(database)];
    await first.query("begin");
    await first.query(ALTER, [queue, '{"visibility_timeout": 60}']);
    const waiting = second.query(ALTER, [queue, '{"delay_seconds": 5}']);
    await second.isBlocked();
    await first.query("commit");
    expect(await waiting).toMatchObject([{ visibility_timeout: 60, delay_seconds: 5 }]);
  });

  it("holds for the next receive", async () => {
    const letters = await newQueue(database);
    const queue = await newQueue(database, { visibilityTimeout: 0 });
    await send(database, queue, 1);
    await receive(database, queue);
    await receive(database, queue);
    await alter(queue, { max_receives: 2, dead_letter_queue: letters });
    expect(await receive(database, queue)).toEqual([]);
    expect(messages(await receive(database, letters))).toEqual([1]);
    await alter(queue, { visibility_timeout: 40 });
    await send(database, queue, 2);
    const { visible_at: until } = only(await receive(database, queue));
    expect(until.getTime() - Date.now()).toBeGreaterThan(35_000);
  });
});

describe("the delay of a queue", () => {
  it("holds for messages that are sent without a delay", async () => {
    const [queue, fifo] = [await newQueue(database), await newQueue(database, { fifo: true })];
    await alter(queue, { delay_seconds: 600 });
    await alter(fifo, { delay_seconds: 600 });
    await send(database, queue, 1);
    await database.query("select queue.send_batch($1, array['2'::jsonb])", [queue]);
    await sendFifo(database, fifo, 3, "a");
    for (const name of [queue, fifo]) {
      for (const { state, visible_at: at, enqueued_at: sentAt } of await database.query(
        "select * from queue.peek($1)",
        [name],
      )) {
        expect(state).toBe("delayed");
        expect((at as Date).getTime() - (sentAt as Date).getTime()).toBe(600_000);
      }
    }
    await database.query("select queue.send($1, '4', delay_seconds => 0)", [queue]);
    await database.query("select queue.send_batch($1, array['5'::jsonb], 0)", [queue]);
    await database.query("select queue.send_fifo($1, '6', 'b', delay_seconds => 0)", [fifo]);
    expect(messages(await receive(database, queue, 10))).toEqual([4, 5]);
    expect(messages(await receiveFifo(database, fifo, 10))).toEqual([6]);
  });

  it("holds for messages of topics, unless the subscription has a delay", async () => {
    const queue = await newQueue(database);
    await alter(queue, { delay_seconds: 600 });
    await database.query("select queue.subscribe('delayed.topic', 'queue', $1)", [queue]);
    await database.query("select queue.send_topic('delayed.topic', '1')");
    expect(await receive(database, queue)).toEqual([]);
    expect(only(await database.query("select * from queue.peek($1)", [queue]))).toMatchObject({
      state: "delayed",
    });
  });
});
