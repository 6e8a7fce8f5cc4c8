import { setTimeout as delay } from "node:timers/promises";
import { workflow } from "@oxbow/sdk/runtime";
import { describe, expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { collectGarbage } from "../helpers/garbage.ts";
import { startTestServer } from "../helpers/server.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const greet = workflow({
  name: "greet",
  run: async (ctx, { name }: { name: string }) => {
    const greeting = await ctx.step.run("compose", () => `Hello ${name}`);
    const mark = await ctx.step.waitForEvent("go");
    ctx.set("seen", mark);
    return { greeting, mark };
  },
});

const failing = workflow({
  name: "failing",
  run: (ctx) =>
    ctx.step.run(
      "break",
      () => {
        throw new Error("no");
      },
      { retry: { attempts: 1 } },
    ),
});

const bench = await setupWorkflows();
bench.serve([greet, failing]);
const server = await startTestServer(bench.database);

const ADA = { input: { name: "Ada" } };

const start = async (body: object = ADA): Promise<string> => {
  const { body: started } = await server.post("/v1/workflows/greet/runs", body);
  return started.runId as string;
};

const untilWaiting = (runId: string) =>
  eventually(
    () => server.get(`/v1/workflows/greet/runs/${runId}`),
    ({ body }) => body.activity === "waiting",
  );

describe("a run", () => {
  it("answers every long poll at its time, however often garbage is collected", async () => {
    const runId = await start();
    await untilWaiting(runId);
    const polls = Array.from({ length: 20 }, () =>
      server.get(`/v1/workflows/greet/runs/${runId}?wait=1s`),
    );
    const answers = Promise.all(polls);
    // The first may come before the polls have begun; each would end those for good whose timer it takes.
    for (let n = 0; n < 3; n += 1) {
      await delay(300);
      collectGarbage();
    }
    expect((await answers).map(({ body }) => body.status)).toEqual(polls.map(() => "running"));
  });

  it("is started, signalled, waited for and shown with its journal", async () => {
    const started = await server.post("/v1/workflows/greet/runs", {
      input: { name: "Ada" },
      idempotencyKey: "ada",
      tags: { tier: "gold" },
    });
    expect(started).toMatchObject({ status: 201, body: { created: true, status: "running" } });
    const { runId } = started.body;
    expect(await server.post("/v1/workflows/greet/runs", { idempotencyKey: "ada" })).toMatchObject({
      status: 200,
      body: { runId, created: false },
    });

    await untilWaiting(runId);
    const waiting = server.get(`/v1/workflows/greet/runs/${runId}?wait=20s`);
    expect(
      await server.post(`/v1/workflows/greet/runs/${runId}/signals/go`, { by: "hand" }),
    ).toMatchObject({ status: 200, body: { outcome: "delivered" } });
    expect(await waiting).toMatchObject({
      status: 200,
      body: {
        runId,
        name: "greet",
        status: "completed",
        activity: null,
        input: { name: "Ada" },
        output: { greeting: "Hello Ada", mark: { by: "hand" } },
        tags: { tier: "gold" },
      },
    });
    const { body } = await server.get(`/v1/workflows/greet/runs/${runId}/steps`);
    expect(body).toMatchObject({
      after: null,
      steps: [
        { position: 1, name: "compose", kind: "run", attempts: 1, output: "Hello Ada" },
        { position: 2, name: "go", kind: "wait", output: { by: "hand" } },
      ],
    });
    expect((await server.get(`/v1/workflows/greet/runs/${runId}/state`)).body).toEqual({
      state: { seen: { by: "hand" } },
    });
  });

  it("is shown as it is when the wait ends before the run", async () => {
    const runId = await start();
    const { body } = await server.get(`/v1/workflows/greet/runs/${runId}?wait=0.2`);
    expect(body).toMatchObject({ status: "running" });
  });

  it("is cancelled, once", async () => {
    const runId = await start();
    const cancel = () =>
      server.request("DELETE", `/v1/workflows/greet/runs/${runId}?reason=enough`);
    expect(await cancel()).toMatchObject({ status: 200, body: { cancelled: true } });
    expect(await cancel()).toMatchObject({ status: 200, body: { cancelled: false } });
    expect((await server.get(`/v1/workflows/greet/runs/${runId}`)).body).toMatchObject({
      status: "cancelled",
      error: { message: "enough" },
    });
  });

  it("is paused, resumed, retried and rerun", async () => {
    const runId = await start();
    await untilWaiting(runId);
    const path = `/v1/workflows/greet/runs/${runId}`;
    expect((await server.post(`${path}/pause?reason=later`)).body).toEqual({ changed: true });
    expect((await server.get(path)).body).toMatchObject({
      activity: "paused",
      pauseReason: "later",
    });
    expect((await server.post(`${path}/resume`)).body).toEqual({ changed: true });
    expect((await server.post(`${path}/retry`)).body).toEqual({ changed: false });
    const rerun = await server.post(`${path}/rerun`, {
      fromStep: "compose",
      input: { name: "Bob" },
    });
    expect(rerun.status).toBe(201);
    await untilWaiting(rerun.body.runId);
    expect((await server.get(`/v1/workflows/greet/runs/${rerun.body.runId}`)).body).toMatchObject({
      rerunOf: runId,
      input: { name: "Bob" },
    });
  });

  it("is not found under the name of another workflow", async () => {
    const runId = await start();
    expect(await server.get(`/v1/workflows/failing/runs/${runId}`)).toMatchObject({
      status: 404,
      body: { code: "RUN_NOT_FOUND", title: "Not found" },
    });
    expect(await server.post(`/v1/workflows/greet/runs/999999999/signals/go`, {})).toMatchObject({
      status: 404,
    });
  });

  it("starts later with a delay, and fails at its deadline", async () => {
    const { body } = await server.post("/v1/workflows/greet/runs", {
      input: { name: "Eve" },
      delay: "1h",
      deadline: "2999-01-01T00:00:00Z",
      retentionDays: 3,
    });
    expect((await server.get(`/v1/workflows/greet/runs/${body.runId}`)).body).toMatchObject({
      activity: "delayed",
      deadline: "2999-01-01T00:00:00.000Z",
    });
  });
});

