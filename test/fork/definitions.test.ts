/** A copy of a cluster whose definitions have triggers, hooks and schedules, and send requests: what each side does. */
import { join } from "node:path";
import { createDefinitions, httpRequest } from "@oxbow/declared";
import { createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";
import { migrate } from "@oxbow/sdk/internal/server";
import { startPostgres } from "@oxbow/sdk/testing";
import { startServer } from "@oxbow/server";
import { expect, it, onTestFinished } from "vitest";
import { definitionsOf } from "../helpers/checked-clients.ts";
import { oxbowOf } from "../helpers/command.ts";
import { eventually } from "../helpers/eventually.ts";
import { serveHttp } from "../helpers/http-server.ts";
import { forkBy, makeFolder, stopInTheEnd } from "../helpers/forks.ts";

const TOPIC = "order.paid";

/** The input of a run: what started it. */
interface Cause {
  readonly from: "topic" | "hook" | "tick" | "person";
  readonly id: unknown;
}

interface Target {
  readonly url: string;
  readonly received: Cause[];
}

async function openTarget(): Promise<Target> {
  const received: Cause[] = [];
  const url = await serveHttp((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      received.push(JSON.parse(body) as Cause);
      response.setHeader("content-type", "application/json").end('{"free": 7}');
    });
  });
  return { url: `${url}/`, received };
}

/** Everything that acts on a database: a server with its ticker, and a worker that is connected through it. */
interface Installation {
  readonly client: WorkflowClient;
  readonly url: string;
  readonly stop: () => Promise<void>;
}

async function install(databaseUrl: string): Promise<Installation> {
  const server = await startServer({
    url: databaseUrl,
    port: 0,
    host: "127.0.0.1",
    sweepIntervalMs: 0,
    schedules: true,
    deliveries: { senders: 0, secrets: ["s".repeat(32)] },
  });
  const worker = createDefinitions({
    nodes: [httpRequest({ allowedNetworks: ["127.0.0.0/8"], allowHttp: true })],
  }).serve({ url: server.url, logger: false });
  const client = createWorkflowClient({ url: server.url });
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> =>
    (stopped ??= (async () => {
      await worker.stop();
      await client.close();
      await server.stop();
    })());
  onTestFinished(stop);
  return { client, url: server.url, stop };
}

const done = { type: "end@1", params: { output: { $path: "nodes.call.output" } } };

async function publishBoth(client: WorkflowClient, url: string): Promise<void> {
  const call = {
    type: "http.request@1",
    params: {
      url,
      method: "POST",
      body: { $path: "input" },
      response: { type: "object", properties: { free: { type: "integer" } } },
    },
  };
  const documents = [
    {
      format: 1,
      name: "told",
      triggers: {
        topic: { on: TOPIC, input: { from: "topic", id: { $path: "event.id" } } },
        hook: {
          on: "webhook",
          verify: "token",
          input: { from: "hook", id: { $path: "event.body.id" } },
        },
        tick: {
          on: "schedule",
          every: "1s",
          input: { from: "tick", id: { $path: "event.scheduled_at" } },
        },
      },
      nodes: { call, done },
      edges: [{ from: "call", to: "done" }],
    },
    {
      format: 1,
      name: "asked",
      nodes: { go: { type: "wait@1", params: { event: "go" } }, call, done },
      edges: [
        { from: "go", on: "received", to: "call" },
        { from: "call", to: "done" },
      ],
    },
  ];
  for (const document of documents) {
    const revision = await definitionsOf(client).create(document);
    await definitionsOf(client).publish(document.name, revision);
  }
}

interface Hook {
  readonly path: string;
  readonly secrets: readonly string[];
}

/** Posts to a webhook. @returns whether the delivery was new. */
async function deliver(
  { url }: Installation,
  hook: Hook | undefined,
  id: string,
): Promise<boolean> {
  const response = await fetch(`${url}${hook?.path ?? ""}`, {
    method: "POST",
    body: JSON.stringify({ id }),
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      authorization: `Bearer ${hook?.secrets[0] ?? ""}`,
    },
  });
  expect(response.status).toBe(202);
  return ((await response.json()) as { readonly isNew: boolean }).isNew;
}

interface Ended {
  readonly input: Cause;
  readonly output: { readonly body: unknown; readonly captured?: unknown };
}

async function endedRuns({ client }: Installation): Promise<Ended[]> {
  const found: Ended[] = [];
  for (const workflow of ["told", "asked"]) {
    for await (const { runs } of client.runs.list({ workflow }, { withValues: true })) {
      found.push(...runs.filter(({ status }) => status === "completed").map((run) => run as Ended));
    }
  }
  return found;
}

const idsOf = (causes: readonly Cause[], from: Cause["from"]): unknown[] =>
  causes.filter((cause) => cause.from === from).map(({ id }) => id);

