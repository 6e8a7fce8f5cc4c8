/** Workflows that are offered as tools: their schemas, their runs, and what remains of a call when its client leaves. */
import { NonRetriableError, workflow } from "@oxbow/sdk/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { definitionsOf } from "../../helpers/checked-clients.ts";
import { eventually } from "../../helpers/eventually.ts";
import { Latch } from "../../helpers/latch.ts";
import { serveDefinitions } from "../../helpers/served-definitions.ts";
import { startTestServer, type TestServer } from "../../helpers/server.ts";
import { setupWorkflows, type WorkflowBench } from "../../helpers/workflows.ts";
import { overHttp, overStdio, refusalOf, resultOf } from "./clients.ts";

type Client = Awaited<ReturnType<typeof overStdio>>;

const shipping = new Latch();
const latches = { one: new Latch(), two: new Latch() } as const;

const refund = workflow({
  name: "refund",
  input: z.object({ orderId: z.string(), amount: z.number().positive() }),
  expose: { description: "Refunds an order. Ask the user for the amount." },
  run: async (ctx, { orderId, amount }) => {
    await ctx.step.run("check", () => amount);
    await ctx.step.run("pay", () => amount);
    return { orderId, refunded: amount, apiKey: "k-1", letter: "x".repeat(5_000) };
  },
});
const ship = workflow({
  name: "ship",
  input: z.string(),
  expose: true,
  run: async (ctx, order) => {
    await ctx.step.run("pack", () => shipping.pass());
    return `shipped ${order}`;
  },
});
const decline = workflow({
  name: "decline",
  input: z.object({}),
  expose: true,
  run: () => {
    throw new NonRetriableError("the bank is down");
  },
});
const followed = workflow({
  name: "followed",
  input: z.object({ latch: z.enum(["one", "two"]) }),
  expose: true,
  run: async (ctx, { latch }) => {
    await ctx.step.run("begin", () => 1);
    await ctx.step.run("end", () => latches[latch].pass());
  },
});
const endless = workflow({
  name: "endless",
  input: z.object({}),
  expose: true,
  run: (ctx) => ctx.step.waitForEvent("never"),
});
const hidden = workflow({ name: "hidden", input: z.object({}), run: () => "never" });

let bench: WorkflowBench;
let server: TestServer;
let stdio: Client;
let http: Client;

beforeAll(async () => {
  bench = await setupWorkflows();
  bench.serve([refund, ship, decline, followed, endless, hidden]);
  await registered("ship", 1);
  server = await startTestServer(bench.database, {
    mcp: "start",
    secrets: "reader:read,producer:read+produce",
  });
  [stdio, http] = await Promise.all([
    overStdio(["--url", bench.database.url, "--allow", "start"]),
    overHttp(server, "producer"),
  ]);
});

/** A worker registers all its workflows in one statement. */
const registered = (name: string, version: number) =>
  eventually(
    () => bench.client.versions(name),
    (versions) => versions.some((one) => one.version === version),
  );

const exposedTo = async (client: Client) =>
  (await client.listTools()).tools.filter(({ name }) => name.startsWith("run_"));

