/** Connections that are slow, fall silent or end halfway, by real sockets. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createWorkflowClient } from "@oxbow/sdk";
import { RELAY_PATH, RELAY_PROTOCOL } from "@oxbow/sdk/internal/server";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import type { RequestTimeouts } from "@oxbow/server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";
import { createDatabase } from "../helpers/database.ts";
import { eventually, including } from "../helpers/eventually.ts";
import { type LogLine, logTo, troubles } from "../helpers/server-log.ts";
import { secretOf, startTestServer, type TestServer } from "../helpers/server.ts";

const database = await createDatabase();
const LIMITS = { headersMs: 300, requestMs: 600, lateBodyMs: 300, idleMs: 300, unreadMs: 300 };
const FAR = 600_000;
/** Only one limit is near, so that it is the one that is seen. */
const only = (limit: keyof RequestTimeouts): RequestTimeouts => ({
  headersMs: FAR,
  requestMs: FAR,
  lateBodyMs: FAR,
  idleMs: FAR,
  unreadMs: FAR,
  [limit]: LIMITS[limit],
});

const start = (timeouts: RequestTimeouts): Promise<TestServer> =>
  startTestServer(database, { secrets: "make:produce work:work all", timeouts });

interface Client {
  readonly socket: Socket;
  /** The server's answer so far. */
  readonly answer: () => string;
  /** Milliseconds until the server ended the connection. */
  readonly ended: Promise<number>;
}

/** Sends the first part at once and then byte after byte, as long as it is let. */
async function drip(server: TestServer, first: string, drop = ""): Promise<Client> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  let answer = "";
  socket.on("data", (chunk: Buffer) => {
    answer += chunk.toString();
  });
  await once(socket, "connect");
  const begun = performance.now();
  if (first !== "") socket.write(first);
  const timer = drop === "" ? undefined : setInterval(() => void socket.write(drop), 20);
  const ended = new Promise<number>((resolve) => {
    socket.once("close", () => {
      clearInterval(timer);
      resolve(performance.now() - begun);
    });
  });
  onTestFinished(() => void socket.destroy());
  return { socket, answer: () => answer, ended };
}

const head = (path: string, token: string | undefined, ...more: string[]): string =>
  [
    `POST ${path} HTTP/1.1`,
    "host: localhost",
    "content-type: application/json",
    ...(token === undefined ? [] : [`authorization: Bearer ${secretOf(token)}`]),
    ...more,
    "",
    "",
  ].join("\r\n");

