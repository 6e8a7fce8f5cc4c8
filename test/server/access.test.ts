import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { parseTokens, startServer } from "@oxbow/server";
import { describe, expect, it } from "vitest";
import { oxbowOf } from "../helpers/command.ts";
import { createDatabase } from "../helpers/database.ts";
import { startTestServer } from "../helpers/server.ts";
import { openSession } from "../helpers/session.ts";
import { subscribe } from "../helpers/topics.ts";

const SECRETS = "look:read, make:produce do:work+read,old:admin,new:admin, all";

const server = await startTestServer(await createDatabase(), { secrets: SECRETS });
await server.request("POST", "/v1/queues", { token: "old", body: { name: "jobs" } });

describe("with tokens", () => {
  it.each([
    ["GET", "/v1/queues", ["look", "do", "old", "new", "all"]],
    ["GET", "/metrics", ["look", "do", "old", "new", "all"]],
    ["POST", "/v1/queues/jobs/messages", ["make", "old", "new", "all"]],
    ["POST", "/v1/queues/jobs/receive", ["do", "old", "new", "all"]],
    ["DELETE", "/v1/queues/jobs/messages", ["old", "new", "all"]],
  ])("%s %s is for %s", async (method, path, allowed) => {
    for (const token of ["look", "make", "do", "old", "new", "all"]) {
      const body = path.endsWith("/messages") && method === "POST" ? { message: 1 } : undefined;
      const { status } = await server.request(method, path, { token, body });
      expect([token, status === 403]).toEqual([token, !allowed.includes(token)]);
    }
  });

  it("a request without one, or with another one, is refused", async () => {
    const refused = await server.get("/v1/queues");
    expect(refused).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
    expect(refused.headers.get("www-authenticate")).toBe("Bearer");
    for (const token of ["loo", "look2", "look:read"]) {
      expect(await server.request("GET", "/v1/queues", { token })).toMatchObject({ status: 401 });
    }
  });

  it("a stranger learns whether it is ready, and nothing else", async () => {
    const own = await createDatabase();
    await own.query("select queue.workflow_start('of-a-tenant', '{}')");
    const guarded = await startTestServer(own, { secrets: SECRETS });
    for (const token of [undefined, "make", "do-not-know"]) {
      const { status, body } = await guarded.request(
        "GET",
        "/readyz",
        token === undefined ? {} : { token },
      );
      expect([token, status, body]).toEqual([token, 200, { status: "ready" }]);
    }
    const { body } = await guarded.request("GET", "/readyz", { token: "look" });
    expect(body).toMatchObject({ status: "ready", oldestReadyRun: { workflow: "of-a-tenant" } });

    const lost = await startTestServer(
      { url: "postgres://secret-user@127.0.0.1:1/secret-name" },
      { secrets: SECRETS },
    );
    expect(await lost.request("GET", "/readyz")).toMatchObject({
      status: 503,
      body: { status: "not ready" },
    });
    expect((await lost.request("GET", "/readyz")).body).toEqual({ status: "not ready" });
    expect((await lost.request("GET", "/readyz", { token: "look" })).body.reason).toMatch(/secret/);
  });

  it("passwords in urls of subscriptions are for administrators", async () => {
    const own = await createDatabase();
    const guarded = await startTestServer(own, { secrets: SECRETS });
    const url = "https://user:p@ss:word@example.org/hook?a=1";
    await subscribe(own, "paid", { http: url });
    await subscribe(own, "paid", { http: "https://token@example.org/" });
    await own.query(
      "insert into queue.captured_delivery (captured_at, subscription_id, url, message, headers) values (now(), 1, $1, '{}', $2)",
      [url, JSON.stringify({ topic: "paid", url })],
    );
    const ask = async (path: string, token: string) =>
      JSON.stringify((await guarded.request("GET", path, { token })).body);
    for (const path of [
      "/v1/subscriptions",
      "/v1/topics/paid/subscriptions",
      "/v1/captured-deliveries",
    ]) {
      const [masked, plain] = [await ask(path, "look"), await ask(path, "all")];
      expect(masked).toContain("https://user:***@example.org/hook?a=1");
      expect(masked).not.toMatch(/ss:word|token@/);
      expect(plain).toContain(url);
    }
    const run = oxbowOf(own.url);
    for (const words of [
      ["topics", "list"],
      ["topics", "list", "--json"],
      ["fork", "captures"],
    ]) {
      const { stdout } = await run(...words);
      expect(stdout).toMatch(/user:\*\*\*@example\.org/);
      expect(stdout).not.toMatch(/ss:word|token@/);
    }
    const reader = await openSession(own);
    await reader.query("set role oxbow_reader");
    const rows = await reader.query<{ target: string }>(
      "select target from queue.list_subscriptions()",
    );
    expect(rows.map(({ target }) => target)).toEqual([
      "https://user:***@example.org/hook?a=1",
      "https://***@example.org/",
    ]);
    expect(
      await reader.query(
        "select url, headers ->> 'url' as header from queue.captured_deliveries()",
      ),
    ).toEqual([
      {
        url: "https://user:***@example.org/hook?a=1",
        header: "https://user:***@example.org/hook?a=1",
      },
    ]);
    const admin = await openSession(own);
    await admin.query("set role oxbow_admin");
    expect(await admin.query("select target from queue.list_subscriptions() limit 1")).toEqual([
      { target: url },
    ]);
  });

  it("health and the description of the API need no token", async () => {
    for (const path of ["/healthz", "/readyz", "/openapi.json"]) {
      expect((await server.get(path)).status).toBe(200);
    }
  });
});

