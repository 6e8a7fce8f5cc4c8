/** The node `http.request@1` with real targets on this machine. Where it may send: `net/guarded-sender.test.ts`. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { RetryAfterError } from "@oxbow/sdk/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../document/json.ts";
import { failureOf } from "./failure.ts";
import { httpRequest } from "./http-request.ts";
import type { NodeCall } from "./node-type.ts";

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let answer: (response: ServerResponse, request: Received) => void;
let last: Received | undefined;
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => void chunks.push(chunk));
  request.on("end", () => {
    const { method, url, headers } = request;
    last = { method, url, headers, body: Buffer.concat(chunks).toString() };
    answer(response, last);
  });
});

let base = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => {
    server.close(resolve);
  });
});

const local = httpRequest({ allowedNetworks: ["127.0.0.1"], allowHttp: true });

/** Calls the handler as a worker does. */
async function send(params: JsonObject, type = local): Promise<unknown> {
  const handler = type.handlerOf(params);
  if (handler.kind !== "run") throw new Error("It has no handler.");
  return await handler.run({
    params: { url: `${base}/orders`, ...params },
    secret: (name: string) => Promise.resolve(`value of ${name}`),
    idempotencyKey: "17:pack.3.reserve",
    signal: new AbortController().signal,
  } as unknown as NodeCall);
}

const json = (value: unknown) => (response: ServerResponse) =>
  void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));

describe("a request", () => {
  it("is a GET, with the run and the path as its key", async () => {
    answer = json({ free: 3 });
    expect(await send({})).toMatchObject({ status: 200, body: { free: 3 } });
    expect(last).toMatchObject({ method: "GET", url: "/orders", body: "" });
    expect(last?.headers["idempotency-key"]).toBe("17:pack.3.reserve");
    expect(last?.headers["accept-encoding"]).toBe("identity");
  });

  it("sends JSON, a query and headers", async () => {
    answer = json(null);
    const body = { id: "o-1", lines: ["ü"] };
    await send({
      method: "POST",
      body,
      query: { "page size": 5, q: "a&b", all: true },
      headers: { "X-Tenant": "t1" },
    });
    expect(last).toMatchObject({ method: "POST", url: "/orders?page+size=5&q=a%26b&all=true" });
    expect(JSON.parse(last?.body ?? "")).toEqual(body);
    expect(last?.headers).toMatchObject({ "content-type": "application/json", "x-tenant": "t1" });
  });

  it("sends text as it is, if its type is given", async () => {
    answer = json(null);
    await send({ method: "PUT", body: "<a/>", headers: { "Content-Type": "text/xml" } });
    expect([last?.headers["content-type"], last?.body]).toEqual(["text/xml", "<a/>"]);
    await send({ method: "PUT", body: "<a/>" });
    expect([last?.headers["content-type"], last?.body]).toEqual(["application/json", '"<a/>"']);
  });

  it.each<[JsonObject, string, string]>([
    [{ bearer: "stock" }, "authorization", "Bearer value of stock"],
    [
      { basic: { username: "ada", password: "pw" } },
      "authorization",
      `Basic ${Buffer.from("ada:value of pw").toString("base64")}`,
    ],
    [{ header: { name: "X-Key", value: "stock" } }, "x-key", "value of stock"],
  ])("opens the secret of %j", async (auth, name, value) => {
    answer = json(null);
    await send({ auth });
    expect(last?.headers[name]).toBe(value);
  });

  it.each(["Host", "Content-Length", "Transfer-Encoding", "Connection", "Proxy-Authorization"])(
    "can't set the header %s",
    async (name) => {
      last = undefined;
      await expect(send({ headers: { [name]: "x" } })).rejects.toThrow("can't be set");
      expect(last).toBeUndefined();
    },
  );

  it("can't smuggle headers by a line break", async () => {
    last = undefined;
    const sent = send({ headers: { "x-a": "1\r\nx-b: 2" } });
    await expect(sent).rejects.toMatchObject({ code: "NON_RETRIABLE" });
    expect(last).toBeUndefined();
  });
});