describe("a client that is slow", () => {
  it("has only so long for its headers, and for sending anything at all", async () => {
    const server = await start(only("headersMs"));
    const clients = await Promise.all([
      drip(server, ""),
      drip(server, "POST /v1/queues HTTP/1.1\r\nhost: localhost\r\nx: ", "x"),
    ]);
    for (const { ended, answer } of clients) {
      expect(await ended).toBeGreaterThanOrEqual(LIMITS.headersMs);
      expect(answer()).toMatch(/^HTTP\/1\.1 408 /);
      expect(answer()).toMatch(/"code":"REQUEST_TIMEOUT"/);
      expect(answer()).toContain("application/problem+json");
    }
  });

  it("has only so long for a body, of a known length and in chunks", async () => {
    const server = await start(only("requestMs"));
    const clients = await Promise.all([
      drip(server, head("/v1/topics/x/messages", "make", "content-length: 100000"), " "),
      drip(
        server,
        head("/v1/topics/x/messages", "make", "transfer-encoding: chunked"),
        "1\r\n \r\n",
      ),
    ]);
    for (const { ended, answer } of clients) {
      expect(await ended).toBeGreaterThanOrEqual(LIMITS.requestMs);
      expect(answer()).toMatch(/^HTTP\/1\.1 408 /);
    }
  });

  it("is refused at once without a token, and has hardly any time for the rest", async () => {
    const server = await start(only("lateBodyMs"));
    for (const token of [undefined, "wrong"]) {
      const { ended, answer } = await drip(
        server,
        head("/v1/topics/x/messages", token, "content-length: 100000"),
        " ",
      );
      await eventually(answer, (text) => text.startsWith("HTTP/1.1 401 "));
      await ended;
    }
  });

  it("doesn't keep a connection that it doesn't use", async () => {
    const server = await start(only("idleMs"));
    const { ended, answer } = await drip(
      server,
      "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n",
    );
    await eventually(answer, (text) => text.startsWith("HTTP/1.1 200 "));
    await ended;
  });

  it("doesn't keep the connection of an upgrade that it didn't get, also if it doesn't end it", async () => {
    const server = await start({});
    const { hostname: host, port } = new URL(server.url);
    const socket = connect({ host, port: Number(port), allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    socket.write(
      "GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n",
    );
    await once(socket.resume(), "end");
    // It waits for all connections.
    await server.running.stop();
  });

  it("sends the rest of many refused requests on one connection, and leaves nothing on it", async () => {
    const server = await start({});
    const warned = vi.spyOn(process, "emitWarning");
    onTestFinished(() => warned.mockRestore());
    const { socket, answer } = await drip(server, "");
    for (let count = 1; count <= 12; count += 1) {
      socket.write(head("/v1/queues", "wrong", "content-length: 2"));
      await eventually(answer, (text) => text.split("HTTP/1.1 401 ").length > count);
      socket.write("{}");
    }
    expect(warned.mock.calls.flat().map(String).filter(including("MaxListeners"))).toEqual([]);
  });

  it("is let go by two hundred at a time", async () => {
    const server = await start({ ...LIMITS, idleMs: FAR });
    const clients = await Promise.all(
      Array.from({ length: 200 }, () =>
        drip(server, head("/v1/topics/x/messages", undefined, "content-length: 100000"), " "),
      ),
    );
    await Promise.all(clients.map(({ ended }) => ended));
    expect((await server.get("/healthz")).status).toBe(200);
  });

  it("may wait for an answer as long as it likes", async () => {
    const server = await start(LIMITS);
    await database.query("select queue.create_queue('quiet')");
    const { port } = new URL(server.url);
    const stream = connect(Number(port), "127.0.0.1");
    let streamed = "";
    stream.on("data", (chunk: Buffer) => {
      streamed += chunk.toString();
    });
    let isOpen = true;
    stream.on("close", () => {
      isOpen = false;
    });
    stream.write(
      `GET /v1/workflows/any/events HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${secretOf("all")}\r\n\r\n`,
    );
    onTestFinished(() => void stream.destroy());
    const began = performance.now();
    const { status, body } = await server.request("POST", "/v1/queues/quiet/receive", {
      token: "work",
      body: { waitSeconds: 3 },
    });
    expect(performance.now() - began).toBeGreaterThan(2 * LIMITS.requestMs);
    expect([status, body]).toEqual([200, { messages: [] }]);
    expect(streamed).toMatch(/^HTTP\/1\.1 200 /);
    expect(isOpen).toBe(true);
  });
});

describe("a client that reads nothing", () => {
  const MEGABYTE = 1_000_000;
  const ENDED = "ended a connection whose client reads nothing";

  /** Runs whose inputs have 40 MB together. */
  async function loud(): Promise<void> {
    await database.query(
      `select queue.workflow_start('loud', to_jsonb(repeat('x', ${MEGABYTE}))) from generate_series(1, 40)`,
    );
  }

  /** A run with a journal of 20 MB. */
  async function long(): Promise<string> {
    const client = createWorkflowClient({ url: database.url });
    const longRun = workflow({
      name: "long",
      run: async (ctx, _input: unknown) => {
        for (let step = 0; step < 20; step += 1) {
          await ctx.step.run(`${step}`, () => "x".repeat(MEGABYTE));
        }
      },
    });
    const worker = createWorker({ url: database.url, workflows: [longRun] });
    const run = await client.start(longRun, undefined);
    await run.result();
    await worker.stop();
    await client.close();
    return run.runId;
  }

  const follow = (runId: string): string =>
    `GET /v1/workflows/long/runs/${runId}/events HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${secretOf("all")}\r\n\r\n`;

  /** The bytes that the server had not sent when it ended the connection. */
  async function unsent(lines: readonly LogLine[]): Promise<number> {
    const found = await eventually(
      () => lines.find(({ text }) => text === ENDED),
      (line) => line !== undefined,
    );
    return Number(found?.facts["unsentBytes"]);
  }

  it("makes the server keep no more than an event, and is disconnected", async () => {
    const runId = await long();
    const lines: LogLine[] = [];
    const server = await startTestServer(database, {
      secrets: "all",
      timeouts: only("unreadMs"),
      logger: logTo(lines),
    });
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => {});
    socket.write(follow(runId));
    const closed = once(socket, "close");
    expect(await unsent(lines)).toBeLessThan(3 * MEGABYTE);
    socket.resume();
    await closed;
  });

  it("is not one that pauses and reads again", async () => {
    const runId = await long();
    const lines: LogLine[] = [];
    const server = await startTestServer(database, {
      secrets: "all",
      timeouts: { ...only("unreadMs"), unreadMs: 2_000 },
      logger: logTo(lines),
    });
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    let read = 0;
    let pausedAt = 0;
    let end = "";
    const began = performance.now();
    socket.on("data", (data: Buffer) => {
      read += data.length;
      end = (end + data.toString()).slice(-500);
      if (read - pausedAt < MEGABYTE) return;
      pausedAt = read;
      socket.pause();
      setTimeout(() => void socket.resume(), 200);
    });
    socket.write(follow(runId));
    await eventually(() => end, including("event: end"));
    expect(performance.now() - began).toBeGreaterThan(2_000);
    expect(lines.filter(({ text }) => text === ENDED)).toEqual([]);
  });

  it("over the WebSocket of a worker makes the server keep an answer, and is disconnected", async () => {
    await loud();
    const lines: LogLine[] = [];
    const server = await startTestServer(database, {
      secrets: "work:work",
      timeouts: only("unreadMs"),
      logger: logTo(lines),
    });
    const socket = new WebSocket(`${server.url}${RELAY_PATH}`, [RELAY_PROTOCOL], {
      headers: { authorization: `Bearer ${secretOf("work")}` },
    });
    onTestFinished(() => socket.terminate());
    socket.on("error", () => {});
    await once(socket, "open");
    socket.pause();
    const closed = once(socket, "close");
    const body = { versions: { loud: [1] }, maxRuns: 1, leaseMs: 3_600_000 };
    for (let id = 1; id <= 40; id += 1) {
      socket.send(JSON.stringify({ id, call: "receive", body }));
    }
    expect(await unsent(lines)).toBeLessThan(4 * MEGABYTE);
    socket.resume();
    await closed;
  });
});

it("a client that drops its upload is no trouble of the database", async () => {
  const lines: LogLine[] = [];
  const server = await startTestServer(database, { logger: logTo(lines) });
  const { socket, ended } = await drip(
    server,
    head("/v1/topics/x/messages", undefined, "content-length: 100000"),
    " ",
  );
  await eventually(
    () => server.running,
    () => socket.bytesWritten > 300,
  );
  socket.resetAndDestroy();
  await ended;
  await eventually(
    () => lines,
    (seen) =>
      seen.some(({ text }) => text === "The connection ended before the request was complete."),
  );
  expect(troubles(lines)).toEqual([]);
});

it("a client that leaves an export before its first byte is no trouble", async () => {
  const lines: LogLine[] = [];
  const own = await createDatabase();
  await own.query("select queue.workflow_start('any')");
  const server = await startTestServer(own, { logger: logTo(lines) });
  const holder = await own.connect();
  await holder.query("begin; lock table queue.workflow_run in access exclusive mode");
  const leaving = new AbortController();
  const left = fetch(`${server.url}/v1/runs/export`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"conditions":{}}',
    signal: leaving.signal,
  });
  await eventually(
    () =>
      own.query(
        "select from pg_stat_activity where query like '%workflow_export%' and wait_event_type = 'Lock' and datname = current_database()",
      ),
    { length: 1 },
  );
  leaving.abort();
  await expect(left).rejects.toThrow();
  await holder.query("rollback");
  await eventually(
    () => lines,
    (seen) => seen.some(({ text }) => text === "The connection ended before the answer began."),
  );
  expect(troubles(lines)).toEqual([]);
});

