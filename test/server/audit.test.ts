import { createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";
import { parseTokens } from "@oxbow/server";
import { afterAll, describe, expect, it } from "vitest";
import { documents, oxbowOf } from "../helpers/command.ts";
import { createDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { openTransaction } from "../helpers/session.ts";
import { secretOf, startTestServer } from "../helpers/server.ts";

const database = await createDatabase();
const tokens = parseTokens(
  `ops=${secretOf("ops")}:admin, portal=${secretOf("portal")}:admin+act, look=${secretOf("look")}:read, make=${secretOf("make")}:produce`,
);
const server = await startTestServer(database, { tokens });
const direct = createWorkflowClient({ url: database.url });
const remote = createWorkflowClient({ url: server.url, token: secretOf("ops") });

afterAll(() => Promise.all([direct.close(), remote.close()]));

const start = async (workflow = "audited"): Promise<string> =>
  (await direct.start(workflow, {})).runId;

const entriesOf = async (subject: string, token = "look") =>
  (await server.request("GET", `/v1/audit?subject=${subject}`, { token })).body.entries;

describe("the audit over REST", () => {
  it("names the token, the address and the role of the server", async () => {
    const runId = await start();
    await server.request("DELETE", `/v1/runs/${runId}?reason=wrong`, { token: "make" });
    expect(await entriesOf(runId)).toMatchObject([
      {
        actor: "make",
        actorKind: "token",
        token: null,
        address: "127.0.0.1",
        action: "run.cancel",
        subjectType: "run",
        outcome: "changed",
        detail: { reason: "wrong" },
      },
    ]);
  });

  it("names whom a token acts for, and the token", async () => {
    const runId = await start();
    await server.request("POST", `/v1/runs/${runId}/pause`, {
      token: "portal",
      headers: { "oxbow-actor": "ada@example.com" },
    });
    expect(await entriesOf(runId)).toMatchObject([
      { actor: "ada@example.com", actorKind: "delegate", token: "portal", action: "run.pause" },
    ]);
  });

  it("has the actor of every route that changes something by hand", async () => {
    const token = "ops";
    const [paused, cancelled, many] = [await start(), await start(), await start("many")];
    const send = async (method: string, path: string, body?: unknown) => {
      const { status, body: answer } = await server.request(method, path, { token, body });
      expect([method, path, status < 300, status < 300 ? "" : answer]).toEqual([
        method,
        path,
        true,
        "",
      ]);
      return answer;
    };
    await send("POST", `/v1/runs/${paused}/pause`);
    await send("POST", `/v1/runs/${paused}/resume`);
    await send("DELETE", `/v1/runs/${cancelled}`);
    await send("POST", `/v1/runs/${cancelled}/retry`);
    await send("POST", `/v1/runs/${cancelled}/rerun`, {});
    await send("POST", "/v1/runs/change", {
      change: "cancel",
      conditions: { name: "many", status: ["running"] },
      maxRuns: 10,
    });
    await send("POST", "/v1/queues", { name: "made" });
    await send("DELETE", "/v1/queues/made/messages");
    await send("POST", "/v1/queues/made/redrive", {});
    await send("DELETE", "/v1/queues/made");
    await send("PUT", "/v1/schedules/nightly", { workflow: "w", cron: "@daily" });
    await send("POST", "/v1/schedules/nightly/pause");
    await send("POST", "/v1/schedules/nightly/resume");
    await send("POST", "/v1/schedules/nightly/trigger");
    await send("DELETE", "/v1/schedules/nightly");
    await send("PUT", "/v1/workflows/limited/flow-control", { settings: { concurrency: 2 } });
    const { body } = await server.request("GET", "/v1/audit?actor=ops&limit=100", { token });
    const actions = body.entries.map(({ action }: { action: string }) => action) as string[];
    expect([...new Set(actions)].toSorted()).toEqual([
      "queue.create",
      "queue.drop",
      "queue.purge",
      "queue.redrive",
      "run.cancel",
      "run.pause",
      "run.rerun",
      "run.resume",
      "run.retry",
      "schedule.create",
      "schedule.delete",
      "schedule.pause",
      "schedule.resume",
      "schedule.trigger",
      "workflow.set_flow_control",
    ]);
    expect(
      body.entries.filter(({ subject }: { subject: string }) => subject === many),
    ).toHaveLength(1);
  });

  it("leaves no actor behind in a session: what follows is not its", async () => {
    const narrow = await startTestServer(database, {
      tokens: parseTokens(`ops=${secretOf("ops")}`),
      maxConnections: 1,
    });
    const client = createWorkflowClient({ url: narrow.url, token: secretOf("ops") });
    try {
      await client.queues.create("narrow");
    } finally {
      await client.close();
    }
    const settings = await database.query(
      "select distinct actor from queue.audit_list(subject => 'narrow')",
    );
    expect(settings).toEqual([{ actor: "ops" }]);
  });

  it("waits for a locked run without holding up others, in the name of its actor", async () => {
    const [locked, free] = [await start(), await start()];
    const session = await openTransaction(database);
    await session.query("select from queue.workflow_continuation where msg_id = $1 for update", [
      locked,
    ]);
    const waits = Array.from({ length: 12 }, () =>
      server.request("POST", `/v1/runs/${locked}/pause`, { token: "ops" }),
    );
    expect((await server.request("POST", `/v1/runs/${free}/pause`, { token: "ops" })).status).toBe(
      200,
    );
    await session.query("commit");
    const changed = (await Promise.all(waits)).filter(({ body }) => body.changed === true);
    expect(changed).toHaveLength(1);
    const entries = await entriesOf(locked);
    expect(entries).toHaveLength(12);
    expect(new Set(entries.map(({ actor }: { actor: string }) => actor))).toEqual(new Set(["ops"]));
  });

  it("is for readers, and in pages", async () => {
    expect((await server.request("GET", "/v1/audit", { token: "make" })).status).toBe(403);
    const runId = await start();
    for (let n = 0; n < 5; n += 1) await direct.runs.pause(runId);
    const seen: string[] = [];
    let cursor = "";
    do {
      const { body } = await server.request(
        "GET",
        `/v1/audit?subjectType=run&subject=${runId}&limit=2${cursor}`,
        { token: "look" },
      );
      seen.push(...body.entries.map(({ id }: { id: string }) => id));
      cursor = body.cursor === null ? "" : `&cursor=${body.cursor}`;
    } while (cursor !== "");
    expect(seen).toHaveLength(5);
    expect(new Set(seen).size).toBe(5);
    for (const query of ["limit=0", "after=yesterday", "cursor=x", "what=ever"]) {
      expect((await server.request("GET", `/v1/audit?${query}`, { token: "look" })).status).toBe(
        400,
      );
    }
  });
});

it("the audit of the SDK is the same over both ways", async () => {
  const runId = await start();
  await remote.runs.pause(runId, "maintenance");
  await direct.runs.resume(runId);
  const filter = { subjectType: "run", subject: runId, after: new Date(Date.now() - 600_000) };
  const read = async (client: WorkflowClient) => {
    const found = [];
    for await (const { entries } of client.audit.list(filter, { pageSize: 1 })) {
      found.push(...entries);
    }
    return found;
  };
  const entries = await read(direct);
  expect(entries).toMatchObject([
    { action: "run.resume", actorKind: "role", actedAt: expect.any(Date) },
    { action: "run.pause", actorKind: "token", actor: "ops", detail: { reason: "maintenance" } },
  ]);
  expect(await read(remote)).toEqual(entries);
});

it("oxbow audit lists entries by actor, action and object", async () => {
  const runId = await start();
  await remote.runs.cancel(runId, "by hand");
  const run = oxbowOf(database.url);
  const [table, json, none] = await Promise.all([
    run("audit", "--subject", `run:${runId}`),
    run("audit", "--actor", "ops", "--action", "run.cancel", "--since", "1h", "--json"),
    run("audit", "--subject", "run:0"),
  ]);
  expect(table.stdout).toMatch(
    new RegExp(`^TIME +ACTOR +.*\\n.*ops +127\\.0\\.0\\.1 +run\\.cancel +run ${runId}`),
  );
  expect(documents(json)).toContainEqual(
    expect.objectContaining({ subject: runId, detail: { reason: "by hand" } }),
  );
  expect(none).toMatchObject({ code: 0, stdout: "", stderr: "No entries match." });
});

it("the sweeper deletes entries past OXBOW_AUDIT_RETENTION_DAYS", async () => {
  const own = await createDatabase();
  await own.query("select queue.create_queue('recent')");
  await own.query(
    `insert into queue.audit (acted_at, actor_kind, actor, role_name, action, subject_type, subject, outcome)
       values (now() - interval '31 days', 'role', 'r', 'r', 'run.cancel', 'run', 'old', 'changed')`,
  );
  await startTestServer(own, { sweepIntervalMs: 50, auditRetentionDays: 30 });
  const subjects = await eventually(
    async () => (await own.query("select subject from queue.audit")).map((row) => row["subject"]),
    (found) => !found.includes("old"),
  );
  expect(subjects).toContain("recent");
});
