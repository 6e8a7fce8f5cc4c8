/** Runs in progress that continue with another version of their definition. */
import { defineNode, definitionTools, takeHandle } from "@oxbow/declared";
import type { Document, JsonObject } from "@oxbow/declared/check";
import type { RunCause, RunHandle } from "@oxbow/sdk";
import { NotMigratable } from "@oxbow/declared/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { createCheckedClient, definitionsOf } from "../helpers/checked-clients.ts";
import { newDefinitionName } from "../helpers/definitions.ts";
import { eventually, including } from "../helpers/eventually.ts";
import { Latch } from "../helpers/latch.ts";
import { serveDefinitions } from "../helpers/served-definitions.ts";

const RESULT = { timeout: "60s" } as const;

const calls: string[] = [];
/** Opened by tests, by what nodes ask for. */
const gates = new Map<string, Promise<void>>();
const call = defineNode({
  type: "test.call",
  params: { type: "object" },
  retry: { attempts: 20, backoff: { kind: "fixed", base: "1h" } },
  run: async ({ params, idempotencyKey }) => {
    const { say, fails, gate } = params as { say?: string; fails?: boolean; gate?: string };
    calls.push(`${idempotencyKey} ${say ?? ""}`);
    if (gate !== undefined) await gates.get(gate);
    if (fails === true) throw new Error("not yet");
    return say ?? "";
  },
});
const handled = defineNode({
  type: "test.handled",
  params: { type: "object" },
  handles: ["a", "b"],
  run: () => takeHandle("a", { x: 1 }),
});

const { database, client } = await serveDefinitions({ nodes: [call, handled] });

await definitionsOf(client()).config.set("limit", 9);

type Nodes = Document["nodes"];

const HANDLES: Readonly<Record<string, string>> = {
  "wait@1": "received",
  "test.handled@1": "a",
};

/** A chain of nodes, by their first handles. */
function chain(name: string, nodes: Nodes, more: Partial<Document> = {}): Document {
  const ids = Object.keys(nodes).filter((id) => nodes[id]?.parent === undefined);
  return {
    format: 1,
    name,
    nodes,
    edges: ids.slice(1).map((to, at) => {
      const from = ids[at] ?? "";
      const { type = "", params } = nodes[from] ?? {};
      const [first] = (params as { cases?: readonly { id: string }[] } | undefined)?.cases ?? [];
      return { from, on: first?.id ?? HANDLES[type] ?? "out", to };
    }),
    ...more,
  };
}

async function publish(document: Document): Promise<number> {
  const definitions = definitionsOf(client());
  const found = await definitions.get(document.name);
  const revision =
    found === undefined
      ? await definitions.create(document as never)
      : await definitions.save(document as never, found.revision);
  const { version } = await definitions.publish(document.name, revision);
  return version;
}

const say = (text: string): Nodes[string] => ({ type: "test.call@1", params: { say: text } });
const waits: Nodes[string] = { type: "wait@1", params: { event: "go" } };
const end = (output: JsonObject[string]): Nodes[string] => ({ type: "end@1", params: { output } });

const explained = (runId: string, cause: RunCause): Promise<unknown> =>
  eventually(() => client().runs.explain(runId), { cause });

/** A run of version 1 that waits in node `hold`, and version 2. */
async function waiting(before: Nodes, after: Nodes, input?: unknown, more?: Partial<Document>) {
  const name = newDefinitionName();
  await publish(chain(name, before, more));
  const run = await definitionsOf(client()).start(name, input);
  await explained(run.runId, "event");
  await publish(chain(name, after, more));
  return { name, run };
}

const versionOf = async (name: string, run: RunHandle): Promise<number> =>
  (await client().runs.get(name, run.runId)).version;

