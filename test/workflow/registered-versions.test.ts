import { InvalidArgument } from "@oxbow/sdk";
import { workflow } from "@oxbow/sdk/runtime";
import { describe, expect, it } from "vitest";
import { convertingSchema } from "../helpers/converting-schema.ts";
import { eventually } from "../helpers/eventually.ts";
import { startTestServer } from "../helpers/server.ts";
import { shardCount } from "../helpers/transport.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const DAY_MS = 86_400_000;

const bench = await setupWorkflows();

/** Over shards, in each of them. */
const registered = (name: string, count: number): Promise<unknown> =>
  eventually(() => bench.database.query("select from queue.workflow_versions($1)", [name]), {
    length: count * shardCount,
  });

/** The days for which an ended run is kept. */
const keptFor = async (runId: string): Promise<number> => {
  const [row] = await bench.database.query<{ days: number }>(
    "select extract(epoch from expires_at - completed_at)::float8 / 86400 as days from queue.workflow_run where run_id = $1",
    [runId],
  );
  return row?.days ?? Number.NaN;
};

describe("a start by name", () => {
  it("takes the latest version that a worker has registered, with its retention and deadline", async () => {
    const version = (number: number) =>
      workflow({
        name: "renamed",
        version: number,
        retention: number === 2 ? "7d" : "90d",
        deadline: "1h",
        run: (ctx) => ctx.version,
      });
    bench.serve([version(1), version(2)]);
    await registered("renamed", 2);
    const run = await bench.client.start("renamed");
    expect(await run.result({ timeout: "60s" })).toBe(2);
    expect(await keptFor(run.runId)).toBe(7);
    const { startedAt, deadline } = await bench.client.runs.find(run.runId);
    expect((deadline?.getTime() ?? 0) - startedAt.getTime()).toBe(3_600_000);
  });

  it("takes the version that it names, with what that was registered with", async () => {
    const version = (number: number) =>
      workflow({
        name: "two-versions",
        version: number,
        ...(number === 1 ? { retention: "3d" as const } : {}),
        run: (ctx) => ctx.version,
      });
    bench.serve([version(1), version(2)]);
    await registered("two-versions", 2);
    const run = await bench.client.start("two-versions", null, { version: 1 });
    expect(await run.result({ timeout: "60s" })).toBe(1);
    expect(await keptFor(run.runId)).toBe(3);
  });

  it("takes version 1 and keeps the run for 30 days when no worker has registered the workflow", async () => {
    const run = await bench.client.start("unheard-of");
    expect(await bench.client.runs.find(run.runId)).toMatchObject({ version: 1, deadline: null });
    await run.cancel();
    expect(await keptFor(run.runId)).toBe(30);
  });

  it("is executed by the first worker that serves the workflow, as it serves it", async () => {
    const run = await bench.client.start("awaited", { n: 1 });
    bench.serve([
      workflow({
        name: "awaited",
        version: 2,
        retention: "7d",
        run: (ctx, input) => ({ version: ctx.version, input }),
      }),
    ]);
    expect(await run.result({ timeout: "60s" })).toEqual({ version: 2, input: { n: 1 } });
    expect(await keptFor(run.runId)).toBe(7);
  });

  it("takes an earlier version again once the later one is unregistered", async () => {
    const version = (number: number) =>
      workflow({ name: "taken-back", version: number, run: (ctx) => ctx.version });
    bench.serve([version(1), version(2)]);
    await registered("taken-back", 2);
    expect(await bench.client.unregister("taken-back", 2)).toBe(true);
    expect(await bench.client.unregister("taken-back", 2)).toBe(false);
    expect(await (await bench.client.start("taken-back")).result({ timeout: "60s" })).toBe(1);
  });

  it("by SQL, a topic, a batch, a schedule and a signal takes it too", async () => {
    const latest = workflow({ name: "everyway", version: 4, run: (ctx) => ctx.version });
    bench.serve([latest]);
    await registered("everyway", 1);
    const { client, database } = bench;
    await database.query("select queue.workflow_start('everyway')");
    await client.topics.subscribe("every.way", { workflow: "everyway" });
    await client.topics.publish("every.way", {});
    await client.startBatch("everyway", [{ input: 1 }, { input: 2 }]);
    await client.schedules.create({ name: "every-way", workflow: "everyway", cron: "@yearly" });
    const schedules = await client.schedules.list();
    expect(schedules.find(({ name }) => name === "every-way")?.version).toBeNull();
    await client.schedules.trigger("every-way");
    await client.signalWithStart("everyway", null, { idempotencyKey: "a", event: "go" });
    await eventually(
      () => client.runs.count({ workflow: "everyway", version: 4, status: "completed" }),
      6,
    );
    expect(await client.runs.count({ workflow: "everyway" })).toBe(6);
  });
});

