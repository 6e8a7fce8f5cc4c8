/** A server, a ticker and a worker on a copy: nothing leaves a sandbox, and what is held stays. */
import { createWorkflowClient } from "@oxbow/sdk";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { documents, oxbowOf } from "../helpers/command.ts";
import { createDatabase, type TestDatabase } from "../helpers/database.ts";
import { openTarget, type Visit } from "../helpers/delivery-target.ts";
import { eventually } from "../helpers/eventually.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { publish, subscribe } from "../helpers/topics.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

interface Held {
  readonly database: TestDatabase;
  readonly server: TestServer;
  readonly visits: readonly Visit[];
  readonly runs: () => Promise<string[]>;
}

/** A database that is held with one delivery, one run and one schedule, and everything that would act on them. */
async function setup(): Promise<Held> {
  const database = await createDatabase();
  const { url, visits } = await openTarget();
  await subscribe(database, "paid", { http: url });
  await publish(database, "paid", { n: 1 });
  await database.query("select queue.workflow_start('job', '\"started\"')");
  await database.query(
    `select queue.schedule_create('tick', 'job', every_seconds => 1, input => '"ticked"')`,
  );
  await database.query("select queue.hold_incarnation('a test')");
  const server = await startTestServer(database, {
    schedules: true,
    deliveries: {
      secrets: ["s".repeat(32)],
      senders: 5,
      allowedNetworks: ["127.0.0.0/8"],
      allowHttp: true,
    },
  });
  const job = workflow({ name: "job", run: (_ctx, input: string) => Promise.resolve(input) });
  const worker = createWorker({ url: database.url, workflows: [job] });
  onTestFinished(() => worker.stop());
  const runs = async (): Promise<string[]> => {
    const rows = await database.query<{ output: string }>(
      "select distinct output from queue.workflow_list(with_values => true) where status = 'completed' order by output",
    );
    return rows.map(({ output }) => output);
  };
  return { database, server, visits, runs };
}

describe("a database that is held", () => {
  it("does nothing, whatever is connected to it; as a sandbox it does all but deliver", async () => {
    const { database, server, visits, runs } = await setup();
    const oxbow = oxbowOf(database.url);
    // The schedule would have ticked in the time that a command takes.
    expect(documents(await oxbow("fork", "status", "--json"))).toMatchObject([{ state: "held" }]);
    expect(await runs()).toEqual([]);
    expect((await server.get("/readyz")).body).toMatchObject({ incarnation: "held" });
    const keys = async (): Promise<string[]> => {
      const { body } = await server.get("/v1/subscriptions/1/secret");
      return (body as { readonly secrets: string[] }).secrets;
    };
    const own = await keys();

    expect(await oxbow("fork", "release", "--as", "sandbox")).toMatchObject({ code: 0 });
    await eventually(runs, { length: 2 });
    await publish(database, "paid", { n: 2 });
    expect(documents(await oxbow("fork", "captures", "--json"))).toMatchObject([
      { topic: "paid", message: { n: 1 } },
      { topic: "paid", message: { n: 2 } },
    ]);
    const { body } = await server.get("/v1/captured-deliveries?max=1");
    expect(body).toMatchObject({ deliveries: [{ topic: "paid", message: { n: 1 } }] });

    expect((await server.get("/readyz")).body).toMatchObject({ incarnation: "sandbox" });
    // Readers of the sandbox don't learn the keys of its source.
    expect(await keys()).not.toEqual(own);
    expect(await keys()).toHaveLength(1);
    const client = createWorkflowClient({ url: server.url });
    onTestFinished(() => client.close());
    const [first] = await client.topics.captured({ max: 1 });
    const rest = await client.topics.captured({ after: first?.id ?? "" });
    expect(rest).toMatchObject([{ message: { n: 2 }, capturedAt: expect.any(Date) as Date }]);
    expect(visits).toEqual([]);
  });

  it("that is released as live delivers what came along", async () => {
    const { database, visits } = await setup();
    const oxbow = oxbowOf(database.url);
    expect(await oxbow("fork", "release", "--as", "live")).toMatchObject({ code: 0 });
    await eventually(() => visits, { length: 1 });
    expect(await oxbow("fork", "release", "--as", "live")).toMatchObject({
      code: 6,
      stderr: expect.stringContaining("is not held") as unknown,
    });
    expect((await oxbow("doctor")).stdout).not.toContain("This database is a copy");
    await oxbow("fork", "hold", "--origin", "a test");
    expect(await oxbow("doctor")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("This database is a copy (a test), and held") as unknown,
    });
  });
});

interface Timers {
  readonly activity: string;
  readonly resumes_at: Date;
  readonly waits: readonly { readonly until: string }[] | null;
}

it("a database that is released with shifted timers postpones the sleeps, timeouts and back-offs that workers have written", async () => {
  const { database, client, serve, violations } = await setupWorkflows();
  const blocked = workflow({
    name: "blocked",
    run: (ctx) =>
      Promise.all([
        ctx.step.sleep("nap", "1h"),
        ctx.step.waitForEvent("answer", { timeout: "2h" }),
        ctx.step.run("call", () => Promise.reject(new Error("busy")), {
          retry: { backoff: { base: "30m" } },
        }),
      ]),
  });
  const worker = serve([blocked]);
  const { runId } = await client.start(blocked, undefined);
  const read = async (): Promise<Timers | undefined> => {
    const [row] = await database.query<Timers & Record<string, unknown>>(
      "select activity, resumes_at, waits from queue.workflow_get($1)",
      [runId],
    );
    return row;
  };
  const before = await eventually(
    read,
    // Suspended: while the worker executes the run, no column shows when it resumes.
    (run) => run?.waits?.length === 2 && run.resumes_at instanceof Date,
  );
  await worker.stop();

  await database.query(
    "select queue.hold_incarnation('a test', clock_timestamp() - interval '10 minutes')",
  );
  const oxbow = oxbowOf(database.url);
  const released = await oxbow("fork", "release", "--as", "sandbox", "--timers", "shift");
  expect(released).toMatchObject({ code: 0 });

  const after = await read();
  const shiftMs = Number(after?.resumes_at) - Number(before?.resumes_at);
  expect(shiftMs).toBeGreaterThanOrEqual(600_000);
  const deadlines = (run: Timers | undefined): number[] =>
    (run?.waits ?? []).map(({ until }) => Date.parse(until));
  expect(deadlines(before)).toHaveLength(2);
  expect(deadlines(after)).toEqual(deadlines(before).map((until) => until + shiftMs));
  expect(await violations()).toEqual([]);
});
