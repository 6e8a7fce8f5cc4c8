/** The catalog: what workers register, straight to the database and through a server, and what the checker makes of it. */
import { randomBytes } from "node:crypto";
import { createDefinitions, defineNode, defineTrigger, definitionTools } from "@oxbow/declared";
import { BUILT_IN_NODE_TYPES } from "@oxbow/declared/check";
import { createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";
import { InvalidDefinition } from "@oxbow/declared/client";
import type { Logger } from "@oxbow/sdk/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { createCheckedClient, definitionsOf } from "../helpers/checked-clients.ts";
import { newDefinitionName } from "../helpers/definitions.ts";
import { eventually, isNotEmpty } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { startTestServer } from "../helpers/server.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const bench = await setupWorkflows();
const client = createCheckedClient({ url: bench.url, tools: definitionTools() });
atFileEnd(() => client.close());

const newPool = (): string => `p-${randomBytes(6).toString("hex")}`;

const mailSend = defineNode({
  type: "mail.send",
  title: "Send mail",
  params: {
    type: "object",
    required: ["to"],
    additionalProperties: false,
    properties: { to: { type: "string" }, copies: { type: "integer" } },
  },
  output: { type: "object", required: ["id"], properties: { id: { type: "string" } } },
  handles: ["out", "bounced"],
  run: () => ({ id: "1" }),
});

function serve(pool: string, nodes = [mailSend], logger: Logger | false = false): void {
  const worker = createDefinitions({ pool, nodes }).serve({ url: bench.url, logger });
  onTestFinished(() => worker.stop());
}

/** The types of a pool, once its worker has registered them. */
const registered = (pool: string) =>
  eventually(() => definitionsOf(client).catalog.nodeTypes({ pool }), isNotEmpty);

const sending = (pool: string, node: object, more: object = {}) => ({
  format: 1,
  name: newDefinitionName(),
  nodes: { a: { type: "mail.send@1", params: { to: "ada@example.org" }, ...node }, ...more },
  settings: { pool },
});

const problemsOf = async (document: Readonly<Record<string, unknown>>): Promise<string[]> =>
  (await definitionsOf(client).validate(document)).map(
    ({ severity, code, pointer, hint }) => `${severity} ${code} ${pointer}: ${hint}`,
  );

it("trigger types are declared by workers, and check the guards of the definitions of their pool", async () => {
  const pool = newPool();
  const name = `incident.n${randomBytes(4).toString("hex")}`;
  const schema = {
    type: "object",
    required: ["rank"],
    properties: { rank: { type: "integer" } },
  } as const;
  const changed = defineTrigger({ name, schema, topic: `${name}.changed` });
  const worker = createDefinitions({ pool, triggers: [changed] }).serve({
    url: bench.url,
    logger: false,
  });
  onTestFinished(() => worker.stop());
  const types = await eventually(
    () => definitionsOf(client).catalog.triggerTypes({ pool }),
    isNotEmpty,
  );
  expect(types).toEqual([
    {
      pool,
      name,
      topic: `${name}.changed`,
      loaded: [],
      eventSchema: schema,
      declaredAt: expect.any(Date) as Date,
    },
  ]);
  const server = await startTestServer(bench.database);
  const remote = createWorkflowClient({ url: server.url });
  onTestFinished(() => remote.close());
  expect(await definitionsOf(remote).catalog.triggerTypes({ pool })).toEqual(types);
  const guarded = (on: string, of = pool) => ({
    ...sending(of, {}),
    nodes: { a: { type: "set@1" } },
    triggers: { t: { on, when: "event.rank == 'high'" } },
  });
  const found = ["warning NEVER_EQUAL"];
  const codesOf = async (by: WorkflowClient, document: object): Promise<string[]> =>
    (await definitionsOf(by).validate(document as never)).map(
      ({ severity, code }) => `${severity} ${code}`,
    );
  expect(await codesOf(client, guarded(name))).toEqual(found);
  expect(await codesOf(remote, guarded(name))).toEqual(found);
  // A topic, and the type of another pool, stand for any event.
  expect(await codesOf(client, guarded(`${name}.changed`))).toEqual([]);
  expect(await codesOf(client, guarded(name, newPool()))).toEqual([]);
});

describe("a worker of definitions", () => {
  it("registers its node types and the built-in ones, with what describes them", async () => {
    const pool = newPool();
    expect(await definitionsOf(client).catalog.nodeTypes({ pool })).toEqual([]);
    serve(pool);
    const types = await registered(pool);
    expect(types).toHaveLength(BUILT_IN_NODE_TYPES.length + 1);
    expect(types.find(({ type }) => type === "mail.send")).toEqual({
      pool,
      type: "mail.send",
      version: 1,
      descriptor: mailSend.descriptor,
      registeredAt: expect.any(Date) as Date,
      lastSeenAt: expect.any(Date) as Date,
      isServed: true,
    });
    // Forms have their fields in the order of the schema.
    expect(JSON.stringify(types.map(({ descriptor }) => descriptor))).toContain(
      JSON.stringify(mailSend.descriptor),
    );
    const all = await definitionsOf(client).catalog.nodeTypes();
    expect(all).toEqual(expect.arrayContaining(types));
  });

  it("replaces what an earlier worker registered for a type", async () => {
    const pool = newPool();
    serve(pool);
    const before = await registered(pool);
    const renamed = defineNode({ type: "mail.send", title: "Mail", params: {}, run: () => 1 });
    serve(pool, [renamed]);
    const after = await eventually(
      () => definitionsOf(client).catalog.nodeTypes({ pool }),
      (types) => types.some(({ descriptor }) => descriptor["title"] === "Mail"),
    );
    expect(after).toHaveLength(before.length);
  });

  it("serves its definitions when it can't register, and reports that once", async () => {
    const pool = newPool();
    const troubles: string[] = [];
    const logger: Logger = {
      debug() {},
      info() {},
      warn() {},
      error: (message) => void troubles.push(message),
    };
    const large = defineNode({
      type: "mail.large",
      params: { type: "object", description: "x".repeat(300_000) },
      run: () => "sent",
    });
    serve(pool, [large], logger);
    const document = {
      ...sending(pool, {}),
      nodes: {
        a: { type: "mail.large@1", params: {} },
        b: { type: "end@1", params: { output: { $path: "nodes.a.output" } } },
      },
      edges: [{ from: "a", to: "b" }],
    };
    await definitionsOf(client).publish(
      document.name,
      await definitionsOf(client).create(document),
    );
    const run = await definitionsOf(client).start(document.name);
    expect(await run.result({ timeout: "60s" })).toBe("sent");
    const reports = await eventually(
      () => Promise.resolve(troubles.filter((text) => text.includes("registering node types"))),
      isNotEmpty,
    );
    expect(reports).toHaveLength(1);
    expect(await definitionsOf(client).catalog.nodeTypes({ pool })).toEqual([]);
  });
});

describe("the checker", () => {
  it("warns of a type while no worker of the pool has registered any, and lets it be published", async () => {
    const document = sending(newPool(), {}, { b: { type: "http.reqest@1", params: {} } });
    expect(await problemsOf(document)).toEqual([
      "warning UNKNOWN_NODE_TYPE /nodes/a/type: Start a worker that registers it, or choose another type.",
      'warning UNKNOWN_NODE_TYPE /nodes/b/type: Did you mean "http.request@1"?',
    ]);
    const revision = await definitionsOf(client).create(document);
    expect(await definitionsOf(client).publish(document.name, revision)).toMatchObject({
      version: 1,
    });
  });

  it("accepts a registered type, and finds mistakes in its type, parameters, handles and output", async () => {
    const pool = newPool();
    serve(pool);
    await registered(pool);
    expect(await problemsOf(sending(pool, {}))).toEqual([]);
    expect(await problemsOf(sending(pool, { type: "mail.sned@1" }))).toEqual([
      'error UNKNOWN_NODE_TYPE /nodes/a/type: Did you mean "mail.send@1"?',
    ]);
    expect(await problemsOf(sending(pool, { type: "mail.send@2" }))).toEqual([
      'error UNKNOWN_NODE_TYPE /nodes/a/type: Did you mean "mail.send@1"?',
    ]);
    expect(await problemsOf(sending(pool, { params: { to: 1, copy: 1 } }))).toEqual([
      expect.stringMatching(/^error TYPE_MISMATCH \/nodes\/a\/params\/to/),
      expect.stringMatching(/^error UNKNOWN_PARAMETER \/nodes\/a\/params\/copy: .*copies/),
    ]);
    const reading = {
      ...sending(
        pool,
        {},
        { b: { type: "end@1", params: { output: { $path: "nodes.a.output.ix" } } } },
      ),
      edges: [{ from: "a", on: "bouncd", to: "b" }],
    };
    expect((await problemsOf(reading)).map((each) => each.split(" ")[1])).toEqual(
      expect.arrayContaining(["UNKNOWN_HANDLE", "UNKNOWN_MEMBER"]),
    );
  });

  it("refuses to publish and to apply a document with such a mistake", async () => {
    const pool = newPool();
    serve(pool);
    await registered(pool);
    const document = sending(pool, { type: "mail.sned@1" });
    const revision = await definitionsOf(client).create(document);
    await expect(definitionsOf(client).publish(document.name, revision)).rejects.toThrow(
      InvalidDefinition,
    );
    await expect(
      definitionsOf(client).apply([sending(pool, {}), sending(pool, { type: "mail.sned@1" })], {
        publish: true,
      }),
    ).rejects.toThrow(/mail\.sned/);
    expect(await definitionsOf(client).get(document.name)).toMatchObject({
      publishedVersion: null,
    });
  });

  it("checks each document by the types of its own pool", async () => {
    const pool = newPool();
    serve(pool);
    await registered(pool);
    expect(await problemsOf(sending(newPool(), {}))).toEqual([
      expect.stringMatching(/^warning UNKNOWN_NODE_TYPE/),
    ]);
  });

  it("checks a definition by the types of the pool that it was configured with", async () => {
    const pool = newPool();
    serve(pool);
    await registered(pool);
    const document = sending(newPool(), { type: "mail.sned@1" });
    await definitionsOf(client).create(document);
    await definitionsOf(client).configure(document.name, { pool });
    expect(await problemsOf(document)).toEqual([
      'error UNKNOWN_NODE_TYPE /nodes/a/type: Did you mean "mail.send@1"?',
    ]);
    const types = await definitionsOf(client).catalog.nodeTypes({ definition: document.name });
    expect(new Set(types.map((type) => type.pool))).toEqual(new Set([pool]));
  });

  it("uses what other programs have registered, as far as it can be read", async () => {
    const pool = newPool();
    const odd = {
      type: "odd@1",
      params: { properties: { a: 5, b: { type: 7 } }, required: "a" },
      handles: 5,
      effects: [],
      output: { properties: [] },
      secrets: { a: 1 },
      isPure: "yes",
    };
    await bench.database.query("select queue.node_types_register($1, $2)", [
      pool,
      JSON.stringify([odd]),
    ]);
    const document = { ...sending(pool, {}), nodes: { a: { type: "odd@1", params: { a: 1 } } } };
    expect(await problemsOf(document)).toEqual([]);
  });
});
