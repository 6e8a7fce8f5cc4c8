/** Run tokens over a real server: signing, access, and entries of the audit. */
import { createWorkflowClient } from "@oxbow/sdk";
import { afterAll, describe, expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { startTestServer, secretOf } from "../helpers/server.ts";

const KEY = "k".repeat(40);
const NEXT = "n".repeat(40);

const database = await createDatabase();
const server = await startTestServer(database, {
  secrets: "ops:admin, look:read, make:produce",
  runTokenKeys: [NEXT, KEY],
});
const remote = createWorkflowClient({ url: server.url, token: secretOf("ops") });
const direct = createWorkflowClient({ url: database.url });

afterAll(() => Promise.all([remote.close(), direct.close()]));

const start = async (): Promise<string> =>
  (await direct.start("shown", { secret: "of the application" }, { tags: { of: "tenant" } })).runId;

const ask = (method: string, path: string, runToken: string, body?: unknown, on = server) =>
  on.request(method, path, { headers: { authorization: `Bearer ${runToken}` }, body });

describe("a run token", () => {
  it("of the server, or of a client with a key, opens its run and no other", async () => {
    const [runId, other] = [await start(), await start()];
    const tokens = [
      await remote.runs.token(runId),
      await direct.runs.token(runId, { key: KEY }),
      await remote.runs.token(runId, { key: NEXT, ttl: "1m" }),
    ];
    for (const token of tokens) {
      expect(await ask("GET", `/v1/runs/${runId}`, token)).toMatchObject({
        status: 200,
        body: { runId, status: "running" },
      });
      expect(await ask("GET", `/v1/runs/${runId}/state`, token)).toMatchObject({ status: 200 });
      expect(await ask("GET", `/v1/runs/${other}`, token)).toMatchObject({
        status: 403,
        body: { code: "FORBIDDEN", detail: `The run token is for run ${runId}.` },
      });
      for (const path of ["/v1/check", "/v1/session", `/v1/runs/${runId}/steps`, "/metrics"]) {
        expect([path, (await ask("GET", path, token)).status]).toEqual([path, 403]);
      }
      expect(await ask("POST", `/v1/runs/${runId}/token`, token, {})).toMatchObject({
        status: 403,
      });
      expect(await ask("POST", `/v1/runs/${runId}/signals/go`, token)).toMatchObject({
        status: 403,
        body: { detail: `The run token doesn't allow "signal:go".` },
      });
    }
  });

  it("shows no input, tags or workers", async () => {
    const runId = await start();
    const { body } = await ask("GET", `/v1/runs/${runId}`, await remote.runs.token(runId));
    expect(body).toMatchObject({ input: null, hasInput: false, tags: {}, idempotencyKey: null });
    expect(JSON.stringify(body)).not.toMatch(/of the application|tenant/);
  });

  it("sends the events that it names, which the audit records in the name of its holder", async () => {
    const runId = await start();
    const token = await remote.runs.token(runId, { allow: ["signal:go"], name: "ada@example.com" });
    const send = (event: string) =>
      ask("POST", `/v1/runs/${runId}/signals/${event}`, token, { a: 1 });
    expect(await send("go")).toMatchObject({ status: 200, body: { outcome: "buffered" } });
    expect((await send("stop")).status).toBe(403);
    expect((await ask("GET", `/v1/runs/${runId}`, token)).status).toBe(403);
    await direct.runs.cancel(runId);
    expect(await send("go")).toMatchObject({ body: { outcome: "ignored" } });
    // Those of other tokens are not recorded.
    await server.request("POST", `/v1/runs/${runId}/signals/go`, { token: "make" });

    const entries = (await server.request("GET", `/v1/audit?subject=${runId}`, { token: "look" }))
      .body.entries as { readonly action: string }[];
    expect(entries.filter(({ action }) => action === "run.signal")).toMatchObject([
      { outcome: "unchanged", detail: { event: "go", outcome: "ignored" } },
      {
        actor: "run-token/ada@example.com",
        actorKind: "token",
        address: "127.0.0.1",
        outcome: "changed",
        detail: { event: "go", outcome: "buffered" },
      },
    ]);
  });

  it("is named after its issuer if it has no name", async () => {
    const runId = await start();
    const token = await remote.runs.token(runId, { allow: ["signal:go"] });
    await ask("POST", `/v1/runs/${runId}/signals/go`, token);
    const { entries } = (
      await server.request("GET", `/v1/audit?subject=${runId}`, { token: "look" })
    ).body;
    expect(entries[0].actor).toMatch(/^run-token\/token-[0-9a-f]{8}$/);
  });

  it("that has expired, was changed or signed by another key is a 401 with the reason", async () => {
    const runId = await start();
    const path = `/v1/runs/${runId}`;
    const short = await direct.runs.token(runId, { key: KEY, ttl: "1s" });
    await expect
      .poll(async () => (await ask("GET", path, short)).status, { timeout: 30_000 })
      .toBe(401);
    expect((await ask("GET", path, short)).body.detail).toMatch(/^The run token expired at 2/);
    const token = await direct.runs.token(runId, { key: KEY });
    const foreign = await direct.runs.token(runId, { key: "x".repeat(40) });
    for (const wrong of [`${token}x`, token.replace(".", "x."), foreign, "oxrun_"]) {
      const refused = await ask("GET", path, wrong);
      expect(refused).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
      expect(refused.body.detail).toMatch("no key of this server signed it");
    }
    expect(
      await server.request("GET", path, {
        headers: { authorization: `Bearer ${token}`, "oxbow-actor": "bob" },
      }),
    ).toMatchObject({ status: 403 });
  });

  it("is issued to callers with the scope of what it allows", async () => {
    const runId = await start();
    const issue = (token: string, body: unknown = {}) =>
      server.request("POST", `/v1/runs/${runId}/token`, { token, body });
    expect((await issue("look")).status).toBe(201);
    expect((await issue("make")).status).toBe(403);
    expect(await issue("look", { allow: ["read", "signal:go"] })).toMatchObject({
      status: 403,
      body: { detail: 'A run token that allows signals requires the scope "produce".' },
    });
    expect((await issue("ops", { ttl: "24h", allow: ["signal:go"] })).status).toBe(201);
    for (const body of [
      { ttl: "25h" },
      { ttl: "soon" },
      { ttl: -1 },
      { ttl: 0 },
      { allow: [] },
      { allow: ["write"] },
      { allow: ["signal:"] },
      { name: "a\nb" },
      { tags: {} },
    ]) {
      expect([body, (await issue("ops", body)).status]).toEqual([body, 400]);
    }
  });

  it.each([
    [{ ttl: Number.NaN }, "Invalid duration NaN for the ttl of a run token"],
    [{ ttl: "25h" }, "1 second to 24 hours"],
    [{ allow: ["write" as "read"] }, 'Unknown permission "write"'],
    [{ tags: {} }, 'Unknown option "tags"'],
  ] as const)("with %o is refused by clients", async (options: object, message) => {
    for (const client of [remote, direct]) {
      await expect(client.runs.token("1", options)).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
        message: expect.stringContaining(message),
      });
    }
  });

  it("requires a key, and the error names the variable to set", async () => {
    const keyless = await startTestServer(database);
    const client = createWorkflowClient({ url: keyless.url });
    for (const one of [direct, client]) {
      await expect(one.runs.token("1")).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
        message: expect.stringContaining("OXBOW_RUN_TOKEN_KEYS"),
      });
    }
    await client.close();
    const token = await direct.runs.token("1", { key: KEY });
    const refused = await ask("GET", "/v1/runs/1", token, undefined, keyless);
    expect(refused).toMatchObject({ status: 401 });
    expect(refused.body.detail).toMatch("OXBOW_RUN_TOKEN_KEYS");
  });

  it("limits its holder also on a server without tokens", async () => {
    const open = await startTestServer(database, { runTokenKeys: [KEY] });
    const runId = await start();
    const token = await direct.runs.token(runId, { key: KEY });
    expect((await ask("GET", `/v1/runs/${runId}`, token, undefined, open)).status).toBe(200);
    expect((await ask("DELETE", `/v1/runs/${runId}`, token, undefined, open)).status).toBe(403);
    expect((await ask("GET", "/v1/workflows", token, undefined, open)).status).toBe(403);
  });
});
