import { workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import { oxbowOf } from "../helpers/command.ts";
import { eventually } from "../helpers/eventually.ts";
import { only } from "../helpers/queues.ts";
import { startTestServer } from "../helpers/server.ts";
import { VERSION } from "../helpers/version.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const versionOf = (version: number) => workflow({ name: "present", version, run: () => version });

it("a worker is listed with what it serves while it is there, directly and through a server", async () => {
  const { database, client, serve } = await setupWorkflows();
  const worker = serve([versionOf(1), versionOf(2)], { concurrency: 7 });
  const found = await eventually(() => client.workers(), { length: 1 });
  expect(only(found)).toMatchObject({
    processId: process.pid,
    sdkVersion: VERSION,
    serves: { present: [1, 2] },
    slots: 7,
    busySlots: 0,
    isLive: true,
  });

  const server = await startTestServer(database);
  const { workers } = (await server.get("/v1/workers")).body;
  expect(workers).toMatchObject([{ processId: process.pid, serves: { present: [1, 2] } }]);
  const remote = serve([versionOf(3)], { url: server.url });
  await eventually(
    () => client.workers(),
    (all) => all.some(({ serves }) => serves["present"]?.includes(3) === true),
  );
  const { stdout } = await oxbowOf(database.url)("workers");
  expect(stdout).toMatch(/present 1,2/);
  expect(stdout).toMatch(/present 3/);

  await remote.stop();
  await worker.stop();
  expect(await client.workers()).toEqual([]);
});

it("a worker that can't report itself executes runs all the same", async () => {
  const { database, client, serve } = await setupWorkflows();
  await database.query(
    "alter function queue.workflow_report_worker rename to workflow_report_worker_elsewhere",
  );
  const worker = serve([versionOf(1)]);
  const run = await client.start(versionOf(1), undefined);
  expect(await run.result()).toBe(1);
  await database.query("select pg_sleep(1.2)");
  expect(await (await client.start(versionOf(1), undefined)).result()).toBe(1);
  await worker.stop();
});