describe("the list", () => {
  it("goes through all runs in pages that later starts don't move", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.unshift(await start({ input: { name: "page", n } }));
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page: {
        body: { runs: { runId: string; cursor: string }[]; cursor: string | null };
      } = await server.get(
        `/v1/workflows/greet/runs?limit=2&input.name=page${cursor === "" ? "" : `&cursor=${cursor}`}`,
      );
      seen.push(...page.body.runs.map(({ runId }) => runId));
      cursor = page.body.cursor;
      // Each run has one as well.
      expect([null, page.body.runs.at(-1)?.cursor]).toContain(cursor);
      await start({ input: { name: "page", n: 100 } });
    }
    expect(seen.filter((id) => ids.includes(id))).toEqual(ids);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it("is filtered by status, input and tags", async () => {
    const failed = (await server.post("/v1/workflows/failing/runs", { tags: { team: "a" } })).body;
    await server.get(`/v1/workflows/failing/runs/${failed.runId}?wait=20`);
    const { body } = await server.get(
      "/v1/workflows/failing/runs?status=failed,cancelled&since=2020-01-01&tags.team=a",
    );
    expect(body.runs).toMatchObject([
      { runId: failed.runId, status: "failed", error: { code: "STEP_FAILED" } },
    ]);
    const runId = await start({ input: { name: "deep", user: { id: 42 } } });
    const found = await server.get("/v1/workflows/greet/runs?input.user.id=42&status=running");
    expect(found.body.runs).toMatchObject([{ runId }]);
    expect((await server.get("/v1/workflows/greet/runs?until=2020-01-01")).body.runs).toEqual([]);
  });

  it.each([
    ["status=done", /Unknown status "done"/],
    ["since=yesterday", /since is "yesterday"/],
    ["cursor=xyz", /cursor/],
    ["limit=0", /querystring\/limit must be >= 1/],
    ["colour=red", /Unknown filter "colour"/],
    ["input..=1", /not a path/],
  ])("refuses ?%s", async (query, detail) => {
    expect(await server.get(`/v1/workflows/greet/runs?${query}`)).toMatchObject({
      status: 400,
      body: { code: "INVALID_REQUEST", detail: expect.stringMatching(detail) },
    });
  });

  it("counts the runs of each workflow by status", async () => {
    const { body } = await server.get("/v1/workflows");
    expect(body.workflows.map(({ name }: { name: string }) => name)).toEqual(["failing", "greet"]);
    expect(body.workflows[0].failed).toBeGreaterThan(0);
  });
});

describe("a start", () => {
  it.each([
    [{ inputs: 1 }, /unknown property "inputs"/],
    [{ version: 0 }, /body\/version must be >= 1/],
    [{ version: "1" }, /body\/version must be integer/],
    [{ delay: "soon" }, /duration "soon" for delay/],
    [{ deadline: "tomorrow" }, /deadline is "tomorrow"/],
    [{ idempotencyKey: "" }, /idempotencyKey/],
    [{ input: "\u0000" }, /character \\u0000/],
    ["{", /JSON/],
    [[], /body must be object/],
  ])("with %j is refused", async (body, detail) => {
    expect(await server.post("/v1/workflows/greet/runs", body)).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(detail) },
    });
  });

  it("of a workflow with a bad name is refused", async () => {
    expect(await server.post("/v1/workflows/Bad%20Name/runs", {})).toMatchObject({
      status: 400,
      body: { code: "INVALID_REQUEST" },
    });
  });

  it("that would take over a key that is in flight is a conflict on request", async () => {
    await start({ input: { name: "held" }, idempotencyKey: "held" });
    expect(
      await server.post("/v1/workflows/greet/runs", { idempotencyKey: "held", onRunning: "fail" }),
    ).toMatchObject({ status: 409, body: { code: "IDEMPOTENCY_CONFLICT" } });
  });
});
