import { expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { startTestServer } from "../helpers/server.ts";

const server = await startTestServer(await createDatabase());

const start = async (input: unknown): Promise<string> =>
  (await server.post("/v1/workflows/remote/runs", { input })).body.runId;

const receive = async (waitSeconds = 0) =>
  (await server.post("/v1/worker/receive", { versions: { remote: [1] }, maxRuns: 10, waitSeconds }))
    .body.deliveries;

const item = (
  delivery: { runId: string; receipt: string },
  transition: object,
  steps: object[] = [],
) => ({
  workflow: "remote",
  runId: delivery.runId,
  receipt: delivery.receipt,
  journaled: 0,
  steps,
  transition,
});

it("a worker receives a run as soon as it is started, journals its steps, and completes it", async () => {
  const waiting = receive(20);
  const runId = await start({ n: 1 });
  const [delivery] = await waiting;
  expect(delivery).toMatchObject({
    runId,
    name: "remote",
    version: 1,
    attempt: 1,
    input: { n: 1 },
    journal: [],
  });

  const step = { name: "a", kind: "run", output: "2", attempts: 1, durationMs: 1 };
  const commit = (transition: object, steps: object[] = []) =>
    server.post("/v1/worker/commit", { items: [item(delivery, transition, steps)] });
  expect((await commit({ kind: "keep" }, [step])).body).toEqual({
    results: [{ runId, receipt: delivery.receipt, outcome: "ok", resolved: [] }],
  });
  expect(
    (await server.post("/v1/worker/heartbeat", { receipts: [delivery.receipt] })).body,
  ).toEqual({
    notices: [],
  });
  expect((await commit({ kind: "complete", output: '{"done":true}' })).status).toBe(200);
  expect((await server.get(`/v1/workflows/remote/runs/${runId}`)).body).toMatchObject({
    status: "completed",
    output: { done: true },
  });
  expect(
    (await server.post("/v1/worker/heartbeat", { receipts: [delivery.receipt] })).body,
  ).toEqual({
    notices: [{ receipt: delivery.receipt, runId, outcome: "lost" }],
  });
});

it("a run that was cancelled is lost to its worker", async () => {
  const runId = await start({});
  const [delivery] = await receive();
  await server.request("DELETE", `/v1/workflows/remote/runs/${runId}`);
  const { body } = await server.post("/v1/worker/commit", {
    items: [item(delivery, { kind: "complete", output: "1" })],
  });
  expect(body.results).toMatchObject([{ outcome: "cancelled" }]);
});

it("a receive that finds nothing ends when its time is over", async () => {
  expect(await receive(0.1)).toEqual([]);
});

it.each([
  [{ items: [] }, /items/],
  [{ items: [{ workflow: "remote" }] }, /must have required property/],
  [{ items: [item({ runId: "1", receipt: "1" }, { kind: "explode" })] }, /transition/],
  [{ items: [item({ runId: "1; drop", receipt: "1" }, { kind: "keep" })] }, /runId/],
])("a commit of %j is refused", async (body, detail) => {
  expect(await server.post("/v1/worker/commit", body)).toMatchObject({
    status: 400,
    body: { detail: expect.stringMatching(detail) },
  });
});

it("output that is no JSON is refused, and writes nothing", async () => {
  const runId = await start({});
  const [delivery] = await receive();
  expect(
    await server.post("/v1/worker/commit", {
      items: [item(delivery, { kind: "complete", output: "{" })],
    }),
  ).toMatchObject({ status: 400, body: { code: "SERIALIZATION_FAILED" } });
  expect((await server.get(`/v1/workflows/remote/runs/${runId}`)).body.status).toBe("running");
});