describe("the input schema of a version", () => {
  /** The keys in an order that is neither theirs by the alphabet nor by their length. */
  const schema = {
    type: "object",
    properties: { zip: { type: "string" }, at: { type: "string" }, count: { type: "integer" } },
    required: ["zip"],
  };
  const withSchema = (version: number, input: () => unknown) =>
    workflow({
      name: "with-schema",
      version,
      input: convertingSchema(input),
      run: (_ctx, given) => given,
    });
  const unconvertible = (): never => {
    throw new Error("a Date has no JSON Schema");
  };

  it("is what its library converts the schema to, directly and through a server; one that can't be converted is reported, and runs go on", async () => {
    const troubles: string[] = [];
    const logger = {
      debug() {},
      info() {},
      warn() {},
      error: (message: string) => void troubles.push(message),
    };
    bench.serve([withSchema(1, () => schema), withSchema(2, unconvertible)], { logger });
    await registered("with-schema", 2);
    const server = await startTestServer(bench.database);
    const remote = bench.serve([withSchema(3, () => schema), withSchema(4, unconvertible)], {
      url: server.url,
      logger,
    });
    await eventually(
      () => server.get("/v1/workflows/with-schema/versions"),
      ({ body }) => (body as { readonly versions: unknown[] }).versions.length === 4,
    );
    const expected = [
      { version: 4, inputSchema: null },
      { version: 3, inputSchema: schema },
      { version: 2, inputSchema: null },
      { version: 1, inputSchema: schema },
    ];
    const { versions } = (await server.get("/v1/workflows/with-schema/versions")).body;
    expect(versions).toMatchObject(expected);
    const found = await bench.client.versions("with-schema");
    expect(found).toMatchObject(expected);
    expect(JSON.stringify(found.at(-1)?.inputSchema)).toBe(JSON.stringify(schema));
    expect(troubles.filter((trouble) => trouble.includes("with-schema"))).toEqual(
      [2, 4].map(
        (version) =>
          `oxbow: registering workflows: Forms for starts of workflow "with-schema" version ${version} take JSON, because its input schema is not registered: a Date has no JSON Schema`,
      ),
    );
    const run = await bench.client.start("with-schema", { zip: "8001" });
    expect(await run.result({ timeout: "60s" })).toEqual({ zip: "8001" });
    await remote.stop();
  });
});

it("the deadline of a definition counts from when the run may begin, and gives way to that of a start", async () => {
  const bound = workflow({ name: "bound", deadline: "2h", run: () => null });
  const at = new Date(Date.now() + DAY_MS);
  const [later, own, relative] = await Promise.all([
    bench.client.start(bound, undefined, { at }),
    bench.client.start(bound, undefined, { deadline: new Date(at.getTime() + DAY_MS) }),
    bench.client.start(bound, undefined, { deadline: "30m" }),
  ]);
  const deadlineOf = async ({ runId }: { runId: string }) =>
    (await bench.client.runs.find(runId)).deadline?.getTime();
  expect(await deadlineOf(later)).toBe(at.getTime() + 7_200_000);
  expect(await deadlineOf(own)).toBe(at.getTime() + DAY_MS);
  const { startedAt } = await bench.client.runs.find(relative.runId);
  expect(await deadlineOf(relative)).toBe(startedAt.getTime() + 1_800_000);
});

describe("a start at a date", () => {
  it("begins then and not before, and immediately if the date has passed", async () => {
    const dated = workflow({ name: "at-a-date", run: () => Date.now() });
    bench.serve([dated]);
    const at = new Date(Date.now() + 1_500);
    const run = await bench.client.start(dated, undefined, { at });
    expect((await bench.client.runs.find(run.runId)).activity).toBe("delayed");
    expect(await run.result({ timeout: "60s" })).toBeGreaterThanOrEqual(at.getTime() - 5);
    const past = await bench.client.start(dated, undefined, { at: new Date(0) });
    await past.result({ timeout: "60s" });
  });

  it("is refused with a delay, and when it is no date", async () => {
    const at = new Date();
    await expect(bench.client.start("at-a-date", null, { at, delay: "1s" })).rejects.toBeInstanceOf(
      InvalidArgument,
    );
    await expect(
      bench.client.start("at-a-date", null, { at: new Date(Number.NaN) }),
    ).rejects.toThrow(/not a date/);
  });
});
