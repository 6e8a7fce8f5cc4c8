import { context, trace } from "@opentelemetry/api";
import { createWorkflowClient } from "@oxbow/sdk";
import { createWorker, jsonLogger, workflow } from "@oxbow/sdk/runtime";
import type { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { afterAll, expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { type ReceivedSpan, startOtlpReceiver } from "../helpers/otlp-receiver.ts";
import { registerTracing } from "../helpers/tracing.ts";
import { transportUrl } from "../helpers/transport.ts";
import { startWorkerProcess } from "../helpers/worker-process.ts";

const PROGRAM = new URL("../helpers/programs/traced-worker.ts", import.meta.url);

let provider: NodeTracerProvider | undefined;

const database = await createDatabase();
const url = await transportUrl(database);
const receiver = await startOtlpReceiver();

afterAll(() => provider?.shutdown());

const serve = (service: string) =>
  startWorkerProcess(PROGRAM, {
    args: [url, receiver.url],
    env: { OTEL_SERVICE_NAME: service },
  });

function makeClient() {
  const client = createWorkflowClient({ url });
  atFileEnd(() => client.close());
  return client;
}

it("stores nothing without a tracer", async () => {
  const run = await makeClient().start("untraced");
  const rows = await database.query("select trace from queue.workflow_run where run_id = $1", [
    run.runId,
  ]);
  expect(rows).toEqual([{ trace: null }]);
});

it("one trace covers start, steps on two workers, a child, a signal and time", async () => {
  provider = registerTracing(receiver.url);
  const client = makeClient();
  const first = serve("worker-1");
  await first.line(/^serving/);

  const root = trace.getTracer("test").startSpan("checkout");
  const { traceId, spanId: rootId } = root.spanContext();
  const [listener, run] = await context.with(trace.setSpan(context.active(), root), async () => {
    const heard = await client.start("traced-listener");
    return [heard, await client.start("traced-parent", heard.runId)] as const;
  });
  root.end();
  await first.line(/^naps/);
  await first.stop();

  const second = serve("worker-2");
  await second.line(/^serving/);
  await eventually(
    () => client.runs.steps(run.runId),
    (steps) => steps.some(({ name }) => name === "child"),
  );
  await context.with(trace.setSpan(context.active(), root), () => run.signal("go"));
  expect(await run.result({ timeout: "60s" })).toBe("done");
  await listener.result({ timeout: "60s" });
  await second.stop();

  const ours = await eventually(
    () => receiver.spans.filter((span) => span.traceId === traceId),
    (spans) => spans.some(({ spanId }) => spanId === rootId),
  );
  const find = (name: string, facts: Record<string, unknown>): ReceivedSpan[] =>
    ours.filter(
      (span) =>
        span.name === name &&
        Object.entries(facts).every(([key, value]) => span.attributes[key] === value),
    );
  const step = (name: string, facts: Record<string, unknown> = {}): ReceivedSpan[] =>
    find("workflow.step", { "step.name": name, run_id: run.runId, ...facts });
  const slices = find("workflow.run", { run_id: run.runId });
  const isSlice = (spanId: string | undefined): boolean =>
    slices.some((slice) => slice.spanId === spanId);

  const [start] = find("workflow.start", { run_id: run.runId });
  expect(start).toMatchObject({ parentSpanId: rootId });
  expect(new Set(slices.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([start?.spanId]));
  expect(slices.map(({ attributes }) => attributes["status"])).toContain("suspended");
  expect(slices.at(-1)?.attributes).toMatchObject({
    "workflow.name": "traced-parent",
    "workflow.version": 1,
    status: "completed",
  });

  const [failed, ...tried] = step("flaky");
  expect(failed).toMatchObject({ isError: true, events: ["exception"], service: "worker-1" });
  expect(failed?.attributes).toMatchObject({ "step.attempt": 1, "step.kind": "run" });
  expect(tried).toMatchObject([{ isError: false }]);
  expect(tried[0]?.attributes["step.attempt"]).toBe(2);
  expect(find("app.query", {})).toMatchObject([{ parentSpanId: tried[0]?.spanId }]);

  const [nap] = step("nap");
  expect(nap?.attributes["step.kind"]).toBe("sleep");
  const after = step("after");
  expect(after).toMatchObject([{ service: "worker-2" }]);
  // The time of a sleep runs from its call. Its span begins once that is durable, so it may be shorter.
  expect((after[0]?.startedAt ?? 0) - (tried[0]?.endedAt ?? 0)).toBeGreaterThanOrEqual(1_500);
  expect(nap?.startedAt).toBeGreaterThanOrEqual(tried[0]?.endedAt ?? Infinity);
  expect(after[0]?.startedAt).toBeGreaterThanOrEqual(nap?.endedAt ?? Infinity);
  expect(step("go", { "step.kind": "wait" })).toHaveLength(1);
  for (const name of ["flaky", "nap", "after", "go"]) {
    for (const { parentSpanId } of step(name)) expect(isSlice(parentSpanId)).toBe(true);
  }

  const invoked = step("child", { "step.kind": "invoke" });
  const childSlices = find("workflow.run", { "workflow.name": "traced-child" });
  expect(childSlices).toHaveLength(1);
  expect(invoked.map(({ spanId }) => spanId)).toContain(childSlices[0]?.parentSpanId);
  expect(find("workflow.step", { "step.name": "work" })).toMatchObject([
    { parentSpanId: childSlices[0]?.spanId },
  ]);

  expect(find("workflow.signal", { event: "go" })).toMatchObject([
    { parentSpanId: rootId, attributes: { run_id: run.runId, "workflow.name": "traced-parent" } },
  ]);
  const [told] = find("workflow.signal", { event: "news" });
  expect(told?.attributes["run_id"]).toBe(listener.runId);
  expect(isSlice(told?.parentSpanId)).toBe(true);
  expect(find("workflow.run", { run_id: listener.runId }).length).toBeGreaterThan(0);
});

it("a run that was started by SQL is in one separate trace", async () => {
  const napper = workflow({
    name: "traced-napper",
    run: async (ctx) => {
      await ctx.step.run("before", () => 1);
      await ctx.step.sleep("nap", 500);
      await ctx.step.run("after", () => 2);
    },
  });
  const [started] = await database.query<{ run_id: string }>(
    "select run_id from queue.workflow_start('traced-napper')",
  );
  const runId = started?.run_id ?? "";
  await using worker = createWorker({ url, workflows: [napper] });
  expect(worker).toBeDefined();
  await (await makeClient().runs.handle("traced-napper", runId)).result({ timeout: "60s" });
  const slices = await eventually(
    () =>
      receiver.spans.filter(
        ({ name, attributes }) => name === "workflow.run" && attributes["run_id"] === runId,
      ),
    (spans) => spans.some(({ attributes }) => attributes["status"] === "completed"),
  );
  expect(new Set(slices.map(({ traceId }) => traceId)).size).toBe(1);
  expect(slices.length).toBeGreaterThan(1);
});

it("a message of a topic takes its trace along to the run that it starts", async () => {
  const client = makeClient();
  await client.topics.subscribe("order.*", { workflow: "traced-order" });
  const root = trace.getTracer("test").startSpan("publish");
  await context.with(trace.setSpan(context.active(), root), () =>
    client.topics.publish("order.paid", { id: 1 }),
  );
  root.end();
  const { traceId, spanId } = root.spanContext();
  const rows = await database.query(
    "select trace from queue.workflow_run where workflow_name = 'traced-order'",
  );
  expect(rows).toEqual([{ trace: { traceparent: `00-${traceId}-${spanId}-01` } }]);
});

it("log lines say which run, step and trace they are about", async () => {
  const lines: Record<string, unknown>[] = [];
  const logger = jsonLogger({
    write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  const chatty = workflow({
    name: "chatty",
    run: async (ctx) => {
      ctx.logger.info("begin");
      await ctx.step.run("talk", () => ctx.logger.info("within", { n: 1 }));
      throw new Error("it fails");
    },
  });
  await using worker = createWorker({ url, workflows: [chatty], logger });
  expect(worker).toBeDefined();
  const client = makeClient();
  const root = trace.getTracer("test").startSpan("log");
  const { runId } = await context.with(trace.setSpan(context.active(), root), () =>
    client.start(chatty, undefined),
  );
  root.end();
  await eventually(
    () => lines,
    (found) => found.length >= 3,
  );
  const { traceId } = root.spanContext();
  const facts = { workflow: "chatty", runId, traceId };
  expect(lines).toMatchObject([
    { ...facts, level: "info", message: "begin" },
    { ...facts, level: "info", message: "within", step: "talk", attempt: 1, n: 1 },
    { ...facts, level: "error", message: "oxbow: the run failed", error: { message: "it fails" } },
  ]);
  expect(lines[0]?.["spanId"]).not.toBe(lines[1]?.["spanId"]);
});
