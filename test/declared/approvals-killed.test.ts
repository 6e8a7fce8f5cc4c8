/** Approvals, while the worker that asks and the server that takes the decisions are killed. */
import { randomBytes } from "node:crypto";
import { definitionTools } from "@oxbow/declared";
import type { Approval } from "@oxbow/sdk";
import { findFreePort } from "@oxbow/sdk/internal/testing";
import { expect, it, onTestFinished } from "vitest";
import { createCheckedClient, definitionsOf } from "../helpers/checked-clients.ts";
import { newDefinitionName } from "../helpers/definitions.ts";
import { eventually } from "../helpers/eventually.ts";
import { startWorkerProcess, type WorkerProcess } from "../helpers/worker-process.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const WORKER = new URL("../helpers/programs/definitions-worker.ts", import.meta.url);
const SERVER = new URL("../../server/src/main.ts", import.meta.url);

const bench = await setupWorkflows();

/** Publishes a definition that asks two people between two tasks, of which workers hold the named one. */
async function publishAsking(holding: "before" | "after"): Promise<{ name: string; pool: string }> {
  const [name, pool] = [newDefinitionName(), `p-${randomBytes(6).toString("hex")}`];
  const client = createCheckedClient({
    url: bench.database.url,
    tools: definitionTools(),
  });
  onTestFinished(() => client.close());
  const task = (id: string) => ({ type: "task@1", params: { holds: id === holding } });
  const revision = await definitionsOf(client).create({
    format: 1,
    name,
    nodes: {
      before: task("before"),
      ask: { type: "approve@1", params: { title: "Ship?", quorum: 2 } },
      after: task("after"),
      done: { type: "end@1", params: { output: { $path: "nodes.ask.output.decision" } } },
    },
    edges: [
      { from: "before", to: "ask" },
      { from: "ask", on: "approved", to: "after" },
      { from: "after", to: "done" },
    ],
    settings: { pool },
  });
  await definitionsOf(client).publish(name, revision);
  return { name, pool };
}

const startWorker = (pool: string, turn: "first" | "second"): WorkerProcess =>
  startWorkerProcess(WORKER, { args: [bench.database.url, pool, turn] });

async function requestsOf(runId: string): Promise<Approval[]> {
  const found: Approval[] = [];
  for await (const { approvals } of bench.client.approvals.list({ runId }))
    found.push(...approvals);
  return found;
}

async function requestOf(runId: string): Promise<Approval> {
  const [request] = await eventually(
    () => requestsOf(runId),
    (found) => found[0]?.status === "waiting",
  );
  if (request === undefined) throw new Error("The run asks nothing.");
  return request;
}

const callsOf = (worker: WorkerProcess): string[] =>
  worker.output.filter((line) => line.startsWith("call "));

it("a run asks once, and keeps its decisions, although workers are killed before, during and after the wait", async () => {
  const { name, pool } = await publishAsking("after");
  const { approvals } = bench.client;
  const definitions = definitionsOf(bench.client);
  const run = await definitions.start(name, {});
  const first = startWorker(pool, "first");
  const { id } = await requestOf(run.runId);
  await first.kill();
  expect(await approvals.decide(id, "approved", { actor: "ada" })).toBe("counted");

  const second = startWorker(pool, "first");
  await second.line(/^serving/);
  expect(await approvals.decide(id, "approved", { actor: "bob" })).toBe("delivered");
  await second.line(/^call .*after/);
  await second.kill();
  expect(await approvals.decide(id, "rejected", { actor: "eve" })).toBe("decided");

  const third = startWorker(pool, "second");
  expect(await run.result({ timeout: "60s" })).toBe("approved");
  expect(callsOf(first)).toHaveLength(1);
  // Called again with the same key; the task before the wait was not.
  expect(callsOf(third)).toEqual(callsOf(second));
  const requests = await requestsOf(run.runId);
  expect(requests).toMatchObject([{ id, status: "approved" }]);
  expect(requests[0]?.decisions.map(({ actor }) => actor)).toEqual(["ada", "bob"]);
  await third.stop();
  expect(await bench.violations()).toEqual([]);
}, 480_000);

it("a run whose worker was killed before it asked asks once", async () => {
  const { name, pool } = await publishAsking("before");
  const run = await definitionsOf(bench.client).start(name, {});
  const first = startWorker(pool, "first");
  await first.line(/^call .*before/);
  await first.kill();
  const second = startWorker(pool, "second");
  const { id } = await requestOf(run.runId);
  for (const actor of ["ada", "bob"]) {
    await bench.client.approvals.decide(id, "approved", { actor });
  }
  expect(await run.result({ timeout: "60s" })).toBe("approved");
  expect(await requestsOf(run.runId)).toHaveLength(1);
  await second.stop();
  expect(await bench.violations()).toEqual([]);
}, 480_000);

it("a decision counts once, although the server is killed while it takes it and the caller repeats it", async () => {
  const { name, pool } = await publishAsking("before");
  const worker = startWorker(pool, "second");
  const port = await findFreePort();
  const serve = async (): Promise<WorkerProcess> => {
    const server = startWorkerProcess(SERVER, {
      env: {
        DATABASE_URL: bench.database.url,
        PORT: String(port),
        HOST: "127.0.0.1",
        OXBOW_TOKENS: "",
      },
    });
    await server.line(/^Oxbow serves/);
    return server;
  };
  const decide = (id: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}/v1/approvals/${id}/decision`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ decision: "approved" }),
    });
  for (let round = 0; round < 3; round += 1) {
    const run = await definitionsOf(bench.client).start(name, {});
    const { id } = await requestOf(run.runId);
    const killed = await serve();
    const cut = decide(id).then(
      () => "answered",
      () => "cut",
    );
    if (round > 0) await bench.client.approvals.get(id);
    await killed.kill();
    await cut;

    const server = await serve();
    const again = await decide(id);
    expect(again.status).toBe(200);
    // Only one person: whether the first request got through or not, it counts once.
    expect((await bench.client.approvals.get(id)).decisions).toHaveLength(1);
    await bench.client.approvals.decide(id, "approved", { actor: "bob" });
    expect(await run.result({ timeout: "60s" })).toBe("approved");
    expect(await server.stop()).toMatchObject({ code: 0 });
  }
  await worker.stop();
  expect(await bench.violations()).toEqual([]);
}, 600_000);
