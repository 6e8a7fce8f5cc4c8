/** Starts over REST: the header Idempotency-Key, and starts that wait for the end of their run. */
import { workflow } from "@oxbow/sdk/runtime";
import { describe, expect, it } from "vitest";
import { startTestServer, type Answer } from "../helpers/server.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const add = workflow({
  name: "add",
  run: (ctx, { a, b }: { a: number; b: number }) => ctx.step.run("sum", () => a + b),
});
const breaks = workflow({
  name: "breaks",
  run: (ctx) =>
    ctx.step.run(
      "break",
      () => {
        throw new Error("no such customer");
      },
      { retry: { attempts: 1 } },
    ),
});
const waits = workflow({ name: "waits", run: (ctx) => ctx.step.waitForEvent("go") });

const bench = await setupWorkflows();
bench.serve([add, breaks, waits]);
const server = await startTestServer(bench.database, { secrets: "make:produce look:read all" });

const start = (
  path: string,
  { body = {}, key, token = "make" }: { body?: object; key?: string; token?: string } = {},
): Promise<Answer> =>
  server.request("POST", `/v1/workflows/${path}`, {
    token,
    body,
    ...(key === undefined ? {} : { headers: { "idempotency-key": key } }),
  });

describe("Idempotency-Key", () => {
  it("is the idempotency key of a start, quoted or not, and the same as the one in the body", async () => {
    const first = await start("waits/runs", { key: "order-1" });
    expect(first).toMatchObject({ status: 201, body: { created: true } });
    const { runId } = first.body;
    for (const again of [
      await start("waits/runs", { key: '"order-1"' }),
      await start("waits/runs", { body: { idempotencyKey: "order-1" } }),
      await start("waits/runs", { key: "order-1", body: { idempotencyKey: "order-1" } }),
    ]) {
      expect(again).toMatchObject({ status: 200, body: { runId, created: false } });
    }
  });

  it("that differs from the key in the body, is empty or too long is refused", async () => {
    for (const [key, body] of [
      ["a", { idempotencyKey: "b" }],
      ['""', {}],
      ["x".repeat(513), {}],
    ] as const) {
      expect(await start("waits/runs", { key, body })).toMatchObject({
        status: 400,
        body: { code: "INVALID_REQUEST" },
      });
    }
  });

  it("is the deduplication id of a signal and of a FIFO message", async () => {
    await server.request("POST", "/v1/queues", {
      token: "all",
      body: { name: "orders", fifo: true },
    });
    const headers = { "idempotency-key": "once" };
    const send = () =>
      server.request("POST", "/v1/queues/orders/messages", {
        token: "make",
        headers,
        body: { message: 1, messageGroupId: "g" },
      });
    expect((await send()).body).toEqual((await send()).body);

    const { runId } = (await start("waits/runs")).body;
    const signal = (event: string) =>
      server.request("POST", `/v1/runs/${runId}/signals/${event}`, {
        token: "make",
        headers,
        body: {},
      });
    expect((await signal("other")).status).toBe(200);
    expect(await signal("other?deduplicationId=twice")).toMatchObject({
      status: 400,
      body: { code: "INVALID_REQUEST" },
    });
    const stats = await server.request("GET", "/v1/queues/orders", { token: "look" });
    expect(stats.body).toMatchObject({ visible: 1 });
  });
});

describe("a start that waits", () => {
  it("answers with the output, to a token that may only produce", async () => {
    const { status, body } = await start("add/runs?wait=30s", { body: { input: { a: 1, b: 2 } } });
    expect([status, body]).toMatchObject([201, { created: true, status: "completed", output: 3 }]);
    const read = await server.request("GET", `/v1/runs/${body.runId}`, { token: "make" });
    expect(read.status).toBe(403);
  });

  it("answers with the error of a run that fails", async () => {
    const { body } = await start("breaks/runs?wait=30s");
    expect(body).toMatchObject({ status: "failed", error: { code: "STEP_FAILED" } });
  });

  it("answers without an outcome when the time is over, and keeps waiting when it is repeated", async () => {
    const given = { key: "long", body: { input: null } };
    const first = await start("waits/runs?wait=50ms", given);
    expect([first.status, first.body]).toEqual([
      201,
      { runId: expect.any(String), created: true, status: "running" },
    ]);
    const again = start("waits/runs?wait=30s", given);
    await server.request("POST", `/v1/runs/${first.body.runId}/signals/go`, {
      token: "make",
      body: { ok: true },
    });
    expect(await again).toMatchObject({
      status: 200,
      body: { runId: first.body.runId, created: false, status: "completed", output: { ok: true } },
    });
  });

  it("reveals nothing about the run of another client with the same key", async () => {
    const own = await start("add/runs?wait=30s", { key: "42", body: { input: { a: 40, b: 2 } } });
    expect(own.body).toMatchObject({ output: 42 });
    const guessed = await start("add/runs?wait=30s", {
      key: "42",
      body: { input: { a: 0, b: 0 } },
    });
    expect(guessed.body).toEqual({
      runId: own.body.runId,
      created: false,
      status: "completed",
    });
  });
});
