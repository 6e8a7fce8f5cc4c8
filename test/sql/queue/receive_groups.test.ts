/** receive_fifo() with max_per_group. Random histories: test/model/queue-groups.test.ts. */
import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { eventually, isNotEmpty, moreThan } from "../../helpers/eventually.ts";
import {
  acknowledge,
  type Delivery,
  messages,
  newQueue,
  type Queryable,
  sendFifo,
} from "../../helpers/queues.ts";
import { openSession, openTransaction } from "../../helpers/session.ts";

const database = await createDatabase();

const receive = (on: Queryable, queue: string, max: number, perGroup: number, timeout = 30) =>
  on.query<Delivery & Record<string, unknown>>(
    "select * from queue.receive_fifo($1, $2, $3, max_per_group => $4)",
    [queue, max, timeout, perGroup],
  );

const bodies = async (...parameters: Parameters<typeof receive>): Promise<unknown[]> =>
  messages(await receive(...parameters));

const remove = (on: Queryable, queue: string, deliveries: readonly Delivery[]) =>
  on.query("select queue.delete_batch($1, $2)", [queue, deliveries.map(({ receipt }) => receipt)]);

const giveBack = (queue: string, { receipt }: Delivery) =>
  database.query("select queue.change_visibility($1, $2, 0)", [queue, receipt]);

const isHealthy = async (): Promise<void> =>
  expect(await database.query("select * from queue.check_invariants()")).toEqual([]);

/** A queue with messages a1 to a<n>, and so on. */
async function newGroups(sizes: Readonly<Record<string, number>>): Promise<string> {
  const queue = await newQueue(database, { fifo: true });
  for (const [group, size] of Object.entries(sizes)) {
    for (let n = 1; n <= size; n += 1) await sendFifo(database, queue, `${group}${n}`, group);
  }
  return queue;
}

async function three(queue: string): Promise<readonly [Delivery, Delivery, Delivery]> {
  const [first, second, third] = await receive(database, queue, 3, 3);
  if (first === undefined || second === undefined || third === undefined) {
    throw new Error("There are three messages.");
  }
  return [first, second, third];
}

