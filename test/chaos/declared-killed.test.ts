/** A worker that is killed in each node of a declared workflow, with and without an effect. */
import { createWorkflowClient } from "@oxbow/sdk";
import { expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { startWorkerProcess } from "../helpers/worker-process.ts";

const PROGRAM = new URL("../helpers/programs/declared-worker.ts", import.meta.url);

/** Calls, at which the worker holds. */
const CALLS = ["first", "each.1.work", "poll.0.ask", "poll.1.ask", "child", "last"];
/** Waits, at which the run is suspended. */
const WAITS = ["hear", "nap"];
const PATHS = ["first", "each.0.work", "each.1.work", "poll.0.ask", "poll.1.ask", "child", "last"];
const OUTPUT = { each: [10, 20], poll: { rounds: 2, result: 1 }, heard: { n: 1 }, child: 3 };

it("a killed worker repeats the call that it was in, and nothing else", async () => {
  const database = await createDatabase();
  const client = createWorkflowClient({ url: database.url });
  atFileEnd(() => client.close());
  const first = startWorkerProcess(PROGRAM, { args: [database.url, "first"] });
  await first.line(/^serving/);
  const runs = await Promise.all(
    [...CALLS, ...WAITS].map(async (hold) => {
      const input = { hold, nap: hold === "nap" ? 4_000 : 5 };
      const run = await client.start("declared", input);
      if (hold !== "hear") await client.signal(run.runId, "go", { n: 1 });
      return { hold, run };
    }),
  );
  // The nap first, which is over soon.
  for (const { hold, run } of runs.toReversed()) {
    if (CALLS.includes(hold)) await first.line(new RegExp(`^held ${run.runId} ${hold}$`));
    else {
      await eventually(
        () => client.runs.get("declared", run.runId),
        (state) => JSON.stringify(state.waits).includes(`"${hold}"`),
      );
    }
  }
  await first.kill();

  const second = startWorkerProcess(PROGRAM, { args: [database.url, "second", "30s"] });
  await second.line(/^serving/);
  const heard = runs.find(({ hold }) => hold === "hear");
  await client.signal(heard?.run.runId ?? "", "go", { n: 1 });
  for (const { hold, run } of runs) {
    expect([hold, await run.result({ timeout: "60s" })]).toEqual([hold, OUTPUT]);
    // Other iterations under way during the held call are repeated as well, unless they were journaled.
    const others = PATHS.filter((path) => path !== hold && !path.startsWith("each."));
    const repeated = CALLS.includes(hold) ? [[hold, 2]] : [];
    await eventually(
      () => [...first.output, ...second.output],
      (lines) =>
        [...repeated, ...others.map((path) => [path, 1])].every(
          ([path, count]) =>
            lines.filter((line) => line === `call ${run.runId} ${path}`).length === count,
        ),
    );
    const steps = await client.runs.steps(run.runId);
    expect(new Set(steps.map(({ name }) => name)).size).toBe(steps.length);
    const decided = steps.flatMap(({ decisions = [] }) => decisions.map(({ name }) => name));
    expect(steps.map(({ name }) => name)).toEqual(expect.arrayContaining(["poll.1 pause"]));
    expect(decided).toEqual(expect.arrayContaining(["go", "each", "poll.0 until", "last when"]));
  }
  expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
});
