/** Workers that serve published definitions, straight to the database and through a server. */
import { createDefinitions, defineNode, type ServableDefinitions } from "@oxbow/declared";
import { createWorkflowClient, ValidationFailed } from "@oxbow/sdk";
import { type Logger, workflow } from "@oxbow/sdk/runtime";
import { startServer } from "@oxbow/server";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { createCheckedClient, definitionsOf } from "../helpers/checked-clients.ts";
import { changing } from "../helpers/changed-calls.ts";
import { documentOf, newDefinitionName } from "../helpers/definitions.ts";
import { eventually, isNotEmpty } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { Latch } from "../helpers/latch.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const RESULT = { timeout: "60s" } as const;

const bench = await setupWorkflows();
const definitions = definitionsOf(bench.client);
const direct = createWorkflowClient({ url: bench.database.url });
atFileEnd(() => direct.close());
/** Straight to the database, without a checker. */
const unchecked = definitionsOf(direct);

function serve(
  served: ServableDefinitions,
  logger: Logger | false = false,
  url: string = bench.url,
): void {
  const worker = served.serve({ url, logger });
  onTestFinished(() => worker.stop());
}

async function publish(document: object, on = unchecked): Promise<void> {
  const { name } = document as { name: string };
  const found = await on.get(name);
  const given = document as Readonly<Record<string, unknown>>;
  const revision =
    found === undefined ? await on.create(given) : await on.save(given, found.revision);
  await on.publish(name, revision, { unchecked: on === unchecked });
}

const start = async (name: string, input?: unknown, version?: number): Promise<unknown> =>
  (await definitions.start(name, input, version === undefined ? {} : { version })).result(RESULT);

const NUMBERED = {
  type: "object",
  required: ["n"],
  properties: { n: { type: "integer" } },
};

describe("the input of a start", () => {
  it.each(["straight to the database", "through a server"])("is checked %s", async (way) => {
    let url = bench.database.url;
    if (way === "through a server") {
      const server = await startServer({ url, port: 0, sweepIntervalMs: 0 });
      onTestFinished(() => server.stop());
      ({ url } = server);
    }
    const client = createCheckedClient({
      url,
      ...(way === "through a server" ? {} : { tools: createDefinitions().tools }),
    });
    onTestFinished(() => client.close());
    const name = newDefinitionName();
    await publish({ ...documentOf(name), input: NUMBERED }, definitionsOf(client));
    const refused = definitionsOf(client).start(name, { n: "one" });
    await expect(refused).rejects.toBeInstanceOf(ValidationFailed);
    await expect(refused).rejects.toMatchObject({
      issues: [{ path: "$.n", message: 'is "one" instead of a whole number' }],
    });
    await expect(definitionsOf(client).start(name)).rejects.toBeInstanceOf(ValidationFailed);
    await publish({ ...documentOf(name) }, definitionsOf(client));
    await definitionsOf(client).start(name, { n: "one" });
    await expect(definitionsOf(client).start(name, {}, { version: 1 })).rejects.toMatchObject({
      issues: [{ path: "$.n", message: "is missing" }],
    });
  });

  it("is checked by the run if nothing has checked it before", async () => {
    const name = newDefinitionName();
    await publish({ ...documentOf(name), input: NUMBERED });
    serve(createDefinitions());
    const run = await bench.client.start(name, { n: 1.5 });
    await expect(run.result(RESULT)).rejects.toMatchObject({
      message: expect.stringContaining("$.n: is 1.5 instead of") as string,
    });
  });
});

