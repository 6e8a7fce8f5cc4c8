/** Promises that were rejected and that nothing awaits: in a process, since Node ends it by them. */
import { createWorkflowClient } from "@oxbow/sdk";
import { expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { startWorkerProcess } from "../helpers/worker-process.ts";

const database = await createDatabase();
const client = createWorkflowClient({ url: database.url });
atFileEnd(() => client.close());

const start = () =>
  startWorkerProcess(new URL("../helpers/programs/straying-worker.ts", import.meta.url), {
    args: [database.url],
  });

it("fail the run that they belong to, and the others of its worker continue", async () => {
  const worker = start();
  for (const where of ["the body", "a branch", "a callback", "a transaction"]) {
    const run = await client.start("strays", where);
    const error: unknown = await run.result({ timeout: "60s" }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: "RUN_FAILED",
      cause: {
        name: "UnhandledRejection",
        message: expect.stringContaining(`lost in ${where}`),
        cause: { message: expect.stringContaining(`lost in ${where}`) },
      },
    });
  }
  const over = await client.start("strays", "the past");
  expect(await over.result({ timeout: "60s" })).toBe("returned");
  await worker.line(/which has left this worker: .*lost in the past/);
  expect(await worker.stop()).toEqual({ code: 0, signal: null });
  expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
});

it("fail a run whose rollback backs off, and resumes without them", async () => {
  const worker = start();
  const run = await client.start("strays", "a booking");
  const error: unknown = await run.result({ timeout: "60s" }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    code: "RUN_FAILED",
    cause: { name: "UnhandledRejection", message: expect.stringContaining("lost in a booking") },
  });
  const steps = await client.runs.steps(run.runId);
  expect(steps.map(({ name, attempts }) => [name, attempts])).toEqual([
    ["book", 1],
    ["rollback:book", 2],
  ]);
  await worker.stop();
  expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
});

it("end the process if they belong to no run, as without a worker", async () => {
  const worker = start();
  await worker.line(/^serving/);
  process.kill(worker.pid, "SIGUSR2");
  expect(await worker.end()).toEqual({ code: 1, signal: null });
  expect(worker.output.join("\n")).toContain("Error: lost in the process");
});
