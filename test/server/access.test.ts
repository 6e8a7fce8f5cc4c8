import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
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
});
