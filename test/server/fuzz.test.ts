/** Every endpoint against whatever may come: nothing makes the server fail, or keeps it from answering. */
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";

let server: TestServer;
let operations: readonly { readonly method: string; readonly path: string }[];

beforeAll(async () => {
  server = await startTestServer(await createDatabase());
  await server.post("/v1/queues", { name: "known" });
  await server.post("/v1/queues", { name: "ordered", fifo: true });
  await server.post("/v1/workflows/known/runs", { input: {} });
  const { body } = await server.get("/openapi.json");
  operations = Object.entries(body.paths as Record<string, Record<string, unknown>>).flatMap(
    ([path, methods]) =>
      // Streams of events have no end; their own tests read them.
      /\/(events|stream|wake)$/.test(path)
        ? []
        : Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
  );
});

const word = fc.oneof(
  fc.constantFrom(
    "known",
    "ordered",
    "1",
    "-1",
    "0",
    "999999999999999999",
    "%00",
    "a.b.#",
    "..",
    "'; drop",
    "nul\u0000",
  ),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 600 }),
);

/** Names that requests use, with values that they do not expect. */
const body = fc.dictionary(
  fc.constantFrom(
    "message",
    "messages",
    "messageGroupId",
    "deduplicationId",
    "delaySeconds",
    "headers",
    "input",
    "version",
    "idempotencyKey",
    "delay",
    "deadline",
    "tags",
    "name",
    "fifo",
    "visibilityTimeout",
    "maxReceives",
    "deadLetterQueue",
    "type",
    "target",
    "filter",
    "options",
    "items",
    "receipts",
    "leaseMs",
    "versions",
    "maxRuns",
    "maxMessages",
    "matching",
    "fromStep",
    "__proto__",
    "constructor",
  ),
  fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    word,
    fc.constantFrom<unknown>(
      1e308,
      -1,
      1.5,
      2_147_483_648,
      "1e400",
      [],
      {},
      [[]],
      null,
      "\uD800",
      "\u0000",
    ),
  ),
  { maxKeys: 6 },
);

const fill = (path: string, words: readonly string[]): string =>
  words.reduce((filled, value) => filled.replace(/\{\w+\}/, () => segmentOf(value)), path);

const segmentOf = (value: string): string =>
  encodeURIComponent(
    value
      .replaceAll(/\p{Surrogate}/gu, "?")
      // Clients resolve these, so the request would be one of another route.
      .replace(/^\.{1,2}$/, "dots"),
  );

describe("the server", () => {
  it("answers whatever comes, and is never to blame", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.array(word, { minLength: 3, maxLength: 3 }),
        fc.option(body, { nil: undefined }),
        fc.dictionary(
          fc.constantFrom(
            "limit",
            "cursor",
            "status",
            "since",
            "after",
            "input.a",
            "input.__proto__.b",
          ),
          fc.constantFrom("0", "-1", "x", "1", "2020-01-01", "9".repeat(30)),
          { maxKeys: 3 },
        ),
        async (n, words, content, query) => {
          const { method = "GET", path = "/" } = operations[n % operations.length] ?? {};
          const search = new URLSearchParams(query).toString();
          const target = `${fill(path, words)}${search === "" ? "" : `?${search}`}`;
          const hasBody = method !== "GET" && content !== undefined;
          const { status } = await server.request(method, target, {
            ...(hasBody ? { body: content } : {}),
            signal: AbortSignal.timeout(10_000),
          });
          expect(status, `${method} ${target}`).toBeLessThan(500);
        },
      ),
      { numRuns: 1_500, seed: 7 },
    );
  });

  it.each([
    ["deep", "[".repeat(50_000) + "]".repeat(50_000)],
    ["deep in a property", `{"input":${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}}`],
    ["of another encoding", "\u{1F600}"],
    ["truncated", '{"input": {"a": [1, 2'],
    ["with the same key twice", '{"input": 1, "input": 2}'],
    ["that is a number", "1e999"],
    ["large", `{"input": "${"x".repeat(900_000)}"}`],
  ])("answers a body that is %s", async (_, content) => {
    for (const path of [
      "/v1/workflows/known/runs",
      "/v1/queues/known/messages",
      "/v1/worker/commit",
    ]) {
      const { status } = await server.request("POST", path, { body: content });
      expect(status).toBeLessThan(500);
    }
  });

  it("distinguishes a missing method from a missing path", async () => {
    const refused = await server.request("PUT", "/v1/queues/known");
    expect(refused).toMatchObject({ status: 405, body: { code: "METHOD_NOT_ALLOWED" } });
    expect(refused.headers.get("allow")).toBe("DELETE, GET, HEAD, PATCH");
    expect(await server.get("/v2/queues")).toMatchObject({
      status: 404,
      body: { code: "NOT_FOUND" },
    });
  });

  it("refuses what is no JSON", async () => {
    expect(
      await server.request("POST", "/v1/queues", {
        body: "name=x",
        headers: { "content-type": "text/plain" },
      }),
    ).toMatchObject({ status: 415, body: { code: "UNSUPPORTED_MEDIA_TYPE" } });
  });

  it("describes itself by OpenAPI 3.1, with the answer to each request", async () => {
    const { body: document } = await server.get("/openapi.json");
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(operations.length).toBeGreaterThan(30);
    for (const path of [
      "/v1/workflows/{name}/runs/{run_id}/signals/{event}",
      "/v1/topics/{pattern}/subscriptions",
      "/v1/worker/commit",
    ]) {
      expect(Object.keys(document.paths)).toContain(path);
    }
  });
});