describe.each(["straight", "remote"])("a run that waits, %s", (way) => {
  const migrate = (name: string, run: RunHandle, version?: number) =>
    definitionsOf(client(way)).migrate(name, run.runId, version === undefined ? {} : { version });

  it("continues with the new version, whose other nodes it calls", async () => {
    const { name, run } = await waiting(
      { first: say("one"), hold: waits, done: end("old") },
      {
        // A step that has ended keeps its result; titles are for people.
        first: say("ONE"),
        hold: { ...waits, title: "Hold" },
        second: say("two"),
        done: end({ $cel: "nodes.first.output + nodes.second.output" }),
      },
    );
    expect(await migrate(name, run)).toEqual({ runId: run.runId, migrated: true, from: 1, to: 2 });
    // A second delivery of the request changes nothing.
    expect(await migrate(name, run)).toMatchObject({ migrated: false, from: 2, to: 2 });
    expect(await versionOf(name, run)).toBe(2);
    await client().signal(run.runId, "go", {});
    expect(await run.result(RESULT)).toBe("onetwo");
    await expect(migrate(name, run, 1)).rejects.toThrow("has ended");
    expect(
      await database.query(
        "select detail ->> 'to' as version from queue.audit where action = 'run.migrate' and detail ->> 'definition' = $1",
        [name],
      ),
    ).toEqual([{ version: "2" }]);
  });

  it("does at once what the new version can do", async () => {
    const { name, run } = await waiting(
      { hold: waits },
      { hold: waits, beside: say("beside") },
      null,
      {
        edges: [],
      },
    );
    await migrate(name, run);
    await eventually(
      async () => (await client().runs.steps(run.runId)).map((step) => step.name),
      including("beside"),
    );
    await client().signal(run.runId, "go", {});
    await run.result(RESULT);
  });

  it.each<[string, Nodes, Nodes, string, string]>([
    [
      "a step that is gone",
      { first: say("one"), hold: waits },
      { hold: waits },
      "first",
      'step "first"',
    ],
    [
      "a node of another kind",
      { first: say("one"), hold: waits },
      { first: { type: "delay@1", params: { for: "1s" } }, hold: waits },
      "first",
      "first",
    ],
    [
      "a wait that differs",
      { hold: waits },
      { hold: { type: "wait@1", params: { event: "other" } } },
      "hold",
      "differs",
    ],
    ["a wait that is gone", { hold: waits }, { first: say("one") }, "hold", 'step "hold"'],
    [
      "a new guard that leaves out what was done",
      { first: say("one"), hold: waits },
      { first: { ...(say("one") as object), when: "false" } as Nodes[string], hold: waits },
      "first",
      "first",
    ],
    [
      "a branch that took a case which is gone",
      {
        go: { type: "branch@1", params: { cases: [{ id: "yes", when: "true" }] } },
        hold: waits,
      },
      {
        go: { type: "branch@1", params: { cases: [{ id: "no", when: "true" }] } },
        hold: waits,
      },
      "go",
      '"yes"',
    ],
    [
      "a loop that has begun and has other items",
      {
        each: { type: "for_each@1", params: { items: [1, 2] } },
        hold: { ...(waits as object), parent: "each" } as Nodes[string],
      },
      {
        each: { type: "for_each@1", params: { items: [1, 2, 3] } },
        hold: { ...(waits as object), parent: "each" } as Nodes[string],
      },
      "each",
      "has begun",
    ],
  ])("is refused for %s, naming the node", async (_what, before, after, node, message) => {
    const name = newDefinitionName();
    await publish(chain(name, before));
    const run = await definitionsOf(client()).start(name);
    await explained(run.runId, "event");
    await publish(chain(name, after));
    const refused = await migrate(name, run).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(NotMigratable);
    expect((refused as NotMigratable).message).toContain(message);
    expect((refused as NotMigratable).facts).toMatchObject({ node, from: 1, to: 2 });
    // The run hasn't changed.
    expect(await versionOf(name, run)).toBe(1);
    await client().runs.cancel(run.runId);
  });

  it("is refused where its input does not fulfil the new schema", async () => {
    const name = newDefinitionName();
    await publish(chain(name, { hold: waits }));
    const run = await definitionsOf(client()).start(name, { n: "text" });
    await explained(run.runId, "event");
    const input = { type: "object", properties: { n: { type: "integer" } } } as const;
    await publish(chain(name, { hold: waits }, { input }));
    await expect(migrate(name, run)).rejects.toThrow("input of the run");
    await expect(migrate(name, run, 9)).rejects.toThrow("version 9");
    const other = newDefinitionName();
    await publish(chain(other, { hold: waits }));
    await expect(migrate(other, run)).rejects.toThrow(`no run ${run.runId}`);
    await client().runs.cancel(run.runId);
  });

  it("is replayed with the values of the environment that its worker would have", async () => {
    const guarded = { ...say("one"), when: "config.limit > 5" };
    const first = await waiting(
      { first: say("one"), hold: waits },
      { first: guarded, hold: waits },
    );
    expect(await migrate(first.name, first.run)).toMatchObject({ migrated: true });
    await client().runs.cancel(first.run.runId);

    // A worker may have a value in its options.
    const second = await waiting({ hold: waits }, { hold: waits, done: end({ $config: "own" }) });
    await expect(migrate(second.name, second.run)).rejects.toThrow(
      'reads the value "own" of the environment, which the database does not have',
    );
    await client().runs.cancel(second.run.runId);

    // Neither version has a value for what is no expression.
    const set = { type: "set@1", params: { value: { $config: "limit" } } };
    const reading = { first: say("see config.json"), set, hold: waits };
    const third = await waiting(reading, { ...reading, more: say("more") });
    expect(await migrate(third.name, third.run)).toMatchObject({ migrated: true });
    await client().runs.cancel(third.run.runId);
  });

  it("takes the mended parameters of a step that fails", async () => {
    const name = newDefinitionName();
    await publish(
      chain(name, {
        first: { type: "test.handled@1", params: {} },
        try: { type: "test.call@1", params: { say: "tried", fails: true } },
        done: end({ $path: "nodes.try.output" }),
      }),
    );
    const run = await definitionsOf(client()).start(name);
    await eventually(async () => (await client().runs.find(run.runId)).activity, "retrying");
    await publish(
      chain(name, {
        first: { type: "test.handled@1", params: {} },
        try: say("tried again"),
        done: end({ $path: "nodes.try.output" }),
      }),
    );
    // The branch of a node with several handles doesn't change.
    expect(await migrate(name, run)).toMatchObject({ migrated: true });
    expect(await versionOf(name, run)).toBe(2);
    await client().runs.cancel(run.runId);
  });
});

