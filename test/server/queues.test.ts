import { describe, expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { eventually, isNotEmpty } from "../helpers/eventually.ts";
import { startTestServer } from "../helpers/server.ts";

const database = await createDatabase();
const server = await startTestServer(database);

let made = 0;
async function makeQueue(settings: object = {}): Promise<string> {
  const name = `queue-${(made += 1)}`;
  const answer = await server.post("/v1/queues", { name, ...settings });
  expect(answer.status).toBe(201);
  return `/v1/queues/${name}`;
}

const receive = async (queue: string, body: object = {}) =>
  (await server.post(`${queue}/receive`, body)).body.messages;

describe("a queue", () => {
  it("is created once, shown, listed and dropped", async () => {
    const settings = { name: "orders", fifo: true, visibilityTimeout: 5 };
    const shown = {
      ...settings,
      maxReceives: null,
      deadLetterQueue: null,
      retentionSeconds: null,
      delaySeconds: 0,
      deduplicationScope: "queue",
      sqsName: null,
    };
    expect(await server.post("/v1/queues", settings)).toMatchObject({ status: 201, body: shown });
    expect(await server.post("/v1/queues", settings)).toMatchObject({ status: 200, body: shown });
    expect(await server.post("/v1/queues", { ...settings, fifo: false })).toMatchObject({
      status: 409,
      body: { code: "QUEUE_EXISTS", detail: expect.stringMatching(/fifo/) },
    });
    await server.post("/v1/queues/orders/messages", { message: 1, messageGroupId: "a" });
    expect((await server.get("/v1/queues/orders")).body).toMatchObject({
      ...shown,
      visible: 1,
      inFlight: 0,
      delayed: 0,
      groups: 1,
      totalSent: 1,
    });
    expect((await server.get("/v1/queues")).body.queues).toContainEqual(
      expect.objectContaining(shown),
    );
    expect((await server.request("DELETE", "/v1/queues/orders")).status).toBe(204);
    expect(await server.get("/v1/queues/orders")).toMatchObject({
      status: 404,
      body: { code: "QUEUE_NOT_FOUND" },
    });
  });

  it("is altered", async () => {
    const queue = await makeQueue({ retentionSeconds: 60, delaySeconds: 3 });
    const change = (body: object) => server.request("PATCH", queue, { body });
    expect(await change({ visibilityTimeout: 9, retentionSeconds: null })).toMatchObject({
      status: 200,
      body: { visibilityTimeout: 9, retentionSeconds: null, delaySeconds: 3, fifo: false },
    });
    expect((await server.get(queue)).body).toMatchObject({ visibilityTimeout: 9, delaySeconds: 3 });
    expect(await change({ maxReceives: 3 })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("dead_letter_queue") },
    });
    expect(await change({ fifo: true })).toMatchObject({
      status: 400,
      body: { code: "INVALID_REQUEST", detail: expect.stringContaining("fifo") },
    });
    expect(await server.request("PATCH", "/v1/queues/nowhere", { body: {} })).toMatchObject({
      status: 404,
    });
  });

  it("is peeked at, page by page", async () => {
    const queue = await makeQueue({ fifo: true });
    await server.post(
      `${queue}/messages`,
      [1, 2, 3].map((message) => ({ message, messageGroupId: "a" })),
    );
    const page = (await server.get(`${queue}/messages?limit=2`)).body;
    expect(page.messages).toMatchObject([
      { message: 1, state: "ready", messageGroupId: "a", receiveCount: 0 },
      { message: 2, state: "blocked" },
    ]);
    expect(page.messages[0]).not.toHaveProperty("receipt");
    const rest = (await server.get(`${queue}/messages?limit=2&after=${page.after}`)).body;
    expect(rest).toMatchObject({ messages: [{ message: 3 }], after: null });
    expect((await server.get(`${queue}/messages?matching=3`)).body.messages).toHaveLength(1);
    expect(await server.get(`${queue}/messages?matching={`)).toMatchObject({
      status: 400,
      body: { code: "INVALID_REQUEST", detail: expect.stringContaining('matching is "{"') },
    });
  });

  it("takes arrays of messages, each with its delay or its group", async () => {
    const queue = await makeQueue();
    await server.post(`${queue}/messages`, [{ message: 1 }, { message: 2, delaySeconds: 60 }]);
    expect(await receive(queue, { maxMessages: 10 })).toMatchObject([{ message: 1 }]);
    const fifo = await makeQueue({ fifo: true });
    const { status, body } = await server.post(`${fifo}/messages`, [
      { message: 1, messageGroupId: "a", deduplicationId: "1" },
      { message: 2, messageGroupId: "b", deduplicationId: "1" },
    ]);
    expect(status).toBe(201);
    expect(body.duplicates).toEqual([false, true]);
    expect(body.messageIds[1]).toBe(body.messageIds[0]);
  });

  it("is purged", async () => {
    const queue = await makeQueue();
    await server.post(`${queue}/messages`, [{ message: 1 }, { message: 2 }]);
    expect((await server.request("DELETE", `${queue}/messages`)).body).toEqual({ purged: 2 });
    expect(await receive(queue)).toEqual([]);
  });
});

