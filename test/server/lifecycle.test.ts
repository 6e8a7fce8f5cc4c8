import { definitionTools } from "@oxbow/declared";
import { describe, expect, it } from "vitest";
import { createCheckedClient, definitionsOf } from "../helpers/checked-clients.ts";
import { createDatabase, type TestDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { type LogLine, logTo, troubles } from "../helpers/server-log.ts";
import { startTestServer } from "../helpers/server.ts";

const TRIGGER_POLL = { pool: "p", maxEvents: 1, leaseMs: 30_000, waitSeconds: 50 };

/** A definition whose trigger gives its pool a queue of events. */
async function publishTriggered({ url }: TestDatabase): Promise<void> {
  const client = createCheckedClient({ url, tools: definitionTools() });
  const definitions = definitionsOf(client);
  const revision = await definitions.create({
    format: 1,
    name: "triggered",
    triggers: { changed: { on: "a.topic" } },
    nodes: { done: { type: "end@1", params: { output: 1 } } },
    settings: { pool: TRIGGER_POLL.pool },
  });
  await definitions.publish("triggered", revision);
  await client.close();
}

it("a server that stops answers long polls at once, with nothing, and takes no new connections", async () => {
  const database = await createDatabase();
  const lines: LogLine[] = [];
  const server = await startTestServer(database, { logger: logTo(lines) });
  await server.post("/v1/queues", { name: "quiet" });
  await publishTriggered(database);
  const polls = [
    server.post("/v1/queues/quiet/receive", { waitSeconds: 50 }),
    server.post("/v1/worker/receive", { versions: { none: [1] }, waitSeconds: 50 }),
    server.post("/v1/worker/triggers/receive", TRIGGER_POLL),
  ];
  await eventually(
    () =>
      database.query<{ all: boolean }>(
        `select queue._is_awaited('queue_quiet') and queue._is_awaited('queue___wf_none')
           and queue._is_awaited('queue___tr_p') as all`,
      ),
    ([awaited]) => awaited?.all === true,
  );
  const stopped = server.running.stop();
  expect((await polls[0])?.body).toEqual({ messages: [] });
  expect((await polls[1])?.body).toEqual({ deliveries: [] });
  expect((await polls[2])?.body).toEqual({ epoch: "0", triggers: [], events: [] });
  await stopped;
  expect(troubles(lines)).toEqual([]);
  await expect(server.get("/healthz")).rejects.toThrow();
});

it("a client that leaves while it waits is no failure of the server", async () => {
  const database = await createDatabase();
  const lines: LogLine[] = [];
  const server = await startTestServer(database, { logger: logTo(lines) });
  await publishTriggered(database);
  const types = { pool: "p", types: [{ name: "desk", isListed: true }] };
  await server.request("PUT", "/v1/worker/resource-types", { body: types });
  const leaving = new AbortController();
  const { signal } = leaving;
  const left = Promise.allSettled([
    server.request("POST", "/v1/worker/triggers/receive", { body: TRIGGER_POLL, signal }),
    server.request("GET", "/v1/catalog/resources/desk", { signal }),
  ]);
  await eventually(
    () =>
      database.query<{ both: boolean }>(
        `select queue._is_awaited('queue___tr_p')
           and exists (select from queue.workflow_run where status = 'running') as both`,
      ),
    ([awaited]) => awaited?.both === true,
  );
  leaving.abort();
  await left;
  // The listing is cancelled once its client has left.
  await eventually(
    () => database.query("select from queue.workflow_run where status = 'running'"),
    ({ length }) => length === 0,
  );
  await server.running.stop();
  expect(troubles(lines)).toEqual([]);
});

it("a server that warms up leaves nothing of it in the database, the metrics or the log", async () => {
  const database = await createDatabase();
  const lines: LogLine[] = [];
  const server = await startTestServer(database, {
    warmsUp: true,
    secrets: "look:read",
    logger: logTo(lines),
  });
  expect(lines.map(({ text }) => text)).toEqual([expect.stringMatching(/^Server listening/)]);
  const { body } = await server.request("GET", "/metrics", { token: "look" });
  expect(body).not.toMatch(/oxbow_http_request_duration_seconds_count/);
  expect(await database.query("select from queue.queue")).toEqual([]);
  expect(await database.query("select from queue.workflow_run")).toEqual([]);
});

it("three servers on one database behave as one: one delivers what another accepts, to the clients that wait there", async () => {
  const database = await createDatabase();
  const [one, two, three] = await Promise.all([
    startTestServer(database),
    startTestServer(database),
    startTestServer(database),
  ]);
  await one.post("/v1/queues", { name: "shared" });
  const waiting = two.post("/v1/queues/shared/receive", { waitSeconds: 20 });
  await three.post("/v1/queues/shared/messages", { message: "hello" });
  const { messages } = (await waiting).body;
  expect(messages).toMatchObject([{ message: "hello" }]);
  expect(
    (await one.request("DELETE", `/v1/queues/shared/messages/${messages[0].receipt}`)).body,
  ).toEqual({ deleted: true });
});

describe("without a database", () => {
  it("a server is alive but not ready, and answers 503 with the time to come again", async () => {
    const server = await startTestServer({ url: "postgres://nobody@127.0.0.1:1/none" });
    expect((await server.get("/healthz")).status).toBe(200);
    expect(await server.get("/readyz")).toMatchObject({
      status: 503,
      body: { status: "not ready" },
    });
    const refused = await server.get("/v1/queues");
    expect(refused).toMatchObject({ status: 503, body: { code: "CONNECTION_FAILED" } });
    expect(refused.headers.get("retry-after")).toBe("1");
    expect((await server.get("/metrics")).body).toMatch(/^oxbow_database_up 0$/m);
  });

  it("without Oxbow in it, it reports what to do", async () => {
    const server = await startTestServer(await createDatabase({ empty: true }));
    expect(await server.get("/v1/queues")).toMatchObject({
      status: 503,
      body: { code: "NOT_INSTALLED", detail: expect.stringMatching(/oxbow migrate/) },
    });
  });
});

it("with tables that are older than the functions, it reports what to do", async () => {
  const database = await createDatabase();
  await database.query(`do $$ begin execute (
    select format('drop type queue.%I', max(t.typname)) from pg_type as t where t.typname like 'state\\_%'
  ); end $$`);
  // The server itself upgrades them, by the first call of the service that ends runs at their deadlines.
  await database.query("alter function queue.migrate() rename to migrate_later");
  const server = await startTestServer(database);
  expect(await server.get("/v1/workflows")).toMatchObject({
    status: 503,
    body: {
      code: "NOT_MIGRATED",
      sqlstate: "OX006",
      detail: expect.stringMatching(
        /^the tables are older than Oxbow .*\. Call queue\.migrate\(\)\./,
      ) as string,
    },
  });
});

it("the sweeper deletes ended runs past their retention, and counts them", async () => {
  const database = await createDatabase();
  const server = await startTestServer(database, { sweepIntervalMs: 20 });
  const { body } = await server.post("/v1/workflows/brief/runs", { retentionDays: 0 });
  await server.request("DELETE", `/v1/workflows/brief/runs/${body.runId}`);
  await eventually(() => server.get(`/v1/workflows/brief/runs/${body.runId}`), { status: 404 });
  await eventually(
    () => server.get("/metrics"),
    (metrics) => /^workflow_retention_swept_total 1$/m.test(metrics.body),
  );
});

it("the ceiling of retention also applies to starts that do not go through the server", async () => {
  const database = await createDatabase();
  await startTestServer(database, { sweepIntervalMs: 60_000, maxRetentionDays: 7 });
  await eventually(async () => {
    await database.query("select queue.workflow_start('long', retention_days => 90)");
    const [run] = await database.query<{ days: number }>(
      "select retention_days as days from queue.workflow_run order by run_id desc limit 1",
    );
    return run?.days;
  }, 7);
});

it("the metrics report runs in flight and messages in the queues", async () => {
  const server = await startTestServer(await createDatabase());
  await server.post("/v1/queues", { name: "deep" });
  await server.post("/v1/queues/deep/messages", [{ message: 1 }, { message: 2 }]);
  await server.post("/v1/workflows/busy/runs", {});
  const { body, headers } = await server.get("/metrics");
  expect(headers.get("content-type")).toMatch("text/plain");
  expect(body).toMatch(/^workflow_runs_in_flight\{workflow="busy"\} 1$/m);
  expect(body).toMatch(/^queue_messages\{queue="deep",state="visible"\} 2$/m);
  expect(body).toMatch(
    /^oxbow_http_request_duration_seconds_count\{.*route="\/v1\/queues".*\} 1$/m,
  );
});
