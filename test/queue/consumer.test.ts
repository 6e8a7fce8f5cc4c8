import { setTimeout as pause } from "node:timers/promises";
import {
  type Consumer,
  type ConsumerEvents,
  createWorkflowClient,
  InvalidArgument,
  LeaseLost,
  QueueNotFound,
  RetryAfterError,
} from "@oxbow/sdk";
import { describe, expect, it } from "vitest";
import { numbers, setupQueues } from "../helpers/client-queues.ts";
import { eventually, including, isNotEmpty } from "../helpers/eventually.ts";
import { Latch } from "../helpers/latch.ts";
import { only, uniqueQueueName } from "../helpers/queues.ts";
import { openSession } from "../helpers/session.ts";
import { isThroughServer, shardCount } from "../helpers/transport.ts";
import { warningsOf } from "../helpers/warnings.ts";

const { connection, database, queues } = await setupQueues();

/** Handlers fail on purpose here, so their logs are noise. */
const logger = false;

async function newQueue(options: Parameters<typeof queues.create>[1] = {}): Promise<string> {
  const name = uniqueQueueName();
  await queues.create(name, options);
  return name;
}

/** Every event of a consumer under one name. */
function record<Name extends keyof ConsumerEvents>(
  consumer: Consumer,
  name: Name,
): ConsumerEvents[Name][] {
  const events: ConsumerEvents[Name][] = [];
  consumer.events.on(name, (event) => void events.push(event));
  return events;
}

const isEmpty = (queue: string): Promise<unknown> =>
  eventually(
    () => queues.stats(queue),
    ({ visible, inFlight, delayed }) => visible + inFlight + delayed === 0,
  );

