/** Cancellations and retries of runs whose loops have items as runs. */
import { defineNode } from "@oxbow/declared";
import type { Document } from "@oxbow/declared/check";
import { describe, expect, it } from "vitest";
import { newDefinitionName } from "../helpers/definitions.ts";
import { eventually } from "../helpers/eventually.ts";
import { serveDefinitions } from "../helpers/served-definitions.ts";

const RESULT = { timeout: "60s" } as const;
const WITHIN = { withinMs: 60_000 };

/** Values with which the node was called, by tag. */
const calls = new Map<string, unknown[]>();

const work = defineNode({
  type: "test.work",
  params: { type: "object" },
  run: ({ params }) => {
    const { tag, value } = params as { tag: string; value: unknown };
    calls.set(tag, [...(calls.get(tag) ?? []), value]);
    return value;
  },
});

const { database, client } = await serveDefinitions({ nodes: [work] });
const straight = client();

async function publish(parts: Omit<Document, "format" | "name">): Promise<string> {
  const name = newDefinitionName();
  const revision = await straight.definitions.create({ format: 1, name, ...parts });
  await straight.definitions.publish(name, revision);
  return name;
}

const reaches = (runId: string, wanted: string): Promise<unknown> =>
  eventually(
    async () => (await straight.runs.find(runId)).status,
    (status) => status === wanted,
    WITHIN,
  );

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
    WITHIN,
  );

const call = (tag: string): Document["nodes"][string] => ({
  type: "test.work@1",
  parent: "each",
  params: { tag, value: { $path: "item" } } as never,
  retry: { attempts: 1 },
});
const done = (path: string): Document["nodes"][string] => ({
  type: "end@1",
  params: { output: { $path: path } } as never,
});

describe("the retry of a cancelled run", () => {
  const waiting = {
    nodes: {
      each: {
        type: "for_each@1",
        params: { as: "runs", items: ["c0", "c1", "c2"], collect: { $path: "item" } } as never,
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
    "starts items again that were cancelled with it (rollback: %s)",
    async (rollback) => {
      calls.set("cancelled", []);
      const run = await straight.definitions.start(await publish(waiting));
      const before = await running(run.runId, 2);
      await eventually(
        async () => (await straight.runs.steps(run.runId)).map(({ name }) => name),
        (rows) => rows.includes("each.0"),
        WITHIN,
      );
      await straight.runs.cancel(run.runId, { rollback });
      await reaches(run.runId, "cancelled");
      expect(await straight.runs.retry(run.runId)).toBe(true);
      const again = await eventually(
        () => running(run.runId, 2),
        (all) => all.every(({ run_id: id }) => !before.slice(1).some((old) => old.run_id === id)),
        WITHIN,
      );
      for (const { run_id: id } of again) await signal(id, "go");
      expect(await run.result(RESULT)).toEqual(["c0", "c1", "c2"]);
      expect(calls.get("cancelled")?.toSorted()).toEqual(["c0", "c1", "c1", "c2", "c2"]);
    },
  );

  it("starts an invoked run again that was cancelled with it", async () => {
    const invoked = await publish({
      nodes: { hold: { type: "wait@1", params: { event: "go" } } },
    });
    const run = await straight.definitions.start(
      await publish({ nodes: { other: { type: "run@1", params: { workflow: invoked } } } }),
    );
    const [before] = await running(run.runId, 1);
    await run.cancel();
    await reaches(run.runId, "cancelled");
    expect(await straight.runs.retry(run.runId)).toBe(true);
    const [again] = await eventually(
      () => running(run.runId, 1),
      ([child]) => child?.run_id !== before?.run_id,
      WITHIN,
    );
    await signal(again?.run_id ?? "", "go");
    await reaches(run.runId, "completed");
  });
});

it("leaves no broken invariant", async () => {
  expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
});
