/** Items of loops as child runs, on real workers. */
import { defineNode } from "@oxbow/declared";
import type { Document } from "@oxbow/declared/check";
import type { RunStatus } from "@oxbow/sdk";
import { describe, expect, it } from "vitest";
import { definitionsOf } from "../helpers/checked-clients.ts";
import { newDefinitionName } from "../helpers/definitions.ts";
import { eventually, isNotEmpty } from "../helpers/eventually.ts";
import { Latch } from "../helpers/latch.ts";
import { serveDefinitions } from "../helpers/served-definitions.ts";

const RESULT = { timeout: "60s" } as const;

interface Call {
  readonly runId: string;
  readonly path: string;
  readonly value: unknown;
}

/** Calls by the tag of a test. */
const calls = new Map<string, Call[]>();
const undone = new Map<string, unknown[]>();
/** Values that fail. */
const broken = new Set<unknown>();
/** Holds these values up. */
const held = new Map<unknown, Latch>();
let highest = 0;
let underWay = 0;

const work = defineNode({
  type: "test.work",
  params: { type: "object" },
  run: async ({ params, idempotencyKey }) => {
    const [runId = "", path = ""] = idempotencyKey.split(":");
    const { tag, value } = params as { tag: string; value: unknown };
    calls.set(tag, [...(calls.get(tag) ?? []), { runId, path, value }]);
    underWay += 1;
    highest = Math.max(highest, underWay);
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
    await held.get(value)?.pass();
    underWay -= 1;
    if (broken.has(value)) {
      throw Object.assign(new Error(`${String(value)} is broken`), { code: "BROKEN" });
    }
    return value;
  },
  rollback: ({ params }) => {
    const { tag, value } = params as { tag: string; value: unknown };
    undone.set(tag, [...(undone.get(tag) ?? []), value]);
  },
});

const { database, server, client } = await serveDefinitions({ nodes: [work] });
const straight = client();

async function publish(parts: Omit<Document, "format" | "name">): Promise<string> {
  const name = newDefinitionName();
  const revision = await definitionsOf(straight).create({ format: 1, name, ...parts });
  await definitionsOf(straight).publish(name, revision);
  return name;
}

async function begin(
  parts: Omit<Document, "format" | "name">,
  input?: unknown,
): Promise<{ readonly runId: string; readonly output: () => Promise<unknown> }> {
  const started = await definitionsOf(straight).start(await publish(parts), input);
  return { runId: started.runId, output: () => started.result(RESULT) };
}

const reaches = (runId: string, status: RunStatus): Promise<unknown> =>
  eventually(() => straight.runs.find(runId), { status });

const signal = (runId: string, event: string): Promise<unknown> =>
  database.query("select queue.workflow_signal($1, $2, null)", [runId, event]);

interface Row {
  readonly run_id: string;
  readonly status: string;
  readonly parent_step: string;
  readonly is_item: boolean | null;
  readonly is_test: boolean | null;
  readonly input: Record<string, unknown>;
  readonly tags: unknown;
  readonly workflow_version: number;
}

const itemsOf = (runId: string): Promise<Row[]> =>
  database.query<Row>(
    `select run_id::text, status::text, parent_step, is_item, is_test, input, tags, workflow_version
    from queue.workflow_run where parent_run_id = $1 order by parent_step`,
    [runId],
  );

const loop = (params: object, more: object = {}): Document["nodes"][string] => ({
  type: "for_each@1",
  params: { as: "runs", ...params },
  ...more,
});
const call = (tag: string, value: unknown, more: object = {}): Document["nodes"][string] => ({
  type: "test.work@1",
  params: { tag, value } as never,
  retry: { attempts: 1 },
  ...more,
});
const done = (output: unknown): Document["nodes"][string] => ({
  type: "end@1",
  params: { output } as never,
});