describe("a worker of definitions", () => {
  it("serves what is published, and what is published later", async () => {
    const [first, second] = [newDefinitionName(), newDefinitionName()];
    await publish(documentOf(first, "first"));
    serve(createDefinitions());
    expect(await start(first)).toBe("first");
    await publish(documentOf(second, "second"));
    expect(await start(second)).toBe("second");
    await publish(documentOf(first, "third"));
    expect(await start(first)).toBe("third");
    expect(await bench.violations()).toEqual([]);
  });

  it("keeps a run at the version that it began with, over a publish and an archive", async () => {
    const name = newDefinitionName();
    const waiting = (output: string) => ({
      format: 1,
      name,
      nodes: {
        ask: { type: "wait@1", params: { event: "go" } },
        done: { type: "end@1", params: { output } },
      },
      edges: [{ from: "ask", on: "received", to: "done" }],
    });
    serve(createDefinitions());
    await publish(waiting("old"));
    const old = await definitions.start(name);
    await eventually(() => bench.client.runs.get(name, old.runId), { activity: "waiting" });
    await publish(waiting("new"));
    const next = await definitions.start(name);
    await definitions.archive(name);
    await old.signal("go");
    await next.signal("go");
    expect([await old.result(RESULT), await next.result(RESULT)]).toEqual(["old", "new"]);
  });

  it("serves an archived version that is started again", async () => {
    const name = newDefinitionName();
    await publish(documentOf(name, "one"));
    await publish(documentOf(name, "two"));
    serve(createDefinitions());
    expect(await start(name)).toBe("two");
    expect(await start(name, undefined, 1)).toBe("one");
  });

  it("finishes a call that is under way when the definitions change", async () => {
    const name = newDefinitionName();
    let calls = 0;
    const held = new Latch();
    const slow = defineNode({
      type: "test.slow",
      params: { type: "object" },
      run: async () => {
        calls++;
        await held.opened;
        return "done";
      },
    });
    serve(createDefinitions({ nodes: [slow] }));
    await publish({
      format: 1,
      name,
      nodes: {
        slow: { type: "test.slow@1", params: {} },
        end: { type: "end@1", params: { output: { $path: "nodes.slow.output" } } },
      },
      edges: [{ from: "slow", to: "end" }],
    });
    const run = await definitions.start(name);
    await eventually(() => Promise.resolve(calls), 1);
    const other = newDefinitionName();
    await publish(documentOf(other, "other"));
    expect(await start(other)).toBe("other");
    held.open();
    expect(await run.result(RESULT)).toBe("done");
    expect(calls).toBe(1);
  });

  it("leaves a version whose node type it doesn't know to another worker, and reports it", async () => {
    const name = newDefinitionName();
    const warnings: string[] = [];
    const logger: Logger = {
      debug() {},
      info() {},
      warn() {},
      error: (message) => void warnings.push(message),
    };
    serve(createDefinitions(), logger);
    await publish({
      format: 1,
      name,
      nodes: { a: { type: "test.rare@1", params: {} } },
    });
    const run = await definitions.start(name);
    const mentions = () => warnings.filter((text) => text.includes(`"${name}"`));
    await eventually(() => Promise.resolve(mentions()), isNotEmpty);
    expect(mentions()).toEqual([expect.stringContaining("test.rare@1")]);
    const explained = await eventually(() => bench.client.runs.explain(run.runId), {
      cause: "no_worker",
    });
    expect(explained.summary).toContain("test.rare@1");
    expect(
      await bench.database.query(
        "select name, version, pool, runs::int from queue.workflow_refusals()",
      ),
    ).toEqual([{ name, version: 1, pool: "default", runs: 1 }]);
    expect(await bench.client.runs.get(name, run.runId)).toMatchObject({ status: "running" });
    const rare = defineNode({ type: "test.rare", params: { type: "object" }, run: () => 1 });
    serve(createDefinitions({ nodes: [rare] }));
    expect(await run.result(RESULT)).toBeNull();
    expect(await bench.database.query("select * from queue.workflow_refusals()")).toEqual([]);
    expect(mentions()).toHaveLength(1);
  });

  it("serves workflows in code beside them", async () => {
    const name = newDefinitionName();
    await publish(documentOf(name, "declared"));
    bench.serve([workflow({ name: `code-${name}`, run: () => Promise.resolve("code") })], {
      sources: [createDefinitions()],
    });
    const code = await bench.client.start(`code-${name}`, {}, { version: 1 });
    expect([await start(name), await code.result(RESULT)]).toEqual(["declared", "code"]);
  });

  it("serves a thousand of them, each document read once", async () => {
    const pool = "thousand";
    const prefix = newDefinitionName();
    await bench.database.query(
      `select queue.definition_create(n.name, jsonb_build_object(
           'format', 1, 'name', n.name, 'settings', jsonb_build_object('pool', $2::text),
           'nodes', jsonb_build_object('done', jsonb_build_object(
             'type', 'end@1', 'params', jsonb_build_object('output', n.name)))))
       from (select $1 || '-' || i as name from generate_series(1, 1000) as i) as n`,
      [prefix, pool],
    );
    await bench.database.query(
      "select queue.definition_publish($1 || '-' || i, 1) from generate_series(1, 1000) as i",
      [prefix],
    );
    const served = createDefinitions({ pool });
    const read: string[] = [];
    const counting = changing((own) => ({
      servedDocuments: (wanted) => {
        read.push(...wanted.map(({ name }) => name));
        return own.servedDocuments(wanted);
      },
    }));
    bench.serve([], {
      concurrency: 100,
      sources: [
        {
          pools: served.pools,
          resolve: (name, version, connection) =>
            served.resolve(name, version, counting(connection)),
        },
      ],
    });
    // Three runs of each.
    await bench.database.query(
      "select queue.definition_start($1 || '-' || i) from generate_series(1, 1000) as i, generate_series(1, 3)",
      [prefix],
    );
    const ended = await eventually(
      () =>
        bench.database.query<{ ended: number; right: number }>(
          `select count(*) filter (where status = 'completed')::int as ended,
             count(*) filter (where output = to_jsonb(workflow_name))::int as right
           from queue.workflow_run where workflow_name like $1 || '-%'`,
          [prefix],
        ),
      (rows) => rows[0]?.ended === 3_000,
      { withinMs: 120_000 },
    );
    expect(ended).toEqual([{ ended: 3_000, right: 3_000 }]);
    expect(read).toHaveLength(1_000);
    expect(new Set(read).size).toBe(1_000);
    expect(await bench.violations()).toEqual([]);
  }, 480_000);

  it("leaves runs in flight to their pool when the definition moves to another", async () => {
    const name = newDefinitionName();
    const [before, after] = [`${name}-a`, `${name}-b`];
    const named = (where: string) =>
      defineNode({ type: "test.where", params: { type: "object" }, run: () => where });
    await publish({
      format: 1,
      name,
      settings: { pool: before },
      nodes: {
        ask: { type: "wait@1", params: { event: "go" } },
        where: { type: "test.where@1", params: {} },
        done: { type: "end@1", params: { output: { $path: "nodes.where.output" } } },
      },
      edges: [
        { from: "ask", on: "received", to: "where" },
        { from: "where", to: "done" },
      ],
    });
    const old = await definitions.start(name);
    expect(await definitions.configure(name, { pool: after })).toBe(true);
    const next = await definitions.start(name);
    serve(createDefinitions({ pool: before, nodes: [named("before")] }));
    serve(createDefinitions({ pool: after, nodes: [named("after")] }));
    await Promise.all([old.signal("go"), next.signal("go")]);
    expect([await old.result(RESULT), await next.result(RESULT)]).toEqual(["before", "after"]);
    expect(await definitions.get(name)).toMatchObject({ pool: after });
    await definitions.configure(name, { pool: null });
    expect(await definitions.get(name)).toMatchObject({ pool: before });
    expect(await bench.violations()).toEqual([]);
  });

  it("begins with another version when a definition is deleted and created again", async () => {
    const name = newDefinitionName();
    serve(createDefinitions());
    await publish(documentOf(name, "first"));
    const run = await definitions.start(name, undefined, { retentionDays: 0 });
    expect(await run.result(RESULT)).toBe("first");
    await eventually(async () => {
      await bench.database.query("select queue.workflow_sweep()");
      return definitions.delete(name).catch(() => false);
    }, true);
    await publish(documentOf(name, "second"));
    expect(await definitions.versions(name)).toMatchObject([{ version: 2 }]);
    expect(await start(name)).toBe("second");
  });

  it("takes part in flow control, as the settings of the document require", async () => {
    const name = newDefinitionName();
    let atOnce = 0;
    let most = 0;
    const busy = defineNode({
      type: "test.busy",
      params: { type: "object" },
      run: async () => {
        atOnce += 1;
        most = Math.max(most, atOnce);
        await sleep(20);
        atOnce -= 1;
      },
    });
    const served = createDefinitions({ nodes: [busy], pool: "limited" });
    const client = createCheckedClient({ url: bench.database.url, tools: served.tools });
    onTestFinished(() => client.close());
    await publish(
      {
        format: 1,
        name,
        settings: {
          pool: "limited",
          flowControl: { concurrency: 2 },
          retention: "3d",
          deadline: "1h",
        },
        nodes: { busy: { type: "test.busy@1", params: {} } },
      },
      definitionsOf(client),
    );
    const runs = await Promise.all(
      Array.from({ length: 10 }, () => definitionsOf(client).start(name)),
    );
    serve(served);
    await Promise.all(runs.map((run) => run.result(RESULT)));
    expect(most).toBe(2);
    expect(
      await bench.database.query(
        "select distinct retention_days, deadline - started_at = interval '1 hour' as has_deadline from queue.workflow_run where workflow_name = $1",
        [name],
      ),
    ).toEqual([{ retention_days: 3, has_deadline: true }]);
    expect(await bench.violations()).toEqual([]);
  });

  it("works through a server", async () => {
    const server = await startServer({ url: bench.database.url, port: 0, sweepIntervalMs: 0 });
    onTestFinished(() => server.stop());
    const client = createWorkflowClient({ url: server.url });
    onTestFinished(() => client.close());
    const name = newDefinitionName();
    const pool = "remote";
    await publish(
      { ...documentOf(name, { $path: "input.n" }), settings: { pool }, input: NUMBERED },
      definitionsOf(client),
    );
    serve(createDefinitions({ pool }), false, server.url);
    const run = await definitionsOf(client).start(name, { n: 1 });
    expect(await run.result(RESULT)).toBe(1);
    await publish({ ...documentOf(name, "next"), settings: { pool } }, definitionsOf(client));
    expect(await (await definitionsOf(client).start(name)).result(RESULT)).toBe("next");
    await publish({
      format: 1,
      name,
      settings: { pool },
      nodes: { a: { type: "test.rare@1", params: {} } },
    });
    const refused = await definitionsOf(client).start(name);
    const explained = await eventually(() => client.runs.explain(refused.runId), {
      cause: "no_worker",
    });
    expect(explained.summary).toContain("test.rare@1");
    await refused.cancel();
  });

  it("serves only its pool", async () => {
    const [here, there] = [newDefinitionName(), newDefinitionName()];
    serve(createDefinitions({ pool: "here" }));
    await publish({ ...documentOf(here, "here"), settings: { pool: "here" } });
    await publish({ ...documentOf(there, "there"), settings: { pool: "there" } });
    const elsewhere = await definitions.start(there);
    expect(await start(here)).toBe("here");
    expect(await bench.client.runs.get(there, elsewhere.runId)).toMatchObject({
      status: "running",
    });
  });
});
