/** Lease tokens: what functions may do with the token of a run that was pushed to them, and nothing else. */
import { LeaseTokenKeys, type WorkflowDelivery } from "@oxbow/sdk/internal/server";
import { workflow } from "@oxbow/sdk/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { SIGNING_KEY } from "../helpers/endpoints.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { openSession } from "../helpers/session.ts";
import { setupWorkflows, type WorkflowBench } from "../helpers/workflows.ts";

const task = workflow({ name: "leased-task", run: () => Promise.resolve("done") });

let bench: WorkflowBench;
let server: TestServer;
let deliveries: WorkflowDelivery[];
let own: WorkflowDelivery;
let other: WorkflowDelivery;

beforeAll(async () => {
  bench = await setupWorkflows();
  server = await startTestServer(bench.database, {
    signingKeys: [SIGNING_KEY],
    secrets: "worker:work",
  });
  for (const input of [1, 2]) await bench.client.start(task.name, input);
  const { body } = await server.request("POST", "/v1/worker/receive", {
    token: "worker",
    body: { versions: { "leased-task": [1] }, maxRuns: 2, leaseMs: 60_000 },
  });
  ({ deliveries } = body as { deliveries: WorkflowDelivery[] });
  const [first, second] = deliveries;
  if (first === undefined || second === undefined) throw new Error("Two runs were started.");
  [own, other] = [first, second];
});

const sign = ({ runId, receipt }: WorkflowDelivery, ttlMs = 60_000, key = SIGNING_KEY) =>
  new LeaseTokenKeys([key]).sign({ runId, receipt, expiresAt: new Date(Date.now() + ttlMs) });

const ask = async (path: string, body: unknown, token: string, method = "POST", more?: string) => {
  const answer = await server.request(method, path, {
    ...(method === "GET" ? {} : { body }),
    headers: {
      authorization: `Bearer ${token}`,
      ...(more === undefined ? {} : { "oxbow-leases": more }),
    },
  });
  return answer;
};

const release = ({ runId, receipt, name }: WorkflowDelivery) => ({
  workflow: name,
  runId,
  receipt,
  journaled: 0,
  steps: [],
  transition: { kind: "keep" },
});

const reportOf = (...runs: readonly WorkflowDelivery[]) => ({
  worker: "a function",
  reports: runs.map(({ receipt }) => ({
    receipt,
    steps: [{ step: "long", attempt: 1, forMs: 1_200 }],
  })),
});

describe("a lease token", () => {
  it("commits, extends and reads its own run", async () => {
    const token = await sign(own);
    const committed = await ask("/v1/worker/commit", { items: [release(own)] }, token);
    expect(committed.body).toMatchObject({ results: [{ runId: own.runId, outcome: "ok" }] });
    const extended = await ask(
      "/v1/worker/heartbeat",
      { receipts: [own.receipt], leaseMs: 60_000 },
      token,
    );
    expect(extended.body).toEqual({ notices: [] });
    const reported = await ask("/v1/worker/progress", reportOf(own), token);
    expect(reported.status).toBe(204);
    expect(await bench.client.runs.find(own.runId)).toMatchObject({
      inProgress: [{ step: "long", attempt: 1, worker: "a function" }],
    });
    const page = await ask("/v1/worker/journal-page", { runId: own.runId, after: 0 }, token);
    expect(page.body).toEqual({ journal: [] });
  });

  it.each<[string, () => [string, unknown]]>([
    ["a commit", () => ["/v1/worker/commit", { items: [release(other)] }]],
    ["a commit of both", () => ["/v1/worker/commit", { items: [release(own), release(other)] }]],
    ["a heartbeat", () => ["/v1/worker/heartbeat", { receipts: [own.receipt, other.receipt] }]],
    ["a report", () => ["/v1/worker/progress", reportOf(own, other)]],
    ["a page of the journal", () => ["/v1/worker/journal-page", { runId: other.runId, after: 0 }]],
  ])("is refused for %s of another run", async (_, request) => {
    const [path, body] = request();
    const { status, body: problem } = await ask(path, body, await sign(own));
    expect(status).toBe(403);
    expect(problem).toMatchObject({
      detail: expect.stringContaining("No lease token of the request is for") as string,
    });
  });

  it("stands beside others, for a commit of several runs", async () => {
    const items = [release(own), release(other)];
    const [first, second] = [await sign(own), await sign(other)];
    const both = await ask("/v1/worker/commit", { items }, first, "POST", second);
    expect(both.body).toMatchObject({ results: [{ outcome: "ok" }, { outcome: "ok" }] });
    const forged = await ask("/v1/worker/commit", { items }, first, "POST", `${second}x`);
    expect(forged.status).toBe(401);
  });

  it("leaves out a run that is locked, rather than have the others wait, if asked to", async () => {
    const [first, second] = [await sign(own), await sign(other)];
    const session = await openSession(bench.database);
    await session.query("begin");
    await session.query("select from queue.workflow_continuation where msg_id = $1 for update", [
      other.runId,
    ]);
    const body = { items: [release(own), release(other)], skipLocked: true };
    const both = await ask("/v1/worker/commit", body, first, "POST", second);
    expect(both.body).toMatchObject({ results: [{ outcome: "ok" }, { outcome: "busy" }] });
    await session.query("rollback");
  });

  it.each([
    ["GET", "/v1/workflows"],
    ["POST", "/v1/worker/receive"],
    ["GET", "/v1/endpoints"],
    ["POST", "/v1/queues"],
    ["GET", "/v1/check"],
  ])("opens no other route: %s %s", async (method, path) => {
    const { status } = await ask(path, {}, await sign(own), method);
    expect(status).toBe(403);
  });

  it.each<[string, () => Promise<string>, string]>([
    ["has expired", () => sign(own, -1_000), "expired"],
    ["is signed by another key", () => sign(own, 60_000, "x".repeat(32)), "OXBOW_SIGNING_KEY"],
    ["was changed", async () => `${(await sign(own)).slice(0, -2)}aa`, "invalid"],
    ["has no signature", () => Promise.resolve("oxlease_e30"), "invalid"],
  ])("that %s is refused", async (_, make, why) => {
    const { status, body } = await ask(
      "/v1/worker/commit",
      { items: [release(own)] },
      await make(),
    );
    expect(status).toBe(401);
    expect(body).toMatchObject({ detail: expect.stringContaining(why) as string });
  });

  it.each([null, [], "text", {}, { items: null }, { items: [null] }, { items: {} }])(
    "with the body %j is refused, and nothing fails",
    async (body) => {
      const { status } = await ask("/v1/worker/commit", body, await sign(own));
      expect([400, 403]).toContain(status);
    },
  );

  it("names no actor", async () => {
    const { status } = await server.request("POST", "/v1/worker/heartbeat", {
      body: { receipts: [own.receipt] },
      headers: { authorization: `Bearer ${await sign(own)}`, "oxbow-actor": "ada" },
    });
    expect(status).toBe(403);
  });
});

it("the token of a worker still opens all of them", async () => {
  const { status } = await server.request("POST", "/v1/worker/heartbeat", {
    token: "worker",
    body: { receipts: [own.receipt, other.receipt] },
  });
  expect(status).toBe(200);
});
