/** Endpoints over REST, through clients, and from the command line. The test checks them in place of a server. */
import { createWorkflowClient, EndpointNotFound, InvalidArgument } from "@oxbow/sdk";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { documents, oxbowOf } from "../helpers/command.ts";
import { createDatabase } from "../helpers/database.ts";
import { eventually, isNotEmpty } from "../helpers/eventually.ts";
import { secretOf, startTestServer } from "../helpers/server.ts";

const database = await createDatabase();
const direct = createWorkflowClient({ url: database.url });
/** No server checks its endpoints: the tests do. */
const serverless = await createDatabase();
const local = createWorkflowClient({ url: serverless.url });
const run = oxbowOf(serverless.url);
const URL_A = "https://a.example.org/api/oxbow";
const URL_B = "https://b.example.org/api/oxbow";

const server = await startTestServer(database, { secrets: "ops:admin look:read" });

beforeEach(async () => {
  for (const one of [database, serverless]) {
    await one.query("select queue.endpoint_remove(endpoint_id) from queue.endpoints()");
  }
});
afterAll(async () => {
  await direct.close();
  await local.close();
});

/** Carries out one check as soon as one is due. */
async function check(found: { serves: object } | { error: string }): Promise<void> {
  const [due] = await eventually(
    () => serverless.query("select endpoint_id as id from queue.endpoints_to_check()"),
    isNotEmpty,
  );
  await ("serves" in found
    ? serverless.query("select queue.endpoint_checked($1, $2, 60000, '1.2.3')", [
        due?.["id"],
        JSON.stringify(found.serves),
      ])
    : serverless.query("select queue.endpoint_failed($1, $2)", [due?.["id"], found.error]));
}

describe("client.endpoints", () => {
  it.each(["the database", "a server"])("manages endpoints through %s", async (way) => {
    const client =
      way === "the database"
        ? direct
        : createWorkflowClient({ url: server.url, token: secretOf("ops") });
    const added = await client.endpoints.add(URL_A, { concurrency: 5 });
    expect(added).toEqual({
      endpointId: expect.stringMatching(/^\d+$/) as string,
      url: URL_A,
      concurrency: 5,
      isPaused: false,
      createdAt: expect.any(Date) as Date,
      serves: {},
      maxDurationMs: null,
      sdkVersion: null,
      checkedAt: null,
      lastError: null,
      failedAt: null,
    });
    const id = added.endpointId;
    expect(await client.endpoints.add(URL_B)).toMatchObject({ url: URL_B, concurrency: 20 });
    expect((await client.endpoints.list()).map(({ url }) => url)).toEqual([URL_B, URL_A]);

    await database.query("select queue.endpoint_checked($1, '{\"w\": [1, 2]}', 60000, '1.2.3')", [
      id,
    ]);
    const checked = {
      serves: { w: [1, 2] },
      maxDurationMs: 60_000,
      sdkVersion: "1.2.3",
      checkedAt: expect.any(Date) as Date,
    };
    expect(await client.endpoints.get(id)).toMatchObject(checked);
    expect(await client.endpoints.sync(id)).toMatchObject(checked);
    expect([await client.endpoints.pause(id), await client.endpoints.pause(id)]).toEqual([
      true,
      false,
    ]);
    expect(await client.endpoints.get(id)).toMatchObject({ isPaused: true });
    await expect(client.endpoints.sync(id)).rejects.toThrow(`Endpoint ${id} is paused`);
    expect([await client.endpoints.resume(id), await client.endpoints.resume(id)]).toEqual([
      true,
      false,
    ]);
    expect([await client.endpoints.remove(id), await client.endpoints.remove(id)]).toEqual([
      true,
      false,
    ]);
    await expect(client.endpoints.get(id)).rejects.toThrow(EndpointNotFound);
    await expect(client.endpoints.pause(id)).rejects.toThrow(EndpointNotFound);
    if (client !== direct) await client.close();
  });

  it.each<[string, () => Promise<unknown>]>([
    ['Invalid url "example.org"', () => direct.endpoints.add("example.org")],
    ["Invalid url 7 of an endpoint", () => direct.endpoints.add(7 as never)],
    ["Invalid concurrency 1.5", () => direct.endpoints.add(URL_A, { concurrency: 1.5 })],
    ["Invalid concurrency 1001", () => direct.endpoints.add(URL_A, { concurrency: 1_001 })],
    ['Unknown option "limit"', () => direct.endpoints.add(URL_A, { limit: 1 } as never)],
    ["Invalid endpoint id", () => direct.endpoints.get(URL_A)],
  ])("refuses bad input: %s", async (message, call) => {
    await expect(call()).rejects.toThrow(message);
    await expect(call()).rejects.toThrow(InvalidArgument);
  });
});

describe("/v1/endpoints", () => {
  it("is for administrators", async () => {
    const { status } = await server.request("GET", "/v1/endpoints", { token: "look" });
    expect(status).toBe(403);
  });

  it("refuses what is invalid, and finds only what exists", async () => {
    const post = (body: unknown) => server.request("POST", "/v1/endpoints", { token: "ops", body });
    expect(await post({ url: "ftp://example.org" })).toMatchObject({
      status: 400,
      body: { code: "INVALID_ARGUMENT", detail: expect.stringContaining("ftp://") as string },
    });
    expect(await post({ url: URL_A, concurrency: 1_001 })).toMatchObject({ status: 400 });
    const missing = await server.request("GET", "/v1/endpoints/123456", { token: "ops" });
    expect(missing).toMatchObject({ status: 404, body: { code: "ENDPOINT_NOT_FOUND" } });
    const gone = await server.request("DELETE", "/v1/endpoints/123456", { token: "ops" });
    expect(gone).toMatchObject({ status: 200, body: { removed: false } });
  });

  it("records who changed an endpoint", async () => {
    const { body } = await server.request("POST", "/v1/endpoints", {
      token: "ops",
      body: { url: URL_A },
    });
    expect(body).toMatchObject({ url: URL_A, concurrency: 20 });
    const [entry] = await database.query(
      "select action, actor from queue.audit_list(subject_type => 'endpoint', subject => $1)",
      [body.endpointId],
    );
    expect(entry).toEqual({
      action: "endpoint.add",
      actor: expect.stringMatching(/^token-/) as string,
    });
  });
});

