/** Runs that a server pushes to functions: executed there, in as few requests as possible, wherever they are served. */
import { createWorkflowClient } from "@oxbow/sdk";
import { createHandler, toNodeHandler } from "@oxbow/sdk/http";
import { workflow, type Workflow } from "@oxbow/sdk/runtime";
import { describe, expect, it } from "vitest";
import {
  addEndpoint,
  listen,
  readEndpoint,
  registerEndpoint,
  SIGNING_KEY,
  startFunction,
} from "../helpers/endpoints.ts";
import { eventually } from "../helpers/eventually.ts";
import { createFleet, routesAt } from "../helpers/fleet.ts";
import { Latch } from "../helpers/latch.ts";
import { startTestServer } from "../helpers/server.ts";
import { startWorkerProcess } from "../helpers/worker-process.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const bench = await setupWorkflows();
const server = await startTestServer(bench.database, { signingKeys: [SIGNING_KEY] });

const fiveSteps = workflow({
  name: "five-steps",
  run: async (ctx, base: number) => {
    let sum = base;
    for (let step = 1; step <= 5; step += 1) {
      const before = sum;
      sum = await ctx.step.run(`add-${step}`, () => before + step);
    }
    return sum;
  },
});

it.concurrent("executes all steps of a run in one request, and sends no request while nothing is ready", async () => {
  const made = await startFunction([fiveSteps]);
  await registerEndpoint(bench.database, made.url);
  const run = await bench.client.start(fiveSteps, 100);
  expect(await run.result()).toBe(115);
  expect(made.requests).toEqual({ PUT: 1, POST: 1 });
  const row = await readEndpoint(bench.database, made.url);
  expect(row).toMatchObject({ serves: { "five-steps": [1] }, max_duration_ms: 20_000 });
  expect(await bench.violations()).toEqual([]);
});

it.concurrent("registers what the endpoint serves for starts by name, as workers do", async () => {
  const named = workflow({ name: "by-name", retention: "9d", run: () => Promise.resolve("done") });
  const made = await startFunction([named]);
  await registerEndpoint(bench.database, made.url);
  const { body } = await server.get("/v1/workflows/by-name/versions");
  expect(body).toMatchObject({ versions: [{ version: 1, retentionDays: 9 }] });
});

it.concurrent("serves workflows whose names are those of members of every object", async () => {
  const named = workflow({ name: "constructor", run: () => Promise.resolve("done") });
  const made = await startFunction([named]);
  const row = await registerEndpoint(bench.database, made.url);
  expect(Object.entries(row.serves)).toEqual([["constructor", [1]]]);
  const run = await bench.client.start(named, undefined);
  expect(await run.result()).toBe("done");
});