describe("a loop whose items are runs", () => {
  it("executes its body once for each item, in a run each, and returns results in their order", async () => {
    highest = 0;
    const { runId, output } = await begin(
      {
        nodes: {
          fetch: call("order", { factor: 10, unread: "secret" }),
          each: loop({
            items: { $path: "input.items" },
            concurrency: 3,
            collect: { $cel: "nodes.one.output * nodes.fetch.output.factor + index" },
          }),
          one: call("order", { $path: "item" }, { parent: "each" }),
          skip: call("order", -1, { parent: "each", when: "has(input.never)" }),
          done: done({ $path: "nodes.each.output" }),
        },
        edges: [
          { from: "fetch", to: "each" },
          { from: "one", to: "skip" },
          { from: "each", to: "done" },
        ],
      },
      { items: [1, 2, 3, 4, 5, 6, 7], other: "unread" },
    );
    expect(await output()).toEqual({
      results: [10, 21, 32, 43, 54, 65, 76],
      succeeded: 7,
      failed: 0,
      failures: [],
    });
    const items = await itemsOf(runId);
    expect(items.map(({ parent_step: step }) => step)).toEqual(
      [0, 1, 2, 3, 4, 5, 6].map((index) => `each.${index}`),
    );
    expect(
      items.every(({ is_item: isItem, status }) => isItem === true && status === "completed"),
    ).toBe(true);
    expect(items[2]?.input).toEqual({
      $item: "each.2",
      count: 7,
      item: 3,
      values: { input: {}, nodes: { fetch: { output: { factor: 10 } } } },
    });
    const made = calls.get("order")?.slice(1) ?? [];
    expect(new Set(made.map((one) => one.runId))).toEqual(
      new Set(items.map((item) => item.run_id)),
    );
    expect(made.map(({ path }) => path).toSorted()).toEqual(
      [0, 1, 2, 3, 4, 5, 6].map((index) => `each.${index}.one`),
    );
    expect(highest).toBeLessThanOrEqual(3);
    // One row for each item.
    const steps = await straight.runs.steps(runId);
    expect(steps.map(({ name }) => name).toSorted()).toEqual([
      ...[0, 1, 2, 3, 4, 5, 6].map((index) => `each.${index}`),
      "fetch",
    ]);
    const { nodes } = await definitionsOf(straight).progress(runId);
    expect(nodes).toMatchObject({ fetch: "succeeded", each: "succeeded", "each.6": "succeeded" });
    const own = await definitionsOf(straight).progress(items[1]?.run_id ?? "");
    expect(own.nodes).toEqual({ "each.1.one": "succeeded", "each.1.skip": "skipped" });
    // The same through a server, which finds the run of an item by its step.
    const read = async (path: string): Promise<Record<string, unknown>> => {
      const answer = await fetch(`${server.url}/v1/runs/${path}`);
      expect(answer.status).toBe(200);
      return (await answer.json()) as Record<string, unknown>;
    };
    const { children } = await read(`${runId}/children?step=each.1`);
    expect(children).toMatchObject([{ runId: items[1]?.run_id, step: "each.1" }]);
    expect((await read(`${runId}/children?step=each.7`))["children"]).toEqual([]);
    expect((await read(`${runId}/progress`))["nodes"]).toEqual({ ...nodes });
    expect((await read(`${items[1]?.run_id}/progress`))["nodes"]).toEqual({ ...own.nodes });
  });

  it("tolerates failures, which are those of the nodes, and fails as inline items do", async () => {
    broken.add("t1").add("t3");
    const document = (failures: number, as: string) => ({
      nodes: {
        each: loop({ items: ["t0", "t1", "t2", "t3"], concurrency: 1, failures, as }),
        one: call("tolerate", { $path: "item" }, { parent: "each" }),
        result: { ...done({ $path: "item" }), parent: "each" },
        done: done({ $path: "nodes.each.output" }),
        failed: done({ $path: "nodes.each.error" }),
      },
      edges: [
        { from: "one", to: "result" },
        { from: "each", to: "done" },
        { from: "each", on: "error", to: "failed" },
      ],
    });
    const outputs = [];
    for (const as of ["inline", "runs"]) {
      outputs.push([
        await (await begin(document(2, as))).output(),
        await (await begin(document(1, as))).output(),
      ]);
    }
    expect(outputs[0]?.[0]).toMatchObject({
      results: ["t0", null, "t2", null],
      failures: [
        { index: 1, error: { code: "BROKEN", message: "t1 is broken" } },
        { index: 3, error: { code: "BROKEN", message: "t3 is broken" } },
      ],
    });
    expect(outputs[1]).toEqual(outputs[0]);
  });

  it("stops other items when it fails, undoes what they did, and repeats those that failed in a retry", async () => {
    broken.add("s1");
    const failing = new Latch();
    held.set("s1", failing);
    const { runId } = await begin({
      nodes: {
        each: loop({ items: ["s0", "s1", "s2", "s3"], concurrency: 2 }),
        one: call("stop", { $path: "item" }, { parent: "each" }),
        hold: {
          type: "wait@1",
          parent: "each",
          when: "item == 's2'",
          params: { event: "go" },
        },
      },
      edges: [{ from: "one", to: "hold" }],
    });
    await eventually(
      () =>
        database.query(
          `select from queue.workflow_step as s
           join queue.workflow_run as r using (run_id)
           where r.parent_run_id = $1 and r.parent_step = 'each.2'`,
          [runId],
        ),
      isNotEmpty,
    );
    failing.open();
    await reaches(runId, "failed");
    const items = await eventually(
      () => itemsOf(runId),
      (all) => all.every(({ status }) => status !== "running"),
    );
    // s1 failed; s2 waited, and was stopped.
    expect(items.map(({ parent_step: step, status }) => [step, status])).toEqual([
      ["each.0", "completed"],
      ["each.1", "failed"],
      ["each.2", "cancelled"],
    ]);
    expect(undone.get("stop")).toEqual(["s2"]);
    broken.delete("s1");
    const before = calls.get("stop")?.length;
    expect(await straight.runs.retry(runId)).toBe(true);
    const again = await eventually(
      () => itemsOf(runId),
      (all) =>
        all.some(({ parent_step: step, status }) => step === "each.2" && status === "running"),
    );
    const waiting = again.find(({ parent_step: step }) => step === "each.2")?.run_id ?? "";
    await signal(waiting, "go");
    await reaches(runId, "completed");
    const repeated = calls
      .get("stop")
      ?.slice(before)
      .map(({ value }) => value);
    expect(repeated?.toSorted()).toEqual(["s1", "s2", "s3"]);
  });

  it("cancels its items with the run, and abandons them when the run ends without them", async () => {
    const waits = {
      each: loop({ items: [1, 2] }),
      hold: { type: "wait@1", parent: "each", params: { event: "go" } },
    };
    const running = async (runId: string): Promise<Row[]> =>
      eventually(() => itemsOf(runId), { length: 2 });
    const cancelled = await definitionsOf(straight).start(await publish({ nodes: waits }));
    await running(cancelled.runId);
    await cancelled.cancel();
    expect((await itemsOf(cancelled.runId)).map(({ status }) => status)).toEqual([
      "cancelled",
      "cancelled",
    ]);
    const ended = await definitionsOf(straight).start(
      await publish({
        nodes: {
          ...waits,
          ask: { type: "wait@1", params: { event: "enough" } },
          stop: { type: "end@1", params: { output: "early", terminate: true } },
        },
        edges: [{ from: "ask", on: "received", to: "stop" }],
      }),
    );
    await running(ended.runId);
    await signal(ended.runId, "enough");
    expect(await ended.result(RESULT)).toBe("early");
    const stopped = await eventually(
      () => itemsOf(ended.runId),
      (all) => all.every(({ status }) => status !== "running"),
    );
    expect(stopped.map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
    const { nodes } = await definitionsOf(straight).progress(ended.runId);
    expect(nodes).toMatchObject({
      stop: "succeeded",
      "each.0": "abandoned",
      "each.1": "abandoned",
    });
  });
});

describe("the items of a run", () => {
  it("may contain loops, whose items are runs as well", async () => {
    const { runId, output } = await begin(
      {
        nodes: {
          outer: loop({ items: [10, 20], collect: { $path: "nodes.inner.output.results" } }),
          inner: loop(
            {
              items: { $cel: "[item + 1, item + 2]" },
              collect: { $cel: "nodes.one.output + loops.outer.index * 1000 + input.more" },
            },
            { parent: "outer" },
          ),
          one: call("nested", { $path: "item" }, { parent: "inner" }),
          done: done({ $path: "nodes.outer.output.results" }),
        },
        edges: [{ from: "outer", to: "done" }],
      },
      { more: 100 },
    );
    expect(await output()).toEqual([
      [111, 112],
      [1121, 1122],
    ]);
    const [first] = await itemsOf(runId);
    const inner = await itemsOf(first?.run_id ?? "");
    expect(inner.map(({ parent_step: step, is_item: isItem }) => [step, isItem])).toEqual([
      ["outer.0.inner.0", true],
      ["outer.0.inner.1", true],
    ]);
    const { nodes } = await definitionsOf(straight).progress(inner[1]?.run_id ?? "");
    expect(nodes).toEqual({ "outer.0.inner.1.one": "succeeded" });
    const level = await definitionsOf(straight).progress(first?.run_id ?? "");
    expect(level.nodes).toEqual({
      "outer.0.inner": "succeeded",
      "outer.0.inner.0": "succeeded",
      "outer.0.inner.1": "succeeded",
    });
  });

  it("have the version, tags, retention and deadline of their parent, and values of the environment that it read", async () => {
    await database.query("select queue.definition_config_set('rate', '2')");
    const name = await publish({
      nodes: {
        hold: { type: "wait@1", params: { event: "go" } },
        each: loop({ items: [1, 2], collect: { $cel: "nodes.one.output * config.rate" } }),
        one: call("config", { $path: "item" }, { parent: "each" }),
        before: { type: "set@1", params: { rate: { $config: "rate" } } },
        done: done({ $path: "nodes.each.output.results" }),
      },
      edges: [
        { from: "hold", on: "received", to: "each" },
        { from: "each", to: "done" },
      ],
    });
    const run = await definitionsOf(straight).start(name, null, {
      tags: { tenant: "t1" },
      deadline: "1h",
      retention: "3d",
    });
    await eventually(
      async () => (await straight.runs.find(run.runId)).waits,
      (waits) => JSON.stringify(waits).includes("hold"),
    );
    await database.query("select queue.definition_config_set('rate', '3')");
    const { revision } = (await definitionsOf(straight).get(name)) ?? { revision: 0 };
    const next = { format: 1, name, nodes: { done: done("newer") } };
    await definitionsOf(straight).publish(name, await definitionsOf(straight).save(next, revision));
    await definitionsOf(straight).archive(name);
    await signal(run.runId, "go");
    expect(await run.result(RESULT)).toEqual([2, 4]);
    const items = await database.query(
      `select c.workflow_version, c.tags, c.retention_days, c.deadline = p.deadline as same
      from queue.workflow_run as c
      join queue.workflow_run as p on p.run_id = c.parent_run_id
      where c.parent_run_id = $1`,
      [run.runId],
    );
    const one = { workflow_version: 1, tags: { tenant: "t1" }, retention_days: 3, same: true };
    expect(items).toEqual([one, one]);
  });

  it("neither wait for the flow control of their definition, nor pause it, nor end as its runs do", async () => {
    const watching = newDefinitionName();
    const name = newDefinitionName();
    const revision = await definitionsOf(straight).create({
      format: 1,
      name: watching,
      triggers: {
        ended: { on: "run.ended", when: `event.workflow == '${name}'`, input: { $path: "event" } },
      },
      nodes: { done: done({ $path: "input.status" }) },
    });
    await definitionsOf(straight).publish(watching, revision);
    const own = await definitionsOf(straight).create({
      format: 1,
      name,
      nodes: {
        each: loop({ items: ["f1", "f2", "f3"], concurrency: 1, failures: 3 }),
        one: call("flow", { $path: "item" }, { parent: "each" }),
        done: done({ $path: "nodes.each.output.failed" }),
      },
      edges: [{ from: "each", to: "done" }],
      settings: { flowControl: { concurrency: 1 }, pauseAfterFailures: 2 },
    });
    await definitionsOf(straight).publish(name, own);
    broken.add("f1").add("f2").add("f3");
    const run = await definitionsOf(straight).start(name);
    expect(await run.result(RESULT)).toBe(3);
    expect((await definitionsOf(straight).get(name))?.pausedAt ?? null).toBeNull();
    const started = await eventually(
      () =>
        database.query("select input from queue.workflow_run where workflow_name = $1", [watching]),
      isNotEmpty,
    );
    expect(started).toHaveLength(1);
    expect(started).toMatchObject([{ input: { run_id: run.runId } }]);
  });

  it("keep the starter of their parent from approving", async () => {
    const name = await publish({
      nodes: {
        each: loop({ items: ["x"], collect: { $path: "nodes.review.output.actor" } }),
        review: {
          type: "approve@1",
          parent: "each",
          params: { title: { $text: "Ship {{ item }}?" }, excludeStarter: true },
        },
        done: done({ $path: "nodes.each.output.results" }),
      },
      edges: [{ from: "each", to: "done" }],
    });
    await database.query(
      `do $$ begin
        perform set_config('oxbow.actor', 'ann', true);
        perform queue.definition_start('${name}');
      end $$`,
    );
    const [started] = await database.query<{ id: string }>(
      "select run_id::text as id from queue.workflow_run where workflow_name = $1",
      [name],
    );
    const [asked] = await eventually(
      () =>
        database.query<{ id: string }>(
          `select a.approval_id::text as id
          from queue.approval as a
          join queue.workflow_run as r on r.run_id = a.run_id
          where r.parent_run_id = $1`,
          [started?.id],
        ),
      { length: 1 },
    );
    const decide = (actor: string): Promise<unknown> =>
      database.query("select queue.approval_decide($1, 'approved', actor => $2)", [
        asked?.id,
        actor,
      ]);
    await expect(decide("ann")).rejects.toThrow(/started the run/);
    await decide("bob");
    await reaches(started?.id ?? "", "completed");
  });

  it("fail with advice if they read or return too much", async () => {
    const large = "x".repeat(70_000);
    const failure = async (parts: Omit<Document, "format" | "name">): Promise<unknown> => {
      const { runId } = await begin(parts, { large });
      await reaches(runId, "failed");
      return (await straight.runs.find(runId)).error?.message;
    };
    expect(
      await failure({
        nodes: {
          each: loop({ items: [1, 2] }),
          one: call("large", { $path: "input.large" }, { parent: "each" }),
        },
      }),
    ).toMatch(
      /The nodes of loop "each" read \d+ bytes from outside of it, most of "input.large", and each of its 2 runs gets a copy of at most 65536: read single members/,
    );
    // Together they would have 350 MB.
    expect(
      await failure({
        nodes: {
          each: loop({ items: Array.from({ length: 5_000 }, (_, index) => index) }),
          one: call("large", { $cel: "input.large.size()" }, { parent: "each" }),
        },
      }),
    ).toMatch(/each of its 5000 runs gets a copy of at most 13421: read single members/);
    expect(
      await failure({
        nodes: {
          each: loop({
            items: { $cel: "[input.large]" },
            collect: Array.from({ length: 16 }, () => ({ $path: "nodes.one.output" })),
          }),
          one: call("large", { $path: "item" }, { parent: "each" }),
        },
      }),
    ).toMatch(
      /The result of "each.0" has \d+ bytes, and each of the 1 runs of loop "each" may return 1048576: set "collect"/,
    );
  });

  it("are repeated and migrated with their parent, and can be repeated by themselves", async () => {
    const { runId, output } = await begin({
      nodes: {
        each: loop({ items: [1, 2, 3], concurrency: 1, collect: { $path: "nodes.one.output" } }),
        one: call("again", { $path: "item" }, { parent: "each" }),
        done: done({ $path: "nodes.each.output.results" }),
      },
      edges: [{ from: "each", to: "done" }],
    });
    expect(await output()).toEqual([1, 2, 3]);
    const before = calls.get("again")?.length ?? 0;
    const { runId: rerun } = await straight.runs.rerun(runId, { fromStep: "each.1" });
    await reaches(rerun, "completed");
    expect((await straight.runs.find(rerun)).output).toEqual([1, 2, 3]);
    expect(
      calls
        .get("again")
        ?.slice(before)
        .map(({ value }) => value),
    ).toEqual([2, 3]);
    const [item] = await itemsOf(runId);
    const { runId: alone } = await straight.runs.rerun(item?.run_id ?? "");
    await reaches(alone, "completed");
    expect((await straight.runs.find(alone)).output).toBe(1);
    const { nodes } = await definitionsOf(straight).progress(alone);
    expect(nodes).toEqual({ "each.0.one": "succeeded" });
    const { name } = await straight.runs.find(runId);
    await expect(
      database.query("select queue.definition_migrate($1, $2, 1)", [name, item?.run_id]),
    ).rejects.toThrow(/is an item of a loop of run/);
  });
});

describe("a test of a loop whose items are runs", () => {
  const tested = (name: string): Document => ({
    format: 1,
    name,
    nodes: {
      each: loop({ items: [1, 2], collect: { $path: "nodes.one.output" } }),
      one: call("tested", { $path: "item" }, { parent: "each" }),
      more: { type: "set@1", parent: "each", params: { double: { $cel: "item * 2" } } },
      done: done({ $path: "nodes.each.output.results" }),
    },
    edges: [
      { from: "one", to: "more" },
      { from: "each", to: "done" },
    ],
  });

  it("takes pins in its body, is not listed, and is deleted with its items", async () => {
    const name = newDefinitionName();
    await definitionsOf(straight).create(tested(name) as never);
    const test = await definitionsOf(straight).test(name, undefined, {
      pins: { one: { output: "pinned" } },
    });
    expect(await test.result(RESULT)).toEqual(["pinned", "pinned"]);
    expect(calls.get("tested")).toBeUndefined();
    const items = await itemsOf(test.runId);
    expect(items.map(({ is_test: isTest, status }) => [isTest, status])).toEqual([
      [true, "completed"],
      [true, "completed"],
    ]);
    expect(await straight.runs.count({ workflow: name })).toBe(0);
    expect(await definitionsOf(straight).deleteTest(name, test.runId)).toBe(true);
    expect(
      await database.query("select run_id from queue.workflow_run where workflow_name = $1", [
        name,
      ]),
    ).toEqual([]);
  });

  it("ends in the body of the loop, or tests only the loop or a node of it", async () => {
    const name = newDefinitionName();
    await definitionsOf(straight).create(tested(name) as never);
    const pins = { one: { output: 5 } };
    const until = await definitionsOf(straight).test(name, undefined, { pins, until: "more" });
    expect(await until.result(RESULT)).toEqual({ double: 2 });
    const alone = await definitionsOf(straight).testNode(name, "each", { pins });
    expect(alone).toMatchObject({ handle: "out", output: { results: [5, 5], succeeded: 2 } });
    const node = await definitionsOf(straight).testNode(name, "more", { item: 21 });
    expect(node).toMatchObject({ output: { double: 42 } });
  });
});

it("leaves no broken invariant", async () => {
  expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
});