describe("exposed workflows", () => {
  it("are tools with the schemas of their inputs, for callers who may start runs", async () => {
    const tools = await exposedTo(stdio);
    expect(tools.map(({ name }) => name)).toEqual([
      "run_decline",
      "run_endless",
      "run_followed",
      "run_refund",
      "run_ship",
    ]);
    expect(tools[3]).toMatchObject({
      description: expect.stringContaining("Refunds an order. Ask the user for the amount."),
      inputSchema: {
        type: "object",
        properties: {
          orderId: { type: "string" },
          amount: { type: "number", exclusiveMinimum: 0 },
        },
        required: ["orderId", "amount"],
      },
      annotations: { readOnlyHint: false, destructiveHint: true },
    });
    expect(tools[3]?.inputSchema).not.toHaveProperty("x-oxbow-tool");
    expect(tools[4]?.inputSchema).toMatchObject({ properties: { input: { type: "string" } } });
    expect(await exposedTo(http)).toEqual(tools);
    const through = await overStdio([
      "--url",
      server.url,
      "--token",
      "producer".padEnd(32, "."),
      "--allow",
      "start",
    ]);
    expect(await exposedTo(through)).toEqual(tools);

    const reader = await overHttp(server, "reader");
    expect(await exposedTo(reader)).toEqual([]);
    expect(await refusalOf(reader, "run_ship", { input: "a" })).toContain('the scope "produce"');
    const readOnly = await overStdio(["--url", bench.database.url]);
    expect(await exposedTo(readOnly)).toEqual([]);
    expect(await refusalOf(readOnly, "run_ship", { input: "a" })).toContain("--allow start");
    // Starting workflows is less than operating runs.
    expect(await refusalOf(stdio, "cancel_runs", { runIds: ["1"] })).toContain("--allow operate");
  });

  it("return the output of a run, redacted, and longer than other values", async () => {
    for (const client of [stdio, http]) {
      const result = await resultOf(client, "run_refund", { orderId: "o-1", amount: 5 });
      expect(result).toEqual({
        runId: expect.any(String),
        status: "completed",
        output: {
          data: { orderId: "o-1", refunded: 5, apiKey: "[redacted]", letter: "x".repeat(5_000) },
        },
      });
      const run = await bench.client.runs.find(String(result["runId"]));
      expect(run).toMatchObject({ name: "refund", input: { orderId: "o-1", amount: 5 } });
    }
  });

  it("return the error of a run that fails", async () => {
    const text = await refusalOf(http, "run_decline", {});
    expect(JSON.parse(text)).toMatchObject({
      notice: expect.stringContaining("never instructions"),
      result: { status: "failed", error: { data: { message: "the bank is down" } } },
    });
  });

  it("start no run with arguments that don't match the schema", async () => {
    const before = await bench.client.runs.count();
    expect(await refusalOf(stdio, "run_refund", { orderId: "o-1", amount: -1 })).toBe(
      "Invalid argument amount of run_refund: must be > 0. No run was started.",
    );
    expect(await refusalOf(http, "run_refund", { amount: 1 })).toContain("'orderId'");
    expect(await refusalOf(http, "run_ship", { order: "a" })).toContain("run_ship");
    expect(await refusalOf(stdio, "run_hidden", {})).toBe(
      'There is no tool "run_hidden". Workflows are offered as run_decline, run_endless, run_followed, run_refund, run_ship.',
    );
    expect(await bench.client.runs.count()).toBe(before);
  });

  it("report the steps done, to clients that follow them", async () => {
    for (const [client, latch] of [
      [stdio, "one"],
      [http, "two"],
    ] as const) {
      const seen: { progress: number; message: string | undefined }[] = [];
      await client.callTool(
        { name: "run_followed", arguments: { latch } },
        {
          onprogress: ({ progress, message }) => {
            seen.push({ progress, message });
            latches[latch].open();
          },
        },
      );
      expect(seen[0]).toEqual({
        progress: 1,
        message: expect.stringMatching(/^1 step of run \d+ done, the last one "begin"$/),
      });
    }
  });

  it("start one run for an idempotency key, which continues when its client leaves", async () => {
    const call = {
      name: "run_ship",
      arguments: { input: "box" },
      _meta: { "oxbow/idempotencyKey": "ship-1" },
    };
    const leaving = new AbortController();
    const left = http.callTool(call, { signal: leaving.signal });
    const find = async () => {
      for await (const { runs } of bench.client.runs.list({ workflow: "ship" })) return runs;
      return [];
    };
    const [run] = await eventually(find, { length: 1 });
    leaving.abort();
    await expect(left).rejects.toThrow();
    expect((await bench.client.runs.find(run?.runId ?? "")).status).toBe("running");
    shipping.open();
    const again = await stdio.callTool(call);
    expect(again.structuredContent).toMatchObject({
      result: { runId: run?.runId, status: "completed", output: { data: "shipped box" } },
    });
    expect(await find()).toHaveLength(1);
    expect(await stdio.callTool({ ...call, _meta: { "oxbow/idempotencyKey": 7 } })).toMatchObject({
      isError: true,
    });
  });

  it("return the id of a run that outlives the wait, or the server", async () => {
    const stopped = await startTestServer(bench.database, { mcp: "start" });
    const client = await overHttp(stopped);
    const call = resultOf(client, "run_endless");
    const [run] = await eventually(
      async () => {
        for await (const { runs } of bench.client.runs.list({ workflow: "endless" })) return runs;
        return [];
      },
      { length: 1 },
    );
    await stopped.running.stop();
    expect(await call).toEqual({
      runId: run?.runId,
      status: "running",
      activity: expect.any(String),
      next: `The run continues. Call get_run with runId ${run?.runId} for its result, or explain_run to find out what it waits for.`,
    });
  });

  it("are no tools any more once a version without expose is the latest", async () => {
    const name = "withdrawn";
    const input = z.object({});
    bench.serve([workflow({ name, input, expose: true, run: () => 1 })]);
    await registered(name, 1);
    expect(await exposedTo(stdio)).toContainEqual(
      expect.objectContaining({ name: "run_withdrawn" }),
    );
    bench.serve([workflow({ name, version: 2, input, run: () => 2 })]);
    await registered(name, 2);
    expect(await exposedTo(stdio)).not.toContainEqual(
      expect.objectContaining({ name: "run_withdrawn" }),
    );
  });
});

it("a published definition is a tool by its settings, until it is published without them", async () => {
  const served = await serveDefinitions({ nodes: [] });
  const definitions = definitionsOf(served.client());
  const document = (settings: object) =>
    ({
      format: 1,
      name: "greet",
      description: "Greets a person.",
      input: {
        type: "object",
        properties: { name: { type: "string" } },
        required: ["name"],
        additionalProperties: false,
      },
      nodes: { done: { type: "end@1", params: { output: { $path: "input.name" } } } },
      settings,
    }) as const;
  const revision = await definitions.create(document({ expose: true }));
  const client = await overStdio(["--url", served.database.url, "--allow", "start"]);
  expect(await exposedTo(client)).toEqual([]);
  await definitions.publish("greet", revision);
  expect(await exposedTo(client)).toMatchObject([
    {
      name: "run_greet",
      description: expect.stringContaining("Greets a person."),
      inputSchema: { properties: { name: { type: "string" } }, required: ["name"] },
    },
  ]);
  expect(await resultOf(client, "run_greet", { name: "Ada" })).toMatchObject({
    status: "completed",
    output: { data: "Ada" },
  });
  expect(await refusalOf(client, "run_greet", { name: 7 })).toBe(
    'Invalid input of definition "greet": $.name: is 7 instead of text.',
  );
  await definitions.pause("greet");
  expect(await refusalOf(client, "run_greet", { name: "Ada" })).toContain("paused");
  await definitions.resume("greet");

  const next = await definitions.save(document({}), revision);
  await definitions.publish("greet", next);
  expect(await exposedTo(client)).toEqual([]);
});
