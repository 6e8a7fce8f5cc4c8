/** Workers that receive the runs of pools, and get their workflows from sources. */
import { type WorkflowSource, workflow } from "@oxbow/sdk/runtime";
import { describe, expect, it } from "vitest";
import { eventually, isNotEmpty } from "../helpers/eventually.ts";
import { Latch } from "../helpers/latch.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const bench = await setupWorkflows();

const assign = (name: string, pool: string): Promise<unknown> =>
  bench.database.query("select queue._set_workflow_pool($1, $2)", [name, pool]);

/** A workflow that returns its name and version. */
const named = (name: string, version: number) =>
  workflow({
    name,
    version,
    run: async (ctx) => {
      await ctx.step.run("work", () => 1);
      return `${name} ${version}`;
    },
  });

/** A source that can execute nothing. */
const none: WorkflowSource["resolve"] = () => {};

const RESULT = { timeout: "60s" } as const;

describe("a worker with a source", () => {
  it("executes the runs of all workflows of its pools, each in its version", async () => {
    await Promise.all([assign("alpha", "mixed"), assign("beta", "mixed")]);
    const asked: string[] = [];
    const source: WorkflowSource = {
      pools: ["mixed"],
      resolve: (name, version) => {
        asked.push(`${name} ${version}`);
        return Promise.resolve(named(name, version));
      },
    };
    bench.serve([named("in-code", 1)], { sources: [source] });
    const runs = await Promise.all([
      bench.client.start("alpha", {}, { version: 1 }),
      bench.client.start("alpha", {}, { version: 2 }),
      bench.client.start("beta", {}, { version: 1 }),
      bench.client.start("in-code", {}, { version: 1 }),
    ]);
    expect(await Promise.all(runs.map((run) => run.result(RESULT)))).toEqual([
      "alpha 1",
      "alpha 2",
      "beta 1",
      "in-code 1",
    ]);
    expect(asked.toSorted()).toEqual(["alpha 1", "alpha 2", "beta 1"]);
    expect(await bench.violations()).toEqual([]);
  });

  it("gives back what it can't execute, for a worker that can, and fails nothing", async () => {
    await assign("newer", "upgrade");
    const old: WorkflowSource = { pools: ["upgrade"], resolve: none };
    const older = bench.serve([], { sources: [old], logger: false });
    const troubles: string[] = [];
    older.events.on("trouble", ({ doing }) => void troubles.push(doing));
    const run = await bench.client.start("newer", {}, { version: 1 });
    await eventually(() => troubles, isNotEmpty);
    expect(troubles[0]).toBe('resolving version 1 of workflow "newer"');
    await eventually(() => run.status(), { attempt: 0 });
    bench.serve([], {
      sources: [{ pools: ["upgrade"], resolve: (name, version) => named(name, version) }],
    });
    expect(await run.result(RESULT)).toBe("newer 1");
  });

  it("is soon given the runs that only it can execute, however many of its pool refuse them", async () => {
    await Promise.all([assign("newest", "deploying"), assign("unknown", "deploying")]);
    const pools = ["deploying"];
    for (let i = 0; i < 8; i += 1)
      bench.serve([], { sources: [{ pools, resolve: none }], logger: false });
    // Nobody can execute these, so they are refused again and again.
    const stuck = await Promise.all(
      Array.from({ length: 20 }, () => bench.client.start("unknown", {}, { version: 1 })),
    );
    const waiting = () =>
      bench.database.query(
        "select name, runs::int from queue.workflow_refusals() where pool = 'deploying'",
      );
    await eventually(waiting, ([row]) => row?.["runs"] === stuck.length);
    bench.serve([], {
      sources: [{ pools, resolve: (name) => (name === "newest" ? named(name, 1) : undefined) }],
      logger: false,
    });
    // If chance decided, one in nine receives of each run would succeed, several seconds apart.
    const startAndEnd = async () => {
      const run = await bench.client.start("newest", {}, { version: 1 });
      await run.result(RESULT);
    };
    for (let round = 0; round < 3; round += 1)
      await Promise.all(Array.from({ length: 10 }, startAndEnd));
    await eventually(waiting, ([row]) => row?.["runs"] === stuck.length);
    await bench.client.runs.cancelAll({ workflow: "unknown" });
    expect(await bench.violations()).toEqual([]);
  });

  it("asks again where the source failed", async () => {
    await assign("unlucky", "failing");
    let isBroken = true;
    const source: WorkflowSource = {
      pools: ["failing"],
      resolve: (name, version) => {
        if (!isBroken) return named(name, version);
        isBroken = false;
        return Promise.reject(new Error("no connection"));
      },
    };
    const worker = bench.serve([], { sources: [source], logger: false });
    const errors: unknown[] = [];
    worker.events.on("trouble", ({ error }) => void errors.push(error));
    const run = await bench.client.start("unlucky", {}, { version: 1 });
    expect(await run.result(RESULT)).toBe("unlucky 1");
    expect(errors).toMatchObject([{ message: "no connection" }]);
  });

  it("keeps runs within its slots while their workflows are loaded, and gives them back when it stops", async () => {
    await assign("slow-to-load", "loading");
    let waiting = 0;
    const loaded = new Latch();
    const source: WorkflowSource = {
      pools: ["loading"],
      resolve: async (name, version) => {
        waiting += 1;
        await loaded.opened;
        return named(name, version);
      },
    };
    const worker = bench.serve([], { sources: [source], concurrency: 2 });
    const runs = await Promise.all(
      [1, 2, 3, 4].map(() => bench.client.start("slow-to-load", {}, { version: 1 })),
    );
    await eventually(() => waiting, 2);
    const stopped = worker.stop();
    loaded.open();
    await stopped;
    expect(waiting).toBe(2);
    bench.serve([], {
      sources: [{ pools: ["loading"], resolve: (name, version) => named(name, version) }],
    });
    expect(await Promise.all(runs.map((run) => run.result(RESULT)))).toEqual(
      runs.map(() => "slow-to-load 1"),
    );
    expect(await bench.violations()).toEqual([]);
  });

  it("gives a run back when it stops although its source never answers", async () => {
    await assign("hung", "hanging");
    let isAsked = false;
    const source: WorkflowSource = {
      pools: ["hanging"],
      resolve: () => {
        isAsked = true;
        return new Promise(() => {});
      },
    };
    const worker = bench.serve([], { sources: [source], stopTimeout: "100ms", logger: false });
    worker.events.on("trouble", () => {});
    const { runId } = await bench.client.start("hung", {}, { version: 1 });
    await eventually(() => isAsked, Boolean);
    await worker.stop();
    const [row] = await bench.database.query(
      "select visible_at < clock_timestamp() as is_free from queue.workflow_continuation where msg_id = $1",
      [runId],
    );
    expect(row).toEqual({ is_free: true });
  });

  it("is refused without a workflow and a pool, and with a name that no pool has", () => {
    expect(() => bench.serve([])).toThrow("at least one workflow");
    expect(() => bench.serve([], { sources: [{ pools: [], resolve: none }] })).toThrow(
      "at least one workflow",
    );
    expect(() => bench.serve([], { sources: [{ pools: ["Not one"], resolve: none }] })).toThrow(
      'Invalid pool name "Not one"',
    );
  });
});
