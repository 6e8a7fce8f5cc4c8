/** Where requests may go, and what a hostile target can do: by the sender itself, and by the node `http.request@1`. */
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { httpRequest } from "../nodes/http-request.ts";
import type { NodeCall } from "../nodes/node-type.ts";
import { AddressGuard } from "./address-guard.ts";
import { type GuardedResponse, GuardedSender } from "./guarded-sender.ts";
import { Proxies } from "./proxies.ts";

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

const LOOPBACK = ["127.0.0.0/8"];

interface Options {
  readonly allowed?: readonly string[];
  readonly allowHttp?: boolean;
  readonly timeoutMs?: number;
  readonly resolve?: (name: string) => Promise<string[]>;
}

/** Sends a request by the sender itself. Resolves to the status. */
async function bySender(url: string, options: Options = {}): Promise<number> {
  const { allowed = [], allowHttp = true, timeoutMs = 5_000, resolve } = options;
  const sender = new GuardedSender({
    guard: new AddressGuard(allowed),
    allowHttp,
    ...(resolve === undefined ? {} : { resolve }),
  });
  closes.push(() => sender.close());
  const request = { method: "GET", url, headers: {}, timeoutMs, maxBodyBytes: 1_000_000 };
  const { status }: GuardedResponse = await sender.send(request, new AbortController().signal);
  return status;
}

/** Calls the handler of the node. Resolves to the status. */
async function byNode(url: string, options: Options = {}): Promise<number> {
  const { allowed = [], allowHttp = true, timeoutMs = 5_000, resolve } = options;
  const { handlerOf } = httpRequest({
    allowedNetworks: allowed,
    allowHttp,
    ...(resolve === undefined ? {} : { resolve }),
  });
  const handler = handlerOf({});
  if (handler.kind !== "run") throw new Error("It has no handler.");
  const aborted = new AbortController();
  const timer = setTimeout(() => aborted.abort(new Error("no answer in time")), timeoutMs);
  try {
    const call = { params: { url }, idempotencyKey: "1:a", signal: aborted.signal };
    const { status } = (await handler.run(call as NodeCall)) as { readonly status: number };
    return status;
  } finally {
    clearTimeout(timer);
  }
}