describe("receive_fifo with max_per_group", () => {
  it("returns the oldest messages of each group together, as many as fit", async () => {
    const queue = await newGroups({ a: 4, b: 1, c: 5 });
    expect(await bodies(database, queue, 7, 3)).toEqual(["a1", "a2", "a3", "b1", "c1", "c2", "c3"]);
    const other = await newGroups({ a: 4, b: 4 });
    expect(await bodies(database, other, 5, 10)).toEqual(["a1", "a2", "a3", "a4", "b1"]);
    const many = await newGroups(
      Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`g${n}-`, 1])),
    );
    expect(await receive(database, many, 30, 10)).toHaveLength(30);
  });

  it("returns nothing of a group while one of its messages is in flight, to whatever receive", async () => {
    const queue = await newGroups({ a: 5 });
    const [first, second, third] = await three(queue);
    await acknowledge(database, queue, first);
    expect(await bodies(database, queue, 10, 1)).toEqual([]);
    await acknowledge(database, queue, third);
    expect(await bodies(database, queue, 10, 10)).toEqual([]);
    await acknowledge(database, queue, second);
    await isHealthy();
    expect(await bodies(database, queue, 10, 10)).toEqual(["a4", "a5"]);
  });

  it("keeps the group closed when its head comes back before those behind it", async () => {
    const queue = await newGroups({ a: 4, b: 1 });
    const [first, second, third] = await three(queue);
    await giveBack(queue, first);
    expect(await bodies(database, queue, 1, 1)).toEqual(["b1"]);
    expect(await bodies(database, queue, 10, 10)).toEqual([]);
    await acknowledge(database, queue, second);
    expect(await bodies(database, queue, 10, 1)).toEqual([]);
    await giveBack(queue, third);
    expect(await bodies(database, queue, 10, 10)).toEqual(["a1", "a3", "a4"]);
  });

  it("wakes a listener when what held a group closed is acknowledged", async () => {
    const queue = await newGroups({ a: 2 });
    const [first, second] = await receive(database, queue, 2, 2);
    if (first === undefined || second === undefined) throw new Error("There are two messages.");
    await giveBack(queue, first);
    const listener = await database.connect();
    let heard = 0;
    listener.on("notification", () => {
      heard += 1;
    });
    await listener.query(`listen "queue_${queue}"`);
    await listener.query("select pg_advisory_lock_shared(queue.wake_key($1))", [`queue_${queue}`]);
    await acknowledge(database, queue, second);
    await eventually(() => Promise.resolve(heard), moreThan(0));
    await listener.end();
  });

  it("stops before a message that is delayed, or that another transaction has locked", async () => {
    const delayed = await newGroups({ a: 1 });
    await database.query("select queue.send_fifo($1, '\"a2\"', 'a', delay_seconds => 60)", [
      delayed,
    ]);
    await sendFifo(database, delayed, "a3", "a");
    expect(await bodies(database, delayed, 10, 10)).toEqual(["a1"]);

    const locked = await newGroups({ a: 4 });
    const [, second] = await receive(database, locked, 3, 3, 0);
    const holder = await openTransaction(database);
    await holder.query("select queue.delete($1, $2)", [locked, second?.receipt]);
    expect(await bodies(database, locked, 10, 10, 0)).toEqual(["a1"]);
    await holder.query("commit");
    expect(await bodies(database, locked, 10, 10, 0)).toEqual(["a1", "a3", "a4"]);
  });

  it("neither waits for a transaction that acknowledges the next message, nor loses the group", async () => {
    for (const how of ["commit", "rollback"]) {
      const queue = await newGroups({ a: 4 });
      const [first, second, third] = await three(queue);
      const holder = await openTransaction(database);
      await holder.query("select queue.delete($1, $2)", [queue, second.receipt]);
      const impatient = await openSession(database);
      await impatient.query("set lock_timeout = '1s'");
      await remove(impatient, queue, [first]);
      await isHealthy();
      expect(await bodies(impatient, queue, 10, 10)).toEqual([]);
      await holder.query(how);
      await remove(database, queue, how === "commit" ? [third] : [second, third]);
      await isHealthy();
      expect(await eventually(() => bodies(database, queue, 10, 10), isNotEmpty)).toEqual(["a4"]);
    }
  });

  it("moves messages to the dead letter queue one by one, each as the head of its group", async () => {
    const letters = await newQueue(database, { fifo: true });
    const queue = await newQueue(database, {
      fifo: true,
      maxReceives: 1,
      deadLetterQueue: letters,
    });
    for (const n of [1, 2, 3]) await sendFifo(database, queue, n, "a");
    for (const one of await receive(database, queue, 10, 2)) await giveBack(queue, one);
    expect(await bodies(database, queue, 10, 10)).toEqual([3]);
    expect(await bodies(database, letters, 10, 10)).toEqual([1, 2]);
    await isHealthy();
  });

  it("receives a suspect without the messages behind it", async () => {
    const queue = await newGroups({ a: 3 });
    const expire = () =>
      database.query(
        `update queue."q_${queue}" set visible_at = clock_timestamp() where receipt is not null`,
      );
    for (let death = 0; death < 2; death += 1) {
      expect(await bodies(database, queue, 10, 10)).toEqual(["a1", "a2", "a3"]);
      await expire();
    }
    const [suspect, ...others] = await receive(database, queue, 10, 10);
    expect([suspect?.message, others]).toEqual(["a1", []]);
    expect(await receive(database, queue, 10, 10)).toEqual([]);
    await isHealthy();
    if (suspect !== undefined) await acknowledge(database, queue, suspect);
    expect(await bodies(database, queue, 10, 10)).toEqual(["a2"]);
    await isHealthy();
  });

  it.each([0, 11, null])("refuses %s", async (perGroup) => {
    const queue = await newGroups({});
    await expect(
      database.query("select queue.receive_fifo($1, max_per_group => $2)", [queue, perGroup]),
    ).rejects.toMatchObject({
      code: "OX004",
      message: `invalid max_per_group ${String(perGroup)}`,
    });
  });

  it(
    "delivers each message once and in order to many consumers",
    { timeout: 120_000 },
    async () => {
      const queue = await newQueue(database, { fifo: true });
      const groups = ["a", "b", "c", "d"];
      const each = 60;
      const handled = new Map<string, number[]>(groups.map((group) => [group, []]));
      let left = groups.length * each;
      const send = async (group: string): Promise<void> => {
        const session = await openSession(database);
        for (let n = 0; n < each; n += 1) await sendFifo(session, queue, n, group);
      };
      const consume = async (consumer: number): Promise<void> => {
        const session = await openSession(database);
        while (left > 0) {
          const received = await receive(session, queue, 8, 1 + ((consumer * 3) % 10));
          for (const { message_group_id: group, message } of received) {
            handled.get(group ?? "")?.push(message as number);
          }
          left -= received.length;
          // In an order of their own, and not all together.
          const [some, others] = [
            received.filter((_, n) => n % 2 === 1),
            received.filter((_, n) => n % 2 === 0),
          ];
          await remove(session, queue, some);
          await remove(session, queue, others.toReversed());
        }
      };
      await Promise.all([...groups.map(send), ...[0, 1, 2, 3].map(consume)]);
      for (const group of groups) {
        expect(handled.get(group)).toEqual(Array.from({ length: each }, (_, n) => n));
      }
      await isHealthy();
    },
  );
});
