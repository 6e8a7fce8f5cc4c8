/** The WebSocket of a worker of the SDK: what it does for a worker, and what becomes of it when an end, or what lies between, fails. */
import { once } from "node:events";
import { createServer, request as sendRequest } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { type AddressInfo, connect as connectTo } from "node:net";
import { createWorkflowClient } from "@oxbow/sdk";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import { RELAY_PATH, RELAY_PROTOCOL, type RelayedAnswer } from "@oxbow/sdk/internal/server";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { createDatabase, type TestDatabase } from "../helpers/database.ts";
import { eventually, moreThan } from "../helpers/eventually.ts";
import { FaultyNetwork } from "../helpers/faulty-network.ts";
import { Latch } from "../helpers/latch.ts";
import { secretOf, startTestServer, type TestServer } from "../helpers/server.ts";

const SECRETS = "work:work look:read all";

/** Opens a WebSocket as the SDK does. */
async function open(server: TestServer, token = "work", protocol = RELAY_PROTOCOL): Promise<Line> {
  const socket = new WebSocket(`${server.url}${RELAY_PATH}`, [protocol], {
    headers: { authorization: `Bearer ${secretOf(token)}` },
  });
  onTestFinished(() => socket.terminate());
  await once(socket, "open");
  return new Line(socket);
}

class Line {
  readonly socket: WebSocket;
  readonly closed: Promise<number>;
  readonly #answers = new Map<number, (answer: RelayedAnswer) => void>();
  #lastId = 0;

  constructor(socket: WebSocket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => {
      socket.once("close", (code: number) => resolve(code));
    });
    socket.on("message", (data: Buffer) => {
      const answer = JSON.parse(data.toString()) as RelayedAnswer;
      this.#answers.get(answer.id)?.(answer);
    });
  }

  ask(call: string, body: unknown): Promise<RelayedAnswer> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.socket.send(JSON.stringify({ id, call, body }));
    return new Promise((resolve) => {
      this.#answers.set(id, resolve);
    });
  }
}

const receiving = (leaseMs = 30_000) => ({
  versions: { remote: [1] },
  maxRuns: 10,
  leaseMs,
  maxBytes: 1_000_000,
});

const start = async (server: TestServer): Promise<string> => {
  const { body } = await server.request("POST", "/v1/workflows/remote/runs", {
    token: "all",
    body: { input: 1 },
  });
  return body.runId;
};

const rowsOf = ({ answer }: RelayedAnswer): number =>
  answer !== undefined && "rows" in answer ? answer.rows.length : -1;

/** Requests that were answered, by method and route, from /metrics. */
async function answered(server: TestServer): Promise<Record<string, number>> {
  const { body } = await server.request("GET", "/metrics", { token: "look" });
  return Object.fromEntries(
    [
      ...String(body).matchAll(
        /^oxbow_http_request_duration_seconds_count\{method="(\w+)",route="([^"]+)".*\} (\d+)$/gm,
      ),
    ].map(([, method, route, count]) => [`${method} ${route}`, Number(count)]),
  );
}

/** Statements of workers wait until it is released. */
async function holdRuns(database: TestDatabase): Promise<() => Promise<void>> {
  const session = await database.connect();
  await session.query("begin");
  await session.query("lock table queue.workflow_run in access exclusive mode");
  return async () => void (await session.query("rollback"));
}

