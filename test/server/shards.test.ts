/** A server over two shards: REST goes where things are at home, lists are merged, services run in both. */
import { createWorkflowClient } from "@oxbow/sdk";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import { describe, expect, it } from "vitest";
import { eventually, isNotEmpty } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { createFleet } from "../helpers/fleet.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { silent } from "../helpers/silent-logger.ts";

const BLOCK = 2n ** 36n;
const SHARDS = ["a", "b"] as const;
const greet = workflow({
  name: "greet",
  run: (ctx, input: { name: string }) => ctx.step.run("compose", () => `Hello, ${input.name}!`),
});
const wait = workflow({ name: "wait", run: async (ctx) => ctx.step.waitForEvent("go") });

const routes: Record<string, string> = {};

const fleet = await createFleet();
const direct = createWorkflowClient({ shards: fleet.shards });
const worker = createWorker({ shards: fleet.shards, workflows: [greet, wait], logger: silent });
atFileEnd(async () => {
  await worker.stop();
  await direct.close();
});
const server = await startTestServer(
  { url: "" },
  { url: undefined, shards: fleet.shards, secrets: "ops:admin,look:read" },
);
for (const shard of SHARDS) routes[shard] = await routeOf(shard);

async function routeOf(shard: string, prefix = "tenant"): Promise<string> {
  for (let n = 0; ; n++) {
    if ((await direct.home(`${prefix}-${n}`)) === shard) return `${prefix}-${n}`;
  }
}

const shardOf = (id: string): string => (BigInt(id) / BLOCK === 0n ? "a" : "b");

const ask = (method: string, path: string, body?: unknown): ReturnType<TestServer["request"]> =>
  server.request(method, path, { token: "ops", ...(body === undefined ? {} : { body }) });

const namesAll = (events: string, runIds: readonly string[]): boolean =>
  runIds.every((runId) => events.includes(`"runId":"${runId}"`));

async function startIn(shard: string, name = "wait", more: object = {}): Promise<string> {
  const { body } = await ask("POST", `/v1/workflows/${name}/runs`, {
    route: routes[shard],
    ...more,
  });
  return body.runId as string;
}

describe("runs over REST", () => {
  it("start in the shard of their route or key, and are signalled, read and cancelled there", async () => {
    for (const shard of SHARDS) {
      const runId = await startIn(shard);
      expect(shardOf(runId)).toBe(shard);
      const sent = await ask("POST", `/v1/workflows/wait/runs/${runId}/signals/go`, { n: 1 });
      expect(sent.status).toBe(200);
      const ended = await eventually(async () => (await ask("GET", `/v1/runs/${runId}`)).body, {
        status: "completed",
      });
      expect(ended.output).toEqual({ n: 1 });
      expect((await ask("GET", `/v1/runs/${runId}/steps`)).body.steps).toHaveLength(1);
      const other = await startIn(shard);
      expect((await ask("DELETE", `/v1/runs/${other}`)).body).toMatchObject({ cancelled: true });
    }
    const key = { idempotencyKey: "only-once" };
    const [first, again] = [
      await ask("POST", "/v1/workflows/wait/runs", key),
      await ask("POST", "/v1/workflows/wait/runs", key),
    ];
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body.runId).toBe(first.body.runId);
    expect(shardOf(first.body.runId)).toBe(await direct.home("only-once"));
  });

  it("are refused if their key doesn't begin with their route, so that no key leads elsewhere", async () => {
    const route = routes["a"] ?? "";
    const start = (more: object) => ask("POST", "/v1/workflows/wait/runs", { route, ...more });
    expect(await start({ idempotencyKey: "elsewhere" })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining(`"${route}/elsewhere"`) },
    });
    expect(await start({ route: "a/b" })).toMatchObject({ status: 400 });
    expect(await start({ idempotencyKey: `${route}/here` })).toMatchObject({ status: 201 });
  });

  it("by an SDK client of the server, are where its routes are at home", async () => {
    await using remote = createWorkflowClient({
      url: server.url,
      token: "ops".padEnd(32, "."),
    });
    const started = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const shard = SHARDS[n % 2] ?? "a";
        const run = await remote.start(greet, { name: `${n}` }, { route: routes[shard] ?? "" });
        expect(shardOf(run.runId)).toBe(shard);
        return run;
      }),
    );
    const results = await Promise.all(started.map((run) => run.result()));
    expect(results).toEqual(started.map((_, n) => `Hello, ${n}!`));
  });

  it("are listed page by page from all shards, newest first, each once", async () => {
    const tags = { list: "rest" };
    const started: string[] = [];
    for (let n = 0; n < 7; n++) {
      const runId = await startIn(SHARDS[n % 2] ?? "a", "wait", { tags });
      started.unshift(runId);
    }
    const listed: string[] = [];
    for (let cursor = ""; ;) {
      const { body } = await ask("GET", `/v1/workflows/wait/runs?tags.list=rest&limit=2${cursor}`);
      listed.push(...body.runs.map(({ runId }: { runId: string }) => runId));
      if (body.cursor === null) break;
      cursor = `&cursor=${encodeURIComponent(body.cursor)}`;
    }
    expect(listed).toEqual(started);
    const conditions = { tags };
    expect((await ask("POST", "/v1/runs/count", { conditions })).body).toEqual({ count: 7 });
    const { body } = await ask("GET", "/v1/workflows");
    const row = body.workflows.find(({ name }: { name: string }) => name === "wait");
    const tally = (await direct.runs.tally()).find(({ name }) => name === "wait");
    expect(row.running).toBe(tally?.running);
  });

  it("are followed in all shards", async () => {
    const over = new AbortController();
    const response = await fetch(`${server.url}/v1/workflows/greet/events`, {
      headers: { authorization: `Bearer ${"look".padEnd(32, ".")}` },
      signal: over.signal,
    });
    const started = [
      await startIn("a", "greet", { input: {} }),
      await startIn("b", "greet", { input: {} }),
    ];
    let text = "";
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      if (namesAll(text, started)) break;
    }
    over.abort();
    expect(text).toContain("event: run");
  });

  it("are changed in the name of the token, which the audit of their shard has", async () => {
    for (const shard of SHARDS) {
      const runId = await startIn(shard);
      await ask("POST", `/v1/runs/${runId}/pause`, { reason: "look" });
      const page = await direct.shard(shard).audit.list({ subject: runId }).next();
      expect(page.value?.entries).toMatchObject([
        { actor: expect.stringMatching(/^token-/), action: "run.pause" },
      ]);
    }
  });
});