describe("a consumer", () => {
  it("gives a message back whose handler threw what can't be read", async () => {
    const name = await newQueue();
    const { proxy, revoke } = Proxy.revocable(new Error(), {});
    revoke();
    let calls = 0;
    await using consumer = queues.consume(
      name,
      () => {
        calls += 1;
        if (calls === 1) throw proxy;
      },
      { logger, retryDelay: { kind: "fixed", base: 1 } },
    );
    const failed = record(consumer, "messageFailed");
    await queues.send(name, 1);
    await isEmpty(name);
    expect(calls).toBe(2);
    expect(failed).toMatchObject([
      { error: { message: expect.stringContaining("can't be read") } },
    ]);
  });

  it("calls its handler for every message, some at once, and deletes them", async () => {
    const name = await newQueue();
    const bodies: number[] = [];
    let running = 0;
    let most = 0;
    await using consumer = queues.consume<number>(
      name,
      async ({ body, receiveCount }) => {
        running += 1;
        most = Math.max(most, running);
        await pause(2);
        bodies.push(body + receiveCount - 1);
        running -= 1;
      },
      { concurrency: 5 },
    );
    const done = record(consumer, "messageDone");
    await Promise.all(Array.from({ length: 100 }, (_, n) => queues.send(name, n)));
    await isEmpty(name);
    expect(bodies.toSorted((a, b) => a - b)).toEqual(numbers(100));
    expect(most).toBe(5);
    // Whoever has deleted the last one learns of it a moment after the database.
    await eventually(() => done.length, 100);
    expect(done[0]).toMatchObject({ queue: name, receiveCount: 1 });
  });

  it("gives a message whose handler throws back with a growing delay, until it is a dead letter", async () => {
    const letters = await newQueue();
    const name = await newQueue({ maxReceives: 3, deadLetterQueue: letters });
    await using consumer = queues.consume(name, () => Promise.reject(new Error("no")), {
      retryDelay: { kind: "exp", base: 40, jitter: 0 },
      logger,
    });
    const failed = record(consumer, "messageFailed");
    await queues.send(name, "poison");
    expect(await queues.receive(letters, { wait: "10s" })).toMatchObject([
      { body: "poison", headers: { dead_letter: { queue: name, receives: 3 } } },
    ]);
    expect(failed.map(({ retryInMs, receiveCount }) => [retryInMs, receiveCount])).toEqual([
      [40, 1],
      [80, 2],
      [160, 3],
    ]);
    await isEmpty(name);
  });

  it("lets a handler say when it wants the message again", async () => {
    const name = await newQueue();
    let calls = 0;
    await using consumer = queues.consume(
      name,
      () => {
        calls += 1;
        if (calls === 1) throw new RetryAfterError(30, "rate limited");
      },
      { logger },
    );
    const failed = record(consumer, "messageFailed");
    await queues.send(name, 1);
    await eventually(() => calls, 2);
    expect(failed).toMatchObject([{ retryInMs: 30 }]);
  });

  it("keeps its messages for longer than their visibility timeout", async () => {
    const name = await newQueue();
    const { opened, open } = new Latch();
    let calls = 0;
    const signals: AbortSignal[] = [];
    await using consumer = queues.consume(
      name,
      async (_message, { signal }) => {
        calls += 1;
        signals.push(signal);
        await opened;
      },
      { visibilityTimeout: "3s", concurrency: 20 },
    );
    await queues.sendBatch(name, numbers(10));
    await pause(4_000);
    expect(calls).toBe(10);
    expect(signals.some((signal) => signal.aborted)).toBe(false);
    open();
    await isEmpty(name);
    await consumer.stop();
  });

  it.skipIf(isThroughServer)(
    "keeps its messages while one of them is acknowledged in a transaction that is open",
    async () => {
      const name = await newQueue();
      const { opened, open } = new Latch();
      const tx = await database.connect();
      let calls = 0;
      await using consumer = queues.consume<number>(
        name,
        async ({ body }, { acknowledge }) => {
          calls += 1;
          if (body === 1) {
            await tx.query("begin");
            await acknowledge({ tx });
          }
          await opened;
          if (body === 1) await tx.query("commit");
        },
        { visibilityTimeout: "3s", concurrency: 20 },
      );
      const lost = record(consumer, "messageLost");
      await queues.sendBatch(name, numbers(10));
      await pause(4_000);
      expect(calls).toBe(10);
      open();
      await isEmpty(name);
      await consumer.stop();
      expect(lost).toEqual([]);
    },
  );

  it("aborts a handler whose message another consumer has, and does not delete it", async () => {
    const name = await newQueue();
    const reasons: unknown[] = [];
    const receipts: string[] = [];
    await using consumer = queues.consume(
      name,
      ({ receipt }, { signal }) => {
        receipts.push(receipt);
        return new Promise<void>((resolve) => {
          signal.addEventListener("abort", () => {
            reasons.push(signal.reason);
            resolve();
          });
        });
      },
      { visibilityTimeout: "1s", concurrency: 1 },
    );
    const lost = record(consumer, "messageLost");
    const started = record(consumer, "messageStarted");
    await queues.send(name, 1);
    await eventually(() => started.length, 1);
    // As if the lease had ended: gives the message back behind the consumer's back, and takes it.
    await queues.changeVisibility(name, only(receipts), 0);
    const stolen = only(await queues.receive(name, { wait: "5s" }));
    await eventually(() => reasons, { length: 1 });
    expect(reasons[0]).toBeInstanceOf(LeaseLost);
    await eventually(() => lost.length, 1);
    await consumer.stop();
    expect(lost).toHaveLength(1);
    expect(await queues.delete(name, stolen)).toBe(true);
  });

  it.skipIf(isThroughServer)(
    "deletes a message in the handler's own transaction, or not",
    async () => {
      const name = await newQueue();
      await database.query("create table paid (id int)");
      await using consumer = queues.consume<number>(
        name,
        async ({ body, receiveCount }, { acknowledge }) => {
          const tx = await database.connect();
          await tx.query("begin");
          await tx.query("insert into paid values ($1)", [body]);
          await acknowledge({ tx });
          await tx.query(receiveCount === 1 ? "rollback" : "commit");
          await tx.end();
          if (receiveCount === 1) throw new Error("rolled back");
        },
        { retryDelay: { base: 10 }, logger },
      );
      const done = record(consumer, "messageDone");
      await queues.send(name, 7);
      await isEmpty(name);
      await eventually(() => done.length, 1);
      expect(await database.query("select id from paid")).toEqual([{ id: 7 }]);
    },
  );

  // Over shards, the messages of a batch may be in several databases.
  it.skipIf(isThroughServer || shardCount > 1)(
    "gives back a message of a batch that has failed, and acknowledges the others in a transaction",
    async () => {
      const name = await newQueue();
      const calls: number[][] = [];
      let refusal: unknown;
      await using consumer = queues.consumeBatch<number>(
        name,
        async (messages, { acknowledge, fail }) => {
          calls.push(messages.map(({ body }) => body));
          const [first, second] = messages;
          if (first === undefined) return;
          if (second !== undefined) fail(second, new Error("not this one"));
          const tx = await database.connect();
          await tx.query("begin");
          await acknowledge({ tx });
          await tx.query("commit");
          await tx.end();
          try {
            fail(first, new Error("too late"));
          } catch (error) {
            refusal = error;
          }
        },
        { batch: 2, retryDelay: { base: 10 }, logger },
      );
      const failed = record(consumer, "messageFailed");
      await queues.sendBatch(name, [1, 2]);
      await isEmpty(name);
      expect(calls).toEqual([[1, 2], [2]]);
      expect(failed).toMatchObject([{ error: { message: "not this one" } }]);
      expect(refusal).toMatchObject({ code: "INVALID_ARGUMENT" });
    },
  );

  it.skipIf(isThroughServer).each(["fails", "is not awaited"])(
    "delivers a message again whose acknowledgement in a transaction %s, though the handler returns",
    async (how) => {
      const name = await newQueue({ fifo: true });
      const table = `paid_${how.length}`;
      await database.query(`create table ${table} (id int)`);
      await using consumer = queues.consume<number>(
        name,
        async ({ body, receiveCount }, { acknowledge }) => {
          const tx = await database.connect();
          await tx.query("begin");
          await tx.query(`insert into ${table} values ($1)`, [body]);
          if (receiveCount > 1) {
            await acknowledge({ tx });
            await tx.query("commit");
          } else {
            if (how === "fails") await tx.query("select 1 / 0").catch(() => {});
            const acknowledged = acknowledge({ tx }).catch(() => {});
            if (how === "fails") await acknowledged;
            // The program doesn't answer an abandoned transaction.
            void tx.query("rollback").then(() => tx.end());
            return;
          }
          await tx.end();
        },
        { retryDelay: { base: 10 }, logger },
      );
      const failed = record(consumer, "messageFailed");
      await queues.sendFifo(name, 7, { groupId: "g" });
      await isEmpty(name);
      expect(failed).toHaveLength(1);
      expect(await database.query(`select id from ${table}`)).toEqual([{ id: 7 }]);
    },
  );

  it("without a logger reports failures only by its events", async () => {
    const name = await newQueue();
    const warnings = await warningsOf(async () => {
      await using consumer = queues.consume<number>(
        name,
        ({ receiveCount }) => {
          if (receiveCount === 1) throw new Error("again");
        },
        { retryDelay: { base: 10 }, logger: false },
      );
      const failed = record(consumer, "messageFailed");
      await queues.send(name, 7);
      await isEmpty(name);
      expect(failed).toHaveLength(1);
    });
    expect(warnings).toEqual([]);
  });

  it("keeps the order of each group of a FIFO queue", async () => {
    const name = await newQueue({ fifo: true });
    const seen = new Map<string, number[]>();
    queues.consume<number>(
      name,
      async ({ body, groupId, receiveCount }) => {
        await pause(Math.random() * 3);
        if (body === 3 && receiveCount === 1) throw new Error("again");
        seen.set(groupId ?? "", [...(seen.get(groupId ?? "") ?? []), body]);
      },
      { concurrency: 10, retryDelay: { base: 20 }, logger },
    );
    for (let n = 0; n < 10; n += 1) {
      await Promise.all(["a", "b", "c"].map((groupId) => queues.sendFifo(name, n, { groupId })));
    }
    await isEmpty(name);
    for (const group of ["a", "b", "c"]) expect(seen.get(group)).toEqual(numbers(10));
  });

  it("receives only what it matches", async () => {
    const name = await newQueue();
    const bodies: unknown[] = [];
    queues.consume(name, ({ body }) => bodies.push(body), {
      matching: { kind: "a" },
    });
    await queues.sendBatch(name, [{ kind: "b" }, { kind: "a" }]);
    await eventually(() => bodies, isNotEmpty);
    expect(bodies).toEqual([{ kind: "a" }]);
    expect((await queues.receive(name)).map(({ body }) => body)).toEqual([{ kind: "b" }]);
  });

  it("that takes batches may fail one message of them, or all", async () => {
    const name = await newQueue();
    await queues.sendBatch(name, [0, 1, 2, 3]);
    const calls: number[][] = [];
    await using consumer = queues.consumeBatch<number>(
      name,
      (messages, { fail }) => {
        calls.push(messages.map(({ body }) => body));
        for (const message of messages)
          if (message.body === 2 && message.receiveCount === 1) fail(message, new Error("not 2"));
        if (calls.length === 2) throw new Error("nor this");
      },
      // Not before the second batch has been received.
      { batch: 3, concurrency: 1, retryDelay: { base: 1_000, jitter: 0 }, logger },
    );
    const failed = record(consumer, "messageFailed");
    await isEmpty(name);
    expect(calls.slice(0, 2)).toEqual([[0, 1, 2], [3]]);
    // Each learns when its message has been given back, in whatever order.
    const messages = failed.map(({ error }) => (error as Error).message);
    expect(messages.toSorted()).toEqual(["nor this", "not 2"]);
    expect(calls.flat().toSorted((a, b) => a - b)).toEqual([0, 1, 2, 2, 3, 3]);
  });

  it("that stops lets its handlers finish, and leaves the rest to others", async () => {
    const name = await newQueue();
    const { opened, open } = new Latch();
    const consumer = queues.consume(name, () => opened, { concurrency: 2 });
    const started = record(consumer, "messageStarted");
    await queues.sendBatch(name, [1, 2, 3]);
    await eventually(() => started.length, 2);
    const stopped = consumer.stop();
    expect(consumer.stop()).toBe(stopped);
    open();
    await stopped;
    await consumer.finished;
    expect(started).toHaveLength(2);
    expect(await queues.receive(name, { max: 10 })).toHaveLength(1);
    await queues.send(name, 4);
    expect(await queues.receive(name, { max: 10 })).toHaveLength(1);
  });

  it("that stops gives up a handler that doesn't end, and its message is free at once", async () => {
    const name = await newQueue();
    const { opened, open } = new Latch();
    const signals: AbortSignal[] = [];
    const consumer = queues.consume(
      name,
      (_message, { signal }) => {
        signals.push(signal);
        return opened;
      },
      { stopTimeout: 50, visibilityTimeout: "1h" },
    );
    const released = record(consumer, "messageReleased");
    await queues.send(name, 1);
    await eventually(() => signals.length, 1);
    await consumer.stop();
    expect(signals[0]?.aborted).toBe(true);
    expect(released).toHaveLength(1);
    expect(await queues.receive(name)).toMatchObject([{ receiveCount: 1 }]);
    open();
  });

  it.skipIf(isThroughServer)(
    "that stops gives back at once what it was just receiving",
    async () => {
      const name = await newQueue({ visibilityTimeout: "1h" });
      await queues.send(name, 1);
      const tx = await database.connect();
      await tx.query("begin");
      await tx.query("select queue.purge_queue($1)", [name]);
      let calls = 0;
      const consumer = queues.consume(name, () => {
        calls += 1;
      });
      const released = record(consumer, "messageReleased");
      await eventually(
        () =>
          database.query(
            "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
          ),
        { length: 1 },
      );
      const stopped = consumer.stop();
      await tx.query("rollback");
      await stopped;
      expect(calls).toBe(0);
      expect(released).toMatchObject([{ queue: name, receiveCount: 1 }]);
      expect(await queues.receive(name)).toMatchObject([{ body: 1, receiveCount: 1 }]);
    },
  );

  it("that stops while it waits for messages stops at once", async () => {
    const name = await newQueue();
    const consumer = queues.consume(name, () => {});
    await eventually(
      () =>
        database.query<{ awaited: boolean }>("select queue._is_awaited($1) as awaited", [
          `queue_${name}`,
        ]),
      (rows) => rows.every(({ awaited }) => awaited),
    );
    const begin = performance.now();
    await consumer.stop();
    // It would wait for 20 s.
    expect(performance.now() - begin).toBeLessThan(10_000);
  });

  it("is stopped with its client", async () => {
    const name = await newQueue();
    const client = createWorkflowClient(connection);
    const { opened, open } = new Latch();
    const consumer = client.queues.consume(name, () => opened);
    const started = record(consumer, "messageStarted");
    await queues.send(name, 1);
    await eventually(() => started.length, 1);
    const closed = client.close();
    open();
    await closed;
    await consumer.finished;
    expect(await queues.stats(name)).toMatchObject({ visible: 0, inFlight: 0 });
  });

  it("ends with what is wrong when its queue was never there", async () => {
    const consumer = queues.consume("nowhere", () => {}, { logger });
    await expect(consumer.finished).rejects.toThrow(QueueNotFound);
    await expect(consumer.finished).rejects.toThrow('"nowhere" does not exist');
    await consumer.stop();
  });

  it("waits for a queue that is dropped, and continues with the next one of its name", async () => {
    const name = await newQueue();
    const bodies: unknown[] = [];
    await using consumer = queues.consume(name, ({ body }) => bodies.push(body), { logger });
    const troubles = record(consumer, "trouble");
    await queues.send(name, "old");
    await eventually(() => bodies.length, 1);
    await isEmpty(name);
    await queues.drop(name);
    await eventually(
      () => troubles,
      (all) => all.some(({ error }) => error instanceof QueueNotFound),
    );
    await queues.create(name, { fifo: true });
    await queues.sendFifo(name, "new", { groupId: "a" });
    await eventually(() => bodies, including("new"));
  });

  it.skipIf(isThroughServer)("is one of a hundred in a process, on few connections", async () => {
    const names = await Promise.all(Array.from({ length: 100 }, () => newQueue()));
    let handled = 0;
    const consumers = names.map((name) =>
      queues.consume(name, () => {
        handled += 1;
      }),
    );
    await Promise.all(names.map((name) => queues.send(name, 1)));
    await eventually(() => handled, 100);
    const sessions = await database.query(
      "select from pg_stat_activity where datname = current_database() and application_name like 'oxbow%'",
    );
    expect(sessions.length).toBeLessThanOrEqual(7 * shardCount);
    await Promise.all(consumers.map((consumer) => consumer.stop()));
  });

  it("shares a queue with others: each message is handled once", async () => {
    const name = await newQueue();
    const handled: unknown[] = [];
    const consumers = Array.from({ length: 20 }, () =>
      queues.consume(name, ({ body }) => handled.push(body), { concurrency: 3 }),
    );
    for (let n = 0; n < 10; n += 1)
      await Promise.all(Array.from({ length: 30 }, (_, m) => queues.send(name, n * 30 + m)));
    await isEmpty(name);
    expect(handled.toSorted((a, b) => Number(a) - Number(b))).toEqual(numbers(300));
    await Promise.all(consumers.map((consumer) => consumer.stop()));
  });

  it("refuses options that make no sense", () => {
    const consume = (options: object) => () => queues.consume("any", () => {}, options);
    expect(consume({ concurrency: 0 })).toThrow(InvalidArgument);
    expect(consume({ visibilityTimeout: 100_000_000 })).toThrow(InvalidArgument);
    expect(consume({ retryDelay: { kind: "never" } })).toThrow(InvalidArgument);
    expect(consume({ wait: "long" })).toThrow(InvalidArgument);
    expect(consume({ wait: 0 })).toThrow("at least 100ms");
  });
});