const isWaiting = async (database: TestDatabase): Promise<boolean> => {
  const rows = await database.query(
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rows.length > 0;
};

/** A receive of a run, which waits in the database until it is released. */
async function heldReceive(leaseMs?: number) {
  const database = await createDatabase();
  const server = await startTestServer(database, { secrets: SECRETS });
  await start(server);
  const release = await holdRuns(database);
  const line = await open(server);
  const answer = line.ask("receive", receiving(leaseMs));
  await eventually(() => isWaiting(database), Boolean);
  return { server, line, answer, release };
}

describe("a worker over HTTP", () => {
  const trebled = workflow({
    name: "trebled",
    run: async (ctx, n: number) => {
      const double = await ctx.step.run("double", () => n + n);
      await ctx.step.sleep("nap", 1);
      return ctx.step.run("treble", () => double + n);
    },
  });
  const inputs = Array.from({ length: 30 }, (_, index) => index);

  /** @param url Where the worker finds the server. */
  const serve = (url: string): void => {
    const worker = createWorker({
      url,
      token: secretOf("work"),
      workflows: [trebled],
      // Runs of an answer that was cut off wait for its end.
      lease: "2s",
    });
    worker.events.on("trouble", () => {});
    onTestFinished(() => worker.stop());
  };

  const runAll = async ({ url }: TestServer): Promise<void> => {
    await using client = createWorkflowClient({ url, token: secretOf("all") });
    const runs = await Promise.all(inputs.map((input) => client.start(trebled, input)));
    const results = await Promise.all(runs.map((run) => run.result()));
    expect(results).toEqual(inputs.map((n) => 3 * n));
  };

  it("receives and commits over one WebSocket", async () => {
    const server = await startTestServer(await createDatabase(), { secrets: SECRETS });
    serve(server.url);
    await runAll(server);
    const counts = await answered(server);
    expect(counts["WS /v1/worker/receive"]).toBeGreaterThan(0);
    expect(counts["WS /v1/worker/commit"]).toBeGreaterThan(0);
    expect(counts).not.toHaveProperty(["POST /v1/worker/commit"]);
    expect(counts).not.toHaveProperty(["POST /v1/worker/receive"]);
  });

  it("sends requests if a proxy in between lets no WebSocket through, and asks for one seldom", async () => {
    const server = await startTestServer(await createDatabase(), { secrets: SECRETS });
    let asked = 0;
    const proxy = createServer((incoming, outgoing) => {
      const { upgrade, connection: _, ...headers } = incoming.headers;
      if (upgrade !== undefined) asked += 1;
      const passed = sendRequest(`${server.url}${incoming.url}`, {
        method: incoming.method,
        headers,
      });
      passed.on("error", () => void outgoing.destroy());
      outgoing.on("close", () => void passed.destroy());
      passed.on("response", (response) => {
        outgoing.writeHead(response.statusCode ?? 0, response.headers);
        response.pipe(outgoing);
      });
      incoming.pipe(passed);
    });
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    onTestFinished(() => {
      proxy.closeAllConnections();
      proxy.close();
    });
    const begun = performance.now();
    serve(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
    await runAll(server);
    // Pauses of 1, 2, 4… seconds.
    const most = 1 + Math.ceil(Math.log2((performance.now() - begun) / 1_000 + 1));
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThanOrEqual(most);
    const counts = await answered(server);
    expect(counts["POST /v1/worker/commit"]).toBeGreaterThan(0);
    expect(counts).not.toHaveProperty(["WS /v1/worker/commit"]);
  });

  it("opens another WebSocket when one is cut, and loses nothing", async () => {
    const server = await startTestServer(await createDatabase(), { secrets: SECRETS });
    const network = await FaultyNetwork.before(server.url);
    serve(network.url);
    const relayed = async (): Promise<number> =>
      (await answered(server))["WS /v1/worker/commit"] ?? 0;
    for (let cuts = 0; cuts < 4; cuts += 1) {
      const before = await relayed();
      const all = runAll(server);
      await eventually(relayed, moreThan(before));
      network.cut();
      await all;
    }
  });

  it("holds back no other run while a transaction locks many", async () => {
    const database = await createDatabase();
    const server = await startTestServer(database, { secrets: SECRETS });
    const begun = new Map<string, Latch>();
    const held = workflow({
      name: "held",
      run: (ctx) =>
        ctx.step.run("hold", () => {
          const latch = new Latch();
          begun.set(ctx.runId, latch);
          return latch.pass();
        }),
    });
    const worker = createWorker({
      url: server.url,
      token: secretOf("work"),
      workflows: [held, trebled],
    });
    onTestFinished(() => worker.stop());
    await using client = createWorkflowClient({ url: database.url });
    // More than a server reads at a time.
    const items = Array.from({ length: 40 }, () => ({ input: undefined }));
    const runs = await client.startBatch(held, items);
    await eventually(() => begun.size === runs.length, Boolean);
    const holder = await database.connect();
    await holder.query("begin");
    for (const run of runs) await run.signal("late", null, { tx: holder });
    for (const [index, latch] of [...begun.values()].entries()) {
      latch.open();
      // The first ones commit one at a time.
      if (index < 8) await delay(50);
    }
    const free = await client.start(trebled, 1);
    expect(await free.result({ timeout: "20s" })).toBe(3);
    await holder.query("commit");
    await Promise.all(runs.map((run) => run.result()));
  });

  it("loses one that falls silent while a call waits, long before an answer would be late", async () => {
    const database = await createDatabase();
    const server = await startTestServer(database, { secrets: SECRETS });
    const network = await FaultyNetwork.before(server.url);
    let calls = 0;
    let silent = 0;
    const held = workflow({
      name: "held",
      run: (ctx) =>
        ctx.step.run("hold", () => {
          calls += 1;
          if (calls === 1) silent = network.fallSilent();
          return calls;
        }),
    });
    const worker = createWorker({
      url: network.url,
      token: secretOf("work"),
      workflows: [held],
      lease: "60s",
    });
    worker.events.on("trouble", () => {});
    onTestFinished(() => worker.stop());
    await using client = createWorkflowClient({ url: database.url });
    const run = await client.start(held, undefined);
    expect(await run.result({ timeout: "45s" })).toBe(1);
    expect(silent).toBeGreaterThan(0);
  });
});

describe("the WebSocket of a worker", () => {
  it("answers many calls, in any order, with answers and with problems", async () => {
    const database = await createDatabase();
    const server = await startTestServer(database, { secrets: SECRETS });
    await start(server);
    const line = await open(server);
    const [wrong, few, other, found] = await Promise.all([
      line.ask("receive", { ...receiving(), maxRuns: 0 }),
      line.ask("commit", { values: ["{}"] }),
      line.ask("commit", { values: ["{}", "{x}", ...Array.from({ length: 32 }, () => null)] }),
      line.ask("receive", receiving()),
    ]);
    expect(wrong).toMatchObject({
      problem: { status: 400, code: "INVALID_REQUEST", detail: expect.stringMatching(/maxRuns/) },
    });
    expect(few).toMatchObject({
      problem: { status: 400, code: "INVALID_ARGUMENT", detail: "A commit has 34 values, not 1." },
    });
    expect(other).toMatchObject({ problem: { status: 400, code: "SERIALIZATION_FAILED" } });
    expect(rowsOf(found)).toBe(1);
    // More than are under way at a time.
    const many = await Promise.all(
      Array.from({ length: 100 }, () => line.ask("receive", receiving())),
    );
    expect(many.map(rowsOf)).toEqual(many.map(() => 0));
  });

  it.each([
    ["this is no JSON"],
    ["null"],
    ['{"id":1,"call":"drop","body":{}}'],
    ['{"call":"commit"}'],
  ])("is closed after %s", async (text) => {
    const server = await startTestServer(await createDatabase(), { secrets: SECRETS });
    const line = await open(server);
    line.socket.send(text);
    expect(await line.closed).toBe(1007);
  });

  it("is closed after a message that is too long", async () => {
    const server = await startTestServer(await createDatabase(), { secrets: SECRETS });
    const line = await open(server);
    line.socket.send(Buffer.alloc(65 * 1024 * 1024, " "));
    expect(await line.closed).toBe(1009);
  });

  it("needs a token with the scope work, and the protocol of this version", async () => {
    const server = await startTestServer(await createDatabase(), { secrets: SECRETS });
    await expect(open(server, "nobody")).rejects.toThrow(/401/);
    await expect(open(server, "look")).rejects.toThrow(/403/);
    await expect(open(server, "work", "oxbow-relay.0")).rejects.toThrow(/426/);
    expect(await server.request("GET", RELAY_PATH, { token: "work" })).toMatchObject({
      status: 426,
      body: { code: "UPGRADE_REQUIRED" },
    });
    const anyones = await startTestServer(await createDatabase());
    const foreign = new WebSocket(`${anyones.url}${RELAY_PATH}`, [RELAY_PROTOCOL], {
      origin: "https://elsewhere.example",
    });
    await expect(once(foreign, "open")).rejects.toThrow(/403/);
  });

  it("stays open while nothing is asked, longer than connections of requests do", async () => {
    const timeouts = { headersMs: 100, requestMs: 100, lateBodyMs: 100, idleMs: 100 };
    const server = await startTestServer(await createDatabase(), { secrets: SECRETS, timeouts });
    const line = await open(server);
    const { hostname, port } = new URL(server.url);
    await once(connectTo(Number(port), hostname).resume(), "close");
    expect(rowsOf(await line.ask("receive", receiving()))).toBe(0);
  });

  it("gives back at once what it has received for a worker that is gone", async () => {
    const { server, line: gone, release } = await heldReceive(3_600_000);
    gone.socket.terminate();
    await gone.closed;
    // The server has read the end once it answers on a connection that is younger.
    const line = await open(server);
    await release();
    await eventually(
      () => line.ask("receive", receiving()),
      (answer) => rowsOf(answer) === 1,
    );
  });

  it("is answered before a stopping server closes it", async () => {
    const { server, line, answer, release } = await heldReceive();
    const stopped = server.running.stop();
    await release();
    expect(rowsOf(await answer)).toBe(1);
    expect(await line.closed).toBe(1001);
    await stopped;
  });

  it("doesn't keep a stopping server if its worker has fallen silent", async () => {
    const server = await startTestServer(await createDatabase(), { secrets: SECRETS });
    const line = await open(server);
    // It reads nothing more, and so does not answer the closing.
    line.socket.pause();
    await server.running.stop();
  });
});

describe("requests that offer HTTP/2", () => {
  const OFFER =
    "connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n";

  /** Sends pieces over one connection; resolves with all that the server answers until it closes. */
  async function exchange(server: TestServer, ...pieces: string[]): Promise<string> {
    const { hostname, port } = new URL(server.url);
    const socket = connectTo(Number(port), hostname);
    let text = "";
    socket.on("data", (data: Buffer) => {
      text += data.toString();
    });
    for (const [index, piece] of pieces.entries()) {
      socket.write(piece);
      if (index < pieces.length - 1) await delay(20);
    }
    await once(socket, "close");
    return text;
  }

  it("are answered like others, with their bodies, and so are those after them", async () => {
    const server = await startTestServer(await createDatabase());
    const body = JSON.stringify({ input: "x".repeat(100_000) });
    const head =
      `POST /v1/workflows/remote/runs HTTP/1.1\r\nhost: localhost\r\n${OFFER}` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    const next = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n";
    const last = `${next}connection: close\r\n\r\n`;
    const statuses = (text: string): string[] =>
      [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status = ""]) => status);
    expect(statuses(await exchange(server, head + body, `${next}${OFFER}\r\n`, last))).toEqual([
      "201",
      "200",
      "200",
    ]);
    expect(statuses(await exchange(server, head, body.slice(0, 7), body.slice(7), last))).toEqual([
      "201",
      "200",
    ]);
  });

  it("and those that ask an ordinary path for a WebSocket, are answered without", async () => {
    const server = await startTestServer(await createDatabase());
    const asking = (path: string): string =>
      `GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\n` +
      `sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\n\r\n`;
    expect(await exchange(server, asking("/healthz"))).toMatch(/^HTTP\/1\.1 200 /);
    expect(await exchange(server, asking("/v1/nothing"))).toMatch(/^HTTP\/1\.1 404 /);
  });
});
