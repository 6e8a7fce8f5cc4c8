/** The progress of a run at one moment: whole, and never behind the position that comes with it. */
import { defineNode, definitionTools } from "@oxbow/declared";
import type { Document } from "@oxbow/declared/check";
import { createWorkflowClient, type RunHandle } from "@oxbow/sdk";
import { connect } from "@oxbow/sdk/internal/server";
import { declaredIn, progressNow } from "@oxbow/declared/internal";
import { expect, it, onTestFinished } from "vitest";
import { definitionsOf } from "../helpers/checked-clients.ts";
import { newDefinitionName } from "../helpers/definitions.ts";
import { eventually } from "../helpers/eventually.ts";
import { serveHttp } from "../helpers/http-server.ts";
import { serveDefinitions } from "../helpers/served-definitions.ts";

const RESULT = { timeout: "60s" } as const;

const echo = defineNode({
  type: "test.echo",
  params: { type: "object" },
  run: ({ params }) => params,
});
let isBroken = true;
const flaky = defineNode({
  type: "test.flaky",
  params: { type: "object" },
  run: () => {
    if (isBroken) throw new Error("broken");
    return null;
  },
});
const { database, server, client } = await serveDefinitions({ nodes: [echo, flaky] });
const straight = client("straight");
const never = new AbortController().signal;

/** A branch of which one side is skipped, and a wait before the end. */
const waitingAt = (name: string): Document => ({
  format: 1,
  name,
  nodes: {
    go: { type: "branch@1", params: { cases: [{ id: "yes", when: "true" }] } },
    skipped: { type: "test.echo@1", params: {} },
    hold: { type: "wait@1", params: { event: "go" } },
    last: { type: "test.echo@1", params: {} },
  },
  edges: [
    { from: "go", on: "yes", to: "hold" },
    { from: "go", on: "else", to: "skipped" },
    { from: "hold", on: "received", to: "last" },
  ],
});

async function start(document: Document): Promise<RunHandle> {
  const definitions = definitionsOf(straight);
  const revision = await definitions.create(document as never);
  await definitions.publish(document.name, revision);
  return definitions.start(document.name);
}

const isWaiting = ({ runId }: RunHandle): Promise<unknown> =>
  eventually(
    async () => (await straight.runs.find(runId)).activity,
    (activity) => activity === "waiting" || activity === "sleeping",
  );

const range = (length: number): number[] => Array.from({ length }, (_, n) => n);

const edge = (index: number, status: string) => ({ prefix: "", index, status });

it("has all nodes and edges, those that the run has not come to included", async () => {
  const run = await start(waitingAt(newDefinitionName()));
  await isWaiting(run);
  const waiting = await definitionsOf(straight).progress(run.runId);
  expect(waiting).toMatchObject({ status: "running", activity: "waiting" });
  expect(waiting.nodes).toEqual({
    go: "succeeded",
    skipped: "skipped",
    hold: "waiting",
    last: "idle",
  });
  expect(waiting.edges).toEqual([edge(0, "taken"), edge(1, "skipped"), edge(2, "open")]);
  await run.signal("go", {});
  await run.result(RESULT);
  const end = await definitionsOf(straight).progress(run.runId);
  expect(end.nodes).toMatchObject({ hold: "succeeded", last: "succeeded" });
  expect(end.edges).toEqual([edge(0, "taken"), edge(1, "skipped"), edge(2, "taken")]);
});

it("shows a node at its end if it ends between the reads of the run and of its journal", async () => {
  const run = await start(waitingAt(newDefinitionName()));
  await isWaiting(run);
  const transport = connect({ url: database.url });
  onTestFinished(() => transport.close());
  const { runs } = transport;
  const get = runs.get.bind(runs);
  runs.get = async (id) => {
    const found = await get(id);
    await run.signal("go", {});
    await run.result(RESULT);
    return found;
  };
  const found = await progressNow(
    { calls: declaredIn(transport), tools: definitionTools() },
    run.runId,
    never,
  );
  expect(found).toMatchObject({ status: "running", activity: "waiting" });
  expect(found.nodes).toMatchObject({ hold: "succeeded", last: "succeeded" });
  // Nothing follows its position that it doesn't have.
  const since = definitionsOf(straight).followProgress(run.runId, { after: found.position });
  for await (const { type } of since) expect(type).not.toBe("changes");
});