describe("a server", () => {
  it("without tokens doesn't listen to other machines", async () => {
    await expect(
      startServer({ url: "postgres://localhost/none", host: "0.0.0.0", port: 0 }),
    ).rejects.toThrow(/OXBOW_TOKENS/);
  });

  it.each([
    ["secret:rule", /the text after its last colon is not a list of scopes/],
    [":read", /it has no secret/],
  ])("doesn't start with the tokens %s", async (secrets, message) => {
    await expect(
      startTestServer({ url: "postgres://localhost/none" }, { secrets }),
    ).rejects.toThrow(message);
  });

  it.each(["change-me", "x".repeat(31), `${"x".repeat(32)}:admin,short:read`])(
    "doesn't start with a secret that can be guessed: %s",
    (tokens) => {
      expect(() => parseTokens(tokens)).toThrow(
        /at least 32, for instance from `openssl rand -hex 32`/,
      );
      expect(() => parseTokens(tokens)).not.toThrow(/change-me|xxx|short/);
    },
  );
});

it("a server answers HEAD as GET, without the body, but not with streams", async () => {
  const open = await startTestServer(await createDatabase());
  const page = await (await fetch(`${open.url}/`)).text();
  const [, script = ""] = /src="\.(\/dashboard\/[^"]+)"/.exec(page) ?? [];
  // Without compression, whose length the client does not see.
  const headers = { "accept-encoding": "identity" };
  for (const path of ["/", script, "/healthz", "/openapi.json", "/v1/queues"]) {
    const [head, get] = [
      await fetch(`${open.url}${path}`, { method: "HEAD", headers }),
      await fetch(`${open.url}${path}`, { headers }),
    ];
    expect([path, head.status, head.headers.get("content-type")]).toEqual([
      path,
      200,
      get.headers.get("content-type"),
    ]);
    expect(head.headers.get("content-length")).toBe(String((await get.arrayBuffer()).byteLength));
    expect(await head.text()).toBe("");
  }
  const stream = await fetch(`${open.url}/v1/workflows/any/events`, { method: "HEAD" });
  expect([stream.status, stream.headers.get("allow")]).toEqual([405, "GET"]);
  const root = await fetch(`${open.url}/`, { method: "POST" });
  expect([root.status, root.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});

