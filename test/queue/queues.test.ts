import { setTimeout as sleep } from "node:timers/promises";
import {
  InvalidArgument,
  PayloadTooLarge,
  QueueExists,
  QueueNotFound,
  SerializationError,
  WrongQueueKind,
} from "@oxbow/sdk";
import { describe, expect, it } from "vitest";
import { numbers, setupQueues } from "../helpers/client-queues.ts";
import { only, uniqueQueueName } from "../helpers/queues.ts";
import { isThroughServer } from "../helpers/transport.ts";

const { database, queues } = await setupQueues();

async function newQueue(options: Parameters<typeof queues.create>[1] = {}): Promise<string> {
  const name = uniqueQueueName();
  expect(await queues.create(name, options)).toBe(true);
  return name;
}

/** The messages that are visible, in their order as numbers: over shards, they come in any. */
async function numbersOf(name: string): Promise<number[]> {
  const received = await queues.receive<number>(name, { max: 10 });
  return received.map(({ body }) => body).toSorted((one, other) => one - other);
}

describe("a queue", () => {
  it("is created once, and again only with the same settings", async () => {
    const letters = await newQueue();
    const settings = { visibilityTimeout: "1m", maxReceives: 3, deadLetterQueue: letters };
    const name = await newQueue(settings);
    expect(await queues.create(name, settings)).toBe(false);
    await expect(queues.create(name, { fifo: true })).rejects.toThrow(QueueExists);
    expect((await queues.list()).find((queue) => queue.name === name)).toMatchObject({
      fifo: false,
      visibilityTimeoutMs: 60_000,
      maxReceives: 3,
      deadLetterQueue: letters,
      createdAt: expect.any(Date),
    });
  });

  it("is altered, and delays its messages unless they have a delay", async () => {
    const letters = await newQueue();
    const name = await newQueue({ retention: "1h", delay: "90s" });
    expect(await queues.create(name, { retention: "1h", delay: "90s" })).toBe(false);
    const changes = { visibilityTimeout: "90s", maxReceives: 3, deadLetterQueue: letters };
    expect(await queues.alter(name, changes)).toMatchObject({
      name,
      fifo: false,
      visibilityTimeoutMs: 90_000,
      maxReceives: 3,
      deadLetterQueue: letters,
      retentionMs: 3_600_000,
      delayMs: 90_000,
    });
    const cleared = { maxReceives: null, deadLetterQueue: null, retention: null };
    expect(await queues.alter(name, cleared)).toMatchObject({
      visibilityTimeoutMs: 90_000,
      maxReceives: null,
      deadLetterQueue: null,
      retentionMs: null,
    });
    await queues.send(name, 1);
    await queues.sendBatch(name, [2]);
    await queues.send(name, 3, { delay: 0 });
    await queues.sendBatch(name, [4], { delay: "0s" });
    expect(await numbersOf(name)).toEqual([3, 4]);
    await expect(queues.alter(name, { maxReceives: 3 })).rejects.toThrow(InvalidArgument);
    await expect(queues.alter(name, { fifo: true } as object)).rejects.toThrow(/fifo/);
    await expect(queues.alter("nowhere", { delay: "1s" })).rejects.toThrow(QueueNotFound);
  });

  it("takes messages with a delay each", async () => {
    const name = await newQueue({ delay: "1h" });
    await queues.sendBatch(name, [1, 2, 3], { delay: [0, "1h", null] });
    expect(await numbersOf(name)).toEqual([1]);
    await expect(queues.sendBatch(name, [1], { delay: [0, 0] })).rejects.toThrow(
      /2 delays for 1 messages/,
    );
  });

  it("takes messages of many groups in one call, and reports duplicates", async () => {
    const name = await newQueue({ fifo: true, deduplicationScope: "group" });
    const sent = await queues.sendFifoBatch(name, [
      { message: 1, groupId: "a", deduplicationId: "1" },
      { message: 2, groupId: "b", deduplicationId: "1", headers: { of: "b" } },
      { message: 3, groupId: "a", deduplicationId: "1" },
      { message: 4, groupId: "c", delay: "1h" },
    ]);
    expect(sent.map(({ duplicate }) => duplicate)).toEqual([false, false, true, false]);
    expect(sent[2]?.id).toBe(sent[0]?.id);
    const peeked = await queues.peek(name);
    const byBody = new Map(peeked.map((message) => [message.body, message]));
    expect(new Set(byBody.keys())).toEqual(new Set([1, 2, 4]));
    expect(byBody.get(2)).toMatchObject({ id: sent[1]?.id, groupId: "b", headers: { of: "b" } });
    expect(byBody.get(4)).toMatchObject({ id: sent[3]?.id, state: "delayed" });
    expect(await queues.sendFifoBatch(name, [])).toEqual([]);
    const unknown = [{ message: 1, groupId: "a", deduplication: "1" }];
    await expect(queues.sendFifoBatch(name, unknown)).rejects.toThrow(/deduplication/);
    await queues.alter(name, { deduplicationScope: "queue" });
    expect((await queues.list()).find((queue) => queue.name === name)).toMatchObject({
      deduplicationScope: "queue",
    });
  });

  it("returns several messages of a group in order, if it is asked for them", async () => {
    const name = await newQueue({ fifo: true });
    await queues.sendFifoBatch(
      name,
      [1, 2, 3, 4].map((message) => ({ message, groupId: "a" })),
    );
    const received = await queues.receive(name, { max: 10, maxPerGroup: 3 });
    expect(received.map(({ body }) => body)).toEqual([1, 2, 3]);
    expect(await queues.receive(name, { max: 10, maxPerGroup: 3 })).toEqual([]);
    const [first, ...others] = received;
    if (first === undefined) throw new Error("There is a first message.");
    expect(await queues.deleteBatch(name, others)).toHaveLength(2);
    await queues.changeVisibility(name, first, 0);
    const again = await queues.receive(name, { max: 10, maxPerGroup: 10 });
    expect(again.map(({ body }) => body)).toEqual([1, 4]);
    await expect(queues.receive(name, { maxPerGroup: 11 })).rejects.toThrow(InvalidArgument);
    const standard = await newQueue();
    await expect(queues.receive(standard, { maxPerGroup: 2 })).rejects.toThrow(/message groups/);
  });

  it("is counted, purged and dropped", async () => {
    const name = await newQueue();
    await queues.sendBatch(name, [1, 2, 3]);
    await queues.send(name, 4, { delay: "1h" });
    await queues.receive(name);
    expect(await queues.stats(name)).toEqual({
      name,
      visible: 2,
      inFlight: 1,
      delayed: 1,
      groups: null,
      totalSent: 4,
      oldestMessageAgeMs: expect.any(Number),
    });
    expect(await queues.purge(name)).toBe(4);
    await queues.drop(name);
    await expect(queues.stats(name)).rejects.toThrow(QueueNotFound);
  });

  it("is listed while it holds dead letters of another one", async () => {
    const letters = await newQueue();
    const name = await newQueue({
      visibilityTimeout: "0s",
      maxReceives: 1,
      deadLetterQueue: letters,
    });
    const found = async () =>
      (await queues.deadLetterQueues({ max: 1_000 })).filter((queue) => queue.name === letters);
    await queues.sendBatch(name, [1, 2]);
    expect(await found()).toEqual([]);
    await queues.receive(name, { max: 10 });
    await queues.receive(name, { max: 10 });
    expect(await found()).toEqual([{ name: letters, messages: 2, hasMore: false }]);
    expect(await queues.deadLetterQueues({ after: letters })).not.toContainEqual(
      expect.objectContaining({ name: letters }),
    );
    await expect(queues.deadLetterQueues({ max: 0 })).rejects.toThrow(InvalidArgument);
  });

  it("that doesn't exist is named by every error, with what to do", async () => {
    const calls = [
      () => queues.send("nowhere", 1),
      () => queues.sendBatch("nowhere", [1]),
      () => queues.sendFifo("nowhere", 1, { groupId: "a" }),
      () => queues.receive("nowhere"),
      () => queues.receive("nowhere", { wait: "10s" }),
      () => queues.changeVisibility("nowhere", "1", 0),
      () => queues.delete("nowhere", "1"),
      () => queues.redrive("nowhere"),
      () => queues.moveMessages("nowhere", "elsewhere"),
      () => queues.purge("nowhere"),
      () => queues.drop("nowhere"),
    ];
    for (const call of calls) {
      await expect(call()).rejects.toThrow(QueueNotFound);
      await expect(call()).rejects.toThrow(/"nowhere" does not exist\. Create it/);
    }
  });
});