it("clients that read exports slowly leave connections for others", async () => {
  const own = await createDatabase();
  await own.query(
    "select queue.workflow_start('large', to_jsonb(repeat('x', 1000000))) from generate_series(1, 60)",
  );
  const server = await startTestServer(own, { maxConnections: 3, timeouts: only("idleMs") });
  await server.post("/v1/queues", { name: "orders" });
  const { hostname, port } = new URL(server.url);
  const body = '{"conditions":{}}';
  const exported = `POST /v1/runs/export HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const open = async (): Promise<Socket> => {
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => {});
    socket.write(exported);
    await once(socket, "readable");
    return socket;
  };
  const first = await open();
  const others = [open(), open()];
  for (let message = 0; message < 20; message += 1) {
    const { status } = await server.post("/v1/queues/orders/messages", { message });
    expect(status).toBe(201);
  }
  // Another one begins once a place is free.
  first.destroy();
  const next = await Promise.race(others);
  next.destroy();
  await Promise.all(others);
});

describe("what is no request", () => {
  const server = start({});

  it.each([
    ["a malformed escape", "/v1/queues/%zz", 400, "INVALID_REQUEST"],
    ["a cut escape", "/v1/queues/%", 400, "INVALID_REQUEST"],
    ["no UTF-8", "/v1/queues/a%ff/messages", 400, "INVALID_REQUEST"],
    ["a long name", `/v1/queues/${"x".repeat(5_000)}`, 414, "URI_TOO_LONG"],
    ["a long query", `/v1/queues?x=${"x".repeat(20_000)}`, 431, "HEADERS_TOO_LARGE"],
  ])("is answered with a problem: %s", async (_, path, status, code) => {
    const answer = await (await server).request("GET", path, { token: "all" });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it("is answered with a problem: large headers", async () => {
    const answer = await (
      await server
    ).request("GET", "/v1/queues", { token: "all", headers: { x: "x".repeat(20_000) } });
    expect([answer.status, answer.body.code]).toEqual([431, "HEADERS_TOO_LARGE"]);
  });

  it("is answered with a problem: another protocol", async () => {
    const { ended, answer } = await drip(await server, "EHLO there\r\n\r\n");
    await ended;
    expect(answer()).toMatch(/^HTTP\/1\.1 400 [^]*"code":"INVALID_REQUEST"/);
  });
});
