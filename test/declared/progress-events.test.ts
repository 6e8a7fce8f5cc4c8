/** Live events of a run's nodes and edges: over connections that are cut at every event, killed workers and migrations. */
import { randomBytes } from "node:crypto";
import { createServer, connect as connectTo, type AddressInfo, type Socket } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { defineNode } from "@oxbow/declared";
import type { Document } from "@oxbow/declared/check";
import { createWorkflowClient } from "@oxbow/sdk";
import type { DefinitionProgressEvent } from "@oxbow/declared/client";
import { expect, it, onTestFinished } from "vitest";
import { definitionsOf } from "../helpers/checked-clients.ts";
import { newDefinitionName } from "../helpers/definitions.ts";
import { eventually } from "../helpers/eventually.ts";
import { serveDefinitions } from "../helpers/served-definitions.ts";
import { startWorkerProcess } from "../helpers/worker-process.ts";

const WORKER = new URL("../helpers/programs/definitions-worker.ts", import.meta.url);

const echo = defineNode({
  type: "test.echo",
  params: { type: "object" },
  run: ({ params }) => params,
});
/** Runs whose nodes of type `test.flaky` fail. */
const broken = new Set<string>();
const flaky = defineNode({
  type: "test.flaky",
  params: { type: "object" },
  run: ({ idempotencyKey }) => {
    if (broken.has(idempotencyKey.split(":")[0] ?? "")) throw new Error("broken");
    return null;
  },
});
const { database, server, client } = await serveDefinitions({ nodes: [echo, flaky] });
const [straight, remote] = [client("straight"), client("remote")];

/** A branch, a guard, a loop, a wait and a race, of which one side loses. */
const various = (name: string): Document => ({
  format: 1,
  name,
  nodes: {
    first: { type: "test.echo@1", params: { n: 1 } },
    go: { type: "branch@1", params: { cases: [{ id: "yes", when: "nodes.first.output.n == 1" }] } },
    skipped: { type: "test.echo@1", params: {} },
    each: { type: "for_each@1", params: { items: [1, 2, 3], concurrency: 2 } },
    odd: { parent: "each", type: "test.echo@1", params: {}, when: "item != 2" },
    hold: { type: "wait@1", params: { event: "go" } },
    never: { type: "wait@1", params: { event: "never" } },
    join: { type: "test.echo@1", params: {}, join: "any" },
    done: { type: "end@1", params: { output: "done" } },
  },
  edges: [
    { from: "first", to: "go" },
    { from: "go", on: "yes", to: "each" },
    { from: "go", on: "else", to: "skipped" },
    { from: "each", to: "hold" },
    { from: "each", to: "never" },
    { from: "hold", on: "received", to: "join" },
    { from: "never", on: "received", to: "join" },
    { from: "join", to: "done" },
  ],
});

async function start(document: Document): Promise<string> {
  const definitions = definitionsOf(straight);
  const revision = await definitions.create(document as never);
  await definitions.publish(document.name, revision);
  return (await definitions.start(document.name)).runId;
}

const collect = async (
  events: AsyncIterable<DefinitionProgressEvent>,
  found: DefinitionProgressEvent[] = [],
): Promise<DefinitionProgressEvent[]> => {
  for await (const event of events) found.push(event);
  return found;
};

/** States of the run itself depend on when it is looked at. */
const journaled = (events: readonly DefinitionProgressEvent[]): DefinitionProgressEvent[] =>
  events.filter(({ type }) => type !== "state");

function statesOf(events: readonly DefinitionProgressEvent[]): Record<string, string> {
  const nodes: Record<string, string> = {};
  for (const event of events) if (event.type === "changes") Object.assign(nodes, event.nodes);
  return nodes;
}

const STATES = {
  first: "succeeded",
  go: "succeeded",
  skipped: "skipped",
  each: "succeeded",
  "each.0.odd": "succeeded",
  "each.1.odd": "skipped",
  "each.2.odd": "succeeded",
  hold: "succeeded",
  never: "abandoned",
  join: "succeeded",
  done: "succeeded",
};

const isWaiting = (runId: string): Promise<unknown> =>
  eventually(async () => (await straight.runs.find(runId)).activity, "waiting");

