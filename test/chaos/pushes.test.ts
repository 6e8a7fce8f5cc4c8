/**
 * Functions that are killed, frozen or cut off while servers push runs to them, and servers that are killed: no run is lost
 * or fails, no journaled step is called again, and no endpoint harms the runs of others.
 */
import { createHandler, toNodeHandler } from "@oxbow/sdk/http";
import { findFreePort } from "@oxbow/sdk/internal/testing";
import { type Workflow, workflow } from "@oxbow/sdk/runtime";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import {
  listen,
  readEndpoint,
  registerEndpoint,
  SIGNING_KEY,
  startFunction,
  type TestFunction,
} from "../helpers/endpoints.ts";
import { atLeast, eventually } from "../helpers/eventually.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { startWorkerProcess, type WorkerProcess } from "../helpers/worker-process.ts";
import { setupWorkflows, type WorkflowBench } from "../helpers/workflows.ts";

const PROGRAM = new URL("../helpers/programs/push-function.ts", import.meta.url);
const SERVER = new URL("../../server/src/main.ts", import.meta.url);

interface World extends WorkflowBench {
  readonly server: TestServer;
}

/** A database and a server for each test, since endpoints concern all runs of a workflow. */
async function setup(): Promise<World> {
  const bench = await setupWorkflows();
  const server = await startTestServer(bench.database, { signingKeys: [SIGNING_KEY] });
  return { ...bench, server };
}

async function startProcess(
  port: number,
  env: Readonly<Record<string, string>> = {},
): Promise<WorkerProcess> {
  const started = startWorkerProcess(PROGRAM, {
    env: { PORT: String(port), OXBOW_SIGNING_KEY: SIGNING_KEY, ...env },
  });
  await started.line(/^listening/);
  return started;
}

const urlOf = (ofPort: number): string => `http://127.0.0.1:${ofPort}/api/oxbow`;

/** For starts; the program has its steps. */
const paying = workflow({ name: "paying", run: (_ctx, _stepMs: number) => Promise.resolve("") });

const killing = workflow({ name: "killing", run: () => Promise.resolve() });

const calls = (...processes: readonly WorkerProcess[]): string[] =>
  processes.flatMap(({ output }) => output.filter((line) => line.startsWith("called")));

/** How often each step of a run was called. */
function counted(lines: readonly string[], runId: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const line of lines) {
    const [, of, step = ""] = line.split(" ");
    if (of === runId) counts[step] = (counts[step] ?? 0) + 1;
  }
  return counts;
}

it.concurrent("a function killed in the middle of a step: only that step is called again", async () => {
  const { client, database, violations } = await setup();
  const port = await findFreePort();
  const first = await startProcess(port);
  await registerEndpoint(database, urlOf(port));
  const run = await client.start(paying, 500);
  await first.line(/pay-3/);
  await first.kill();
  const second = await startProcess(port);
  expect(await run.result({ timeout: "90s" })).toBe("paid");
  expect(counted(calls(first, second), run.runId)).toEqual({
    "pay-1": 1,
    "pay-2": 1,
    "pay-3": 2,
    "pay-4": 1,
  });
  expect(await violations()).toEqual([]);
});

it.concurrent("a run that ends the process of its function: each death counts once that process has started", async () => {
  const { client, database } = await setup();
  const port = await findFreePort();
  const first = await startProcess(port);
  await registerEndpoint(database, urlOf(port));
  const run = await client.start(killing, undefined);
  await first.end();
  // The first has died soon after its start, so that the run is given back. It is received again when its lease would end.
  const second = await startProcess(port);
  await second.end();
  const third = await startProcess(port);
  await third.end();
  const [row] = await database.query("select read_ct from queue.workflow_continuation");
  expect(row).toEqual({ read_ct: 2 });
  const fourth = await startProcess(port);
  const innocent = await client.start(paying, 10);
  expect(await innocent.result({ timeout: "60s" })).toBe("paid");
  await run.cancel();
  await fourth.kill();
}, 200_000);

