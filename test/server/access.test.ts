import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { startServer } from "@oxbow/server";
import { beforeAll, describe, expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";

const SECRETS = "look:read, make:produce do:work+read,old:admin,new:admin, all";

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer(await createDatabase(), { secrets: SECRETS });
  await server.request("POST", "/v1/queues", { token: "old", body: { name: "jobs" } });
});

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

  it("health and the description of the API are for everybody", async () => {
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
    ["secret:rule", /there is no scope "rule"/],
    [":read", /it has no secret/],
  ])("doesn't start with the tokens %s", async (secrets, message) => {
    await expect(
      startTestServer({ url: "postgres://localhost/none" }, { secrets }),
    ).rejects.toThrow(message);
  });
});

describe("a server", () => {
  it("answers HEAD as GET, without the body, but not with streams", async () => {
    const open = await startTestServer(await createDatabase());
    for (const path of ["/", "/dashboard/app.js", "/healthz", "/openapi.json", "/v1/queues"]) {
      const [head, get] = [
        await fetch(`${open.url}${path}`, { method: "HEAD" }),
        await fetch(`${open.url}${path}`),
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
});

describe("without tokens, a browser's request", () => {
  it("is served for the dashboard, and for another site's page only where it is a link", async () => {
    const open = await startTestServer(await createDatabase());
    // Not by fetch, which sets a mode of its own.
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

  it("reaches it by this machine's own names alone, and by those that are allowed", async () => {
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
    ).rejects.toThrow('"a.test:80" is no name of a host');
  });
});
