/** Cancellations, retries and lists of runs whose loops have items as runs. */
import { defineNode } from "@oxbow/declared";
import type { Document } from "@oxbow/declared/check";
import type { RunStatus } from "@oxbow/sdk";
import { describe, expect, it } from "vitest";
import { definitionsOf } from "../helpers/checked-clients.ts";
import { newDefinitionName } from "../helpers/definitions.ts";
import { eventually, including } from "../helpers/eventually.ts";
import { serveDefinitions } from "../helpers/served-definitions.ts";

const RESULT = { timeout: "60s" } as const;

/** Values with which the node was called, by tag. */
const calls = new Map<string, unknown[]>();
const broken = new Set<unknown>();

const work = defineNode({
  type: "test.work",
  params: { type: "object" },
  run: ({ params }) => {
    const { tag, value } = params as { tag: string; value: unknown };
    calls.set(tag, [...(calls.get(tag) ?? []), value]);
    if (broken.has(value)) {
      throw Object.assign(new Error(`${String(value)} is broken`), { code: "BROKEN" });
    }
    return value;
  },
});

const { database, client } = await serveDefinitions({ nodes: [work] });
const straight = client();

async function publish(parts: Omit<Document, "format" | "name">): Promise<string> {
  const name = newDefinitionName();
  const revision = await definitionsOf(straight).create({ format: 1, name, ...parts });
  await definitionsOf(straight).publish(name, revision);
  return name;
}

const reaches = (runId: string, status: RunStatus): Promise<unknown> =>
  eventually(() => straight.runs.find(runId), { status });

const signal = (runId: string, event: string): Promise<unknown> =>
  database.query("select queue.workflow_signal($1, $2, null)", [runId, event]);

interface Child {
  readonly run_id: string;
  readonly status: string;
  readonly parent_step: string;
}

const childrenOf = (runId: string): Promise<Child[]> =>
  database.query<Child>(
    `select run_id::text, status::text, parent_step
    from queue.workflow_run where parent_run_id = $1 order by parent_step`,
    [runId],
  );

const running = (runId: string, count: number): Promise<Child[]> =>
  eventually(
    () => childrenOf(runId),
    (all) => all.filter(({ status }) => status === "running").length === count,
  );

const call = (tag: string): Document["nodes"][string] => ({
  type: "test.work@1",
  parent: "each",
  params: { tag, value: { $path: "item" } },
  retry: { attempts: 1 },
});
const done = (path: string): Document["nodes"][string] => ({
  type: "end@1",
  params: { output: { $path: path } },
});

describe("the retry of a cancelled run", () => {
  const waiting = {
    nodes: {
      each: {
        type: "for_each@1",
        params: { as: "runs", items: ["c0", "c1", "c2"], collect: { $path: "item" } },
      },
      one: call("cancelled"),
      hold: { type: "wait@1", parent: "each", when: "index > 0", params: { event: "go" } },
      done: done("nodes.each.output.results"),
    },
    edges: [
      { from: "one", to: "hold" },
      { from: "each", to: "done" },
    ],
  };

  it.each([false, true])(
    "starts items again that were cancelled with it, rollback: %s",
    async (rollback) => {
      calls.set("cancelled", []);
      const run = await definitionsOf(straight).start(await publish(waiting));
      const before = await running(run.runId, 2);
      await eventually(
        async () => (await straight.runs.steps(run.runId)).map(({ name }) => name),
        including("each.0"),
      );
      await run.cancel({ rollback });
      await reaches(run.runId, "cancelled");
      expect(await straight.runs.retry(run.runId)).toBe(true);
      const again = await eventually(
        () => running(run.runId, 2),
        (all) => all.every(({ run_id: id }) => !before.slice(1).some((old) => old.run_id === id)),
      );
      for (const { run_id: id } of again) await signal(id, "go");
      expect(await run.result(RESULT)).toEqual(["c0", "c1", "c2"]);
      expect(calls.get("cancelled")?.toSorted()).toEqual(["c0", "c1", "c1", "c2", "c2"]);
    },
  );

  it("keeps the progress of replaced items, which have lost their parent", async () => {
    const name = await publish(waiting);
    const run = await definitionsOf(straight).start(name);
    const [, before] = await running(run.runId, 2);
    await run.cancel();
    await reaches(run.runId, "cancelled");
    await straight.runs.retry(run.runId);
    const replaced = before?.run_id ?? "";
    expect(await straight.runs.find(replaced)).toMatchObject({ parent: null, isItem: true });
    const { nodes } = await definitionsOf(straight).progress(replaced);
    expect(nodes).toMatchObject({ "each.1.one": "succeeded" });
    expect(await straight.runs.find(run.runId)).toMatchObject({ isItem: false });
    await expect(
      database.query("select queue.definition_migrate($1, $2, 1)", [name, replaced]),
    ).rejects.toThrow(new RegExp(`^run ${replaced} is an item of a loop$`));
    await run.cancel();
  });

  it("starts an invoked run again that was cancelled with it", async () => {
    const invoked = await publish({
      nodes: { hold: { type: "wait@1", params: { event: "go" } } },
    });
    const run = await definitionsOf(straight).start(
      await publish({ nodes: { other: { type: "run@1", params: { workflow: invoked } } } }),
    );
    const [before] = await running(run.runId, 1);
    await run.cancel();
    await reaches(run.runId, "cancelled");
    expect(await straight.runs.retry(run.runId)).toBe(true);
    const [again] = await eventually(
      () => running(run.runId, 1),
      ([child]) => child?.run_id !== before?.run_id,
    );
    await signal(again?.run_id ?? "", "go");
    await reaches(run.runId, "completed");
  });
});

