import { ConnectionFailed, createWorkflowClient, InvalidArgument } from "@oxbow/sdk";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import { parseTokens, type RunningServer, startServer } from "@oxbow/server";
import { describe, expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { Latch } from "../helpers/latch.ts";
import { secretOf, startTestServer, tokensOf } from "../helpers/server.ts";

const SECRETS = "all look:read";

describe("workers and clients over HTTP", () => {
  it("resume where they were after the server was away in the middle of their runs", async () => {
    const database = await createDatabase();
    const start = (port: number): Promise<RunningServer> =>
      startServer({ url: database.url, port, sweepIntervalMs: 0 });
    const first = await start(0);
    const held = new Latch();
    const calls: string[] = [];
    const patient = workflow({
      name: "patient",
      run: async (ctx, n: number) => {
        await ctx.step.run("before", () => void calls.push(`before ${n}`));
        await ctx.step.run("during", () => held.opened);
        await ctx.step.sleep("nap", 10);
        await ctx.step.run("after", () => void calls.push(`after ${n}`));
        return n;
      },
    });
    await using worker = createWorker({ url: first.url, workflows: [patient] });
    worker.events.on("trouble", () => {});
    const client = createWorkflowClient({ url: first.url });
    const runs = await Promise.all([1, 2, 3].map((n) => client.start(patient, n)));
    const results = Promise.all(runs.map((run) => run.result()));
    await eventually(() => calls.length, 3);

    await first.stop();
    held.open();
    const second = await start(Number(new URL(first.url).port));
    expect(await results).toEqual([1, 2, 3]);
    expect(calls.toSorted()).toEqual(
      [1, 2, 3].flatMap((n) => [`after ${n}`, `before ${n}`]).toSorted(),
    );
    await client.close();
    await worker.stop();
    await second.stop();
  });

  it("learn what their token may not do, and that a worker needs one", async () => {
    const server = await startTestServer(await createDatabase(), { secrets: SECRETS });
    const client = createWorkflowClient({ url: server.url, token: secretOf("look") });
    await expect(client.queues.create("jobs")).rejects.toThrow(/lacks the scope "admin"/);
    await client.close();
    const none = workflow({ name: "none", run: () => 1 });
    const worker = createWorker({ url: server.url, workflows: [none] });
    await expect(worker.finished).rejects.toThrow(/has no token/);
    expect(parseTokens(tokensOf(SECRETS))).toHaveLength(2);
  });

  it("learn by a code why they got no answer", async () => {
    const nowhere = "postgres://nobody@127.0.0.1:1/none";
    const server = await startTestServer({ url: nowhere }, { secrets: SECRETS });
    const causeOf = async (url: string, token: string): Promise<unknown> => {
      const client = createWorkflowClient({ url, token });
      const error: unknown = await client.start("any", 1).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ConnectionFailed);
      await client.close();
      return (error as ConnectionFailed).cause;
    };
    expect(await causeOf(server.url, secretOf("none"))).toMatchObject({ code: "UNAUTHORIZED" });
    expect(await causeOf(server.url, secretOf("look"))).toMatchObject({ code: "FORBIDDEN" });
    const open = await startServer({ url: nowhere, port: 0, sweepIntervalMs: 0 });
    expect(await causeOf(open.url, "")).toMatchObject({ code: "CONNECTION_FAILED" });
    await open.stop();
    expect(await causeOf(open.url, "")).toMatchObject({ code: "ECONNREFUSED" });
  });

  it("have no transactions", async () => {
    const server = await startTestServer(await createDatabase());
    await using client = createWorkflowClient({ url: server.url });
    const tx = { query: () => Promise.resolve({ rows: [] }) };
    await expect(client.queues.send("jobs", 1, { tx })).rejects.toThrow(InvalidArgument);
  });
});
