/** Signatures as the SDKs of AWS make them. */
import { createHash, createHmac } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { ListQueuesCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { SignatureV4 } from "@smithy/signature-v4";
import { expect, it } from "vitest";
import { serveHttp } from "../helpers/http-server.ts";
import { parseAccessKeys } from "../../server/src/http/access-keys.ts";
import { SignatureFailure, SignatureVerifier } from "../../server/src/http/sigv4.ts";

const SECRET = "secret/with+both".repeat(3);
const keys = parseAccessKeys(`shop:${SECRET}:produce+work`);
const [shop] = keys;

/** What the server answers; its clock may differ from that of clients. */
let aheadMs = 0;
const answers: string[] = [];
const verifier = new SignatureVerifier(keys, "sqs");
const endpoint = await serveHttp((request, response) => {
  void (async () => {
    const now = new Date(Date.now() + aheadMs);
    const { method = "", url = "", headers } = request;
    response.setHeader("date", now.toUTCString());
    response.setHeader("content-type", "application/x-amz-json-1.0");
    try {
      const key = verifier.verify({ method, url, headers, body: await buffer(request) }, now);
      answers.push(key.id);
      response.end("{}");
    } catch (error) {
      const reason = error instanceof SignatureFailure ? error.reason : String(error);
      answers.push(reason);
      response.statusCode = 403;
      response.end(JSON.stringify({ __type: "com.amazonaws.sqs#SignatureDoesNotMatch" }));
    }
  })();
});

const clientWith = (credentials: {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}): SQSClient =>
  new SQSClient({ endpoint, region: "eu-central-1", credentials, maxAttempts: 2, md5: false });

/** How the server answers the requests that a call needs. */
async function answersTo(call: () => Promise<unknown>): Promise<string[]> {
  answers.length = 0;
  await call().catch(() => {});
  return [...answers];
}

it("requests of the SDK for SQS are accepted", async () => {
  const client = clientWith({ accessKeyId: "shop", secretAccessKey: SECRET });
  const message = new SendMessageCommand({
    QueueUrl: `${endpoint}/000000000000/orders`,
    MessageBody: "naïve café: 1 € 🎉",
  });
  expect(await answersTo(() => client.send(message))).toEqual(["shop"]);
  expect(await answersTo(() => client.send(new ListQueuesCommand({})))).toEqual(["shop"]);
});

it("another secret, another key and a session token are refused", async () => {
  const list = new ListQueuesCommand({});
  const refused = [
    { accessKeyId: "shop", secretAccessKey: SECRET.slice(1) },
    { accessKeyId: "cart", secretAccessKey: SECRET },
    { accessKeyId: "shop", secretAccessKey: SECRET, sessionToken: "token" },
  ].map((credentials) => clientWith(credentials));
  const reasons = [];
  for (const client of refused) {
    reasons.push((await answersTo(() => client.send(list)))[0]);
  }
  expect(reasons).toEqual(["mismatch", "unknown-key", "unknown-key"]);
});

it("a client whose clock is an hour behind corrects it by the date of the refusal", async () => {
  aheadMs = 3_600_000;
  try {
    const client = clientWith({ accessKeyId: "shop", secretAccessKey: SECRET });
    const list = new ListQueuesCommand({});
    expect(await answersTo(() => client.send(list))).toEqual(["mismatch", "shop"]);
    expect(await answersTo(() => client.send(list))).toEqual(["shop"]);
  } finally {
    aheadMs = 0;
  }
});

const NOW = new Date("2026-01-31T23:59:00Z");

const signer = new SignatureV4({
  service: "sqs",
  region: "us-east-1",
  credentials: { accessKeyId: "shop", secretAccessKey: SECRET },
  sha256: class {
    readonly #hash: ReturnType<typeof createHash | typeof createHmac>;

    constructor(key?: string | ArrayBuffer | ArrayBufferView) {
      this.#hash =
        key === undefined
          ? createHash("sha256")
          : createHmac(
              "sha256",
              typeof key === "string" ? key : new Uint8Array(key as ArrayBuffer),
            );
    }

    update(data: string | Uint8Array): void {
      this.#hash.update(data);
    }

    digest(): Promise<Uint8Array> {
      return Promise.resolve(this.#hash.digest());
    }

    reset(): void {}
  },
});

const QUERY = {
  Action: "SendMessage",
  MessageBody: "a b+c=d&e/f%~*'()!ü🎉",
  "Attribute.1.Name": "x",
  Attribute: ["z", "a"],
  attribute: "",
};

/** A presigned url's path and query, as clients send it. */
async function presigned(
  expiresIn: number,
  method = "GET",
): Promise<{ method: string; url: string; headers: Record<string, string>; body: Buffer }> {
  const request = {
    method,
    protocol: "https:",
    hostname: "queues.example.com",
    path: "/000000000000/dé%20jà/../orders",
    query: QUERY,
    headers: { host: "queues.example.com" },
  };
  const signed = await signer.presign(request, { expiresIn, signingDate: NOW });
  const parameters = Object.entries(signed.query ?? {}).flatMap(([name, value]) =>
    [value ?? ""].flat().map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(one)}`),
  );
  const { host } = request.headers;
  return {
    method,
    url: `${signed.path}?${parameters.join("&")}`,
    headers: { host },
    body: Buffer.alloc(0),
  };
}

it("a presigned url is accepted until it expires", async () => {
  const request = await presigned(3_600);
  const at = (ms: number): Date => new Date(NOW.getTime() + ms);
  for (const ms of [-300_000, 0, 3_600_000]) {
    expect(verifier.verify(request, at(ms))).toBe(shop);
  }
  expect(() => verifier.verify(request, at(3_600_001))).toThrow(/has expired/);
  expect(() => verifier.verify(request, at(-300_001))).toThrow(/from the future/);
});

it("a presigned url is accepted with a space as a plus, and refused with anything else changed", async () => {
  const request = await presigned(60);
  expect(request.url).toContain("a%20b%2Bc");
  const withUrl = (from: string | RegExp, to: string) => () =>
    verifier.verify({ ...request, url: request.url.replace(from, to) }, NOW);
  expect(withUrl("a%20b", "a+b")()).toBe(shop);
  expect(withUrl("%C3%BC", "%c3%bc")()).toBe(shop);
  expect(withUrl("%2Bc", "+c")).toThrow(/does not match/);
  expect(withUrl("SendMessage", "PurgeQueue")).toThrow(/does not match/);
  expect(withUrl("Expires=60", "Expires=61")).toThrow(/does not match/);
  expect(withUrl("orders", "refunds")).toThrow(/does not match/);
  expect(withUrl(/$/, "&b=1")).toThrow(/does not match/);
  expect(withUrl(/$/, "&X-Amz-Date=20260131T235900Z")).toThrow(/contains X-Amz-Date twice/);
  expect(withUrl(/$/, "&X-Amz-Security-Token=token")).toThrow(/session token/);
  expect(withUrl("Expires=60", "Expires=604801")).toThrow(/from 1 to 604800 seconds/);
  expect(withUrl("X-Amz-Credential", "X-Amz-Other")).toThrow(/lacks X-Amz-Credential/);
  expect(withUrl("HMAC-SHA256", "ECDSA")).toThrow(/X-Amz-Algorithm must be/);
  expect(withUrl("shop%2F", "%FF%2F")).toThrow(/not UTF-8/);
  const body = Buffer.from("Action=PurgeQueue");
  expect(() => verifier.verify({ ...request, body }, NOW)).toThrow(/does not match/);
  const host = { ...request.headers, host: "other.example.com" };
  expect(() => verifier.verify({ ...request, headers: host }, NOW)).toThrow(/does not match/);
  const target = { ...request.headers, "x-amz-target": "AmazonSQS.PurgeQueue" };
  expect(() => verifier.verify({ ...request, headers: target }, NOW)).toThrow(/x-amz-target/);
});

it("a request with two signatures is refused", async () => {
  const request = await presigned(60);
  const headers = { ...request.headers, authorization: "AWS4-HMAC-SHA256 Credential=x" };
  expect(() => verifier.verify({ ...request, headers }, NOW)).toThrow(/another one in its query/);
});

it.each([
  [`shop:${SECRET}:read+rule`, /^Invalid entry 1 .*: one of its scopes is unknown\. /],
  [`shop:${SECRET}:`, /one of its scopes is unknown/],
  [`${SECRET}:shop:read`, /its id must have/],
  [`shop`, /it has no secret/],
  [`shop::read`, /it has no secret/],
  [`shop:${SECRET}:${SECRET}:read`, /a secret can't contain a colon/],
  [
    `ok:${SECRET} shop:short-secret`,
    /^Invalid entry 2 .* has 12 characters, and needs at least 32/,
  ],
  [`shop:${SECRET},shop:${SECRET}x`, /^Invalid entry 2 .* the id of entry 1/],
])("access keys %# are refused, without their secrets", (text, message) => {
  expect(() => parseAccessKeys(text)).toThrow(message);
  expect(() => parseAccessKeys(text)).not.toThrow(/with\+both|short-secret/);
});

it("access keys have the scopes that are given, or else admin", () => {
  expect(parseAccessKeys(`a:${SECRET}:read+work,\n b:${SECRET} `)).toEqual([
    { id: "a", secret: SECRET, scopes: new Set(["read", "work"]) },
    { id: "b", secret: SECRET, scopes: new Set(["admin"]) },
  ]);
  expect(parseAccessKeys(" ")).toEqual([]);
});