it.concurrent("a function frozen beyond its lease: what it commits is refused, and it calls nothing further", async () => {
  const { client, database } = await setup();
  const port = await findFreePort();
  const frozen = await startProcess(port, { MAX_DURATION_MS: "3000" });
  const endpoint = await registerEndpoint(database, urlOf(port));
  const run = await client.start(paying, 1_500);
  await frozen.line(/pay-1/);
  frozen.freeze();
  await database.query("select queue.endpoint_pause($1)", [endpoint.endpoint_id]);
  const otherPort = await findFreePort();
  const other = await startProcess(otherPort);
  await registerEndpoint(database, urlOf(otherPort));
  expect(await run.result({ timeout: "120s" })).toBe("paid");
  frozen.thaw();
  await delay(3_000);
  expect(counted(calls(frozen), run.runId)).toEqual({ "pay-1": 1 });
  expect(counted(calls(other), run.runId)).toEqual({
    "pay-1": 1,
    "pay-2": 1,
    "pay-3": 1,
    "pay-4": 1,
  });
});

it.concurrent("a function killed while its endpoint is being paused: the run is given back, and no death counts", async () => {
  const { client, database } = await setup();
  const port = await findFreePort();
  const made = await startProcess(port);
  const { endpoint_id: id } = await registerEndpoint(database, urlOf(port));
  // One that dies sooner has not started, which is another case.
  await delay(10_500);
  await client.start(paying, 8_000);
  await made.line(/pay-1/);
  await client.endpoints.pause(id);
  // Until the server gives it no more runs.
  await delay(2_000);
  await made.kill();
  await eventually(
    () => database.query("select read_ct from queue.workflow_continuation"),
    ([row]) => row?.["read_ct"] === 0,
  );
});

it.concurrent("a server killed while twenty requests are open: their functions finish the runs, through another server", async () => {
  const { client, database, server } = await setup();
  const port = await findFreePort();
  const made = await startProcess(port);
  const killed = startWorkerProcess(SERVER, {
    env: {
      DATABASE_URL: database.url,
      PORT: "0",
      HOST: "127.0.0.1",
      OXBOW_TOKENS: "",
      OXBOW_SIGNING_KEY: SIGNING_KEY,
      OXBOW_PUBLIC_URL: server.url,
    },
  });
  await killed.line(/^Oxbow serves/);
  await registerEndpoint(database, urlOf(port));
  const runs = await Promise.all(Array.from({ length: 20 }, () => client.start(paying, 800)));
  await eventually(() => calls(made).filter((line) => line.includes("pay-2")).length, atLeast(5));
  await killed.kill();
  for (const run of runs) expect(await run.result({ timeout: "120s" })).toBe("paid");
  for (const { runId } of runs) {
    const counts = counted(calls(made), runId);
    expect(counts).toEqual({ "pay-1": 1, "pay-2": 1, "pay-3": 1, "pay-4": 1 });
  }
});

it.concurrent("a function whose clock is an hour off executes runs like any other", async () => {
  const { client, database } = await setup();
  const port = await findFreePort();
  for (const ahead of ["3600000", "-3600000"]) {
    const made = await startProcess(port, { CLOCK_AHEAD_MS: ahead });
    await registerEndpoint(database, urlOf(port));
    const run = await client.start(paying, 1);
    expect(await run.result({ timeout: "60s" })).toBe("paid");
    await made.kill();
  }
});

interface Counting {
  readonly definition: Workflow<number, string>;
  readonly called: string[];
}

/** Counts calls of its two steps. */
function counting(name: string, stepMs = 0): Counting {
  const called: string[] = [];
  const definition = workflow({
    name,
    run: async (ctx, _input: number) => {
      for (const step of ["first", "second"]) {
        await ctx.step.run(step, async () => {
          called.push(`${ctx.runId} ${step}`);
          await delay(stepMs);
        });
      }
      return "done";
    },
  });
  return { definition, called };
}

type Answering = (request: IncomingMessage, response: ServerResponse, handle: () => void) => void;

/** A function before which something else decides about POSTs; what it asks of PUT is answered. */
function behind(definition: Workflow<number, string>, answer: Answering): Promise<TestFunction> {
  const handler = createHandler({
    workflows: [definition],
    signingKey: SIGNING_KEY,
    maxDuration: "2s",
    logger: false,
  });
  const listener = toNodeHandler(handler);
  const answering: RequestListener = (request, response) => {
    const handle = (): void => void listener(request, response);
    if (request.method === "POST") answer(request, response, handle);
    else handle();
  };
  return listen(answering);
}

