/** Test runs of definitions: nothing of a mocked test reaches the outside, and pins decide what nodes do. */
import { defineNode, progressOf } from "@oxbow/declared";
import type { Document } from "@oxbow/declared/check";
import { InvalidDefinition } from "@oxbow/declared/client";
import { describe, expect, it } from "vitest";
import { definitionsOf } from "../helpers/checked-clients.ts";
import { newDefinitionName } from "../helpers/definitions.ts";
import { serveDefinitions } from "../helpers/served-definitions.ts";

const RESULT = { timeout: "60s" } as const;

const calls: string[] = [];
const noted = (type: string, effects: "reads" | "writes") =>
  defineNode({
    type,
    params: { type: "object" },
    output: { type: "object", properties: { id: { type: "integer", examples: [42] } } },
    effects,
    run: ({ log }) => {
      calls.push(type);
      log.info("called");
      return { id: 1 };
    },
    rollback: () => void calls.push(`${type} rollback`),
  });

const { database, client } = await serveDefinitions({
  nodes: [noted("test.write", "writes"), noted("test.read", "reads")],
  knowsTypes: true,
});

/** All that can act outside of a run, one after the other. */
const acting = (name: string): Document => ({
  format: 1,
  name,
  nodes: {
    write: { type: "test.write@1", params: {} },
    read: { type: "test.read@1", params: {} },
    send: { type: "queue.send@1", params: { queue: "outside", message: 1 } },
    publish: { type: "topic.publish@1", params: { topic: "outside.now", message: 1 } },
    http: { type: "http.request@1", params: { url: "http://127.0.0.1:9/", method: "POST" } },
    run: { type: "run@1", params: { workflow: "outside", input: 1 } },
    sum: { type: "set@1", params: { id: { $path: "nodes.write.output.id" } } },
    done: { type: "end@1", params: { output: { $path: "nodes.sum.output.id" } } },
  },
  edges: ["write", "read", "send", "publish", "http", "run", "sum"].map((from, at, all) => ({
    from,
    to: all[at + 1] ?? "done",
  })),
});

async function create(document: Document): Promise<string> {
  await definitionsOf(client()).create(document as never);
  return document.name;
}