it.concurrent("is not done by a server over shards, to which functions can't commit", async () => {
  const { databases, shards } = await createFleet();
  const given = { url: undefined, signingKeys: [SIGNING_KEY] };
  const over = await startTestServer({ url: "" }, { ...given, shards });
  await startTestServer(databases.a, { signingKeys: [SIGNING_KEY] });
  const made = await startFunction([fiveSteps]);
  await registerEndpoint(databases.a, made.url);
  await using client = createWorkflowClient({ shards });
  const [route] = await routesAt(databases.a, "a");
  for (let base = 1; base <= 20; base += 1) {
    const run = await client.start(fiveSteps, base, { route });
    expect(await run.result()).toBe(base + 15);
  }
  expect(made.requests).toEqual({ PUT: 1, POST: 20 });
  expect((await over.get("/metrics")).body).not.toMatch(/^oxbow_pushes_total\{/m);
});

describe("a run that waits", () => {
  it.concurrent("leaves the function, and comes back by a signal, a timer and a child run", async () => {
    const child = workflow({
      name: "pushed-child",
      run: async (ctx, of: string) => ctx.step.run("work", () => `child of ${of}`),
    });
    const parent = workflow({
      name: "pushed-parent",
      run: async (ctx) => {
        const approval = await ctx.step.waitForEvent("approved");
        await ctx.step.sleep("pause", 300);
        return ctx.step.invoke("child", child, String(approval));
      },
    });
    const made = await startFunction([parent, child]);
    await registerEndpoint(bench.database, made.url);
    const run = await bench.client.start(parent, undefined);
    await eventually(
      () => bench.client.runs.get(parent.name, run.runId),
      (state) => state?.activity === "waiting",
    );
    await bench.client.signal(run.runId, "approved", "Ada");
    expect(await run.result()).toBe("child of Ada");
  });

  it.concurrent("a step that fails is retried as on a worker, and a failure ends the run", async () => {
    let calls = 0;
    const failing = workflow({
      name: "pushed-failing",
      run: async (ctx) => {
        await ctx.step.run(
          "break",
          () => {
            calls += 1;
            throw new Error(`attempt ${calls}`);
          },
          { retry: { attempts: 2, backoff: { base: "10ms" } } },
        );
      },
    });
    const made = await startFunction([failing]);
    await registerEndpoint(bench.database, made.url);
    const run = await bench.client.start(failing, undefined);
    await expect(run.result()).rejects.toThrow("attempt 2");
    expect(calls).toBe(2);
  });
});

it.concurrent("each version goes to the newest endpoint that serves it", async () => {
  const versioned = (version: number, by: string) =>
    workflow({ name: "deployed", version, run: async (ctx) => ctx.step.run("say", () => by) });
  const old = await startFunction([versioned(1, "old")]);
  await registerEndpoint(bench.database, old.url);
  const first = await bench.client.start(versioned(1, ""), undefined);
  expect(await first.result()).toBe("old");
  const both = await startFunction([versioned(2, "new")]);
  await registerEndpoint(bench.database, both.url);
  const results = await Promise.all(
    [1, 2].map(async (version) =>
      (await bench.client.start(versioned(version, ""), undefined)).result(),
    ),
  );
  expect(results).toEqual(["old", "new"]);
  const newest = await startFunction([versioned(1, "newest")]);
  await registerEndpoint(bench.database, newest.url);
  await eventually(
    async () => (await bench.client.start(versioned(1, ""), undefined)).result(),
    (result) => result === "newest",
  );
});

it.concurrent.each([
  ["through-server", () => ({})],
  ["to-database", () => ({ url: bench.database.url })],
])(
  "shows a step that takes long while it is executed, if the function commits %s",
  async (way, options) => {
    const latch = new Latch();
    const slow = workflow({
      name: `slow-${way}`,
      run: async (ctx) => {
        await ctx.step.run("quick", () => 1);
        return ctx.step.run("slow", latch.pass);
      },
    });
    const made = await startFunction([slow], options());
    await registerEndpoint(bench.database, made.url);
    const run = await bench.client.start(slow, undefined);
    const { inProgress } = await eventually(
      () => bench.client.runs.find(run.runId),
      (state) => state.inProgress.length > 0,
    );
    expect(inProgress).toMatchObject([{ step: "slow", attempt: 1, worker: "a function" }]);
    latch.open();
    await run.result();
    expect(made.requests).toEqual({ PUT: 1, POST: 1 });
  },
);

it.concurrent("a journal that is too large for a request is read by pages", async () => {
  const large = workflow({
    name: "large-journal",
    run: async (ctx) => {
      const parts: string[] = [];
      for (let part = 1; part <= 6; part += 1) {
        parts.push(await ctx.step.run(`part-${part}`, () => String(part).repeat(400_000)));
      }
      await ctx.step.waitForEvent("go");
      return parts.map((part) => part.length).reduce((sum, length) => sum + length, 0);
    },
  });
  const made = await startFunction([large]);
  await registerEndpoint(bench.database, made.url);
  const run = await bench.client.start(large, undefined);
  await eventually(
    () => bench.client.runs.get(large.name, run.runId),
    (state) => state?.activity === "waiting",
  );
  await bench.client.signal(run.runId, "go", {});
  expect(await run.result()).toBe(2_400_000);
});

describe("the time of a request", () => {
  it.concurrent("ends before a step that is too long: the run is given back with the reason", async () => {
    let calls = 0;
    let finish = (): void => {};
    const done = new Promise<string>((resolve) => {
      finish = () => resolve("done");
    });
    const long = workflow({
      name: "too-long",
      run: async (ctx) => {
        await ctx.step.run("short", () => 1);
        return ctx.step.run("long", async () => {
          calls += 1;
          return calls === 1 ? new Promise<string>(() => {}) : done;
        });
      },
    });
    const made = await startFunction([long], { maxDuration: "2s" });
    await registerEndpoint(bench.database, made.url);
    const run = await bench.client.start(long, undefined);
    await eventually(
      () => calls,
      (count) => count === 2,
    );
    // The second request executes it, and the first has given the reason.
    const { body } = await server.get(`/v1/runs/${run.runId}/explain`);
    expect(JSON.stringify(body)).toContain(
      "a request has 2 s, and these steps were not done then: long",
    );
    finish();
    expect(await run.result()).toBe("done");
    expect(calls).toBe(2);
  });
});

it.concurrent("an endpoint that was away gets its runs once a check that was asked for succeeds", async () => {
  const repaired = workflow({
    name: "repaired",
    run: (ctx) => ctx.step.run("work", () => "done"),
  });
  const handler = toNodeHandler(
    createHandler({ workflows: [repaired], signingKey: SIGNING_KEY, logger: false }),
  );
  let isAway = false;
  const made = await listen((request, response) => {
    if (isAway) response.writeHead(404).end();
    else void handler(request, response);
  });
  const { endpoint_id: id } = await registerEndpoint(bench.database, made.url);
  isAway = true;
  const run = await bench.client.start(repaired, undefined);
  // After one second, two, and four: the next try is eight away.
  await eventually(
    () => made.requests["PUT"],
    (count) => count === 4,
    { withinMs: 30_000 },
  );
  isAway = false;
  await bench.client.endpoints.sync(id);
  expect(await run.result()).toBe("done");
  expect(made.requests["PUT"]).toBe(5);
});

it.concurrent("a run that was refused waits a minute at most, and its reason has no secrets of the url", async () => {
  const refused = workflow({ name: "refused", run: (ctx) => ctx.step.run("work", () => 1) });
  const listener = toNodeHandler(
    createHandler({ workflows: [refused], signingKey: SIGNING_KEY, logger: false }),
  );
  const made = await listen((request, response) => {
    if (request.method === "POST") response.writeHead(429, { "retry-after": "86400" }).end();
    else void listener(request, response);
  });
  const secret = made.url.replace("http://", "http://user:hunter2@");
  await registerEndpoint(bench.database, `${secret}?bypass=hunter3`);
  const run = await bench.client.start(refused, undefined);
  const explained = await eventually(
    async () => JSON.stringify((await server.get(`/v1/runs/${run.runId}/explain`)).body),
    (text) => text.includes("status 429"),
  );
  expect(explained).toContain(`${made.url.replace("http://", "http://user:***@")}: status 429`);
  expect(explained).not.toMatch(/hunter/);
  const rows = await bench.database.query<{ seconds: number }>(
    "select extract(epoch from visible_at - now())::float8 as seconds from queue.workflow_continuation where msg_id = $1",
    [run.runId],
  );
  expect(rows[0]?.seconds).toBeGreaterThan(30);
  expect(rows[0]?.seconds).toBeLessThanOrEqual(60);
});

it.concurrent.each([
  ["a platform", {}],
  ["the function itself", { "oxbow-protocol": "1" }],
])(
  "a run whose request is too large for %s waits, and holds back no other",
  async (by, headers) => {
    const large = workflow({
      name: `large-for-${by.replaceAll(" ", "-")}`,
      run: (_ctx, text: string) => Promise.resolve(text.length),
    });
    const listener = toNodeHandler(
      createHandler({ workflows: [large], signingKey: SIGNING_KEY, logger: false }),
    );
    const made = await listen((request, response) => {
      if (Number(request.headers["content-length"]) < 5_000) {
        void listener(request, response);
        return;
      }
      request.resume();
      request.on(
        "end",
        () => void response.writeHead(413, headers).end("FUNCTION_PAYLOAD_TOO_LARGE"),
      );
    });
    await registerEndpoint(bench.database, made.url);
    const run = await bench.client.start(large, "x".repeat(5_000));
    const waited = (least: number): Promise<number> =>
      eventually(
        async () => {
          const [row] = await bench.database.query<{ seconds: number }>(
            "select extract(epoch from visible_at - now())::float8 as seconds from queue.workflow_continuation where msg_id = $1",
            [run.runId],
          );
          return row?.seconds ?? 0;
        },
        (seconds) => seconds > least,
      );
    // Its lease lasts for 30 seconds.
    expect(await waited(31)).toBeLessThanOrEqual(60);
    const { body } = await server.get(`/v1/runs/${run.runId}/explain`);
    expect(JSON.stringify(body)).toMatch(/status 413: .* The request has 5\d{3} bytes\./);
    const small = await bench.client.start(large, "x");
    expect(await small.result()).toBe(1);
    expect(made.requests).toEqual({ PUT: 1, POST: 2 });
    expect(await readEndpoint(bench.database, made.url)).toMatchObject({ last_error: null });
    await bench.database.query(
      "update queue.workflow_run set started_at = now() - interval '1 day' where run_id = $1",
      [run.runId],
    );
    await bench.database.query(
      "update queue.workflow_continuation set visible_at = now() where msg_id = $1",
      [run.runId],
    );
    // Each wait is as long as the run has existed, up to ten minutes.
    expect(await waited(61)).toBeLessThanOrEqual(600);
    await run.cancel();
  },
);

it.concurrent("a run with the largest input is executed by a function", async () => {
  const largest = workflow({
    name: "largest-input",
    run: (_ctx, text: string) => Promise.resolve(text.length),
  });
  const made = await startFunction([largest]);
  await registerEndpoint(bench.database, made.url);
  const length = 16 * 1024 * 1024 - 2;
  const run = await bench.client.start(largest, "x".repeat(length));
  expect(await run.result()).toBe(length);
});

it.concurrent("an endpoint that refuses many runs is asked once what it serves", async () => {
  const made = (workflows: readonly Workflow[]) =>
    toNodeHandler(createHandler({ workflows, signingKey: SIGNING_KEY, logger: false }));
  const removed = workflow({ name: "removed", run: () => Promise.resolve() });
  const [before, after] = [made([removed]), made([fiveSteps])];
  let isDeployed = false;
  const endpoint = await listen((request, response) => {
    if (!isDeployed) void before(request, response);
    else if (request.method === "POST") void after(request, response);
    else response.writeHead(200, { "oxbow-protocol": "1" }).end("{}");
  });
  await registerEndpoint(bench.database, endpoint.url);
  isDeployed = true;
  await Promise.all(Array.from({ length: 40 }, () => bench.client.start(removed, undefined)));
  // The answer is invalid, so it is away: asked again after one second, and after two.
  const { PUT, POST } = await eventually(
    () => endpoint.requests,
    (requests) => (requests["PUT"] ?? 0) >= 4,
  );
  expect(PUT).toBeLessThan(8);
  // Each run at most once.
  expect(POST).toBeLessThanOrEqual(40);
});

it.concurrent("a rejection after the end of its run leaves the process alive", async () => {
  const made = startWorkerProcess(
    new URL("../helpers/programs/straying-function.ts", import.meta.url),
    { env: { OXBOW_SIGNING_KEY: SIGNING_KEY } },
  );
  const line = await made.line(/^at /);
  await registerEndpoint(bench.database, line.replace("at ", ""));
  for (const afterMs of [0, 200]) {
    const run = await bench.client.start("pushed-strays", afterMs);
    expect(await run.result()).toBe("done");
    await made.line(new RegExp(`which has left this worker: .*lost after ${afterMs} ms`));
  }
});

describe("an endpoint where no handler answers", () => {
  it.concurrent.each([
    ["a page", 200, "text/html", "<!DOCTYPE html>\n<title>Sign in</title>"],
    ["no page", 404, "text/html", "<!DOCTYPE html>\n<title>Not found</title>"],
    ["a redirect", 307, "text/plain", ""],
  ])("%s: the error quotes it and has the path to give", async (_, status, type, text) => {
    const made = await listen((_request, response) => {
      response
        .writeHead(status, { "content-type": type, location: "/login?key=hunter2" })
        .end(text);
    });
    await addEndpoint(bench.database, made.url);
    const { last_error } = await eventually(
      () => readEndpoint(bench.database, made.url),
      (row) => row.last_error !== null,
    );
    expect(last_error).toMatch(
      status === 307
        ? /status 307: redirects are not followed. Register the url that it leads to, \/login\.$/
        : new RegExp(`status ${status}: "<!DOCTYPE html>".* /api/oxbow`),
    );
  });

  it.concurrent("no valid url: the error has one to add", async () => {
    const url = "http://localhost:99999/api";
    await addEndpoint(bench.database, url);
    const { last_error } = await eventually(
      () => readEndpoint(bench.database, url),
      (row) => row.last_error !== null,
    );
    expect(last_error).toContain("add one such as https://example.org/api/oxbow");
  });

  it.concurrent("another key: the error has the variable to set", async () => {
    const made = await startFunction([fiveSteps], { signingKey: "x".repeat(32) });
    await addEndpoint(bench.database, made.url);
    const { last_error } = await eventually(
      () => readEndpoint(bench.database, made.url),
      (row) => row.last_error !== null,
    );
    expect(last_error).toContain("Set OXBOW_SIGNING_KEY to the same key");
  });
});