it.concurrent("the answer is lost: the run is done, and nothing is called again", async () => {
  const { client, database } = await setup();
  const { definition, called } = counting("answer-lost");
  const made = await behind(definition, (request, response, handle) => {
    response.end = () => {
      request.socket.destroy();
      return response;
    };
    handle();
  });
  await registerEndpoint(database, made.url);
  const runs = await Promise.all([1, 2, 3].map((each) => client.start(definition, each)));
  for (const run of runs) expect(await run.result({ timeout: "60s" })).toBe("done");
  expect(called).toHaveLength(6);
  expect(new Set(called).size).toBe(6);
});

it.concurrent("a proxy closes the connection: the function continues, and nothing is called again", async () => {
  const { client, database } = await setup();
  const { definition, called } = counting("proxy-closes", 400);
  const made = await behind(definition, (request, _response, handle) => {
    handle();
    // The body was read by then.
    setTimeout(() => void request.socket.destroy(), 200);
  });
  await registerEndpoint(database, made.url);
  const run = await client.start(definition, 1);
  expect(await run.result({ timeout: "60s" })).toBe("done");
  expect(called).toEqual([`${run.runId} first`, `${run.runId} second`]);
});

it.concurrent.each<[string, Answering]>([
  ["hangs", () => {}],
  ["answers 500", (_request, response) => void response.writeHead(500).end("Internal error")],
  [
    "answers a page",
    (_request, response) => void response.writeHead(200).end("<!DOCTYPE html><p>Hello</p>"),
  ],
  ["redirects", (_request, response) => void response.writeHead(302, { location: "/" }).end()],
  ["ends connections", (request) => void request.socket.destroy()],
  [
    "is overloaded",
    (_request, response) => void response.writeHead(429, { "retry-after": "1" }).end(),
  ],
])(
  "an endpoint that %s: no run fails, other endpoints are not delayed, and all continues when it is well",
  async (_, sick) => {
    const { client, database } = await setup();
    const { definition, called } = counting("sick");
    const other = counting("well");
    let isSick = true;
    const made = await behind(definition, (request, response, handle) => {
      if (isSick) sick(request, response, handle);
      else handle();
    });
    const well = await startFunction([other.definition]);
    await registerEndpoint(database, made.url);
    await registerEndpoint(database, well.url);
    const runs = await Promise.all(
      Array.from({ length: 8 }, (_unused, each) => client.start(definition, each)),
    );
    await eventually(
      () => readEndpoint(database, made.url),
      ({ last_error }) => last_error !== null,
    );
    const quick = await client.start(other.definition, 1);
    expect(await quick.result({ timeout: "20s" })).toBe("done");
    isSick = false;
    for (const run of runs) expect(await run.result({ timeout: "150s" })).toBe("done");
    expect(called).toHaveLength(16);
    await eventually(() => readEndpoint(database, made.url), { last_error: null });
  },
  200_000,
);

it.concurrent("an endpoint replaced by a deployment without the workflow: its runs wait for one that has it", async () => {
  const { client, database } = await setup();
  const { definition } = counting("replaced");
  const other = counting("replacing");
  let current = definition;
  const handlers = new Map(
    [definition, other.definition].map((each) => [
      each,
      toNodeHandler(createHandler({ workflows: [each], signingKey: SIGNING_KEY, logger: false })),
    ]),
  );
  const made = await listen((request, response) => {
    void handlers.get(current)?.(request, response);
  });
  await registerEndpoint(database, made.url);
  current = other.definition;
  const run = await client.start(definition, 1);
  await eventually(
    () => readEndpoint(database, made.url),
    ({ serves }) => "replacing" in serves,
  );
  const state = await client.runs.get(definition.name, run.runId);
  expect(state.status).toBe("running");
  const back = await startFunction([definition]);
  await registerEndpoint(database, back.url);
  expect(await run.result({ timeout: "60s" })).toBe("done");
});