describe.each(["straight", "remote"])("a test, %s", (way) => {
  it("does nothing outside of its run, and takes samples instead", async () => {
    const name = await create(acting(newDefinitionName()));
    await database.query(
      "select queue.create_queue('outside') where not exists (select from queue.list_queues() where name = 'outside')",
    );
    const before = calls.length;
    const run = await definitionsOf(client(way)).test(name);
    expect(await run.result(RESULT)).toBe(42);
    expect(calls.slice(before)).toEqual([]);
    expect(
      await database.query("select run_id from queue.workflow_run where workflow_name = 'outside'"),
    ).toEqual([]);
    expect(await database.query("select * from queue.peek('outside')")).toEqual([]);
    const steps = await client(way).runs.steps(run.runId);
    expect(steps.find((step) => step.name === "write")).toMatchObject({
      output: { $test: "sample", input: {}, handle: "out", output: { id: 42 } },
    });
    const { nodes, end } = progressOf(acting(name), steps);
    expect([end, new Set(nodes.values())]).toEqual(["completed", new Set(["succeeded"])]);
    expect(await definitionsOf(client(way)).deleteTest(name, run.runId)).toBe(true);
    await expect(client(way).runs.get(name, run.runId)).rejects.toThrow("does not exist");
  });

  it("takes what is pinned: outputs, handles and errors, of any node", async () => {
    const name = newDefinitionName();
    const document: Document = {
      format: 1,
      name,
      nodes: {
        write: { type: "test.write@1", params: {} },
        ask: { type: "wait@1", params: { event: "go" } },
        go: { type: "branch@1", params: { cases: [{ id: "yes", when: "false" }] } },
        late: { type: "end@1", params: { output: "late" } },
        mend: { type: "end@1", params: { output: { $path: "nodes.write.error.code" } } },
        yes: { type: "end@1", params: { output: { $path: "nodes.ask.output" } } },
        no: { type: "end@1", params: { output: "no" } },
      },
      edges: [
        { from: "write", to: "ask" },
        { from: "write", on: "error", to: "mend" },
        { from: "ask", on: "received", to: "go" },
        { from: "ask", on: "timeout", to: "late" },
        { from: "go", on: "yes", to: "yes" },
        { from: "go", on: "else", to: "no" },
      ],
    };
    await create(document);
    const outcome = async (pins: Record<string, object>) => {
      const run = await definitionsOf(client(way)).test(name, undefined, { pins });
      const output = await run.result(RESULT);
      const { end } = progressOf(document, await client(way).runs.steps(run.runId));
      expect(end).toBe("completed");
      return output;
    };
    expect(await outcome({ ask: { output: "payload" } })).toBe("no");
    expect(await outcome({ ask: { output: "payload" }, go: { handle: "yes" } })).toBe("payload");
    expect(await outcome({ ask: { handle: "timeout" } })).toBe("late");
    expect(await outcome({ write: { error: { code: "DOWN", message: "away" } } })).toBe("DOWN");
    await expect(outcome({ ask: { handle: "receipt" } })).rejects.toThrow(
      'The pin of node "ask" takes the handle "receipt", and wait@1 has received, timeout.',
    );
    await expect(outcome({ ask: { output: 1 }, go: { handle: "maybe" } })).rejects.toThrow(
      "branch@1 has yes, else",
    );
  });

  it("ends after the node that it is to reach", async () => {
    const name = await create(acting(newDefinitionName()));
    const run = await definitionsOf(client(way)).test(name, undefined, { until: "read" });
    expect(await run.result(RESULT)).toEqual({ id: 42 });
    expect((await client(way).runs.steps(run.runId)).map((step) => step.name)).toEqual([
      "write",
      "read",
    ]);
  });

  it("executes only one node, with those before it as they are pinned", async () => {
    const name = newDefinitionName();
    await create({
      format: 1,
      name,
      input: { type: "object", required: ["n"] },
      nodes: {
        write: { type: "test.write@1", params: { of: { $path: "input.n" } } },
        code: {
          type: "js@1",
          params: {
            input: { $path: "nodes.write.output.id" },
            code: "console.log('got ' + input); return input * 2;",
          },
        },
        each: {
          type: "for_each@1",
          params: { items: [1, 2], collect: { $path: "nodes.twice.output" } },
        },
        twice: { parent: "each", type: "set@1", params: { $cel: "item * 2" } },
      },
      edges: [
        { from: "write", to: "code" },
        { from: "code", to: "each" },
      ],
    });
    const definitions = definitionsOf(client(way));
    const code = await definitions.testNode(name, "code", {
      pins: { write: { output: { id: 21 } } },
    });
    expect(code).toMatchObject({
      input: { input: 21 },
      handle: "out",
      output: 42,
      attempts: 1,
      log: [{ level: "info", message: "got 21" }],
    });
    expect(await definitions.testNode(name, "each")).toMatchObject({
      handle: "out",
      output: { results: [2, 4], succeeded: 2 },
    });
    expect(await definitions.testNode(name, "twice", { item: 5 })).toMatchObject({ output: 10 });
    const unread = await definitions.testNode(name, "code");
    expect(unread).toMatchObject({ handle: "error", error: { code: "EXPRESSION_FAILED" } });
    const before = calls.length;
    expect(await definitions.testNode(name, "write", { input: { n: 1 } })).toMatchObject({
      input: { of: 1 },
      output: { id: 42 },
    });
    expect(calls.slice(before)).toEqual([]);
  });

  it("with its effects does the work", async () => {
    const name = newDefinitionName();
    await create({
      format: 1,
      name,
      nodes: {
        write: { type: "test.write@1", params: {} },
        done: { type: "end@1", params: { output: { $cel: "run.test" } } },
      },
      edges: [{ from: "write", to: "done" }],
    });
    const before = calls.length;
    const run = await definitionsOf(client(way)).test(name, undefined, { effects: "real" });
    expect(await run.result(RESULT)).toBe(true);
    expect(calls.slice(before)).toEqual(["test.write"]);
    const node = await definitionsOf(client(way)).testNode(name, "write", { effects: "real" });
    expect(node).toMatchObject({
      output: { id: 1 },
      log: [{ level: "info", message: "called" }],
    });
  });

  it("is of a document that need not be saved, and refused if that has errors", async () => {
    const name = await create(acting(newDefinitionName()));
    const definitions = definitionsOf(client(way));
    const document = {
      format: 1,
      name,
      nodes: { done: { type: "end@1", params: { output: "unsaved" } } },
    };
    const run = await definitions.test(name, undefined, { document });
    expect(await run.result(RESULT)).toBe("unsaved");
    const wrong = {
      ...document,
      nodes: { done: { type: "end@1", params: { output: { $path: "nodes.gone.output" } } } },
    };
    await expect(definitions.test(name, undefined, { document: wrong })).rejects.toBeInstanceOf(
      InvalidDefinition,
    );
  });

  it("rolls nothing back that was not done", async () => {
    const name = newDefinitionName();
    await create({
      format: 1,
      name,
      nodes: {
        write: { type: "test.write@1", params: {} },
        read: { type: "test.read@1", params: {} },
      },
      edges: [{ from: "write", to: "read" }],
    });
    const before = calls.length;
    const run = await definitionsOf(client(way)).test(name, undefined, {
      pins: { read: { error: { code: "DOWN" } } },
    });
    await expect(run.result(RESULT)).rejects.toThrow();
    expect(calls.slice(before)).toEqual([]);
  });

  it("does not call what documents give to nodes as rollbacks, in loops either", async () => {
    const name = newDefinitionName();
    const rollback = { type: "test.write@1", params: {} };
    const code = { type: "js@1", params: { code: "return 1;" }, rollback };
    await create({
      format: 1,
      name,
      nodes: {
        code,
        each: { type: "for_each@1", params: { items: [1, 2] } },
        inner: { parent: "each", ...code },
        last: { type: "test.read@1", params: {} },
      },
      edges: [
        { from: "code", to: "each" },
        { from: "each", to: "last" },
      ],
    });
    const rolledBack = async (effects: "mock" | "real"): Promise<string[]> => {
      const before = calls.length;
      const run = await definitionsOf(client(way)).test(name, undefined, {
        effects,
        pins: { last: { error: { code: "DOWN" } } },
      });
      await expect(run.result(RESULT)).rejects.toThrow("the pin of the test fails");
      return calls.slice(before);
    };
    expect(await rolledBack("mock")).toEqual([]);
    expect(await rolledBack("real")).toEqual(["test.write", "test.write", "test.write"]);
  });
});

it("leaves no broken invariant", async () => {
  expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
});