describe("a change of many runs", () => {
  it("retries and reruns a failed run, and not its items besides", async () => {
    broken.add("b1");
    const name = await publish({
      nodes: {
        each: { type: "for_each@1", params: { as: "runs", items: ["b1"] } },
        one: call("bulk"),
      },
    });
    const { runId } = await definitionsOf(straight).start(name);
    await reaches(runId, "failed");
    const [item] = await childrenOf(runId);
    expect(item?.status).toBe("failed");
    broken.delete("b1");
    calls.set("bulk", []);
    expect(await straight.runs.retryAll({ workflow: name })).toBe(1);
    await reaches(runId, "completed");
    expect(calls.get("bulk")).toEqual(["b1"]);
    expect((await straight.runs.find(item?.run_id ?? "")).status).toBe("failed");
    expect(await straight.runs.retryAll({ workflow: name })).toBe(0);
    expect(await straight.runs.retryAll({ parent: runId })).toBe(0);
    const repeated = await straight.runs.rerunAll({ workflow: name, status: ["completed"] });
    expect(repeated).toBe(1);
  });

  it("cancels and pauses items, which would go on", async () => {
    const name = await publish({
      nodes: {
        each: { type: "for_each@1", params: { as: "runs", items: [1, 2] } },
        hold: { type: "wait@1", parent: "each", params: { event: "go" } },
      },
    });
    const { runId } = await definitionsOf(straight).start(name);
    await running(runId, 2);
    expect(await straight.runs.pauseAll({ workflow: name })).toBe(3);
    expect(await straight.runs.resumeAll({ workflow: name })).toBe(3);
    await straight.runs.cancelAll({ workflow: name });
    expect((await childrenOf(runId)).map(({ status }) => status)).toEqual([
      "cancelled",
      "cancelled",
    ]);
  });
});

it("lists and counts of runs have items only by their parent", async () => {
  broken.add("l1");
  const name = await publish({
    nodes: {
      each: {
        type: "for_each@1",
        params: { as: "runs", items: ["l0", "l1", "l2"], failures: 1 },
      },
      one: call("listed"),
      hold: { type: "wait@1", parent: "each", when: "item == 'l2'", params: { event: "go" } },
    },
    edges: [{ from: "one", to: "hold" }],
  });
  const counting = await database.query<{ until: string }>(
    "select queue.workflow_metrics(null, '{1}') ->> 'until' as until",
  );
  const { runId } = await definitionsOf(straight).start(name, null, { tags: { listed: name } });
  const items = await eventually(
    () => childrenOf(runId),
    (all) => all.map(({ status }) => status).join(" ") === "completed failed running",
  );
  const idsOf = async (filter: object): Promise<string[]> =>
    (
      await database.query<{ id: string }>(
        "select run_id::text as id from queue.workflow_list($1)",
        [JSON.stringify(filter)],
      )
    ).map(({ id }) => id);
  const tallied = async (): Promise<unknown> =>
    (
      await database.query(
        `select running::integer, completed::integer, failed::integer
          from queue.workflow_tally() where name = $1`,
        [name],
      )
    )[0];
  expect(await tallied()).toEqual({ running: 1, completed: 0, failed: 0 });
  for (const filter of [{ name }, { name, status: "running" }, { tags: { listed: name } }]) {
    expect(await idsOf(filter)).toEqual([runId]);
  }
  expect(await idsOf({ status: ["running"], started_after: "2000-01-01" })).not.toContain(
    items[2]?.run_id,
  );
  for (const filter of [{}, { name, status: "failed" }, { error_code: "BROKEN" }]) {
    expect(await idsOf(filter)).not.toContain(items[1]?.run_id);
  }
  expect((await idsOf({ parent: runId })).toSorted()).toEqual(
    items.map(({ run_id: id }) => id).toSorted(),
  );
  await signal(items[2]?.run_id ?? "", "go");
  await reaches(runId, "completed");
  expect(await tallied()).toEqual({ running: 0, completed: 1, failed: 0 });
  expect(await straight.runs.count({ workflow: name })).toBe(1);
  const [changes] = await database.query<{ ids: string[] }>(
    `select array(
        select distinct c ->> 'run_id' from jsonb_array_elements(queue.workflow_changes($1, 0) -> 'changes') as c
      ) as ids`,
    [name],
  );
  expect(changes?.ids).toEqual([runId]);
  interface Metrics {
    readonly started: readonly { readonly workflow: string; readonly count: number }[];
    readonly ended: readonly { readonly workflow: string; readonly status: string }[];
    readonly steps: readonly { readonly workflow: string; readonly count: number }[];
  }
  const own = (of: readonly { readonly workflow: string }[]): unknown[] =>
    of.filter(({ workflow }) => workflow === name);
  const metrics = await eventually(
    async () =>
      (
        await database.query<{ metrics: Metrics }>(
          "select queue.workflow_metrics($1, '{1}') as metrics",
          [counting[0]?.until],
        )
      )[0]?.metrics,
    (found) => own(found?.ended ?? []).length > 0,
  );
  expect(own(metrics?.started ?? [])).toEqual([{ workflow: name, count: 1 }]);
  expect(own(metrics?.ended ?? [])).toMatchObject([{ status: "completed", count: 1 }]);
  // Three items were called.
  expect(own(metrics?.steps ?? []).length).toBeGreaterThan(0);
});

it("leaves no broken invariant", async () => {
  expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
});