describe("a message", () => {
  it("is sent, received, kept for longer and acknowledged", async () => {
    const queue = await makeQueue();
    const sent = await server.post(`${queue}/messages`, {
      message: { order: 1 },
      headers: { trace: "t" },
    });
    expect(sent.status).toBe(201);
    const [message] = await receive(queue, { visibilityTimeout: 30 });
    expect(message).toMatchObject({
      messageId: sent.body.messageId,
      message: { order: 1 },
      headers: { trace: "t" },
      receiveCount: 1,
      messageGroupId: null,
    });
    const path = `${queue}/messages/${message.receipt}`;
    expect(await server.request("PATCH", path, { body: { visibilityTimeout: 0 } })).toMatchObject({
      body: { changed: true },
    });
    const [again] = await receive(queue);
    expect(again.receiveCount).toBe(2);
    expect((await server.request("DELETE", path)).body).toEqual({ deleted: false });
    const alive = `${queue}/messages/${again.receipt}`;
    expect((await server.request("DELETE", alive)).body).toEqual({ deleted: true });
  });

  it("is given back as if it had not been received", async () => {
    const queue = await makeQueue();
    await server.post(`${queue}/messages`, { message: 1 });
    const [{ receipt }] = await receive(queue);
    const receipts = [receipt, "12345"];
    expect((await server.post(`${queue}/give-back`, { receipts })).body).toEqual({
      givenBack: [receipt],
    });
    expect(await receive(queue)).toMatchObject([{ receiveCount: 1 }]);
  });

  it("of a batch goes with the others or not at all", async () => {
    const queue = await makeQueue({ fifo: true });
    const batch = [
      { message: 1, messageGroupId: "a" },
      { message: 2, messageGroupId: "a", deduplicationId: "two" },
      { message: 3, messageGroupId: "b" },
    ];
    const sent = await server.post(`${queue}/messages`, { messages: batch });
    expect(sent.body.messageIds).toHaveLength(3);
    expect(
      (await receive(queue, { maxMessages: 10 })).map((one: { message: unknown }) => one.message),
    ).toEqual([1, 3]);
    const mixed = [{ message: 4, messageGroupId: "c" }, { message: 5 }];
    expect(await server.post(`${queue}/messages`, mixed)).toMatchObject({
      status: 409,
      body: { code: "WRONG_QUEUE_KIND" },
    });
    expect((await server.get(queue)).body.groups).toBe(2);
  });

  it("that matches is received, when it comes", async () => {
    const queue = await makeQueue();
    const waiting = receive(queue, { waitSeconds: 20, matching: { kind: "b" } });
    await server.post(`${queue}/messages`, [
      { message: { kind: "a" } },
      { message: { kind: "b" } },
    ]);
    expect(await waiting).toMatchObject([{ message: { kind: "b" } }]);
  });

  it("comes back from the dead letter queue", async () => {
    const letters = await makeQueue();
    const queue = await makeQueue({
      maxReceives: 1,
      deadLetterQueue: letters.split("/").at(-1),
      visibilityTimeout: 0,
    });
    await server.post(`${queue}/messages`, { message: "heavy" });
    await receive(queue);
    await receive(queue);
    expect((await server.get(letters)).body.visible).toBe(1);
    expect((await server.post(`${letters}/redrive`)).body).toEqual({ redriven: 1 });
    expect(await receive(queue, { visibilityTimeout: 30 })).toMatchObject([{ message: "heavy" }]);
  });

  it("are moved to another queue", async () => {
    const [source, target] = [await makeQueue(), await makeQueue()];
    const name = target.split("/").at(-1);
    await server.post(`${source}/messages`, { messages: [{ message: 1 }, { message: 2 }] });
    expect((await server.post(`${source}/move`, { target: name, maxMessages: 1 })).body).toEqual({
      moved: 1,
    });
    expect((await server.post(`${source}/move`, { target: name })).body).toEqual({ moved: 1 });
    expect((await server.get(target)).body.visible).toBe(2);
    for (const body of [{}, { target: name, maxMessages: 10_001 }, { target: "a b" }]) {
      expect(await server.post(`${source}/move`, body)).toMatchObject({ status: 400 });
    }
  });

  it("whose leases have ended are not changed by calls for those in flight", async () => {
    const queue = await makeQueue();
    await server.post(`${queue}/messages`, { message: 1 });
    const [expired] = await receive(queue, { visibilityTimeout: 0 });
    const receipts = [expired.receipt];
    const path = `${queue}/messages/${expired.receipt}`;
    const change = { visibilityTimeout: 0, inFlightOnly: true };
    expect(await server.request("PATCH", path, { body: change })).toMatchObject({
      body: { changed: false },
    });
    expect((await server.post(`${queue}/delete`, { receipts, inFlightOnly: true })).body).toEqual({
      deleted: [],
    });
    expect((await server.post(`${queue}/delete`, { receipts })).body).toEqual({
      deleted: receipts,
    });
  });

  it.each([
    [{}, /message/],
    [{ message: 1, deduplicationId: "x" }, /messageGroupId/],
    [{ message: 1, delaySeconds: -1 }, /delaySeconds|body/],
    [{ messages: [] }, /body/],
  ])("%j is refused", async (body, detail) => {
    const queue = await makeQueue();
    expect(await server.post(`${queue}/messages`, body)).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(detail) },
    });
    expect((await server.get(queue)).body.totalSent).toBe(0);
  });

  it("larger than a body may be is refused", async () => {
    expect(await server.post("/v1/queues", { name: "x".repeat(1_100_000) })).toMatchObject({
      status: 413,
      body: { code: "BODY_TOO_LARGE" },
    });
  });
});