describe.each([
  ["the guarded sender", bySender],
  ["http.request@1", byNode],
])("where %s sends", (_sender, send) => {
  it.each<[string, string, RegExp]>([
    ["this machine", "https://127.0.0.1/", /^127\.0\.0\.1 is not a public address/],
    ["this machine, as a number", "https://2130706433/", /^127\.0\.0\.1 is not/],
    ["this machine, in octal", "https://0177.0.0.1/", /^127\.0\.0\.1 is not/],
    ["this machine, in other words", "https://0x7f.1/", /^127\.0\.0\.1 is not/],
    ["any address of this machine", "https://0.0.0.0/", /^0\.0\.0\.0 is not/],
    ["this machine by IPv6", "https://[::1]/", /^::1 is not/],
    ["this machine by name", "https://localhost/", /^127\.0\.0\.1 is not/],
    ["this machine by another name", "https://a.b.LOCALHOST./", /^127\.0\.0\.1 is not/],
    ["IPv4 within IPv6", "https://[::ffff:10.0.0.1]/", /^::ffff:a00:1 is not/],
    ["IPv4 translated to IPv6", "https://[64:ff9b::a00:1]/", /^64:ff9b::a00:1 is not/],
    ["a private network", "https://192.168.1.1/", /^192\.168\.1\.1 is not/],
    ["a private network behind a user", "https://public.example@10.0.0.1/", /^10\.0\.0\.1 is not/],
    ["the metadata of a cloud", "http://169.254.169.254/latest", /^169\.254\.169\.254 is not/],
    ["the metadata of another cloud", "http://[fd00:ec2::254]/", /^fd00:ec2::254 is not/],
    ["what is no url", "nowhere", /is not a url/],
    [
      "what a password makes no url",
      "https://ada:p/w@example.org/",
      /^"https:\/\/ada:\*{3}@example.org\/" is/,
    ],
    ["a file", "file:///etc/passwd", /file:/],
    ["what speaks something else", "ftp://8.8.8.8/", /ftp:/],
  ])("is not %s", async (_target, url, failure) => {
    await expect(send(url)).rejects.toThrow(failure);
  });

  it("is not plain http, unless that is allowed", async () => {
    await expect(send("http://example.org/", { allowHttp: false })).rejects.toThrow(
      "the url is not https, and plain http is not allowed",
    );
  });

  it("is no name of which one address is private", async () => {
    const resolve = () => Promise.resolve(["93.184.215.14", "10.0.0.1"]);
    await expect(send("https://mixed.example/", { resolve })).rejects.toThrow("10.0.0.1 is not");
  });

  it("is the address that was checked, even if the name changes a moment later", async () => {
    const hosts: (string | undefined)[] = [];
    const target = await openTarget((request, response) => {
      hosts.push(request.headers.host);
      response.end();
    });
    const answers = [["127.0.0.1"], ["10.0.0.1"]];
    let asked = 0;
    const resolve = () => Promise.resolve(answers[asked++] ?? []);
    const url = `http://rebinding.example:${target.port}/`;
    expect(await send(url, { allowed: LOOPBACK, resolve })).toBe(200);
    expect({ hosts, asked }).toEqual({ hosts: [new URL(url).host], asked: 1 });
  });

  it("is nowhere that a redirect leads to", async () => {
    const visited: (string | undefined)[] = [];
    const target = await openTarget((request, response) => {
      visited.push(request.url);
      response.writeHead(302, { location: "/elsewhere" }).end();
    });
    const status = await send(`http://127.0.0.1:${target.port}/`, { allowed: LOOPBACK }).catch(
      (error: unknown) => (error as Error).message,
    );
    expect([302, "GET was answered 302: redirects are not followed"]).toContain(status);
    expect(visited).toEqual(["/"]);
  });

  it("has to prove by its certificate who it is", async () => {
    const target = await openTarget((_request, response) => void response.end());
    await expect(send(`https://127.0.0.1:${target.port}/`, { allowed: LOOPBACK })).rejects.toThrow(
      /SSL|EPROTO|wrong version/i,
    );
  });

  it("is no target that sends a body without end", async () => {
    const chunk = "y".repeat(65_536);
    let sent = 0;
    const target = await openTarget((_request, response) => {
      response.writeHead(200);
      const more = (): void => {
        sent += chunk.length;
        if (!response.destroyed) response.write(chunk, () => void setImmediate(more));
      };
      more();
    });
    await expect(send(`http://127.0.0.1:${target.port}/`, { allowed: LOOPBACK })).rejects.toThrow(
      /the body of the response is larger than \d+ bytes/,
    );
    // The kernels of both sides buffer more.
    expect(sent).toBeLessThan(32_000_000);
  });

  it.each<[string, RequestListener]>([
    ["never answers", () => {}],
    [
      "stops in the middle of its body",
      (_request, response) => void response.writeHead(200, { "content-length": 10 }).write("half"),
    ],
  ])("is not waited for if it %s", async (_title, answer) => {
    const target = await openTarget(answer);
    const url = `http://127.0.0.1:${target.port}/`;
    await expect(send(url, { allowed: LOOPBACK, timeoutMs: 300 })).rejects.toThrow(/no answer/);
  });

  it("fails if it hangs up in the middle of its body", async () => {
    const target = await openTarget((_request, response) => {
      response.writeHead(200, { "content-length": 10 });
      response.write("half", () => void response.destroy());
    });
    await expect(send(`http://127.0.0.1:${target.port}/`, { allowed: LOOPBACK })).rejects.toThrow(
      /aborted|ECONNRESET|closed/,
    );
  });
});

describe("a proxy that accepts a connection and doesn't answer", () => {
  const silent = async (): Promise<GuardedSender> => {
    const sockets: Socket[] = [];
    const proxy = createTcpServer((socket) => void sockets.push(socket));
    await new Promise<void>((resolve) => {
      proxy.listen(0, "127.0.0.1", resolve);
    });
    closes.push(() => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    });
    const https = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const options = { guard: new AddressGuard([]), allowHttp: false };
    return new GuardedSender({ ...options, proxies: new Proxies({ https }) });
  };
  const request = { method: "GET", url: "https://example.org/", headers: {} };

  it("doesn't hold the request beyond its timeout", async () => {
    const sent = (await silent()).send({ ...request, timeoutMs: 50 }, new AbortController().signal);
    await expect(sent).rejects.toThrow("no answer within 50 ms");
  });

  it("doesn't hold a request that is aborted", async () => {
    const aborted = AbortSignal.timeout(50);
    const sent = (await silent()).send({ ...request, timeoutMs: 3_600_000 }, aborted);
    await expect(sent).rejects.toMatchObject({ name: "TimeoutError" });
  });
});
