/** Values of the environment, from the database to the runs that name them. */
import { randomBytes } from "node:crypto";
import { createDefinitions } from "@oxbow/declared";
import type { DefinitionTransport } from "@oxbow/declared/internal";
import { ResourceInUse } from "@oxbow/declared/client";
import { createWorker, type WorkflowSource } from "@oxbow/sdk/runtime";
import { expect, it, onTestFinished } from "vitest";
import { createCheckedClient, definitionsOf } from "../helpers/checked-clients.ts";
import { changing } from "../helpers/changed-calls.ts";
import { oxbowOf } from "../helpers/command.ts";
import { newDefinitionName } from "../helpers/definitions.ts";
import { eventually } from "../helpers/eventually.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

type Values = Awaited<ReturnType<DefinitionTransport["servedConfig"]>>;

const RESULT = { timeout: "60s" } as const;

const bench = await setupWorkflows();

/** Waits for an event, so that a change of the value comes between two reads of the same run. */
const documentReading = (name: string, value: string) => ({
  format: 1,
  name,
  nodes: {
    before: { type: "set@1", params: { value: { $config: value } } },
    hold: { type: "wait@1", params: { event: "go", timeout: "1h" } },
    big: { type: "set@1", when: `config["${value}"] > 5`, params: { value: "big" } },
    done: {
      type: "end@1",
      params: {
        output: {
          before: { $path: "nodes.before.output.value" },
          after: { $config: value },
          size: { $path: "nodes.big.output.value", default: "small" },
          other: { $path: "config.other", default: "none" },
        },
      },
    },
  },
  edges: [
    { from: "before", to: "hold" },
    { from: "hold", on: "received", to: "big" },
    { from: "hold", on: "received", to: "done" },
    { from: "big", to: "done" },
  ],
});

it("a run keeps the values with which it began, and a later run has the new ones", async () => {
  const { client, url } = bench;
  const name = newDefinitionName();
  const value = `limit_${randomBytes(4).toString("hex")}`;
  await definitionsOf(client).config.set(value, 3);
  const served = createDefinitions({ pool: name, config: { [value]: 100, other: "own" } });
  const direct = createCheckedClient({ url, tools: served.tools });
  onTestFinished(() => direct.close());
  const document = { ...documentReading(name, value), settings: { pool: name } };
  await definitionsOf(direct).publish(name, await definitionsOf(direct).create(document));
  let worker = served.serve({ url, logger: false });
  onTestFinished(() => worker.stop());

  const first = await definitionsOf(client).start(name, {});
  await eventually(async () => (await client.runs.find(first.runId))?.activity, "waiting");
  await definitionsOf(client).config.set(value, 10);
  // Another worker replays the run, and reads the new value for others.
  await worker.stop();
  worker = served.serve({ url, logger: false });
  await first.signal("go", {});
  expect(await first.result(RESULT)).toEqual({
    before: 3,
    after: 3,
    size: "small",
    other: "own",
  });
  const second = await definitionsOf(client).start(name, {});
  await second.signal("go", {});
  expect(await second.result(RESULT)).toMatchObject({ before: 10, after: 10, size: "big" });
  await expect(definitionsOf(client).config.delete(value)).rejects.toBeInstanceOf(ResourceInUse);
});

it("a run has what was set before its start", async () => {
  const { client, url } = bench;
  const name = newDefinitionName();
  const value = `limit_${randomBytes(4).toString("hex")}`;
  await definitionsOf(client).config.set(value, 0);
  const revision = await definitionsOf(client).create({
    format: 1,
    name,
    nodes: { done: { type: "end@1", params: { output: { $config: value } } } },
    settings: { pool: name },
  });
  await definitionsOf(client).publish(name, revision, { unchecked: true });
  const worker = createDefinitions({ pool: name }).serve({ url, logger: false });
  onTestFinished(() => worker.stop());
  for (let n = 1; n <= 10; n += 1) {
    await definitionsOf(client).config.set(value, n);
    expect(await (await definitionsOf(client).start(name, {})).result(RESULT)).toBe(n);
  }
});

/** Serves the pool with a source that notes which values of the environment it reads. */
function serveCounting(pool: string) {
  const named: (readonly string[] | undefined)[] = [];
  const definitions = createDefinitions({ pool });
  const counting = changing((own) => ({
    servedConfig: async (names) => {
      const found = await own.servedConfig(names);
      named.push(
        names,
        found.map((each) => each.name),
      );
      return found;
    },
  }));
  const source: WorkflowSource = {
    ...definitions,
    resolve: (of, version, connection, hasDecided) =>
      definitions.resolve(of, version, counting(connection), hasDecided),
  };
  const worker = createWorker({ url: bench.url, logger: false, workflows: [], sources: [source] });
  onTestFinished(() => worker.stop());
  return named;
}