describe("a peek", () => {
  it("shows messages with their state, in pages, and receives nothing", async () => {
    const name = await newQueue();
    const ids = await queues.sendBatch(name, [{ n: 1 }, { n: 2 }], { headers: { of: "test" } });
    const ready = ids.map((id, index) => ({
      id,
      state: "ready",
      body: { n: index + 1 },
      headers: { of: "test" },
      receiveCount: 0,
      groupId: null,
      enqueuedAt: expect.any(Date),
      visibleAt: expect.any(Date),
    }));
    const id = await queues.send(name, { n: 3 }, { delay: "1h" });
    const delayed = { ...ready[0], id, state: "delayed", body: { n: 3 }, headers: null };
    // Over shards, it may be in another one, whose ids come before.
    const all = BigInt(id) < BigInt(ids[0] ?? "") ? [delayed, ...ready] : [...ready, delayed];
    expect(await queues.peek(name, { max: 2 })).toEqual(all.slice(0, 2));
    expect(await queues.peek(name, { after: String(all[1]?.id) })).toEqual(all.slice(2));
    expect(await queues.peek(name, { matching: { n: 2 } })).toMatchObject([{ id: ids[1] }]);
    expect(await queues.receive(name, { max: 10 })).toHaveLength(2);
    const states = all.map(({ state }) =>
      state === "delayed" ? { state, receiveCount: 0 } : { state: "in-flight", receiveCount: 1 },
    );
    expect(await queues.peek(name)).toMatchObject(states);
  });

  it("refuses what makes no sense, and names it", async () => {
    const name = await newQueue();
    await expect(queues.peek(name, { max: 1001 })).rejects.toThrow(/1001.*from 1 to 1000/);
    await expect(queues.peek(name, { after: "latest" })).rejects.toThrow(/"latest"/);
    await expect(queues.peek("nowhere")).rejects.toThrow(QueueNotFound);
  });
});

