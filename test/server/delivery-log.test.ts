/** The log of deliveries to urls: by real servers, to real targets, read through REST and by both kinds of clients. */
import { createWorkflowClient, type LoggedDelivery, type WorkflowClient } from "@oxbow/sdk";
import { describe, expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { openTarget } from "../helpers/delivery-target.ts";
import { eventually } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { only } from "../helpers/queues.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { publish, subscribe } from "../helpers/topics.ts";

const DELIVERIES = { allowedNetworks: ["127.0.0.0/8"], allowHttp: true };

const clients: WorkflowClient[] = [];

const database = await createDatabase();
await subscribe(database, "none", { http: "https://example.org/" });
const server = await startTestServer(database, {
  deliveries: { ...DELIVERIES, retryDelaysMs: [1, 3_600_000] },
});
clients.push(
  createWorkflowClient({ url: database.url }),
  createWorkflowClient({ url: server.url }),
);
atFileEnd(() => Promise.all(clients.map((client) => client.close())));

/** The deliveries of a subscription, once they look as expected. */
const logged = (
  subscriptionId: string,
  isReady: (found: readonly LoggedDelivery[]) => boolean,
): Promise<LoggedDelivery[]> =>
  eventually(() => only(clients.slice(0, 1)).topics.deliveries({ subscriptionId }), isReady);

describe("the log of deliveries", () => {
  it("shows what was delivered, with its response, alike through REST and to clients", async () => {
    const target = await openTarget((response) => {
      response.writeHead(201).end("done\u0000 \u{1F600}".padEnd(900, "é"));
    });
    const id = await subscribe(database, "shown", { http: `${target.url}?token=1` });
    await publish(database, "shown", { n: 1 }, { source: "test" });
    const [found] = await logged(id, ({ length }) => length === 1);
    expect(found).toMatchObject({
      subscriptionId: id,
      pattern: "shown",
      url: `${target.url}?token=1`,
      topic: "shown",
      webhookId: target.visits[0]?.headers["webhook-id"],
      status: "delivered",
      attempts: 1,
      nextAttemptAt: null,
      statusCode: 201,
      failure: null,
    });
    expect(found?.durationMs).toBeGreaterThanOrEqual(0);
    for (const client of clients) {
      expect(await client.topics.deliveries({ subscriptionId: id, status: "delivered" })).toEqual([
        found,
      ]);
      expect(await client.topics.deliveries({ subscriptionId: id, status: "failed" })).toEqual([]);
      expect(
        await client.topics.deliveries({ subscriptionId: id, before: found?.id ?? "" }),
      ).toEqual([]);
      const details = await client.topics.delivery(found?.id ?? "");
      expect(details).toMatchObject({ ...found, message: { n: 1 }, earlierAttempts: [] });
      expect(details?.headers).toMatchObject({ source: "test" });
      expect(details?.response).toMatch(/^done {2}\u{1F600}é+$/u);
      expect(details?.response).toHaveLength(500);
      expect(await client.topics.delivery("987654321")).toBeUndefined();
      await expect(client.topics.delivery("x")).rejects.toThrow(/"x"/);
    }
    expect((await server.get(`/v1/deliveries?subscriptionId=${id}`)).body.deliveries).toMatchObject(
      [{ id: found?.id, statusCode: 201 }],
    );
    expect(await server.get("/v1/deliveries/987654321")).toMatchObject({
      status: 404,
      body: { code: "DELIVERY_NOT_FOUND" },
    });
    expect(await server.get("/v1/deliveries?status=sent")).toMatchObject({ status: 400 });
  });

  it("shows what waits, with each attempt, and a resend makes it due immediately", async () => {
    const target = await openTarget((response, _, visits) => {
      response.writeHead(visits.length < 3 ? 500 + visits.length : 200).end(`no ${visits.length}`);
    });
    const id = await subscribe(database, "waits", { http: target.url });
    await publish(database, "waits", 1);
    const [waiting] = await logged(
      id,
      ([one]) => one?.attempts === 2 && one.nextAttemptAt !== null,
    );
    expect(waiting).toMatchObject({
      status: "waiting",
      statusCode: 502,
      failure: "status 502",
    });
    expect(waiting?.nextAttemptAt?.getTime()).toBeGreaterThan(Date.now() + 1_800_000);
    const [, http] = clients;
    expect(await http?.topics.delivery(waiting?.id ?? "")).toMatchObject({
      message: 1,
      response: "no 2",
      earlierAttempts: [
        {
          attempt: 1,
          statusCode: 501,
          failure: "status 501",
          response: "no 1",
          attemptedAt: expect.any(Date),
        },
      ],
    });
    expect(await http?.topics.resend([waiting?.id ?? ""])).toEqual([
      { id: waiting?.id, problem: null },
    ]);
    expect(await logged(id, ([one]) => one?.status === "delivered")).toMatchObject([
      { id: waiting?.id, attempts: 3, statusCode: 200 },
    ]);
    expect(new Set(target.visits.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  });

  it("is asked again for what a server has put off, because its target asks for time", async () => {
    const target = await openTarget((response) => {
      response.writeHead(429, { "retry-after": "600" }).end();
    });
    const id = await subscribe(database, "throttled", { http: target.url });
    await publish(database, "throttled", 1);
    const [waiting] = await logged(id, ([one]) => one !== undefined && one.nextAttemptAt !== null);
    const askedFor = waiting?.nextAttemptAt?.getTime() ?? 0;
    const resend = () => server.post("/v1/deliveries/resend", { ids: [waiting?.id] });
    for (let time = 1; time <= 2; time += 1) {
      const { body } = await resend();
      expect(body.deliveries).toEqual([{ id: waiting?.id, problem: null }]);
      // Due, received, and given back: it waits until about the same time again.
      const [again] = await logged(
        id,
        ([one]) => Math.abs((one?.nextAttemptAt?.getTime() ?? 0) - askedFor) < 300_000,
      );
      expect(again).toMatchObject({ status: "waiting", attempts: 1, statusCode: 429 });
    }
    expect(target.visits).toHaveLength(1);
  });

  it("shows what failed for good, also without an answer, and sends it again without its dead letter", async () => {
    const target = await openTarget((response, _, visits) => {
      if (visits.length === 1) response.writeHead(410).end();
      else response.writeHead(200).end();
    });
    const id = await subscribe(database, "fails", { http: target.url });
    await publish(database, "fails", { n: 1 });
    const [failed] = await logged(id, ([one]) => one?.status === "failed");
    expect(failed).toMatchObject({ statusCode: 410, failure: "status 410", attempts: 1 });
    const resent = await server.post("/v1/deliveries/resend", { ids: [failed?.id, "987654321"] });
    expect(resent.body.deliveries).toEqual([
      { id: failed?.id, problem: null },
      { id: "987654321", problem: "the log does not have this delivery, or no longer" },
    ]);
    const [again] = await logged(id, ([one]) => one?.status === "delivered");
    expect(again?.webhookId).toBe(failed?.webhookId);
    for (const client of clients) {
      expect(await client.topics.deadLetters({ subscriptionId: id })).toEqual([]);
    }
    // What was delivered can be sent again, too.
    await server.post("/v1/deliveries/resend", { ids: [again?.id] });
    await logged(id, ({ length }) => length === 3);
    expect(target.visits.map(({ body }) => body)).toEqual(['{"n":1}', '{"n":1}', '{"n":1}']);

    const forbidden = await subscribe(database, "forbidden", { http: "http://10.0.0.1/" });
    await publish(database, "forbidden", 1);
    expect(await logged(forbidden, ([one]) => one !== undefined)).toMatchObject([
      { status: "failed", statusCode: null, failure: expect.stringContaining("10.0.0.1") },
    ]);
  });

  it("is swept after its hours, and neither written nor swept by a server without a log", async () => {
    const own = await createDatabase();
    const target = await openTarget();
    await subscribe(own, "swept", { http: target.url });
    const listed = async (on: TestServer): Promise<readonly unknown[]> =>
      (await on.get("/v1/deliveries")).body.deliveries;
    const first = await startTestServer(own, { deliveries: DELIVERIES });
    await publish(own, "swept", 1);
    await eventually(() => listed(first), { length: 1 });
    await first.running.stop();
    await own.query(
      `update queue.logged_delivery
       set published_at = published_at - interval '2 hours', attempted_at = attempted_at - interval '2 hours'`,
    );
    const without = await startTestServer(own, {
      sweepIntervalMs: 1,
      deliveries: { ...DELIVERIES, logHours: 0 },
    });
    await publish(own, "swept", 2);
    await eventually(
      () => own.query("select from queue.q___http"),
      ({ length }) => length === 0 && target.visits.length === 2,
    );
    expect(await listed(without)).toHaveLength(1);
    const sweeping = await startTestServer(own, {
      sweepIntervalMs: 1,
      deliveries: { ...DELIVERIES, senders: 0, logHours: 1 },
    });
    await eventually(() => listed(sweeping), []);
  });
});