/** Also the commands of docs/guides/push.md. */
describe("oxbow endpoints", () => {
  it("adds an endpoint, and shows what it serves once a server has checked it", async () => {
    const [added] = await Promise.all([
      run("endpoints", "add", URL_A, "--concurrency", "3"),
      check({ serves: { "onboard-user": [1, 2] } }),
    ]);
    expect(added).toMatchObject({ code: 0, stderr: "" });
    expect(added.stdout).toMatch(
      /^Added endpoint \d+: https:\S+\nWORKFLOW +VERSIONS\nonboard-user +1, 2$/,
    );
    const [list, json] = await Promise.all([
      run("endpoints", "list"),
      run("endpoints", "list", "--json"),
    ]);
    expect(list.stdout).toMatch(/https:\S+ +onboard-user \(1, 2\) +3 +\d{4}-\S+ \S+ +on$/);
    expect(documents(json)).toMatchObject([{ url: URL_A, serves: { "onboard-user": [1, 2] } }]);
  });

  it("checks an endpoint again, and shows why that fails", async () => {
    const { endpointId: id } = await local.endpoints.add(URL_A);
    await check({ serves: { w: [1] } });
    const [failed] = await Promise.all([
      run("endpoints", "sync", URL_A),
      check({ error: "404 Not Found" }),
    ]);
    expect(failed).toMatchObject({ code: 1, stdout: "" });
    expect(failed.stderr).toContain(`The check of endpoint ${id} failed: 404 Not Found`);
    expect(failed.stderr).toContain(`oxbow endpoints sync ${id}`);
    expect((await run("endpoints", "list")).stdout).toMatch(/404 Not Found$/);
    const [synced] = await Promise.all([
      run("endpoints", "sync", id, "--json"),
      check({ serves: {} }),
    ]);
    expect(synced.code).toBe(0);
    expect(documents(synced)).toMatchObject([{ endpointId: id, serves: {}, lastError: null }]);
  });

  it("replaces an endpoint once the new one serves all of its versions", async () => {
    const { endpointId: old } = await local.endpoints.add(URL_A);
    await check({ serves: { w: [1, 2], gone: [1] } });
    await local.endpoints.add(URL_B);
    await check({ serves: {} });
    const sync = async (found: Parameters<typeof check>[0], ...args: string[]) => {
      const [end] = await Promise.all([
        run("endpoints", "sync", URL_B, "--replaces", ...args),
        check(found),
      ]);
      return end;
    };
    const urls = async () => (await local.endpoints.list()).map(({ url }) => url);

    const kept = await sync({ serves: { w: [2, 3] } }, URL_A);
    expect(kept).toMatchObject({ code: 0, stderr: "" });
    expect(kept.stdout).toMatch(/w +2, 3\n/);
    expect(kept.stdout).toContain(
      `Kept endpoint ${old}, ${URL_A}: only it serves w (1), gone (1).`,
    );
    const failed = await sync({ error: "404 Not Found" }, old);
    expect(failed).toMatchObject({ code: 1, stdout: "" });
    expect(await urls()).toEqual([URL_B, URL_A]);

    const removed = await sync({ serves: { w: [1, 2, 3], gone: [1] } }, old, "--json");
    expect(documents(removed)).toMatchObject([
      { url: URL_B, replaces: { endpoint: old, url: URL_A, removed: true, missing: {} } },
    ]);
    expect(await urls()).toEqual([URL_B]);

    expect(await run("endpoints", "sync", URL_B, "--replaces", URL_A)).toMatchObject({ code: 3 });
    const itself = await run("endpoints", "sync", URL_B, "--replaces", URL_B);
    expect(itself).toMatchObject({ code: 2 });
    expect(itself.stderr).toContain(`Invalid --replaces "${URL_B}"`);
  });

  it("reports that no server has checked the endpoint, and which one does", async () => {
    const alone = await run("endpoints", "add", URL_A, "--wait", "1s");
    expect(alone).toMatchObject({ code: 5 });
    expect(alone.stderr).toContain("OXBOW_SIGNING_KEY");
  });

  it("pauses, resumes and removes an endpoint by its id or url", async () => {
    const { endpointId: id } = await local.endpoints.add(URL_A);
    expect((await run("endpoints", "pause", URL_A)).stdout).toBe(`Paused endpoint ${id}.`);
    expect((await run("endpoints", "pause", id)).code).toBe(6);
    expect((await run("endpoints", "list")).stdout).toMatch(/paused$/);
    expect((await run("endpoints", "sync", id)).stderr).toContain("is paused");
    expect((await run("endpoints", "resume", id)).stdout).toBe(`Resumed endpoint ${id}.`);
    expect((await run("endpoints", "remove", URL_A)).code).toBe(2);
    expect((await run("endpoints", "remove", URL_A, "--yes")).stdout).toBe(
      `Removed endpoint ${id}.`,
    );
    expect((await run("endpoints", "remove", URL_A, "--yes")).code).toBe(3);
    expect((await run("endpoints", "remove", id, "--yes")).code).toBe(3);
    expect((await run("endpoints", "pause", "one")).code).toBe(2);
    expect((await run("endpoints", "list")).stderr).toContain("oxbow endpoints add <url>");
  });
});