it("names only nodes, not the pause of a loop", async () => {
  const run = await start({
    format: 1,
    name: newDefinitionName(),
    nodes: {
      poll: {
        type: "repeat@1",
        params: { until: "false", max: 2, pause: "1h" },
      },
      ask: { parent: "poll", type: "test.echo@1", params: {} },
    },
  });
  await isWaiting(run);
  const { nodes } = await definitionsOf(straight).progress(run.runId);
  expect(nodes).toEqual({ poll: "running", "poll.0.ask": "succeeded" });
  await straight.runs.cancel(run.runId);
});

it("reads a run once, and its journal page by page", async () => {
  const run = await start({
    format: 1,
    name: newDefinitionName(),
    nodes: {
      each: { type: "for_each@1", params: { items: range(1_100), concurrency: 100 } },
      one: { parent: "each", type: "test.echo@1", params: {} },
    },
  });
  await run.result(RESULT);
  const transport = connect({ url: database.url });
  onTestFinished(() => transport.close());
  const { runs } = transport;
  const calls: string[] = [];
  const [get, getJournal] = [runs.get.bind(runs), runs.getJournal.bind(runs)];
  runs.get = (id) => {
    calls.push("run");
    return get(id);
  };
  runs.getJournal = (id, after, most) => {
    calls.push(`${most} after ${after}`);
    return getJournal(id, after, most);
  };
  const { nodes } = await progressNow(
    { calls: declaredIn(transport), tools: definitionTools() },
    run.runId,
    never,
  );
  expect(Object.keys(nodes)).toHaveLength(1_101);
  expect(new Set(Object.values(nodes))).toEqual(new Set(["succeeded"]));
  // The last one asks whether a retry has changed what the first pages had.
  expect(calls).toEqual(["run", "500 after 0", "500 after 500", "500 after 1000", "1 after 999"]);
});

it("reads again if a retry takes rows back between two pages", async () => {
  const run = await start({
    format: 1,
    name: newDefinitionName(),
    nodes: {
      flaky: { type: "test.flaky@1", params: {}, retry: { attempts: 1 } },
      each: { type: "for_each@1", params: { items: range(600), concurrency: 100 } },
      one: { parent: "each", type: "test.echo@1", params: {} },
    },
    settings: { failFast: false },
  });
  await expect(run.result(RESULT)).rejects.toThrow("broken");
  const transport = connect({ url: database.url });
  onTestFinished(() => transport.close());
  const { runs } = transport;
  const getJournal = runs.getJournal.bind(runs);
  let isFirst = true;
  runs.getJournal = async (...page) => {
    const rows = await getJournal(...page);
    if (isFirst) {
      isFirst = false;
      isBroken = false;
      await straight.runs.retry(run.runId);
      await run.result(RESULT);
    }
    return rows;
  };
  const found = await progressNow(
    { calls: declaredIn(transport), tools: definitionTools() },
    run.runId,
    never,
  );
  expect(found.status).toBe("completed");
  expect(new Set(Object.values(found.nodes))).toEqual(new Set(["succeeded"]));
});

it("comes from a server by one request, and is refused like its events", async () => {
  const asked: string[] = [];
  const url = await serveHttp((request, response) => {
    asked.push(request.url ?? "");
    void (async () => {
      const answer = await fetch(new URL(request.url ?? "", server.url));
      response.writeHead(answer.status, {
        "content-type": answer.headers.get("content-type") ?? "",
      });
      response.end(await answer.text());
    })();
  });
  const remote = createWorkflowClient({ url });
  onTestFinished(() => remote.close());
  const run = await start(waitingAt(newDefinitionName()));
  await isWaiting(run);
  const now = await definitionsOf(straight).progress(run.runId);
  expect(await definitionsOf(remote).progress(run.runId)).toEqual(now);
  expect(asked).toEqual([`/v1/runs/${run.runId}/progress`]);
  await straight.runs.cancel(run.runId);

  await expect(definitionsOf(remote).progress("999999")).rejects.toThrow("999999");
  const code = await straight.start("in-code", null);
  await expect(definitionsOf(remote).progress(code.runId)).rejects.toThrow("in code");
  await straight.runs.cancel(code.runId);
  const left = new AbortController();
  left.abort(new Error("I have left."));
  const { signal } = left;
  await expect(definitionsOf(straight).progress(run.runId, { signal })).rejects.toThrow(
    "I have left.",
  );
  await expect(definitionsOf(remote).progress(run.runId, { signal })).rejects.toThrow(
    "I have left.",
  );
});