it("reads the environment for runs that begin by themselves, whatever their number of turns", async () => {
  const { client } = bench;
  const name = newDefinitionName();
  const value = `limit_${randomBytes(4).toString("hex")}`;
  await definitionsOf(client).config.set(value, 3);
  await definitionsOf(client).config.set(`${value}.of_others`, "x".repeat(1_000));
  const document = { ...documentReading(name, value), settings: { pool: name } };
  const revision = await definitionsOf(client).create(document);
  await definitionsOf(client).publish(name, revision, { unchecked: true });
  const named = serveCounting(name);
  for (const begun of [1, 2]) {
    const run = await definitionsOf(client).start(name, {});
    await eventually(async () => (await client.runs.find(run.runId))?.activity, "waiting");
    await run.signal("go", {});
    expect(await run.result(RESULT)).toMatchObject({ before: 3, after: 3 });
    expect(named).toHaveLength(2 * begun);
  }
  // The database has one of the two that the document names, and "other" values of this database are not read.
  const each = [[value, "other"], [value]];
  expect(named).toEqual([...each, ...each]);
});

it("does not read the environment for items of a loop, which get the values of their parent", async () => {
  const { client } = bench;
  const name = newDefinitionName();
  const value = `limit_${randomBytes(4).toString("hex")}`;
  await definitionsOf(client).config.set(value, 3);
  const revision = await definitionsOf(client).create({
    format: 1,
    name,
    settings: { pool: name },
    nodes: {
      each: {
        type: "for_each@1",
        params: { as: "runs", items: [1, 2, 3], collect: { $path: "nodes.one.output" } },
      },
      one: { type: "set@1", parent: "each", params: { limit: { $config: value } } },
      done: { type: "end@1", params: { output: { $path: "nodes.each.output.results" } } },
    },
    edges: [{ from: "each", to: "done" }],
  });
  await definitionsOf(client).publish(name, revision, { unchecked: true });
  const named = serveCounting(name);
  const run = await definitionsOf(client).start(name, {});
  const limit = { limit: 3 };
  expect(await run.result(RESULT)).toEqual([limit, limit, limit]);
  expect(named).toEqual([[value], [value]]);
});

it("a run keeps what was set before its start though an older read of another run is under way when it begins", async () => {
  const { client, url } = bench;
  const name = newDefinitionName();
  const value = `limit_${randomBytes(4).toString("hex")}`;
  await definitionsOf(client).config.set(value, 2);
  const revision = await definitionsOf(client).create({
    format: 1,
    name,
    nodes: { done: { type: "end@1", params: { output: { $config: value } } } },
    settings: { pool: name },
  });
  await definitionsOf(client).publish(name, revision, { unchecked: true });
  const definitions = createDefinitions({ pool: name });
  let hasOlder = false;
  const source: WorkflowSource = {
    ...definitions,
    resolve: async (of, version, connection, hasDecided) => {
      let endOlder: (values: Values) => void = () => {};
      const older = new Promise<Values>((resolve) => {
        endOlder = resolve;
      });
      let reads = 0;
      const slow = changing((own) => ({
        servedConfig: (names) => {
          reads += 1;
          return reads === 1 ? older : own.servedConfig(names);
        },
      }))(connection);
      const other = definitions.resolve(of, version, slow);
      await eventually(() => Promise.resolve(reads), 1);
      const found = definitions.resolve(of, version, slow, hasDecided);
      endOlder([{ name: value, value: 1, changedAt: new Date(), changedBy: "test" }]);
      await other;
      await found;
      hasOlder = reads === 2;
      return found;
    },
  };
  const worker = createWorker({ url, logger: false, workflows: [], sources: [source] });
  onTestFinished(() => worker.stop());
  expect(await (await definitionsOf(client).start(name, {})).result(RESULT)).toBe(2);
  expect(hasOlder).toBe(true);
});

it("oxbow config sets, lists and deletes a value", async () => {
  const run = oxbowOf(bench.database.url);
  expect(await run("config", "set", "slack.channel", '"#ops"')).toMatchObject({ code: 0 });
  expect((await run("config", "list")).stdout).toMatch(/slack\.channel +"#ops"/);
  expect(
    (await definitionsOf(bench.client).config.list()).find(({ name }) => name === "slack.channel"),
  ).toMatchObject({ value: "#ops", changedAt: expect.any(Date) as Date });
  expect((await run("config", "delete", "slack.channel")).stderr).toContain("Deleted");
  expect(await definitionsOf(bench.client).config.delete("slack.channel")).toBe(false);
});
