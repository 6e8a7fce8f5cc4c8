import { createWorkflowClient } from "@oxbow/sdk";
import { connect } from "@oxbow/sdk/internal/server";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { startTestServer } from "../helpers/server.ts";

const LARGE = "x".repeat(15 * 1024 * 1024);

it("values of 15 MiB pass through a server: inputs, signals, messages, publications and outputs", async () => {
  const database = await createDatabase();
  const server = await startTestServer(database);
  await using client = createWorkflowClient({ url: server.url });
  const echo = workflow({
    name: "echo",
    run: async (ctx, input: string) => {
      const signal = await ctx.step.waitForEvent("go");
      return input.length + (signal as string).length;
    },
  });
  await using worker = createWorker({ url: server.url, workflows: [echo] });
  const run = await client.start(echo, LARGE);
  await client.signal(run.runId, "go", LARGE);
  expect(await run.result({ timeout: "60s" })).toBe(2 * LARGE.length);

  await client.queues.create("jobs");
  await client.topics.subscribe("news", { queue: "jobs" });
  await client.queues.send("jobs", LARGE);
  await client.topics.publish("news", LARGE);
  for (let n = 0; n < 2; n += 1) {
    const [message] = await client.queues.receive<string>("jobs");
    expect(message?.body).toHaveLength(LARGE.length);
    await client.queues.delete("jobs", message?.receipt ?? "");
  }
  await worker.stop();
});

it("large runs are listed in shorter pages and exported one after the other, through a server and without", async () => {
  const database = await createDatabase();
  const server = await startTestServer(database);
  const start = (name: string, runs: number, mebibytes: number): Promise<unknown> =>
    database.query(
      "select queue.workflow_start($1, to_jsonb(repeat('x', $3 * 1024 * 1024))) from generate_series(1, $2)",
      [name, runs, mebibytes],
    );
  // A page ends after 64 MiB, and a piece of an export after 4.
  await start("listed", 6, 13);
  await start("exported", 3, 5);
  for (const { url } of [database, server]) {
    await using client = createWorkflowClient({ url });
    const pages: number[] = [];
    const listed = client.runs.list({ workflow: "listed" }, { withValues: true });
    for await (const { runs } of listed)
      pages.push(runs.filter(({ input }) => (input as string).length === 13 * 1024 * 1024).length);
    expect(pages).toEqual([5, 1]);
    const seen = new Set<string>();
    for await (const { runId } of client.runs.export({ workflow: "exported" })) seen.add(runId);
    expect(seen.size).toBe(3);
  }
  const transport = connect({ url: database.url });
  for await (const runs of await transport.runs.export({ name: "exported" }))
    expect(runs).toHaveLength(1);
  await transport.close();
});
