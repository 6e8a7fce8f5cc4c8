import { spawnSync } from "node:child_process";
import { createWorkflowClient } from "@oxbow/sdk";
import { connect } from "@oxbow/sdk/internal/server";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import { describe, expect, it } from "vitest";
import { Metrics } from "../../server/src/telemetry/metrics.ts";
import { Scrape } from "../../server/src/telemetry/scrape.ts";
import { createDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { startOtlpReceiver } from "../helpers/otlp-receiver.ts";
import { startTestServer } from "../helpers/server.ts";
import { startWorkerProcess } from "../helpers/worker-process.ts";

const MAIN = new URL("../../server/src/main.ts", import.meta.url);
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";
const traceparent = `00-${TRACE}-${PARENT}-01`;

const called = new Set<string>();
const metered = workflow({
  name: "metered",
  retry: { attempts: 3, backoff: { kind: "fixed", base: 1 } },
  run: async (ctx, shouldFail: boolean) => {
    await ctx.step.run("flaky", () => {
      if (called.has(ctx.runId)) return;
      called.add(ctx.runId);
      throw new Error("it fails at first");
    });
    if (shouldFail) throw new Error("it fails");
  },
});

const database = await createDatabase();
const server = await startTestServer(database);

const scrape = async (): Promise<string> => (await fetch(`${server.url}/metrics`)).text();

/** The value of a series, written as in the text. */
const valueOf = (text: string, series: string): number | undefined => {
  const line = text.split("\n").find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
};

describe("metrics", () => {
  it("miss a queue that is dropped while they are read, and nothing else", async () => {
    await using client = createWorkflowClient({ url: database.url });
    await client.queues.create("kept");
    await client.queues.create("dropped");
    const transport = connect({ url: database.url });
    const list = transport.queues.list.bind(transport.queues);
    transport.queues.list = async () => {
      const found = await list();
      await client.queues.drop("dropped");
      return found;
    };
    const text = await new Scrape(new Metrics(), transport).render();
    await transport.close();
    expect(valueOf(text, "oxbow_database_up")).toBe(1);
    expect(valueOf(text, 'queue_messages{queue="kept",state="visible"}')).toBe(0);
    expect(text).not.toContain('queue="dropped"');
  });

  it("count runs, steps, retries and signals, whichever worker executed them", async () => {
    // It begins to count.
    await scrape();
    await using worker = createWorker({ url: database.url, workflows: [metered] });
    expect(worker).toBeDefined();
    await using client = createWorkflowClient({ url: database.url });
    const runs = await Promise.all([true, false].map((fails) => client.start(metered, fails)));
    await Promise.allSettled(runs.map((run) => run.result({ timeout: "60s" })));
    const [run] = runs;
    await server.post(`/v1/workflows/metered/runs/${run?.runId}/signals/late`, {});

    const text = await eventually(
      scrape,
      // A sample that is five seconds old may contain only one of the two.
      (found) => valueOf(found, 'workflow_run_duration_seconds_count{workflow="metered"}') === 2,
    );
    const value = (series: string): number | undefined => valueOf(text, series);
    expect(value('workflow_runs_started_total{workflow="metered"}')).toBe(2);
    expect(value('workflow_runs_completed_total{workflow="metered",status="completed"}')).toBe(1);
    expect(value('workflow_runs_completed_total{workflow="metered",status="failed"}')).toBe(1);
    expect(value('workflow_runs_in_flight{workflow="metered"}')).toBe(0);
    expect(value('workflow_run_duration_seconds_count{workflow="metered"}')).toBe(2);
    expect(value('workflow_run_duration_seconds_bucket{workflow="metered",le="+Inf"}')).toBe(2);
    expect(value('workflow_run_duration_seconds_sum{workflow="metered"}')).toBeGreaterThan(0);
    expect(value('workflow_step_duration_seconds_count{workflow="metered",step="flaky"}')).toBe(2);
    expect(value('workflow_step_retries_total{workflow="metered",step="flaky"}')).toBe(2);
    expect(value('workflow_signals_total{workflow="metered",event="late"}')).toBe(1);
    expect(text).toContain("# TYPE workflow_retention_swept_total counter");
  });

  it("keep the rules of Prometheus", async () => {
    const text = await scrape();
    expect(brokenRules(text)).toEqual([]);
  });

  it("pass promtool", async ({ skip }) => {
    const { error, status, stderr, stdout } = spawnSync("promtool", ["check", "metrics"], {
      input: await scrape(),
      encoding: "utf8",
    });
    if (error !== undefined) skip("promtool is not installed");
    expect(`${stdout}${stderr}`).toBe("");
    expect(status).toBe(0);
  });
});

it("readiness shows the schema, and which run has waited longest for a worker", async () => {
  expect((await server.get("/readyz")).body).toMatchObject({ status: "ready" });
  await database.query("select queue.workflow_start('unserved')");
  const { body } = await server.get("/readyz");
  const [installed] = await database.query<{ version: string }>(
    "select queue.version() as version",
  );
  expect(body).toMatchObject({
    schema: installed?.version,
    oldestReadyRun: { workflow: "unserved" },
  });
  expect(body.oldestReadyRun.ageSeconds).toBeGreaterThanOrEqual(0);
  const age = valueOf(await scrape(), 'workflow_oldest_ready_run_age_seconds{workflow="unserved"}');
  expect(age).toBeGreaterThan(0);
});

describe("traces", () => {
  const traceOf = async (runId: string): Promise<unknown> => {
    const [row] = await database.query("select trace from queue.workflow_run where run_id = $1", [
      runId,
    ]);
    return row?.["trace"];
  };

  it.each([
    ["a run", "/v1/workflows/traced/runs", {}],
    ["a batch", "/v1/workflows/traced/runs/batch", { runs: [{}] }],
    [
      "a signal with a start",
      "/v1/workflows/traced/runs/signal-with-start",
      { run: { idempotencyKey: "k" }, event: "go" },
    ],
  ])("a request that starts %s hands its trace on", async (_what, path, body) => {
    const headers = { traceparent, tracestate: "vendor=1" };
    const answer = await server.request("POST", path, { body, headers });
    const [runId] = [answer.body.runId ?? answer.body.runs[0].runId] as [string];
    expect(await traceOf(runId)).toEqual(headers);
  });

  it("a header that makes no sense starts an untraced run", async () => {
    const answer = await server.request("POST", "/v1/workflows/traced/runs", {
      body: {},
      headers: { traceparent: "00-nonsense" },
    });
    expect(await traceOf(answer.body.runId)).toBeNull();
  });

  it("a message of a topic takes the trace of its request to its queue", async () => {
    await server.request("POST", "/v1/queues", { body: { name: "traced-orders" } });
    await server.post("/v1/topics/order.paid/subscriptions", {
      type: "queue",
      target: "traced-orders",
    });
    await server.request("POST", "/v1/topics/order.paid/messages", {
      body: { message: {} },
      headers: { traceparent },
    });
    const [message] = await database.query("select headers from queue.receive('traced-orders', 1)");
    expect(message?.["headers"]).toMatchObject({ traceparent });
  });

  it.each([
    ["OTLP_ENDPOINT", { OTLP_ENABLED: "true" }],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", { OTEL_SERVICE_NAME: "front" }],
  ])(
    "the command sends spans to the target in %s",
    async (variable, env) => {
      const receiver = await startOtlpReceiver();
      const main = startWorkerProcess(MAIN, {
        env: { DATABASE_URL: database.url, PORT: "0", [variable]: receiver.url, ...env },
      });
      const [url] = /http:\S+/.exec(await main.line(/^Oxbow serves/)) ?? [];
      const post = async (path: string): Promise<{ runId: string }> =>
        (await (
          await fetch(`${url}${path}`, {
            method: "POST",
            headers: { traceparent, "content-type": "application/json" },
            body: "{}",
          })
        ).json()) as { runId: string };
      const { runId } = await post("/v1/workflows/traced/runs");
      await post(`/v1/workflows/traced/runs/${runId}/signals/go`);
      // Remaining spans are sent before the process ends.
      await main.stop();
      expect(receiver.spans).toMatchObject([
        { name: "workflow.start", traceId: TRACE, parentSpanId: PARENT },
        {
          name: "workflow.signal",
          traceId: TRACE,
          parentSpanId: PARENT,
          service: "OTEL_SERVICE_NAME" in env ? "front" : "oxbow-server",
          attributes: { "workflow.name": "traced", run_id: runId, event: "go" },
        },
      ]);
      const start = receiver.spans[0]?.spanId;
      expect(await traceOf(runId)).toEqual({ traceparent: `00-${TRACE}-${start}-01` });
    },
    40_000,
  );

  it("the command refuses an invalid address, by name", async () => {
    const main = startWorkerProcess(MAIN, {
      env: { DATABASE_URL: database.url, PORT: "0", OTLP_ENDPOINT: "localhost:4318" },
    });
    await main.line(/oxbow-server: Invalid OTLP_ENDPOINT "localhost:4318": give a url/);
    expect(await main.end()).toMatchObject({ code: 1 });
  });
});

/** The checks of `promtool check metrics`, for machines that lack it. */
function brokenRules(text: string): string[] {
  const metrics = new Map<string, { help?: string; type?: string }>();
  const broken: string[] = [];
  const series = new Set<string>();
  for (const line of text.split("\n")) {
    const [, what = "", name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (what !== "") {
      const known = metrics.get(name) ?? {};
      metrics.set(name, { ...known, [what.toLowerCase()]: rest });
    } else if (line !== "") {
      const key = line.slice(0, line.lastIndexOf(" "));
      if (series.has(key)) broken.push(`${key} is there twice`);
      series.add(key);
      const sample = /^\w+/.exec(line)?.[0] ?? "";
      const base = sample.replace(/_(bucket|sum|count)$/, "");
      if (!metrics.has(sample) && !metrics.has(base)) broken.push(`${sample} has no TYPE`);
    }
  }
  for (const [name, { help = "", type = "" }] of metrics) {
    if (help === "") broken.push(`${name} has no HELP`);
    if (!/^[a-z][a-z0-9_]*$/.test(name)) broken.push(`${name} isn't in snake case`);
    if ((type === "counter") !== name.endsWith("_total")) broken.push(`${name} is a ${type}`);
    if (/_(ms|milliseconds|minutes|hours|kb|mb)(_total)?$/.test(name)) {
      broken.push(`${name} has a unit that is no base unit`);
    }
  }
  return broken;
}
