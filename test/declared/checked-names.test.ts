/** Names of resource types and of values of the environment, as the checkers of servers and of direct clients find them. */
import { randomBytes } from "node:crypto";
import { createDefinitions, defineResource, definitionTools } from "@oxbow/declared";
import { createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createCheckedClient, definitionsOf } from "../helpers/checked-clients.ts";
import { newDefinitionName } from "../helpers/definitions.ts";
import { eventually } from "../helpers/eventually.ts";
import { newResourceType } from "../helpers/resources.ts";
import { startTestServer } from "../helpers/server.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

let type: string;
let value: string;

const bench = await setupWorkflows();
const { url: serverUrl } = await startTestServer(bench);

/** Registers a type of resources, and sets a value. */
async function setUpNames(): Promise<void> {
  type = newResourceType();
  value = `limit_${randomBytes(4).toString("hex")}`;
  const severity = defineResource({
    type,
    schema: { type: "object", required: ["rank"], properties: { rank: { type: "integer" } } },
    get: () => Promise.resolve({}),
  });
  const worker = createDefinitions({ pool: type.toLowerCase(), resources: [severity] }).serve({
    url: bench.url,
    logger: false,
  });
  onTestFinished(() => worker.stop());
  await definitionsOf(bench.client).config.set(value, 3);
  await eventually(
    () => definitionsOf(bench.client).resources.types(),
    (types) => types.some(({ name }) => name === type),
  );
}

const documentWith = (trigger: object, params: unknown): Readonly<Record<string, unknown>> => ({
  format: 1,
  name: newDefinitionName(),
  triggers: { changed: { on: `t.${newDefinitionName()}`, ...trigger } },
  nodes: { done: { type: "end@1", params: { output: params } } },
});

const clients: readonly (readonly [string, () => WorkflowClient])[] = [
  ["a server", () => createWorkflowClient({ url: serverUrl })],
  ["a direct client", () => createCheckedClient({ url: bench.url, tools: definitionTools() })],
];

describe.each(clients)("the checker of %s", (_, connect) => {
  let client: WorkflowClient;

  async function problemsOf(document: Readonly<Record<string, unknown>>): Promise<string[]> {
    const problems = await definitionsOf(client).validate(document);
    return problems.map(
      ({ severity, code, pointer, message }) => `${severity} ${code} ${pointer}: ${message}`,
    );
  }

  beforeAll(() => {
    client = connect();
    return () => client.close();
  });

  it("warns of a type of resources that no worker has registered, and publishes, since one of another pool may have it", async () => {
    await setUpNames();
    const document = documentWith(
      { when: "event.rank >= resource('Gravity', 'major').rank" },
      { $resource: { type: "Gravity", id: "major" } },
    );
    const message = 'no worker has registered the resource type "Gravity"';
    expect(await problemsOf(document)).toEqual(
      expect.arrayContaining([
        `warning UNKNOWN_RESOURCE /triggers/changed/when: ${message}`,
        `warning UNKNOWN_RESOURCE /nodes/done/params/output: ${message}`,
      ]),
    );
    const near = documentWith({}, { $resource: { type: `${type}x`, id: "major" } });
    const [problem] = await definitionsOf(client).validate(near);
    expect(problem?.hint).toContain(`Did you mean "${type}"?`);
    const revision = await definitionsOf(client).create(document);
    const { version } = await definitionsOf(client).publish(String(document["name"]), revision);
    expect(version).toBe(1);
  });

  it("knows the members of a registered type", async () => {
    await setUpNames();
    const guard = (member: string): object => ({
      when: `event.rank >= resource('${type}', 'major').${member}`,
    });
    expect(await problemsOf(documentWith(guard("rank"), null))).toEqual([]);
    expect((await problemsOf(documentWith(guard("weight"), null))).join("\n")).toContain("weight");
  });

  it("warns of a value that the environment lacks, and publishes, since workers may have one", async () => {
    await setUpNames();
    const document = documentWith(
      {},
      {
        known: { $config: value },
        indexed: { $cel: `config["${value}"]` },
        dashed: { $cel: 'config["not-there"]' },
        missing: { $config: "missing.value" },
        optional: { $path: "config.optional", default: 1 },
      },
    );
    expect(await problemsOf(document)).toEqual([
      'warning UNKNOWN_CONFIG /nodes/done/params/output/dashed/$cel: the database has no value "not-there"',
      'warning UNKNOWN_CONFIG /nodes/done/params/output/missing: the database has no value "missing.value"',
    ]);
    const revision = await definitionsOf(client).create(document);
    const name = String(document["name"]);
    expect(await definitionsOf(client).publish(name, revision)).toMatchObject({ version: 1 });
  });
});
