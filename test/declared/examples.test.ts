/** The two documents that the design was made for, on a real worker and a real database. */
import { setTimeout as sleep } from "node:timers/promises";
import { defineNode, type Document, takeHandle, workflowOf } from "@oxbow/declared";
import { readDocument } from "@oxbow/declared/check";
import { NonRetriableError, workflow } from "@oxbow/sdk/runtime";
import { describe, expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const RESULT = { timeout: "60s" } as const;
const OBJECT = { type: "object" } as const;

const bench = await setupWorkflows();

/** Documents come as JSON, and are read like those of users. */
function read(value: unknown): Document {
  const { document, problems } = readDocument(value);
  if (document === undefined) throw new Error(JSON.stringify(problems));
  return document;
}

describe("paging for major incidents", () => {
  const escalation = (name: string): Document =>
    read({
      format: 1,
      name,
      nodes: {
        tell: {
          type: "slack.post@1",
          onError: "continue",
          fallback: null,
          retry: { attempts: 1 },
          params: {
            channel: { $path: "input.incident.channel" },
            text: { $text: "Severity is {{input.incident.severity.name}}, paging." },
          },
        },
        page: {
          type: "pagerduty.escalate@1",
          retry: { attempts: 10, backoff: { base: 1, jitter: 0 } },
          params: {
            policy: { $resource: { type: "EscalationPolicy", id: "P7X" } },
            title: { $path: "input.incident.name" },
            key: { $secret: "pagerduty" },
          },
        },
      },
      edges: [{ from: "tell", to: "page" }],
    });
  const incident = { name: "Checkout is down", channel: "#inc-1", severity: { name: "Major" } };

  it("posts, and pages with a secret that the journal doesn't have", async () => {
    const posts: unknown[] = [];
    const keys: string[] = [];
    const slackPost = defineNode({
      type: "slack.post",
      params: OBJECT,
      run: ({ params }) => posts.push(params),
    });
    const escalate = defineNode({
      type: "pagerduty.escalate",
      params: { type: "object", required: ["policy", "title"] },
      run: async ({ params, secret, idempotencyKey }) => {
        const { key } = params as { readonly key: string };
        const opened = await secret(key);
        keys.push(idempotencyKey);
        if (keys.length < 3) throw new Error(`refused ${opened}`);
        return { policy: params, echo: `key=${opened}` };
      },
    });
    const definition = workflowOf(escalation("page-on-major"), {
      nodes: [slackPost, escalate],
      secrets: { get: (name) => (name === "pagerduty" ? "pd-3k9x7q2m" : undefined) },
    });
    bench.serve([definition]);
    const run = await bench.client.start(definition, { incident });
    expect(await run.result(RESULT)).toBeNull();
    expect(posts).toEqual([{ channel: "#inc-1", text: "Severity is Major, paging." }]);
    expect(new Set(keys)).toEqual(new Set([`${run.runId}:page`]));
    const steps = await bench.client.runs.steps(run.runId);
    expect(steps).toMatchObject([
      { name: "tell" },
      { name: "page", attempts: 3, output: { echo: "key=[secret pagerduty]" } },
    ]);
    expect(JSON.stringify(steps)).not.toContain("pd-3k9x7q2m");
  });

  it("pages although the post failed, and fails with the error of the page", async () => {
    const broken = defineNode({
      type: "slack.post",
      params: OBJECT,
      run: () => {
        throw new Error("no such channel");
      },
    });
    const escalate = defineNode({
      type: "pagerduty.escalate",
      params: { type: "object", required: ["urgency"] },
      run: () => "paged",
    });
    const definition = workflowOf(escalation("page-anyway"), { nodes: [broken, escalate] });
    bench.serve([definition]);
    const run = await bench.client.start(definition, { incident });
    await expect(run.result(RESULT)).rejects.toThrow(
      `Node "page" failed: Invalid parameters of node "page": $ must have required property 'urgency'.`,
    );
    expect(await bench.client.runs.steps(run.runId)).toMatchObject([
      { name: "tell", attempts: 1, error: { message: "no such channel" } },
      { name: "page", attempts: 1 },
    ]);
  });
});

describe("fulfillment of an order", () => {
  const document = (name: string): Document =>
    read({
      format: 1,
      name,
      nodes: {
        stock: {
          type: "http.request@7",
          params: { url: { $text: "https://stock.example/{{input.id}}" } },
        },
        fraud: {
          type: "fraud.score@1",
          retry: { attempts: 1 },
          params: { order: { $path: "input" } },
        },
        review: { type: "review@1", params: { title: "Fraud check is down. Ship?" } },
        go: {
          type: "branch@1",
          join: { count: 2 },
          params: {
            cases: [
              {
                id: "ship",
                when: "nodes.stock.output.body.free > 0 && (!has(nodes.fraud.output) || nodes.fraud.output.score < 0.8)",
              },
            ],
          },
        },
        pack: {
          type: "for_each@1",
          params: {
            items: { $path: "input.lines" },
            concurrency: 5,
            collect: { $path: "nodes.reserve.output.bin" },
          },
        },
        reserve: {
          parent: "pack",
          type: "stock.reserve@1",
          params: { sku: { $path: "item.sku" } },
          rollback: {
            type: "stock.release@1",
            params: { bin: { $path: "nodes.reserve.output.bin" } },
          },
        },
        hold: {
          type: "delay@1",
          params: { until: { $cel: "timestamp(input.ship_after) - duration('1h')" } },
        },
        ship: {
          type: "run@1",
          params: {
            workflow: "ship-order",
            input: { bins: { $path: "nodes.pack.output.results" } },
          },
        },
        done: { type: "end@1", params: { output: { $path: "nodes.ship.output" } } },
        refuse: { type: "end@1", params: { output: { refused: true } } },
      },
      edges: [
        { from: "stock", to: "go" },
        { from: "fraud", to: "go" },
        { from: "fraud", on: "error", to: "review" },
        { from: "review", on: "approved", to: "go" },
        { from: "review", on: "rejected", to: "refuse" },
        { from: "review", on: "timeout", to: "refuse" },
        { from: "go", on: "ship", to: "pack" },
        { from: "go", on: "else", to: "refuse" },
        { from: "pack", to: "hold" },
        { from: "hold", to: "ship" },
        { from: "ship", to: "done" },
      ],
    });

  const shipOrder = workflow({
    name: "ship-order",
    run: (ctx, { bins }: { bins: readonly string[] }) => {
      if (bins.includes("bin-lost")) throw new Error("a bin is lost");
      return ctx.step.run("send", () => ({ shipped: bins }));
    },
  });

  const released: unknown[] = [];
  const nodes = (score: number | undefined, answer: string) => [
    defineNode({
      type: "http.request",
      version: 7,
      params: OBJECT,
      run: ({ params }) => ({ body: { free: 3, asked: params } }),
    }),
    defineNode({
      type: "fraud.score",
      params: OBJECT,
      run: async () => {
        await sleep(5);
        if (score === undefined) throw new Error("the fraud check is down");
        return { score };
      },
    }),
    defineNode({
      type: "review",
      params: OBJECT,
      handles: ["approved", "rejected", "timeout"],
      run: () => takeHandle(answer, { why: "known customer" }),
    }),
    defineNode({
      type: "stock.reserve",
      params: OBJECT,
      run: ({ params }) => ({ bin: `bin-${(params as { readonly sku: string }).sku}` }),
    }),
    defineNode({
      type: "stock.release",
      params: OBJECT,
      run: ({ params }) => released.push(params),
    }),
  ];
  const order = (...skus: readonly string[]): unknown => ({
    id: 7,
    ship_after: "2026-01-01T00:00:00Z",
    lines: skus.map((sku) => ({ sku })),
  });

  it.each([
    ["ships with a good score", 0.1, "rejected", { shipped: ["bin-a", "bin-b"] }],
    ["refuses with a bad one", 0.9, "approved", { refused: true }],
    ["ships when a person approves", undefined, "approved", { shipped: ["bin-a", "bin-b"] }],
    ["refuses when nobody does", undefined, "timeout", { refused: true }],
  ])("%s", async (title, score, answer, output) => {
    const definition = workflowOf(document(title.replaceAll(" ", "-")), {
      nodes: nodes(score, answer),
    });
    bench.serve([definition, shipOrder]);
    const run = await bench.client.start(definition, order("a", "b"));
    expect(await run.result(RESULT)).toEqual(output);
    expect(await bench.violations()).toEqual([]);
  });

  it("journals a step for each node with an effect, and a decision for each choice", async () => {
    const definition = workflowOf(document("journal"), { nodes: nodes(0.1, "approved") });
    bench.serve([definition, shipOrder]);
    const run = await bench.client.start(definition, order("a", "b"));
    await run.result(RESULT);
    const steps = await bench.client.runs.steps(run.runId);
    const names = steps.map(({ name }) => name);
    expect(new Set(names.slice(0, 2))).toEqual(new Set(["stock", "fraud"]));
    expect(new Set(names.slice(2, 4))).toEqual(new Set(["pack.0.reserve", "pack.1.reserve"]));
    expect(steps.flatMap(({ decisions = [] }) => decisions)).toMatchObject([
      { name: "go", output: { value: { handles: ["ship"] } } },
      { name: "pack", output: { value: { count: 2, concurrency: 5 } } },
    ]);
    expect(steps.slice(4)).toMatchObject([
      { name: "hold", kind: "sleep" },
      { name: "ship", kind: "invoke" },
    ]);
  });

  it("rolls back what it reserved when shipping fails, the last first", async () => {
    const definition = workflowOf(document("rollback"), { nodes: nodes(0.1, "approved") });
    bench.serve([definition, shipOrder]);
    const run = await bench.client.start(definition, order("a", "lost"));
    await expect(run.result(RESULT)).rejects.toThrow('Node "ship" failed: a bin is lost');
    await eventually(() => released.length, 2);
    expect(new Set(released.map((each) => JSON.stringify(each)))).toEqual(
      new Set(['{"bin":"bin-lost"}', '{"bin":"bin-a"}']),
    );
  });

  it("rolls back by its type a node whose parameters read the time", async () => {
    const undone: unknown[] = [];
    const hold = defineNode({
      type: "payment.hold",
      params: OBJECT,
      run: ({ params }) => params,
      rollback: ({ params, output }) => void undone.push([params, output]),
    });
    const decline = defineNode({
      type: "payment.decline",
      params: OBJECT,
      run: () => {
        throw new NonRetriableError("declined");
      },
    });
    const definition = workflowOf(
      read({
        format: 1,
        name: "hold-until",
        nodes: {
          hold: { type: "payment.hold@1", params: { until: { $cel: "now + duration('1h')" } } },
          decline: { type: "payment.decline@1", params: {} },
        },
        edges: [{ from: "hold", to: "decline" }],
      }),
      { nodes: [hold, decline] },
    );
    bench.serve([definition]);
    const run = await bench.client.start(definition);
    await expect(run.result(RESULT)).rejects.toThrow("declined");
    const until = { until: expect.any(String) as string };
    expect(undone).toEqual([[until, until]]);
  });

  it("refuses a document whose node types the worker doesn't know", () => {
    expect(() => workflowOf(document("unknown"))).toThrow(
      'Node "stock" is of type http.request@7, which this worker doesn\'t know',
    );
  });
});
