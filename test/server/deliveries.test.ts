/** Deliveries of topics to urls, by real servers to real targets on this machine. */
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { DeliverySettings } from "@oxbow/server";
import { Webhook } from "standardwebhooks";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { createDatabase, type TestDatabase } from "../helpers/database.ts";
import { openTarget, type Target, type Visit } from "../helpers/delivery-target.ts";
import { eventually, including, isNotEmpty, moreThan } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { only } from "../helpers/queues.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { publish, subscribe } from "../helpers/topics.ts";

const LOOPBACK = ["127.0.0.0/8", "::1"];
const OLD_SECRET = "the secret of before, of many characters";
const SECRET = "the secret that is in use, of many characters";
const LETTERS = "__topic_dead_letters";

/** A proxy that knows one target, whatever it is asked for. */
async function openProxy(port: number): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer();
  server.on("connect", (request, socket: Socket) => {
    asked.push(request.url ?? "");
    const onward = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      socket.pipe(onward).pipe(socket);
    });
    socket.on("close", () => void onward.destroy());
    for (const end of [socket, onward]) end.on("error", () => {});
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  atFileEnd(async () => {
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

/** A separate database, with a server that delivers from it. */
async function setup(
  deliveries: DeliverySettings = {},
): Promise<{ database: TestDatabase; server: TestServer }> {
  const database = await createDatabase();
  // The queue exists, so that the server needn't wait for it.
  await subscribe(database, "none", { http: "https://example.org/" });
  return { database, server: await serve(database, deliveries) };
}

const serve = (database: TestDatabase, deliveries: DeliverySettings = {}): Promise<TestServer> =>
  startTestServer(database, {
    deliveries: {
      allowedNetworks: LOOPBACK,
      allowHttp: true,
      secrets: [SECRET, OLD_SECRET],
      retryDelaysMs: [1, 1],
      ...deliveries,
    },
  });

const visitsOf = (target: Target, count: number): Promise<Visit[]> =>
  eventually(
    () => target.visits,
    (visits) => visits.length >= count,
  );

const waiting = async (database: TestDatabase, queue: string): Promise<number> => {
  const rows = await database.query<{ n: number }>(
    `select (visible + in_flight + delayed)::int as n from queue.queue_stats($1)`,
    [queue],
  );
  return only(rows).n;
};

const redrive = async (database: TestDatabase): Promise<number> => {
  const rows = await database.query<{ n: number }>("select queue.redrive($1)::int as n", [LETTERS]);
  return only(rows).n;
};

interface Letter {
  readonly message: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
}

const letterOf = async (database: TestDatabase): Promise<Letter> =>
  only(
    await eventually(
      () =>
        database.query<{ message: unknown; headers: Record<string, unknown> }>(
          `select message, headers || jsonb_build_object(
             'topic', topic,
             'dead_letter', jsonb_build_object(
               'subscription_id', subscription_id, 'target', target, 'reason', reason, 'attempts', attempts)) as headers
           from queue.topic_dead_letters()`,
        ),
      isNotEmpty,
    ),
  );

/** Puts a delivery into the queue that no publish has made, with the rights of the tables' owner. */
const forge = (database: TestDatabase, headers: object, message: unknown = {}): Promise<unknown> =>
  database.query(
    "select queue._send_fifo('__http', array[$1::jsonb], array['forged'], '0', array[$2::jsonb])",
    [JSON.stringify(message), JSON.stringify(headers)],
  );

const reasonOf = ({ headers }: Letter): string =>
  String((headers["dead_letter"] as Record<string, unknown>)["reason"]);

describe("a delivery", () => {
  let database: TestDatabase;
  let server: TestServer;

  beforeAll(async () => {
    ({ database, server } = await setup());
  });

  it("is the message, signed by Standard Webhooks, and is gone once it is answered", async () => {
    const target = await openTarget();
    const id = await subscribe(database, "order.paid", { http: `${target.url}?a=1` });
    const message = { order: { id: 42, name: "Ærøskøbing \u{1F600}" } };
    await publish(database, "order.paid", message, { traceparent: "no such thing" });
    const visit = only(await visitsOf(target, 1));
    expect(visit.path).toBe("/hook?a=1");
    expect(JSON.parse(visit.body)).toEqual(message);
    expect(visit.headers).toMatchObject({
      "content-type": "application/json",
      "user-agent": expect.stringMatching(/^Oxbow\//),
      "oxbow-topic": "order.paid",
      "oxbow-attempt": "1",
    });
    expect(visit.headers).not.toHaveProperty("traceparent");

    const { body } = await server.get(`/v1/subscriptions/${id}/secret`);
    expect(body.secrets).toHaveLength(2);
    for (const secret of body.secrets) {
      const verified = new Webhook(secret).verify(visit.body, headersOf(visit));
      expect(verified).toEqual(message);
      expect(() => new Webhook(secret).verify(`${visit.body} `, headersOf(visit))).toThrow();
    }
    await eventually(() => waiting(database, "__http"), 0);
    expect((await server.get("/metrics")).body).toMatch(
      /^oxbow_delivery_attempts_total\{outcome="delivered"\} 1$/m,
    );
  });

  it("of another subscription, or to another url, is signed with another secret", async () => {
    const target = await openTarget();
    const secretOf = async (topic: string, url: string): Promise<string> => {
      const id = await subscribe(database, topic, { http: url });
      return (await server.get(`/v1/subscriptions/${id}/secret`)).body.secrets[0];
    };
    const secrets = [
      await secretOf("secret.a", target.url),
      await secretOf("secret.b", target.url),
      await secretOf("secret.b", `${target.url}/2`),
    ];
    expect(new Set(secrets).size).toBe(3);
  });

  it("is a CloudEvent if the subscription asks for it", async () => {
    const target = await openTarget();
    const options = { format: "cloudevents" };
    const id = await subscribe(database, "cloud.*", { http: target.url }, { options });
    const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    await publish(database, "cloud.über", [1, 2], { traceparent: trace });
    const visit = only(await visitsOf(target, 1));
    expect(visit.headers).toMatchObject({
      "content-type": "application/cloudevents+json",
      "oxbow-topic": "cloud.%C3%BCber",
      traceparent: trace,
    });
    expect(JSON.parse(visit.body)).toEqual({
      specversion: "1.0",
      id: visit.headers["webhook-id"],
      source: `/oxbow/subscriptions/${id}`,
      type: "cloud.über",
      time: expect.stringMatching(/Z$/),
      datacontenttype: "application/json",
      data: [1, 2],
    });
  });

  it("that fails is tried again under the same id, until it is answered 2xx", async () => {
    const target = await openTarget((response, _, visits) => {
      response.writeHead(visits.length === 1 ? 500 : visits.length === 2 ? 302 : 200, {
        location: "http://127.0.0.1:1/",
      });
      response.end("{}");
    });
    await subscribe(database, "again", { http: target.url });
    await publish(database, "again", 1);
    const visits = await visitsOf(target, 3);
    expect(visits.map(({ headers }) => headers["oxbow-attempt"])).toEqual(["1", "2", "3"]);
    expect(new Set(visits.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  });

  it("of a group comes after those before it, which are tried again first", async () => {
    const target = await openTarget((response, _, visits) => {
      response.writeHead(visits.length === 1 ? 503 : 200).end();
    });
    await subscribe(database, "ordered", { http: target.url }, { options: { group: "g" } });
    for (const n of [1, 2, 3]) await publish(database, "ordered", { g: "a", n });
    const visits = await visitsOf(target, 4);
    expect(visits.map(({ body }) => JSON.parse(body).n)).toEqual([1, 1, 2, 3]);
  });

  it("of an ordered subscription comes after all before it, one at a time", async () => {
    const target = await openTarget((response, _, visits) => {
      setTimeout(() => void response.writeHead(visits.length === 2 ? 503 : 200).end(), 10);
    });
    await subscribe(database, "queued", { http: target.url }, { options: { ordered: true } });
    for (const n of [1, 2, 3, 4]) await publish(database, "queued", n);
    const visits = await visitsOf(target, 5);
    expect(visits.map(({ body }) => body)).toEqual(["1", "2", "2", "3", "4"]);
    expect(target.peak()).toBe(1);
  });

  it("waits as long as the target asks for, and so do others of its subscription", async () => {
    const target = await openTarget((response, _, visits) => {
      response.writeHead(visits.length === 1 ? 429 : 200, { "retry-after": "1" }).end();
    });
    await subscribe(database, "throttled", { http: target.url });
    await publish(database, "throttled", 1);
    const [first] = await visitsOf(target, 1);
    // The sender knows of it once it has the answer.
    await eventually(
      async () => (await server.get("/metrics")).body,
      (metrics) => /outcome="retried"\}/.test(metrics),
    );
    await publish(database, "throttled", 2);
    const visits = await visitsOf(target, 3);
    for (const { at } of visits.slice(1)) expect(at - (first?.at ?? 0)).toBeGreaterThan(900);
  });
});

describe("a delivery that can't succeed", () => {
  it("becomes a dead letter after the last attempt, and a redrive sends it under the same id", async () => {
    const { database } = await setup();
    let isMended = false;
    const target = await openTarget((response) => {
      response.writeHead(isMended ? 200 : 500).end();
    });
    const id = await subscribe(database, "broken", { http: target.url });
    await publish(database, "broken", { n: 1 }, { trace: "t" });
    const letter = await letterOf(database);
    expect(letter).toMatchObject({
      message: { n: 1 },
      headers: {
        trace: "t",
        topic: "broken",
        dead_letter: {
          subscription_id: Number(id),
          target: target.url,
          reason: "status 500",
          attempts: 3,
        },
      },
    });
    expect(target.visits).toHaveLength(3);
    expect(await waiting(database, "__http")).toBe(0);

    isMended = true;
    await database.query("select queue.redrive($1)", [LETTERS]);
    const visits = await visitsOf(target, 4);
    expect(new Set(visits.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(visits[3]?.headers["oxbow-attempt"]).toBe("1");
  });

  it("is not tried again if the target answers that it is gone", async () => {
    const { database } = await setup();
    const target = await openTarget((response) => void response.writeHead(410).end());
    await subscribe(database, "gone", { http: target.url });
    await publish(database, "gone", 1);
    expect(reasonOf(await letterOf(database))).toBe("status 410");
    expect(target.visits).toHaveLength(1);
  });

  it("that was put into the queue by another sender is set aside", async () => {
    const { database } = await setup();
    await forge(database, { url: 1 });
    expect(reasonOf(await letterOf(database))).toBe("the subscription does not exist");
  });

  it("is checked against its subscription before anything is sent", async () => {
    const { database } = await setup({ disableAfterMs: 1 });
    const target = await openTarget();
    const evil = await openTarget();
    const id = Number(await subscribe(database, "paid.*", { http: target.url }));
    const filter = { tenant: 1 };
    const own = Number(await subscribe(database, "own", { http: target.url }, { filter }));
    const ended = await subscribe(database, "ended", { http: target.url });
    const paused = await subscribe(database, "paused", { http: target.url });
    await database.query("select queue.unsubscribe($1)", [ended]);
    await database.query("select queue.delivery_failed($1, 'status 500', '0')", [paused]);
    const url = target.url;
    await database.query("begin");
    await forge(database, { subscription_id: id, url: evil.url, topic: "paid.now" });
    await forge(database, { subscription_id: id, url, topic: "refunded" });
    await forge(database, { subscription_id: id, url });
    await forge(database, { subscription_id: own, url, topic: "own" }, { tenant: 2 });
    await forge(database, { subscription_id: Number(ended), url, topic: "ended" });
    await forge(database, { subscription_id: Number(paused), url, topic: "paused" });
    await forge(database, { subscription_id: "1 or 1", url, topic: "paid.now" });
    await forge(database, { subscription_id: id, url, topic: "paid.now" }, { good: true });
    await database.query("commit");
    expect(only(await visitsOf(target, 1)).body).toBe('{"good": true}'.replace(" ", ""));
    const reasons = await eventually(
      () => database.query<{ reason: string }>("select reason from queue.topic_dead_letters()"),
      (letters) => letters.length >= 7,
    );
    expect(reasons.map(({ reason }) => reason)).toEqual([
      "the subscription has another url",
      "the subscription does not match the message",
      "the subscription does not match the message",
      "the subscription does not match the message",
      "the subscription does not exist",
      "the subscription is disabled: status 500",
      "the subscription does not exist",
    ]);
    expect(target.visits).toHaveLength(1);
    expect(evil.visits).toEqual([]);
  });
});

describe("a target that has failed for long", () => {
  const SOON_MS = 50;

  it("is disabled, with an event, and is delivered to again once it is enabled", async () => {
    const { database, server } = await setup({
      disableAfterMs: SOON_MS,
      retryDelaysMs: [1, SOON_MS, 86_400_000],
    });
    let isMended = false;
    const target = await openTarget((response) => {
      response.writeHead(isMended ? 200 : 500).end();
    });
    await database.query("select queue.create_queue('events')");
    await subscribe(database, "oxbow.subscription.#", { queue: "events" });
    const id = await subscribe(database, "down", { http: target.url });
    await publish(database, "down", { n: 1 });
    const disabled = await eventually(
      async () => (await server.get("/v1/topics/down/subscriptions")).body.subscriptions,
      ([one]) => one.disabledAt !== null,
    );
    expect(disabled).toMatchObject([{ subscriptionId: id, disabledReason: "status 500" }]);
    const sent = await database.query("select message from queue.receive('events', 10)");
    expect(sent).toMatchObject([
      { message: { subscription_id: Number(id), pattern: "down", reason: "status 500" } },
    ]);
    await eventually(() => waiting(database, LETTERS), 1);

    const visits = target.visits.length;
    expect(await publish(database, "down", { n: 2 })).toBe(0);
    expect(await waiting(database, LETTERS)).toBe(2);
    expect(await redrive(database)).toBe(0);
    expect(await waiting(database, LETTERS)).toBe(2);
    expect(target.visits).toHaveLength(visits);

    isMended = true;
    expect((await server.post(`/v1/subscriptions/${id}/enable`)).body).toEqual({ enabled: true });
    expect(await redrive(database)).toBe(2);
    const later = (await visitsOf(target, visits + 2)).slice(visits);
    expect(new Set(later.map(({ body }) => JSON.parse(body).n))).toEqual(new Set([1, 2]));
    expect((await server.get("/v1/topics/down/subscriptions")).body.subscriptions).toMatchObject([
      { failingSince: null, disabledAt: null, disabledReason: null },
    ]);
    expect((await server.post("/v1/subscriptions/987654321/enable")).body).toEqual({
      enabled: false,
    });
  });

  it("is well again after one success, however long it has failed", async () => {
    const { database, server } = await setup({ disableAfterMs: SOON_MS, retryDelaysMs: [] });
    const target = await openTarget((response, { body }) => {
      response.writeHead(body === "true" ? 200 : 500).end();
    });
    const id = await subscribe(database, "flaky", { http: target.url });
    const failingSince = async (): Promise<unknown> => {
      const { body } = await server.get("/v1/topics/flaky/subscriptions");
      return only<{ failingSince: unknown }>(body.subscriptions).failingSince;
    };
    await publish(database, "flaky", false);
    const since = Date.parse(String(await eventually(failingSince, (at) => at !== null)));
    await eventually(() => Date.now(), moreThan(since + SOON_MS));
    await publish(database, "flaky", true);
    await eventually(failingSince, (at) => at === null);
    await publish(database, "flaky", false);
    await eventually(failingSince, (at) => at !== null);
    const rows = await database.query<{ disabled_at: Date | null }>(
      "select disabled_at from queue.list_subscriptions() where subscription_id = $1",
      [id],
    );
    expect(rows).toEqual([{ disabled_at: null }]);
  });
});

it("behind a proxy names are the proxy's, addresses are checked all the same, and exceptions go directly", async () => {
  const target = await openTarget();
  const proxy = await openProxy(Number(new URL(target.url).port));
  const { database } = await setup({ proxy: { http: proxy.url, except: ["127.0.0.1"] } });
  await subscribe(database, "named", { http: "http://hooks.invalid/a" });
  await subscribe(database, "metadata", { http: "http://169.254.169.254/b" });
  await subscribe(database, "direct", { http: target.url });
  await publish(database, "named", 1);
  expect(only(await visitsOf(target, 1)).path).toBe("/a");
  await publish(database, "metadata", 2);
  expect(reasonOf(await letterOf(database))).toMatch(/169\.254\.169\.254 is not a public/);
  await publish(database, "direct", 3);
  expect((await visitsOf(target, 2))[1]?.path).toBe("/hook");
  expect(proxy.asked).toEqual(["hooks.invalid:80"]);
});

it("where deliveries may go not to this machine, unless its network is allowed", async () => {
  const { database } = await setup({ allowedNetworks: [] });
  const target = await openTarget();
  await subscribe(database, "guarded", { http: target.url });
  await publish(database, "guarded", 1);
  expect(reasonOf(await letterOf(database))).toMatch(/127\.0\.0\.1 is not a public address/);
  expect(target.visits).toEqual([]);
});

it("a slow target is sent no more at a time than its subscription allows, and holds up no other", async () => {
  const { database } = await setup({ senders: 8, perSubscription: 4, timeoutMs: 60_000 });
  const held: ServerResponse[] = [];
  const slow = await openTarget((response) => void held.push(response));
  const narrow = await openTarget((response) => void setTimeout(() => void response.end(), 20));
  const quick = await openTarget();
  await subscribe(database, "slow", { http: slow.url });
  await subscribe(database, "narrow", { http: narrow.url }, { options: { concurrency: 1 } });
  await subscribe(database, "quick", { http: quick.url });
  for (let n = 0; n < 40; n += 1) await publish(database, "slow", n);
  await visitsOf(slow, 4);
  for (let n = 0; n < 5; n += 1) await publish(database, "narrow", n);
  for (let n = 0; n < 20; n += 1) await publish(database, "quick", n);
  await visitsOf(quick, 20);
  await visitsOf(narrow, 5);
  expect(narrow.peak()).toBe(1);
  expect(slow.visits).toHaveLength(4);
  // A postponed delivery is not counted.
  for (const response of held) response.end();
  const fifth = (await visitsOf(slow, 5))[4];
  expect(fifth?.headers["oxbow-attempt"]).toBe("1");
  for (const response of held) response.end();
});

it("many requests under way are no warning of a leak", async () => {
  const warned = vi.spyOn(process, "emitWarning");
  onTestFinished(() => warned.mockRestore());
  const { database } = await setup({ senders: 12, perSubscription: 12, timeoutMs: 60_000 });
  const held: ServerResponse[] = [];
  const slow = await openTarget((response) => void held.push(response));
  await subscribe(database, "slow", { http: slow.url });
  for (let n = 0; n < 12; n += 1) await publish(database, "slow", n);
  await visitsOf(slow, 12);
  for (const response of held) response.end();
  expect(warned.mock.calls.flat().map(String).filter(including("MaxListeners"))).toEqual([]);
});

describe("several servers", () => {
  it("share the deliveries, each of which is sent once", async () => {
    const database = await createDatabase();
    await Promise.all([serve(database), serve(database), serve(database)]);
    const target = await openTarget();
    await subscribe(database, "shared", { http: target.url });
    for (let n = 0; n < 60; n += 1) await publish(database, "shared", n);
    await visitsOf(target, 60);
    await eventually(() => waiting(database, "__http"), 0);
    expect(new Set(target.visits.map(({ body }) => body)).size).toBe(60);
    expect(target.visits).toHaveLength(60);
  });

  it("continue for one that stops, whose requests are answered first", async () => {
    const database = await createDatabase();
    const first = await serve(database, { senders: 1 });
    let answer = (): void => {};
    const target = await openTarget((response) => {
      answer = () => void response.writeHead(200).end();
    });
    await subscribe(database, "moved", { http: target.url });
    await publish(database, "moved", 1);
    await visitsOf(target, 1);
    await publish(database, "moved", 2);
    const stopped = first.running.stop();
    answer();
    await stopped;
    expect(await waiting(database, "__http")).toBe(1);
    await serve(database);
    expect((await visitsOf(target, 2)).map(({ body }) => body)).toEqual(["1", "2"]);
    answer();
  });
});

describe("the secret of a subscription", () => {
  it("requires admin, and is only of urls", async () => {
    const database = await createDatabase();
    const server = await startTestServer(database, {
      secrets: "all look:read",
      deliveries: { senders: 0, secrets: [SECRET] },
    });
    await database.query("select queue.create_queue('jobs')");
    const queue = await subscribe(database, "x", { queue: "jobs" });
    const url = await subscribe(database, "x", { http: "https://example.org/" });
    const ask = (id: string, token: string) =>
      server.request("GET", `/v1/subscriptions/${id}/secret`, { token });
    expect(await ask(url, "look")).toMatchObject({ status: 403 });
    expect(await ask(url, "all")).toMatchObject({
      status: 200,
      body: { secrets: [expect.stringMatching(/^whsec_/)] },
    });
    expect(await ask(queue, "all")).toMatchObject({
      status: 404,
      body: { code: "SUBSCRIPTION_NOT_FOUND" },
    });
  });

  it("isn't there where the server has no secret: deliveries are then not signed", async () => {
    const { database, server } = await setup({ secrets: [] });
    const target = await openTarget();
    const id = await subscribe(database, "bare", { http: target.url });
    await publish(database, "bare", 1);
    expect(only(await visitsOf(target, 1)).headers).not.toHaveProperty("webhook-signature");
    expect(await server.get(`/v1/subscriptions/${id}/secret`)).toMatchObject({
      status: 409,
      body: { code: "NOT_SIGNED" },
    });
  });

  it("can't be derived from a short one", async () => {
    const database = await createDatabase();
    await expect(serve(database, { secrets: ["short"] })).rejects.toThrow(/at least 32/);
  });
});

const headersOf = ({ headers }: Visit): Record<string, string> => ({
  "webhook-id": String(headers["webhook-id"]),
  "webhook-timestamp": String(headers["webhook-timestamp"]),
  "webhook-signature": String(headers["webhook-signature"]),
});