it("a consumer asks again when the database can't delete a message at present, and calls no handler twice", async () => {
  const name = await newQueue();
  await database.query(
    `create sequence deletions;
     create function full_disk() returns trigger language plpgsql security definer as $$
     begin
       if nextval('public.deletions') <= 5 then
         raise exception using errcode = '53100', message = 'no space left on device';
       end if;
       return old;
     end $$;
     create trigger full_disk before delete on queue."q_${name}" for each row execute function full_disk()`,
  );
  let calls = 0;
  await using consumer = queues.consume(name, () => void (calls += 1), {
    visibilityTimeout: "10s",
    logger,
  });
  const troubles = record(consumer, "trouble");
  await queues.send(name, 1);
  await isEmpty(name);
  expect(calls).toBe(1);
  expect(troubles).toHaveLength(5);
});

describe.skipIf(isThroughServer)("a consumer whose process stands still", () => {
  it("calls no handler with a message that another consumer has received since", async () => {
    const name = await newQueue();
    await queues.send(name, 1);
    const [holder, other] = [await openSession(database), await openSession(database)];
    await holder.query("begin");
    await holder.query(`lock table queue."q_${name}" in access exclusive mode`);
    const handled: unknown[] = [];
    await using consumer = queues.consume(name, ({ body }) => void handled.push(body), {
      visibilityTimeout: "1s",
      logger,
    });
    const lost = record(consumer, "messageLost");
    // Its receive waits for the lock.
    await eventually(
      () =>
        database.query("select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))", [
          holder.pid,
        ]),
      { length: 1 },
    );
    const stolen = other.query(
      `do $$ begin perform pg_sleep(2.5); perform queue.receive('${name}', 1, 60); end $$`,
    );
    const released = holder.query("commit");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_000);
    await Promise.all([released, stolen]);
    await eventually(() => lost, { length: 1 });
    expect(handled).toEqual([]);
  });
});