describe("a long poll", () => {
  it("of a client that goes away takes no message from the others", async () => {
    const queue = await makeQueue();
    const leaving = new AbortController();
    const left = server
      .request("POST", `${queue}/receive`, { body: { waitSeconds: 30 }, signal: leaving.signal })
      .catch((error: unknown) => error);
    await eventually(
      () =>
        database.query(
          `select from pg_locks as l join pg_database as d on d.oid = l.database
           where l.locktype = 'advisory' and l.mode = 'ShareLock' and d.datname = current_database()`,
        ),
      isNotEmpty,
    );
    leaving.abort();
    await left;
    await server.post(`${queue}/messages`, { message: 1 });
    await eventually(() => receive(queue), { length: 1 });
  });

  it("holds no connection of the database: 500 at once on a pool of 10", async () => {
    const queues = await Promise.all(Array.from({ length: 10 }, () => makeQueue()));
    const polls = Array.from({ length: 500 }, (_, n) =>
      receive(queues[n % 10] as string, { waitSeconds: 30, maxMessages: 1 }),
    );
    // The others still get through.
    expect((await server.get("/v1/queues")).status).toBe(200);
    await Promise.all(
      queues.map((queue) =>
        server.post(
          `${queue}/messages`,
          Array.from({ length: 50 }, (_, n) => ({ message: n })),
        ),
      ),
    );
    expect((await Promise.all(polls)).flat()).toHaveLength(500);
  });
});