describe("the rest of a server over shards", () => {
  it("has queues on all shards", async () => {
    await ask("POST", "/v1/queues", { name: "mail" });
    const ids: string[] = [];
    for (let n = 0; n < 4; n++) {
      const { body } = await ask("POST", "/v1/queues/mail/messages", { message: n });
      ids.push(body.messageId);
    }
    expect(new Set(ids.map(shardOf))).toEqual(new Set(SHARDS));
    const { body } = await ask("POST", "/v1/queues/mail/receive", { maxMessages: 10 });
    expect(body.messages).toHaveLength(4);
    for (const { receipt } of body.messages) {
      const path = `/v1/queues/mail/messages/${receipt}`;
      expect((await ask("DELETE", path)).body).toEqual({ deleted: true });
    }
  });

  it("starts the runs of schedules of both shards", async () => {
    for (const shard of SHARDS) {
      const name = await routeOf(shard, "often");
      const created = await ask("PUT", `/v1/schedules/${name}`, {
        workflow: "wait",
        everySeconds: 1,
      });
      expect(created.status).toBeLessThan(300);
      const [run] = await eventually(async () => {
        const conditions = { tags: { schedule: name } };
        return (await ask("POST", "/v1/runs/search", { conditions })).body.runs;
      }, isNotEmpty);
      expect(shardOf(run.runId)).toBe(shard);
      await ask("DELETE", `/v1/schedules/${name}`);
    }
  });

  it("reports the readiness and the metrics of each shard", async () => {
    const ready = await server.request("GET", "/readyz", { token: "look" });
    expect(ready).toMatchObject({
      status: 200,
      body: { status: "ready", shards: { a: { status: "ready" }, b: { status: "ready" } } },
    });
    expect((await server.get("/readyz")).body).toEqual({ status: "ready" });

    await Promise.all(SHARDS.map((shard) => startIn(shard)));
    const { body: text } = await server.request("GET", "/metrics", { token: "look" });
    for (const shard of SHARDS) {
      expect(text).toContain(`oxbow_database_up{shard="${shard}"} 1`);
      expect(text).toMatch(
        new RegExp(`^workflow_runs_in_flight\\{workflow="wait",shard="${shard}"\\} [1-9]`, "m"),
      );
    }
    for (const figure of ["outbox_items", "outbox_oldest_seconds", "rejected_items"]) {
      expect(text).toContain(`oxbow_${figure}{to="b",shard="a"} 0`);
    }
  });

  it.each([
    ["topics", "GET", "/v1/subscriptions"],
    ["definitions", "GET", "/v1/definitions"],
    ["approvals", "GET", "/v1/approvals"],
    ["the audit", "GET", "/v1/audit"],
    ["copies", "GET", "/v1/incarnation"],
    ["limits", "GET", "/v1/workflows/wait/flow-control"],
  ])("refuses %s with the reason", async (_, method, path) => {
    expect(await ask(method, path)).toMatchObject({
      status: 421,
      body: { code: "WRONG_SHARD", detail: expect.stringContaining("several shards") },
    });
  });

  it("asks a worker to connect to the shards itself", async () => {
    const lost = createWorker({
      url: server.url,
      token: "ops".padEnd(32, "."),
      workflows: [greet],
      logger: false,
    });
    await expect(lost.finished).rejects.toThrow("connect the worker to the databases");
  });
});
