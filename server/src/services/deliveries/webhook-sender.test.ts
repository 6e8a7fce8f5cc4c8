/** One request to a target, with real targets on this machine. */
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { AddressGuard } from "@oxbow/declared/net";
import { type WebhookOutcome, WebhookSender, type WebhookSenderOptions } from "./webhook-sender.ts";

const closes: (() => Promise<void> | void)[] = [];
afterAll(async () => {
  for (const close of closes) await close();
});

interface Target {
  readonly port: number;
  readonly connections: Socket[];
}

async function openTarget(answer: RequestListener): Promise<Target> {
  const connections: Socket[] = [];
  const server = createServer(answer);
  server.on("connection", (socket) => void connections.push(socket));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  closes.push(async () => {
    for (const socket of connections) socket.destroy();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  return { port: (server.address() as AddressInfo).port, connections };
}

function makeSender({
  allowed = [],
  ...options
}: Partial<WebhookSenderOptions> & { readonly allowed?: readonly string[] } = {}): WebhookSender {
  const sender = new WebhookSender({
    guard: new AddressGuard(allowed),
    allowHttp: true,
    timeoutMs: 5_000,
    ...options,
  });
  closes.push(() => sender.close());
  return sender;
}

const post = (sender: WebhookSender, url: string): Promise<WebhookOutcome> =>
  sender.post({ url, headers: {}, body: "{}" }, new AbortController().signal);

const LOOPBACK = ["127.0.0.0/8"];

it("where it sends is decided by the guarded sender: a forbidden target is final, an unknown name isn't", async () => {
  expect(await post(makeSender(), "http://169.254.169.254/latest")).toEqual({
    failure: "169.254.169.254 is not a public address, and not allowed",
    isFinal: true,
  });
  const unknown = makeSender({ resolve: () => Promise.reject(new Error("queryA ENOTFOUND x")) });
  expect(await post(unknown, "https://x.example/")).toEqual({ failure: "queryA ENOTFOUND x" });
});

describe("an answer", () => {
  it.each<[number, Record<string, string>, WebhookOutcome]>([
    [204, {}, { status: 204 }],
    [299, {}, { status: 299 }],
    [302, { location: "/" }, { status: 302, failure: "status 302: redirects are not followed" }],
    [404, {}, { status: 404, failure: "status 404" }],
    [410, {}, { status: 410, failure: "status 410", isFinal: true }],
    [429, { "retry-after": "7" }, { status: 429, failure: "status 429", retryAfterMs: 7_000 }],
    [503, { "retry-after": "soon" }, { status: 503, failure: "status 503" }],
  ])("of %s %j is the outcome", async (status, headers, outcome) => {
    const target = await openTarget(
      (_, response) => void response.writeHead(status, headers).end(),
    );
    const sender = makeSender({ allowed: LOOPBACK });
    expect(await post(sender, `http://127.0.0.1:${target.port}/`)).toEqual(outcome);
  });

  it("may name a date after which to come again", async () => {
    const date = new Date(Date.now() + 60_000).toUTCString();
    const target = await openTarget(
      (_, response) => void response.writeHead(503, { "retry-after": date }).end(),
    );
    const { retryAfterMs } = await post(
      makeSender({ allowed: LOOPBACK }),
      `http://127.0.0.1:${target.port}/`,
    );
    expect(retryAfterMs).toBeGreaterThan(50_000);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
  });

  it("keeps the connection for the next request, and replaces a connection that was closed", async () => {
    const target = await openTarget((_, response) => void response.end("ok"));
    const sender = makeSender({ allowed: LOOPBACK });
    const url = `http://127.0.0.1:${target.port}/`;
    await post(sender, url);
    expect(await post(sender, url)).toEqual({ status: 200 });
    expect(target.connections).toHaveLength(1);
    for (const socket of target.connections) socket.resetAndDestroy();
    expect(await post(sender, url)).toEqual({ status: 200 });
    expect(target.connections).toHaveLength(2);
  });
});

describe("a hostile target", () => {
  const inPieces =
    (head: string, piece: string): RequestListener =>
    (_, { socket }: ServerResponse) => {
      socket?.write(head);
      const more = (): void => {
        if (socket?.destroyed === false) socket.write(piece, () => void setTimeout(more, 1));
      };
      more();
    };

  const PATIENT_MS = 60_000;
  it.each<[string, number, RequestListener, RegExp]>([
    ["that never answers", 300, () => {}, /^no answer within 300 ms$/],
    ["that hangs up", PATIENT_MS, (_, response) => void response.destroy(), /hang up|ECONNRESET/],
    [
      "that sends a head without end",
      PATIENT_MS,
      inPieces("HTTP/1.1 200 OK\r\n", `x-more: ${"y".repeat(4_000)}\r\n`),
      /Header overflow/i,
    ],
    [
      "that sends a head byte by byte",
      300,
      inPieces("HTTP/1.1 200 OK\r\nx-slow: ", "y"),
      /^no answer within 300 ms$/,
    ],
    [
      "that repeatedly announces a response",
      300,
      inPieces("", "HTTP/1.1 102 Processing\r\n\r\n"),
      /^no answer within 300 ms$/,
    ],
    [
      "that wants to speak something else",
      300,
      inPieces("HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n", "y"),
      /status 101|hang up|closed|no answer/,
    ],
    [
      "that isn't HTTP",
      PATIENT_MS,
      (_, { socket }) => void socket?.end("hello\r\n\r\n"),
      /Parse Error/,
    ],
  ])("%s fails in time", async (_, timeoutMs, answer, failure) => {
    const target = await openTarget(answer);
    const sender = makeSender({ allowed: LOOPBACK, timeoutMs });
    const startedAt = performance.now();
    const outcome = await post(sender, `http://127.0.0.1:${target.port}/`);
    expect(outcome).toMatchObject({ failure: expect.stringMatching(failure) });
    expect(performance.now() - startedAt).toBeLessThan(PATIENT_MS);
  });

  it.each([
    ["without end", 65_536, 5_000],
    ["byte by byte", 1, 300],
  ])(
    "that answers 200 and a body %s has been delivered to, and is cut off",
    async (_, size, timeoutMs) => {
      let sent = 0;
      const chunk = "y".repeat(size);
      const target = await openTarget((_request, response) => {
        response.writeHead(200);
        const more = (): void => {
          sent += size;
          if (!response.destroyed) response.write(chunk, () => void setImmediate(more));
        };
        more();
      });
      const sender = makeSender({ allowed: LOOPBACK, timeoutMs });
      expect(await post(sender, `http://127.0.0.1:${target.port}/`)).toEqual({ status: 200 });
      // The kernels of both sides buffer more.
      expect(sent).toBeLessThan(32_000_000);
    },
  );

  it("is given up when the server stops", async () => {
    const target = await openTarget(() => {});
    const stopping = new AbortController();
    const outcome = makeSender({ allowed: LOOPBACK }).post(
      { url: `http://127.0.0.1:${target.port}/`, headers: {}, body: "{}" },
      stopping.signal,
    );
    stopping.abort();
    expect(await outcome).toEqual({ failure: "the server is stopping" });
  });
});