it("follows a run to its end, the same straight and through a server, live and later", async () => {
  const runId = await start(various(newDefinitionName()));
  const here: DefinitionProgressEvent[] = [];
  const live = Promise.all([
    collect(definitionsOf(straight).followProgress(runId), here),
    collect(definitionsOf(remote).followProgress(runId)),
  ]);
  const nodes = { hold: "waiting", never: "waiting" };
  const waiting = { status: "running", activity: "waiting", nodes };
  await eventually(
    () => here,
    (events) =>
      events.some(({ type, ...rest }) => type === "state" && isDeepStrictEqual(rest, waiting)),
  );
  const now = await definitionsOf(straight).progress(runId);
  expect(now).toMatchObject({ status: "running", activity: "waiting", version: 1 });
  expect(now.nodes).toMatchObject({ first: "succeeded", hold: "waiting", never: "waiting" });
  expect(await definitionsOf(remote).progress(runId)).toEqual(now);
  await straight.signal(runId, "go", {});
  const [, there] = await live;
  const later = await collect(definitionsOf(straight).followProgress(runId));
  expect(statesOf(later)).toEqual(STATES);
  expect(journaled(here)).toEqual(journaled(later));
  expect(journaled(there)).toEqual(journaled(later));
  expect(later.at(-1)).toEqual({ type: "end", status: "completed" });
  const end = await definitionsOf(straight).progress(runId);
  expect(end).toMatchObject({ status: "completed", nodes: STATES });
  expect(end.edges.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  const since = await collect(
    definitionsOf(straight).followProgress(runId, { after: now.position }),
  );
  expect(statesOf(since)).toMatchObject({ hold: "succeeded", done: "succeeded" });
  expect(statesOf(since)).not.toHaveProperty("first");
  const answer = await fetch(`${server.url}/v1/runs/${runId}/progress`);
  expect([answer.status, await answer.json()]).toEqual([200, end]);
});

it("continues after each event of a connection that is cut there, with nothing lost or repeated", async () => {
  const runId = await start(various(newDefinitionName()));
  await isWaiting(runId);
  await straight.signal(runId, "go", {});
  const whole = journaled(await collect(definitionsOf(straight).followProgress(runId)));
  expect(whole.length).toBeGreaterThan(6);

  // Reads by hand, as a browser does it.
  const found: unknown[] = [];
  let last: string | undefined;
  for (let connection = 0; connection <= whole.length; connection += 1) {
    const cut = new AbortController();
    const response = await fetch(`${server.url}/v1/runs/${runId}/progress/events`, {
      headers: last === undefined ? {} : { "last-event-id": last },
      signal: cut.signal,
    });
    const event = await firstOf(response);
    cut.abort();
    if (event.id === undefined) break;
    last = event.id;
    found.push(event.data);
  }
  const changes = whole.filter((event) => event.type === "changes");
  expect(found).toEqual(changes.map(({ type, ...event }) => (type === "changes" ? event : {})));

  // Reads by the client, through a proxy that cuts each connection after its first event.
  const proxy = await cuttingProxy(new URL(server.url));
  const reconnecting = createWorkflowClient({ url: proxy.url });
  onTestFinished(() => reconnecting.close());
  const events = journaled(await collect(definitionsOf(reconnecting).followProgress(runId)));
  expect(events).toEqual(whole);
  expect(proxy.connections()).toBeGreaterThanOrEqual(changes.length);

  // From any position.
  for (const [at, event] of whole.entries()) {
    if (event.type !== "changes") continue;
    const rest = await collect(
      definitionsOf(remote).followProgress(runId, { after: event.position }),
    );
    expect(journaled(rest)).toEqual(whole.slice(at + 1));
  }
});

it("follows a run whose worker is killed in a node", async () => {
  const [name, pool] = [newDefinitionName(), `p-${randomBytes(6).toString("hex")}`];
  const task = (holds: boolean) => ({ type: "task@1", params: { holds } });
  const runId = await start({
    format: 1,
    name,
    nodes: { before: task(false), held: task(true), after: task(false) },
    edges: [
      { from: "before", to: "held" },
      { from: "held", to: "after" },
    ],
    settings: { pool },
  });
  const events: DefinitionProgressEvent[] = [];
  const following = (async () => {
    for await (const event of definitionsOf(remote).followProgress(runId)) events.push(event);
  })();
  const first = startWorkerProcess(WORKER, { args: [database.url, pool, "first"] });
  await first.line(new RegExp(`^call ${runId}:held`));
  await eventually(
    () => statesOf(events),
    (states) => states["held"] === "running",
  );
  await first.kill();
  startWorkerProcess(WORKER, { args: [database.url, pool, "second"] });
  await following;
  expect(statesOf(events)).toEqual({ before: "succeeded", held: "succeeded", after: "succeeded" });
  const seen = events.flatMap((event) =>
    event.type === "changes" ? Object.entries(event.nodes).map(([id, is]) => `${id} ${is}`) : [],
  );
  // Each state once, in spite of two deliveries.
  expect(new Set(seen).size).toBe(seen.length);
});

it("begins again for a run that has moved to another version, also after a reconnect", async () => {
  const name = newDefinitionName();
  const before: Document = {
    format: 1,
    name,
    nodes: { hold: { type: "wait@1", params: { event: "go" } } },
  };
  const runId = await start(before);
  await isWaiting(runId);
  const live: DefinitionProgressEvent[] = [];
  const following = (async () => {
    for await (const event of definitionsOf(remote).followProgress(runId)) live.push(event);
  })();
  await eventually(
    () => live,
    (events) => events.some(({ type }) => type === "state"),
  );
  const [first] = live;
  const after = {
    ...before,
    nodes: { ...before.nodes, more: { type: "test.echo@1", params: {} } },
  };
  const revision = await definitionsOf(straight).save(after, 1);
  await definitionsOf(straight).publish(name, revision);
  await definitionsOf(straight).migrate(name, runId);
  await straight.signal(runId, "go", {});
  await following;
  const whole = journaled(await collect(definitionsOf(straight).followProgress(runId)));
  expect(statesOf(whole)).toEqual({ hold: "succeeded", more: "succeeded" });
  const reset = live.findIndex(({ type }) => type === "reset");
  expect(live[reset]).toEqual({ type: "reset", version: 2 });
  expect(journaled(live.slice(reset + 1))).toEqual(whole);
  const position = first?.type === "changes" ? first.position : "";
  const reconnected = await collect(
    definitionsOf(remote).followProgress(runId, { after: position }),
  );
  expect(journaled(reconnected)).toEqual([{ type: "reset", version: 2 }, ...whole]);
});

it("begins again for a run that was retried, whose journal is another one behind the reader", async () => {
  const name = newDefinitionName();
  const runId = await start({
    format: 1,
    name,
    nodes: {
      first: { type: "wait@1", params: { event: "first" } },
      flaky: { type: "test.flaky@1", params: {}, retry: { attempts: 1 } },
      hold: { type: "wait@1", params: { event: "go" } },
      last: { type: "test.echo@1", params: {} },
    },
    edges: [
      { from: "first", on: "received", to: "flaky" },
      { from: "flaky", to: "last" },
    ],
    settings: { failFast: false },
  });
  broken.add(runId);
  await straight.signal(runId, "first", {});
  const following = definitionsOf(straight).followProgress(runId);
  const before: DefinitionProgressEvent[] = [];
  // Stops behind the row of the failure, while the run still waits.
  for (let hasFailed = false; ;) {
    const { value } = await following.next();
    if (value === undefined) throw new Error("The run has ended.");
    before.push(value);
    hasFailed ||= value.type === "changes" && value.nodes["flaky"] === "failed";
    if (hasFailed && value.type === "state") break;
  }
  const positions = before.flatMap((event) => (event.type === "changes" ? event.position : []));

  await straight.signal(runId, "go", {});
  await eventually(async () => (await straight.runs.find(runId)).status, "failed");
  broken.delete(runId);
  await straight.runs.retry(runId);
  const whole = journaled(await collect(definitionsOf(straight).followProgress(runId)));
  expect(statesOf(whole)).toEqual({
    first: "succeeded",
    flaky: "succeeded",
    hold: "succeeded",
    last: "succeeded",
  });

  // The reader has two rows, of which the second is another one now: what followed it is not all that it misses.
  const reset = { type: "reset", version: 1 };
  expect(journaled(await collect(following))).toEqual([reset, ...whole]);
  const [begun = "", kept = "", lost = ""] = positions;
  const rest = async (after: string, from = remote): Promise<unknown> =>
    journaled(await collect(definitionsOf(from).followProgress(runId, { after })));
  const at = whole.findIndex((event) => event.type === "changes" && event.position === kept);
  expect(await rest(begun)).toEqual(whole.slice(1));
  expect(await rest(kept)).toEqual(whole.slice(at + 1));
  expect(await rest(lost)).toEqual([reset, ...whole]);
  expect(await rest(lost, straight)).toEqual([reset, ...whole]);
  // Positions of earlier releases don't say which row they mean.
  expect(await rest(kept.replace(/-[0-9a-f]+$/, ""))).toEqual([reset, ...whole]);
});

it("is refused for unknown runs, workflows in code, and invalid positions", async () => {
  const collected = (runId: string, after?: string): Promise<unknown> =>
    collect(definitionsOf(remote).followProgress(runId, after === undefined ? {} : { after }));
  await expect(collected("999999")).rejects.toThrow("999999");
  const code = await straight.start("in-code", null);
  await expect(collected(code.runId)).rejects.toThrow("in code");
  await straight.runs.cancel(code.runId);
  await expect(collected(code.runId, "17")).rejects.toThrow();
});

interface SentEvent {
  readonly id: string | undefined;
  readonly data: unknown;
}

async function firstOf(response: Response): Promise<SentEvent> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece as Uint8Array, { stream: true });
    const block = text.split("\n\n").find((each) => each.includes("event: "));
    if (block === undefined || !text.includes(`${block}\n\n`)) continue;
    const data = /^data: (.*)$/m.exec(block)?.[1] ?? "null";
    return { id: /^id: (.*)$/m.exec(block)?.[1], data: JSON.parse(data) };
  }
  throw new Error(`no event: ${text}`);
}

/** Forwards connections, and destroys each one after its first event with an id; others end by themselves. */
async function cuttingProxy(target: URL): Promise<{ url: string; connections: () => number }> {
  let connections = 0;
  const sockets = new Set<Socket>();
  const proxy = createServer((near) => {
    const far = connectTo(Number(target.port), target.hostname);
    let text = "";
    let forwarded = 0;
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    far.on("data", (piece: Buffer) => {
      text += piece.toString("utf8");
      const at = /id: [^\n]+\nevent: [^\n]+\ndata: [^\n]+\n\n/.exec(text);
      const end = at === null ? text.length : at.index + at[0].length;
      near.write(text.slice(forwarded, end));
      forwarded = end;
      if (at === null) return;
      connections += 1;
      far.removeAllListeners("data");
      near.end();
    });
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  const { port } = proxy.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, connections: () => connections };
}
