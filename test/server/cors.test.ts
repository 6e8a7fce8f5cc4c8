/** Pages of other origins: the routes that run tokens open answer them, and no others. */
import { createWorkflowClient } from "@oxbow/sdk";
import { RunTokenKeys } from "@oxbow/sdk/internal/server";
import { describe, expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { secretOf, startTestServer, type TestServer } from "../helpers/server.ts";

const PAGE = "https://shop.example.com";
const KEY = "k".repeat(32);

const database = await createDatabase();
const server = await startTestServer(database, {
  secrets: "ops:admin",
  runTokenKeys: [KEY],
  allowedOrigins: [PAGE, "http://localhost:3000"],
});
const client = createWorkflowClient({ url: database.url });
const runId = (await client.start("shown", {})).runId;
await client.close();
const token = await new RunTokenKeys([KEY]).sign({
  runId,
  ttlMs: 600_000,
  allow: ["read", "stream", "signal:go"],
  name: undefined,
});

const ask = (
  path: string,
  {
    method = "GET",
    origin = PAGE,
    with: secret = token,
    on = server,
    ...headers
  }: {
    readonly method?: string;
    readonly origin?: string;
    readonly with?: string;
    readonly on?: TestServer;
    readonly "access-control-request-method"?: string;
  } = {},
): Promise<Response> =>
  fetch(`${on.url}${path}`, {
    method,
    headers: {
      ...(secret === "" ? {} : { authorization: `Bearer ${secret}` }),
      origin,
      ...headers,
    },
  });

const allowed = ({ headers }: Response) => headers.get("access-control-allow-origin");

describe("a page of an allowed origin", () => {
  it("reads answers and errors of the routes that run tokens open", async () => {
    const found = await ask(`/v1/runs/${runId}`);
    expect([found.status, allowed(found), found.headers.get("vary")]).toEqual([
      200,
      PAGE,
      "Origin",
    ]);
    expect(found.headers.get("access-control-allow-credentials")).toBeNull();
    const errors = [
      await ask("/v1/runs/999999999/state"),
      await ask(`/v1/runs/${runId}`, { with: `${token}x` }),
      await ask(`/v1/runs/${runId}?wait=soon`),
      await ask(`/v1/runs/${runId}/signals/stop`, { method: "POST" }),
      await ask("/v1/runs/1e9", { with: secretOf("ops") }),
      await ask("/v1/runs/999999999", { with: secretOf("ops") }),
    ];
    expect(errors.map(({ status }) => status)).toEqual([403, 401, 400, 403, 400, 404]);
    expect(errors.map(allowed)).toEqual(errors.map(() => PAGE));
  });

  it("reads streams", async () => {
    const response = await ask(`/v1/runs/${runId}/stream`);
    expect([response.status, allowed(response)]).toEqual([200, PAGE]);
    expect(response.headers.get("content-type")).toMatch("text/event-stream");
    await response.body?.cancel();
  });

  it("may ask before it sends", async () => {
    const preflight = await ask(`/v1/runs/${runId}/signals/go`, {
      method: "OPTIONS",
      with: "",
      "access-control-request-method": "POST",
    });
    expect([preflight.status, allowed(preflight)]).toEqual([204, PAGE]);
    expect(preflight.headers.get("access-control-allow-methods")).toBe("POST");
    expect(preflight.headers.get("access-control-allow-headers")).toMatch("last-event-id");
    const read = await ask(`/v1/runs/${runId}`, { method: "OPTIONS", with: "" });
    expect(read.headers.get("access-control-allow-methods")).toMatch("GET");
  });

  it("reads nothing of any other route", async () => {
    for (const path of ["/v1/workflows", `/v1/runs/${runId}/steps`, "/v1/check", "/healthz"]) {
      const answer = await ask(path, { with: secretOf("ops") });
      expect([path, answer.status, allowed(answer)]).toEqual([path, 200, null]);
      const preflight = await ask(path, { method: "OPTIONS", with: "" });
      expect([path, preflight.status >= 400, allowed(preflight)]).toEqual([path, true, null]);
    }
    const issue = await ask(`/v1/runs/${runId}/token`, { method: "POST", with: secretOf("ops") });
    expect(allowed(issue)).toBeNull();
  });

  it("reaches a server without tokens by a run token only", async () => {
    const open = await startTestServer(database, {
      runTokenKeys: [KEY],
      allowedOrigins: [PAGE],
    });
    const found = await ask(`/v1/runs/${runId}`, { on: open });
    expect([found.status, allowed(found)]).toEqual([200, PAGE]);
    expect((await ask(`/v1/runs/${runId}`, { method: "OPTIONS", with: "", on: open })).status).toBe(
      204,
    );
    expect((await ask(`/v1/runs/${runId}`, { with: "", on: open })).status).toBe(403);
    expect((await ask("/v1/workflows", { on: open })).status).toBe(403);
  });
});

describe("a page of another origin", () => {
  it.each([
    "https://evil.example.com",
    `${PAGE}.evil.com`,
    "null",
    "https://shop.example.com:8443",
  ])("such as %s is not allowed", async (origin) => {
    const found = await ask(`/v1/runs/${runId}`, { origin });
    expect([allowed(found), found.headers.get("vary")]).toEqual([null, "Origin"]);
    const preflight = await ask(`/v1/runs/${runId}`, { origin, method: "OPTIONS", with: "" });
    expect([preflight.status, allowed(preflight)]).toEqual([403, null]);
  });

  it("is not allowed by a server without the setting", async () => {
    const closed = await startTestServer(database, {
      secrets: "ops:admin",
      runTokenKeys: [KEY],
    });
    const found = await ask(`/v1/runs/${runId}`, { on: closed });
    expect([allowed(found), found.headers.get("vary")]).toEqual([null, null]);
    const preflight = await ask(`/v1/runs/${runId}`, { method: "OPTIONS", with: "", on: closed });
    expect([preflight.status, allowed(preflight)]).toEqual([405, null]);
  });
});

it.each(["*", "shop.example.com", "https://shop.example.com/", "https://a.b/c", "ftp://a.b"])(
  "%s is not an origin",
  async (origin) => {
    await expect(startTestServer(database, { allowedOrigins: [origin] })).rejects.toThrow(
      "https://shop.example.com",
    );
  },
);
