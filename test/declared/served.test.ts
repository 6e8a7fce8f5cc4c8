/** Workers that serve published definitions, straight to the database and through a server. */
import { createDefinitions, defineNode, type ServableDefinitions } from "@oxbow/declared";
import type { Logger } from "@oxbow/sdk/runtime";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { documentOf, newDefinitionName } from "../helpers/definitions.ts";
import { eventually } from "../helpers/eventually.ts";
import { setupWorkflows, type WorkflowBench } from "../helpers/workflows.ts";

const RESULT = { timeout: "60s" } as const;

let bench: WorkflowBench;
let definitions: WorkflowBench["client"]["definitions"];

beforeAll(async () => {
  bench = await setupWorkflows();
  ({ definitions } = bench.client);
});

function serve(served: ServableDefinitions, logger: Logger | false = false): void {
  const worker = served.serve({ url: bench.url, logger });
  onTestFinished(() => worker.stop());
}

async function publish(document: object, on = definitions): Promise<void> {
  const { name } = document as { name: string };
  const found = await on.get(name);
  const given = document as Readonly<Record<string, unknown>>;
  const revision =
    found === undefined ? await on.create(given) : await on.save(given, found.revision);
  await on.publish(name, revision);
}

const start = async (name: string, input?: unknown, version?: number): Promise<unknown> =>
  (await definitions.start(name, input, version === undefined ? {} : { version })).result(RESULT);

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
    await eventually(
      () => bench.client.runs.get(name, old.runId),
      ({ activity }) => activity === "waiting",
      { withinMs: 60_000 },
    );
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
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = defineNode({
      type: "test.slow",
      params: { type: "object" },
      run: async () => {
        calls++;
        await held;
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
    await eventually(
      () => Promise.resolve(calls),
      (count) => count === 1,
      { withinMs: 60_000 },
    );
    const other = newDefinitionName();
    await publish(documentOf(other, "other"));
    expect(await start(other)).toBe("other");
    release();
    expect(await run.result(RESULT)).toBe("done");
    expect(calls).toBe(1);
  });

  it("leaves a version whose node type it doesn't know to another worker, and reports it", async () => {
    const name = newDefinitionName();
    const warnings: string[] = [];
    const logger: Logger = {
      debug() {},
      info() {},
      error() {},
      warn: (message) => void warnings.push(message),
    };
    serve(createDefinitions(), logger);
    await publish({
      format: 1,
      name,
      nodes: { a: { type: "test.rare@1", params: {} } },
    });
    const run = await definitions.start(name);
    const mentions = () => warnings.filter((text) => text.includes(`"${name}"`));
    await eventually(
      () => Promise.resolve(mentions()),
      (found) => found.length > 0,
      { withinMs: 60_000 },
    );
    expect(mentions()).toEqual([expect.stringContaining("test.rare@1")]);
    expect(await bench.client.runs.get(name, run.runId)).toMatchObject({ status: "running" });
    const rare = defineNode({ type: "test.rare", params: { type: "object" }, run: () => 1 });
    serve(createDefinitions({ nodes: [rare] }));
    expect(await run.result(RESULT)).toBeNull();
  });

  it("serves its pool alone", async () => {
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
