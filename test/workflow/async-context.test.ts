/** Runs share the event loop's turns, but not each other's async context. */
import { AsyncLocalStorage } from "node:async_hooks";
import { createWorkflowClient } from "@oxbow/sdk";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";

const { url } = await createDatabase();

/** Enough to be received, called and committed together. */
const RUNS = 50;

const storage = new AsyncLocalStorage<string>();

/** What the body, a callback and a callback that awaits see, and each enters the run's id afterwards. */
const curious = workflow({
  name: "curious",
  run: async (ctx): Promise<Record<"body" | "sync" | "async" | "after", string>> => {
    const seen = { body: storage.getStore() ?? "nothing", sync: "", async: "" };
    storage.enterWith(`run ${ctx.runId}`);
    await ctx.step.run("first", () => storage.enterWith(`callback of ${ctx.runId}`));
    for (const step of ["sync", "async"] as const) {
      const found = await ctx.step.run(step, () => {
        const store = storage.getStore() ?? "nothing";
        storage.enterWith(`callback of ${ctx.runId}`);
        return step === "sync" ? store : Promise.resolve(store);
      });
      seen[step] = found.replace(ctx.runId, "itself");
    }
    return { ...seen, after: (storage.getStore() ?? "nothing").replace(ctx.runId, "itself") };
  },
});

it.each(["another process", "this process"])(
  "a run that is started by %s sees the context of its worker, and nothing of other runs",
  async (from) => {
    await using worker = storage.run("worker", () =>
      createWorker({
        url,
        workflows: [curious],
        logger: false,
        localStarts: from === "this process",
      }),
    );
    await using client = createWorkflowClient({ url });
    const runs = await Promise.all(
      Array.from({ length: RUNS }, (_, index) =>
        storage.run(`caller ${index}`, () => client.start(curious, undefined)),
      ),
    );
    const results = await Promise.all(runs.map((run) => run.result()));
    expect(worker).toBeDefined();
    const bodies = new Set(results.map(({ body }) => body));
    expect([...bodies]).toEqual(["worker"]);
    for (const result of results) {
      // Before Node 24, what a callback enters stays with its run.
      expect(["worker", "callback of itself"]).toContain(result.sync);
      expect(["worker", "callback of itself"]).toContain(result.async);
      expect(["run itself", "callback of itself"]).toContain(result.after);
    }
  },
);