describe("without tokens, a browser's request", () => {
  it("is served for the dashboard, and for another site's page only where it is a link", async () => {
    const open = await startTestServer(await createDatabase());
    // Not by fetch, which sets its own mode.
    const ask = async (method: string, path: string, site: string, mode: string) => {
      const headers = { "sec-fetch-site": site, "sec-fetch-mode": mode };
      const [response] = (await once(
        request(`${open.url}${path}`, { method, headers }).end(),
        "response",
      )) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    };
    expect(await ask("GET", "/", "cross-site", "navigate")).toBe(200);
    expect(await ask("GET", "/v1/workflows", "same-origin", "cors")).toBe(200);
    expect(await ask("GET", "/v1/workflows", "cross-site", "no-cors")).toBe(403);
    expect(await ask("POST", "/v1/runs/1/pause", "cross-site", "no-cors")).toBe(403);
    expect(await ask("POST", "/v1/runs/1/pause", "same-site", "navigate")).toBe(403);
  });

  it("is refused by its origin too, whatever else the browser sends", async () => {
    const open = await startTestServer(await createDatabase(), { allowedHosts: ["oxbow.test"] });
    const { port } = new URL(open.url);
    const ask = async (host: string, origin: string, more: Record<string, string> = {}) => {
      const [response] = (await once(
        request(`${open.url}/v1/queues/none/receive`, {
          method: "POST",
          headers: { host, origin, ...more },
        }).end(),
        "response",
      )) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    };
    const host = `localhost:${port}`;
    // Beyond the door: there is no such queue.
    expect(await ask(host, `http://localhost:${port}`)).toBe(404);
    expect(await ask(host, `http://LOCALHOST:${port}`)).toBe(404);
    expect(await ask("oxbow.test", "https://oxbow.test")).toBe(404);
    expect(await ask("oxbow.test:443", "https://oxbow.test")).toBe(404);
    // A proxy that asks by its own address.
    expect(await ask(host, "https://oxbow.test")).toBe(404);
    for (const origin of [
      "https://evil.example",
      "http://localhost:3000",
      `http://evil.example:${port}`,
      "http://localhost.evil.example",
      "https://oxbow.test:8443",
      "null",
      "",
      "file://",
    ]) {
      expect([origin, await ask(host, origin)]).toEqual([origin, 403]);
      expect([origin, await ask(host, origin, { "sec-fetch-site": "same-origin" })]).toEqual([
        origin,
        403,
      ]);
    }
  });

  it("reaches it only by this machine's own names, and by allowed ones", async () => {
    const open = await startTestServer(await createDatabase(), { allowedHosts: ["Oxbow.Test"] });
    const { port } = new URL(open.url);
    const ask = async (host: string) => {
      const [response] = (await once(
        request(`${open.url}/v1/queues`, { headers: { host } }).end(),
        "response",
      )) as [IncomingMessage];
      return { status: response.statusCode, body: JSON.parse(await text(response)) as unknown };
    };
    for (const host of [
      `127.0.0.1:${port}`,
      "localhost",
      "a.localhost:1",
      `[::1]:${port}`,
      "127.8.9.1",
      "oxbow.test:80",
      "LOCALHOST.",
    ]) {
      expect([host, (await ask(host)).status]).toEqual([host, 200]);
    }
    for (const host of [
      "rebound.example",
      `127.0.0.1.evil.example:${port}`,
      "evil.example@127.0.0.1",
      "10.0.0.1",
      "localhost.evil.example",
      "a b",
    ]) {
      expect([host, await ask(host)]).toMatchObject([
        host,
        { status: 421, body: { code: "HOST_NOT_ALLOWED", title: "Misdirected request" } },
      ]);
    }
    const guarded = await fetch(`${server.url}/healthz`);
    expect(guarded.status).toBe(200);
    await expect(
      startTestServer({ url: "postgres://localhost/none" }, { allowedHosts: ["a.test:80"] }),
    ).rejects.toThrow('"a.test:80" is not a host name');
  });
});

describe("answers of the API", () => {
  it("are neither stored nor taken for another type, errors included", async () => {
    const open = await startTestServer(await createDatabase());
    for (const path of ["/v1/queues", "/v1/nothing", "/v1/workflows/any/runs/7"]) {
      const { headers } = await open.get(path);
      expect([headers.get("cache-control"), headers.get("x-content-type-options")]).toEqual([
        "no-store",
        "nosniff",
      ]);
    }
  });

  it("to browsers that open a path of the dashboard lead to its page", async () => {
    const { url } = await startTestServer(await createDatabase());
    const open = (path: string, accept: string): Promise<Response> =>
      fetch(`${url}${path}`, { headers: { accept }, redirect: "manual" });
    const page = await open("/runs/7?tab=x", "text/html,*/*");
    const isBuilt = (await open("/", "*/*")).status === 200;
    expect([page.status, page.headers.get("location")]).toEqual(
      isBuilt ? [302, "/#/runs/7?tab=x"] : [404, null],
    );
    expect((await open("/runs/7", "*/*")).status).toBe(404);
    expect((await open("/v1/runs/x/y/z", "text/html")).status).toBe(404);
  });
});