describe("a response", () => {
  it("is JSON, text, base64 or nothing, by its type", async () => {
    const bodyOf = async (type: string | undefined, body: string | Buffer): Promise<unknown> => {
      answer = (response) =>
        void response.writeHead(200, type === undefined ? {} : { "content-type": type }).end(body);
      return ((await send({})) as { readonly body: unknown }).body;
    };
    expect(await bodyOf("application/problem+json; charset=utf-8", '{"a":1}')).toEqual({ a: 1 });
    expect(await bodyOf("text/plain", "ü")).toBe("ü");
    expect(await bodyOf("application/xml", "<a/>")).toBe("<a/>");
    expect(await bodyOf("image/png", Buffer.from([0, 255]))).toBe("AP8=");
    expect(await bodyOf("application/json", "")).toBeNull();
    await expect(bodyOf("application/json", "{")).rejects.toThrow("is no JSON");
  });

  it("shows its headers, without cookies", async () => {
    answer = (response) =>
      void response.writeHead(200, { etag: '"7"', "set-cookie": "session=secret" }).end();
    const { headers } = (await send({})) as { readonly headers: JsonObject };
    expect(headers["etag"]).toBe('"7"');
    expect(JSON.stringify(headers)).not.toContain("secret");
  });

  it("must be of its schema", async () => {
    const response = {
      type: "object",
      required: ["free"],
      properties: { free: { type: "integer" } },
    };
    answer = json({ free: 3 });
    expect(await send({ response })).toMatchObject({ body: { free: 3 } });
    answer = json({ free: "3" });
    const error = await send({ response }).catch((thrown: unknown) => thrown);
    expect(failureOf(error)).toEqual({
      code: "INVALID_RESPONSE",
      message:
        'the body of the response isn\'t of its schema: $.free is "3" instead of a whole number',
    });
  });

  it("isn't decompressed", async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    answer = (response) =>
      void response
        .writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" })
        .end(bomb);
    await expect(send({})).rejects.toThrow("compressed by gzip");
  });

  it("of up to 1 MiB is kept", async () => {
    answer = (response) =>
      void response.writeHead(200, { "content-type": "text/plain" }).end("y".repeat(1_048_576));
    expect(((await send({})) as { readonly body: string }).body).toHaveLength(1_048_576);
    answer = (response) => void response.writeHead(200).end("y".repeat(1_048_577));
    const error = await send({}).then(
      () => new Error("It was kept."),
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: "NON_RETRIABLE" });
    expect(failureOf(error).code).toBe("RESPONSE_TOO_LARGE");
  });

  it("succeeds with the statuses that are accepted", async () => {
    answer = (response) => void response.writeHead(404).end();
    expect(await send({ accept: [404] })).toMatchObject({ status: 404, body: null });
  });

  it.each([
    [301, "HTTP_301", "NON_RETRIABLE"],
    [400, "HTTP_400", "NON_RETRIABLE"],
    [404, "HTTP_404", "NON_RETRIABLE"],
    [408, "HTTP_408", "HTTP_408"],
    [500, "HTTP_500", "HTTP_500"],
    [503, "HTTP_503", "HTTP_503"],
  ])("of %s fails by the code %s, which a document can retry by", async (status, code, thrown) => {
    answer = (response) => void response.writeHead(status).end();
    const error = await send({}).catch((caught: unknown) => caught);
    expect([failureOf(error).code, (error as { readonly code: unknown }).code]).toEqual([
      code,
      thrown,
    ]);
  });

  it("decides when it is asked for again", async () => {
    answer = (response) => void response.writeHead(429, { "retry-after": "7" }).end();
    const error = await send({}).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RetryAfterError);
    expect([(error as RetryAfterError).delayMs, failureOf(error).code]).toEqual([
      7_000,
      "HTTP_429",
    ]);
  });

  it("that doesn't come is tried again", async () => {
    answer = (response) => void response.destroy();
    const error = await send({}).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "HTTP_NO_RESPONSE" });
  });

  it.each(["ERR_TLS_CERT_ALTNAME_INVALID", "ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR", "EPROTO"])(
    "that doesn't come because of %s is tried again",
    async (code) => {
      const type = httpRequest({
        resolve: () => Promise.reject(Object.assign(new Error("refused"), { code })),
      });
      const error = await send({ url: "https://api.example/" }, type).catch((e: unknown) => e);
      expect(error).toMatchObject({ code: "HTTP_NO_RESPONSE" });
    },
  );
});

describe("a request from a sandbox", () => {
  const fromSandbox = (
    sendsFromSandbox: boolean,
    params: JsonObject,
    capture: (request: unknown) => Promise<unknown>,
  ): unknown => {
    const type = httpRequest({ allowedNetworks: ["127.0.0.1"], allowHttp: true, sendsFromSandbox });
    const handler = type.handlerOf(params);
    if (handler.kind !== "run") throw new Error("It has no handler.");
    return handler.run({
      params: { url: `${base}/orders`, ...params },
      secret: (name: string) => Promise.reject(new Error(`opened ${name}`)),
      idempotencyKey: "17:pay",
      signal: new AbortController().signal,
      log: { info: () => {}, warn: (message: string) => warnings.push(message) },
      capture,
    } as unknown as NodeCall);
  };
  const warnings: string[] = [];
  const params = {
    method: "POST",
    query: { q: "a" },
    headers: { "X-Tenant": "t1" },
    body: { id: 1 },
    response: { type: "object", properties: { free: { type: "integer", minimum: 2 } } },
  };

  it("is captured, with its secrets closed, and answered by a sample", async () => {
    last = undefined;
    const captured = {
      method: "POST",
      url: `${base}/orders?q=a`,
      headers: {
        "idempotency-key": "17:pay",
        "content-type": "application/json",
        "x-tenant": "t1",
      },
      body: { id: 1 },
    };
    const output = { status: 200, headers: {}, body: { free: 2 }, captured };
    const listed: unknown[] = [];
    const given = { ...params, auth: { bearer: "stock" } };
    const list = (request: unknown) => Promise.resolve(listed.push(request));
    expect(await fromSandbox(false, given, list)).toEqual(output);
    expect(listed).toEqual([{ ...captured, key: "17:pay" }]);
    const isAway = () => Promise.reject(new Error("The database is away."));
    expect(await fromSandbox(false, given, isAway)).toEqual(output);
    expect(warnings).toEqual(["The captured request could not be listed."]);
    expect(last).toBeUndefined();
  });

  it("is sent if the worker is configured to", async () => {
    answer = json({ free: 5 });
    expect(
      await fromSandbox(true, params, () => Promise.reject(new Error("It is sent."))),
    ).toMatchObject({ status: 200, body: { free: 5 } });
    expect(last).toMatchObject({ method: "POST", body: '{"id":1}' });
  });
});