/** The idempotency key of a captured request. */
const keyOf = ({ headers }: { readonly headers: unknown }): unknown =>
  (headers as { readonly headers: Readonly<Record<string, string>> }).headers["idempotency-key"];

const isUnique = (ids: readonly unknown[]): boolean => new Set(ids).size === ids.length;

it("does nothing while held, captures requests as a sandbox, and sends them once it is live", async () => {
  const folder = makeFolder();
  const cluster = await startPostgres({ dataDir: join(folder, "source") });
  onTestFinished(() => cluster.stop({ mode: "immediate" }));
  const url = await cluster.createDatabase("shop");
  await migrate(url);
  const { url: target, received } = await openTarget();

  const source = await install(url);
  await publishBoth(source.client, target);
  await source.client.topics.publish(TOPIC, { id: 1 });
  const [hook] = await definitionsOf(source.client).hooks("told");
  expect(await deliver(source, hook, "a")).toBe(true);
  const { runId } = await definitionsOf(source.client).start("asked", { from: "person", id: 1 });
  await eventually(
    () => received,
    (sent) =>
      idsOf(sent, "topic").length === 1 &&
      idsOf(sent, "hook").length === 1 &&
      idsOf(sent, "tick").length > 1,
  );
  await source.stop();
  const sent = received.length;

  const path = join(folder, "fork");
  stopInTheEnd(path);
  const made = await forkBy([url, path]);
  const oxbow = oxbowOf(made.url);
  const fork = await install(made.url);
  const copied = (await endedRuns(fork)).length;
  await fork.client.topics.publish(TOPIC, { id: 2 });
  await fork.client.signal(runId, "go", {});
  // The schedule would have ticked in the time that a command takes.
  expect(await oxbow("fork", "status", "--json")).toMatchObject({ code: 0 });
  expect(await endedRuns(fork)).toHaveLength(copied);

  expect(await oxbow("fork", "release", "--as", "sandbox")).toMatchObject({ code: 0 });
  expect(await definitionsOf(fork.client).hooks("told")).toMatchObject([{ secrets: [] }]);
  // The source has this delivery, which came along.
  expect(await deliver(fork, hook, "a")).toBe(false);
  expect(await deliver(fork, hook, "b")).toBe(true);
  const inSandbox = await eventually(
    () => endedRuns(fork),
    (runs) => {
      const causes = runs.map(({ input }) => input);
      return (
        idsOf(causes, "topic").length === 2 &&
        idsOf(causes, "hook").length === 2 &&
        idsOf(causes, "person").length === 1 &&
        idsOf(causes, "tick").length > idsOf(received, "tick").length + 1
      );
    },
  );
  const causes = inSandbox.map(({ input }) => input);
  expect(isUnique(idsOf(causes, "tick"))).toBe(true);
  expect(received).toHaveLength(sent);
  const captured = inSandbox.filter(({ output }) => output.captured !== undefined);
  expect(captured.length).toBe(inSandbox.length - copied);
  expect(captured.find(({ input }) => input.from === "person")?.output).toMatchObject({
    status: 200,
    body: { free: 0 },
    captured: {
      method: "POST",
      url: target,
      headers: {
        "content-type": "application/json",
        "idempotency-key": `${runId}:call`,
      },
      body: { from: "person", id: 1 },
    },
  });

  const listed = await fork.client.topics.captured({ max: 1_000 });
  const requests = listed.filter(({ runId: of }) => of !== null);
  const keys = requests.map(keyOf);
  expect(isUnique(keys)).toBe(true);
  expect(keys).toEqual(
    expect.arrayContaining(captured.map(({ output }) => keyOf({ headers: output.captured }))),
  );
  expect(requests.find(({ runId: of }) => of === runId)).toMatchObject({
    url: target,
    message: { from: "person", id: 1 },
    headers: { method: "POST", headers: { "idempotency-key": `${runId}:call` } },
    topic: null,
    subscriptionId: null,
  });
  const shown = await oxbow("fork", "captures");
  expect(shown.stdout).toContain(` ${runId} `);

  expect(await oxbow("fork", "hold", "--origin", "a test")).toMatchObject({ code: 0 });
  expect(await oxbow("fork", "release", "--as", "live")).toMatchObject({ code: 0 });
  const ticks = idsOf(received, "tick").length;
  await fork.client.topics.publish(TOPIC, { id: 3 });
  await eventually(
    () => received,
    (now) => idsOf(now, "topic").length === 2 && idsOf(now, "tick").length > ticks,
  );
  expect(idsOf(received, "topic")).toEqual([1, 3]);
  expect(isUnique(idsOf(received, "tick"))).toBe(true);
  // Its request has arrived; the run ends a little later.
  const live = await eventually(
    () => endedRuns(fork),
    (runs) => runs.some(({ input }) => input.id === 3),
  );
  expect(live.find(({ input }) => input.id === 3)?.output).toMatchObject({ body: { free: 7 } });
});
