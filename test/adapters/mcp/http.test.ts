/** `/mcp` of a server: the official client over streamable HTTP, with the server's tokens. */
import { createWorkflowClient } from "@oxbow/sdk";
import { afterAll, describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { startTestServer } from "../../helpers/server.ts";
import { overHttp, overStdio, refusalOf, resultOf } from "./clients.ts";

const database = await createDatabase();
const client = createWorkflowClient({ url: database.url });
afterAll(() => client.close());

const open = await startTestServer(database, { mcp: true });
const closed = await startTestServer(database, {
  mcp: true,
  secrets: "reader:read,worker:work,owner:admin",
});
const { runId } = await client.start("unserved", { password: "p-1", n: 1 });

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  },
};
const headers = { accept: "application/json, text/event-stream" };

describe("/mcp", () => {
  it("offers the tools of oxbow mcp, with the same results", async () => {
    const [http, stdio] = await Promise.all([overHttp(open), overStdio(["--url", database.url])]);
    const [{ tools }, others] = await Promise.all([http.listTools(), stdio.listTools()]);
    expect(tools).toEqual(others.tools);
    for (const [name, given] of [
      ["list_workflows", {}],
      ["list_runs", { workflow: "unserved" }],
      ["get_run", { runId }],
      ["get_journal", { runId }],
      ["explain_run", { runId }],
      ["list_queues", {}],
    ] as const) {
      expect(await resultOf(http, name, given)).toEqual(await resultOf(stdio, name, given));
    }
    expect(await resultOf(http, "get_run", { runId })).toMatchObject({
      run: { input: { data: { password: "[redacted]", n: 1 } } },
    });
    expect((await resultOf(http, "lag"))["workflows"]).toContainEqual(
      expect.objectContaining({ name: "unserved" }),
    );
    expect((await resultOf(http, "doctor"))["findings"]).toContainEqual({
      level: "fine",
      text: expect.stringContaining("PostgreSQL"),
    });
    expect(await refusalOf(http, "get_run", { runId: "999999" })).toContain("does not exist");
  });

  it("answers clients of the current revision of the protocol and of earlier ones", async () => {
    for (const mode of ["auto", "legacy"] as const) {
      const one = await overHttp(open, undefined, { versionNegotiation: { mode } });
      expect(await resultOf(one, "explain_run", { runId })).toMatchObject({ cause: "no_worker" });
    }
  });

  it("requires a token with the scope read", async () => {
    for (const name of ["reader", "owner"])
      expect(await resultOf(await overHttp(closed, name), "get_run", { runId })).toHaveProperty(
        "run",
      );
    expect(await closed.request("POST", "/mcp", { body: initialize, headers })).toMatchObject({
      status: 401,
      body: { detail: expect.stringContaining("Authorization: Bearer") },
    });
    const other = { body: initialize, headers, token: "worker" };
    const refused = await closed.request("POST", "/mcp", other);
    expect(refused).toMatchObject({
      status: 403,
      body: { detail: 'The token lacks the scope "read".' },
    });
    expect(refused.headers.get("www-authenticate")).toContain("insufficient_scope");
    await expect(overHttp(closed, "worker")).rejects.toThrow();
  });

  it("refuses pages of other sites, other hosts, other methods and bodies that are not JSON", async () => {
    const post = (more: object) =>
      open.request("POST", "/mcp", {
        body: initialize,
        headers: { ...headers, ...more },
      });
    expect(await post({ origin: "https://evil.example" })).toMatchObject({ status: 403 });
    expect(await post({ "sec-fetch-site": "cross-site" })).toMatchObject({ status: 403 });
    expect(await post({})).toMatchObject({ status: 200 });
    expect(await open.request("GET", "/mcp", { headers })).toMatchObject({ status: 405 });
    expect(await open.request("POST", "/mcp", { body: "{", headers })).toMatchObject({
      status: 400,
    });
  });

  it("is off unless it is switched on", async () => {
    const off = await startTestServer(database);
    expect(await off.request("POST", "/mcp", { body: initialize, headers })).toMatchObject({
      status: 404,
    });
  });
});