describe("messages", () => {
  it("are received with everything about them, and deleted", async () => {
    const name = await newQueue();
    const id = await queues.send(name, { to: "ada" }, { headers: { trace: "t1" } });
    const message = only(await queues.receive<{ to: string }>(name));
    expect(message).toEqual({
      queue: name,
      id,
      receipt: expect.stringMatching(/^\d+$/),
      body: { to: "ada" },
      headers: { trace: "t1" },
      receiveCount: 1,
      groupId: null,
      enqueuedAt: expect.any(Date),
      visibleAt: expect.any(Date),
    });
    expect(message.body.to).toBe("ada");
    expect(await queues.delete(name, message)).toBe(true);
    expect(await queues.delete(name, message)).toBe(false);
  });

  it("sent without waiting for each other keep their order, and share statements", async () => {
    const name = await newQueue();
    await queues.send(name, "first");
    const ids = await Promise.all(numbers(200).map((n) => queues.send(name, n)));
    expect(ids).toEqual(ids.toSorted((a, b) => Number(a) - Number(b)));
    expect(new Set(ids).size).toBe(200);
    const messages = await queues.receive(name, { max: 300 });
    expect(messages.map(({ body }) => body)).toEqual(["first", ...numbers(200)]);
    // Messages of one statement have one time.
    expect(new Set(messages.map(({ enqueuedAt }) => enqueuedAt.getTime())).size).toBeLessThan(10);
    const deleted = await Promise.all(messages.map((message) => queues.delete(name, message)));
    expect(new Set(deleted)).toEqual(new Set([true]));
    expect((await queues.stats(name)).inFlight).toBe(0);
  });

  it("that share a statement fail separately", async () => {
    const name = await newQueue();
    const tooLarge = "x".repeat(17 * 1024 * 1024);
    const results = await Promise.allSettled([
      queues.send(name, 1),
      queues.send(name, tooLarge),
      queues.send(name, undefined),
      queues.send(name, { n: 1n }),
      queues.send(name, "\u0000"),
      queues.send(name, 2, { headers: { large: "x".repeat(16_777_200) } }),
      queues.send(name, 3),
    ]);
    expect(
      results.map((result) =>
        result.status === "rejected" ? (result.reason as Error).constructor : "sent",
      ),
    ).toEqual([
      "sent",
      PayloadTooLarge,
      InvalidArgument,
      SerializationError,
      SerializationError,
      PayloadTooLarge,
      "sent",
    ]);
  });

  it.skipIf(isThroughServer)(
    "that share a statement wait separately for an open transaction",
    async () => {
      const name = await newQueue();
      const tx = await database.connect();
      // Over shards, to that of the transaction.
      await queues.sendBatch(name, numbers(20), { tx });
      const messages = await queues.receive(name, { max: 20 });
      const [held] = messages;
      if (held === undefined) throw new Error("Nothing was received.");
      await tx.query("begin");
      await queues.changeVisibility(name, held, "1h", { tx });

      const longer = messages.map((message) => queues.changeVisibility(name, message, "1m"));
      expect(await Promise.race([longer[0], Promise.all(longer.slice(1))])).toHaveLength(19);
      const deleted = messages.map((message) => queues.delete(name, message));
      expect(await Promise.race([deleted[0], Promise.all(deleted.slice(1))])).toHaveLength(19);
      expect((await queues.stats(name)).inFlight).toBe(1);
      await tx.query("commit");
      await Promise.all([...longer, ...deleted]);
      expect((await queues.stats(name)).inFlight).toBe(0);
    },
  );

  it("that wait for an open transaction, each separately, leave connections to others", async () => {
    const name = await newQueue({ fifo: true });
    const other = await newQueue();
    const groups = numbers(12).map((n) => `group ${n}`);
    const tx = await database.connect();
    await tx.query("begin");
    for (const group of groups) {
      await tx.query("select queue.send_fifo($1, '0', $2)", [name, group]);
    }
    const sent = groups.map((groupId) => queues.sendFifo(name, 1, { groupId }));
    expect(await queues.receive(other, { wait: "1s" })).toEqual([]);
    expect((await queues.stats(other)).visible).toBe(0);
    await tx.query("commit");
    expect(new Set(await Promise.all(sent)).size).toBe(12);
  });

  it("that wait for an open transaction, sent one after the other, hold back no other group", async () => {
    const name = await newQueue({ fifo: true });
    const groups = numbers(7).map((n) => `group ${n}`);
    const tx = await database.connect();
    await tx.query("begin");
    await tx.query("select queue.send_fifo($1, '0', g) from unnest($2::text[]) as g", [
      name,
      groups,
    ]);
    const sent: Promise<string>[] = [];
    for (const groupId of groups) {
      sent.push(queues.sendFifo(name, 1, { groupId }));
      // Once the one before it waits.
      await sleep(120);
    }
    await queues.sendFifo(name, 1, { groupId: "free" });
    await tx.query("commit");
    expect(new Set(await Promise.all(sent)).size).toBe(7);
  });

  it.skipIf(isThroughServer)(
    "are sent, deleted and given back in the caller's transaction",
    async () => {
      const name = await newQueue();
      const tx = await database.connect();
      await tx.query("begin");
      await queues.send(name, 1, { tx });
      await queues.sendBatch(name, [2], { tx, headers: [{ a: 1 }] });
      expect(await queues.receive(name)).toEqual([]);
      await tx.query("commit");
      const messages = await queues.receive(name, { max: 5 });
      expect(messages.map(({ headers }) => headers)).toEqual([null, { a: 1 }]);
      const [first, second] = messages;
      await tx.query("begin");
      expect(await queues.delete(name, first ?? "", { tx })).toBe(true);
      expect(await queues.changeVisibility(name, second ?? "", 0, { tx })).toBe(true);
      await tx.query("rollback");
      expect(await queues.deleteBatch(name, messages)).toHaveLength(2);
    },
  );

  it("go to the dead letter queue, and back", async () => {
    const letters = await newQueue();
    const name = await newQueue({ maxReceives: 1, deadLetterQueue: letters });
    await queues.send(name, "poison");
    const message = only(await queues.receive(name));
    expect(await queues.changeVisibility(name, message, 0)).toBe(true);
    expect(await queues.receive(name)).toEqual([]);
    expect(await queues.redrive(letters)).toBe(1);
    expect(only(await queues.receive(name)).body).toBe("poison");
  });

  it("move to another queue, but not those in flight", async () => {
    const [source, target] = [await newQueue(), await newQueue()];
    await queues.send(source, "held");
    const held = only(await queues.receive(source));
    await queues.sendBatch(source, [1, 2, 3], { headers: { of: "test" } });
    expect(await queues.moveMessages(source, target, { max: 2 })).toBe(2);
    expect(await queues.moveMessages(source, target)).toBe(1);
    expect(await queues.moveMessages(source, target)).toBe(0);
    const moved = await queues.receive(target, { max: 10 });
    expect(moved).toMatchObject(
      [1, 2, 3].map(() => ({ headers: { of: "test" }, receiveCount: 1 })),
    );
    expect(new Set(moved.map(({ body }) => body))).toEqual(new Set([1, 2, 3]));
    expect(await queues.delete(source, held)).toBe(true);
    await expect(queues.moveMessages(source, source)).rejects.toThrow(InvalidArgument);
    await expect(queues.moveMessages(source, target, { max: 0 })).rejects.toThrow(/max of a move/);
  });

  it("of a FIFO queue are received in the order of their group, by the same call", async () => {
    const name = await newQueue({ fifo: true });
    const first = await queues.sendFifo(name, "a1", { groupId: "a", deduplicationId: "x" });
    expect(await queues.sendFifo(name, "a1", { groupId: "a", deduplicationId: "x" })).toBe(first);
    await queues.sendFifo(name, "a2", { groupId: "a", headers: { h: 1 } });
    await queues.sendFifo(name, "b1", { groupId: "b" });
    const heads = await queues.receive(name, { max: 10 });
    expect(heads.map(({ body, groupId }) => [groupId, body])).toEqual([
      ["a", "a1"],
      ["b", "b1"],
    ]);
    await queues.deleteBatch(name, heads);
    expect(only(await queues.receive(name, { max: 10 }))).toMatchObject({
      body: "a2",
      headers: { h: 1 },
    });
    await expect(queues.send(name, 1)).rejects.toThrow(WrongQueueKind);
  });

  it("are received from a queue that was recreated as the other kind", async () => {
    const name = await newQueue();
    await queues.receive(name);
    await database.query("select queue.drop_queue($1)", [name]);
    await database.query("select queue.create_queue($1, true)", [name]);
    await queues.sendFifo(name, 1, { groupId: "a" });
    expect(await queues.receive(name)).toHaveLength(1);
  });

  // A server takes what has no group for a message of a standard queue.
  it.skipIf(isThroughServer)("of a FIFO queue are refused by a standard one", async () => {
    const name = await newQueue();
    await expect(queues.sendFifo(name, 1, {} as never)).rejects.toThrow(WrongQueueKind);
  });

  it("of no use are refused before anything is sent", async () => {
    const name = await newQueue();
    await expect(queues.send(name, 1, { delay: "soon" })).rejects.toThrow(InvalidArgument);
    await expect(queues.send(name, 1, { headers: [1] as never })).rejects.toThrow(InvalidArgument);
    await expect(queues.sendBatch(name, [1, 2], { headers: [null] })).rejects.toThrow(
      "1 headers for 2 messages",
    );
    await expect(queues.receive(name, { max: 0 })).rejects.toThrow(InvalidArgument);
    await expect(queues.delete(name, "abc")).rejects.toThrow(/Invalid receipt "abc"/);
    expect(await queues.sendBatch(name, [])).toEqual([]);
    expect((await queues.stats(name)).totalSent).toBe(0);
  });
});
