import { createWorkflowClient } from "@oxbow/sdk";
import { expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { startWorkerProcess } from "../helpers/worker-process.ts";

const PROGRAM = new URL("../helpers/programs/failing-worker.ts", import.meta.url);
const RUNS = 200;

async function linesOf(...args: string[]): Promise<readonly string[]> {
  const { url } = await createDatabase();
  await using worker = startWorkerProcess(PROGRAM, { args: [url, ...args] });
  await using client = createWorkflowClient({ url });
  const inputs = Array.from({ length: RUNS }, (_, input) => ({ input }));
  const runs = await client.startBatch("fails", inputs);
  await Promise.allSettled(runs.map((run) => run.result({ timeout: "60s" })));
  expect(await worker.stop()).toEqual({ code: 0, signal: null });
  return worker.output;
}

it("a worker without a logger prints some failures, and how many more there were", async () => {
  const lines = await linesOf();
  expect(lines).toContainEqual(
    expect.stringMatching(
      /^oxbow: run \d+ of "fails" failed in step "break": RangeError: out of luck$/,
    ),
  );
  expect(lines).toContainEqual(expect.stringMatching(/^oxbow: \d+ more runs failed\./));
  expect(lines.length).toBeLessThan(RUNS);
});

it("a worker whose logger is false writes nothing", async () => {
  expect(await linesOf("quiet")).toEqual([]);
});