/** A client that counts its comparisons, and calls a function at each. */
function countingClient(onCompare?: () => unknown) {
  let comparisons = 0;
  const tools = definitionTools();
  const counting = createCheckedClient({
    url: database.url,
    tools: {
      ...tools,
      departureOf: async (...given) => {
        comparisons += 1;
        await onCompare?.();
        return tools.departureOf(...given);
      },
    },
  });
  onTestFinished(() => counting.close());
  return { client: counting, count: () => comparisons };
}

it("says so if the run advanced while it was compared", async () => {
  const again: Nodes[string] = { type: "wait@1", params: { event: "again" } };
  const { name, run } = await waiting({ hold: waits, again }, { hold: waits, again, done: end(2) });
  const stepsOf = async () => (await client().runs.steps(run.runId)).map((step) => step.name);
  const { client: slow } = countingClient(async () => {
    await client().signal(run.runId, "go", {});
    await eventually(stepsOf, including("hold"));
    await explained(run.runId, "event");
  });
  const refused = definitionsOf(slow).migrate(name, run.runId, { wait: "1ms" });
  await expect(refused).rejects.toThrow("changed while it was compared");
  await client().runs.cancel(run.runId);
});

it("waits for the worker that executes the run, and refuses one that is executed all the time", async () => {
  const name = newDefinitionName();
  const gate = new Latch();
  gates.set(name, gate.opened);
  onTestFinished(gate.open);
  const first: Nodes[string] = { type: "test.call@1", params: { say: "held", gate: name } };
  await publish(chain(name, { first, hold: waits, done: end("old") }));
  const run = await definitionsOf(client()).start(name);
  await eventually(() => calls, including(`${run.runId}:first held`));
  await publish(chain(name, { first, hold: waits, done: end("new") }));
  const compared = countingClient();
  const definitions = definitionsOf(compared.client);
  const refused = definitions.migrate(name, run.runId, { wait: "1s" });
  await expect(refused).rejects.toThrow("executed by a worker all the time");
  // The journal is not read and replayed for each look at the lease.
  expect(compared.count()).toBe(1);
  const patient = definitions.migrate(name, run.runId, { wait: "60s" });
  gate.open();
  expect(await patient).toMatchObject({ migrated: true });
  await client().signal(run.runId, "go", {});
  expect(await run.result(RESULT)).toBe("new");
  // Nothing was called twice.
  expect(calls.filter((each) => each.startsWith(`${run.runId}:`))).toHaveLength(1);
});

it("leaves no broken invariant", async () => {
  expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
});
