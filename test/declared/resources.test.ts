/** Types of resources, from `defineResource` to the registry and to guards of triggers. */
import { randomBytes } from "node:crypto";
import { createDefinitions, defineResource } from "@oxbow/declared";
import { createWorkflowClient, InvalidArgument, InvalidName } from "@oxbow/sdk";
import { ResourcesNotListed } from "@oxbow/declared/client";
import { listingWorkflow } from "@oxbow/declared/internal";
import { expect, it, onTestFinished } from "vitest";
import { createCheckedClient, definitionsOf } from "../helpers/checked-clients.ts";
import { newDefinitionName } from "../helpers/definitions.ts";
import { eventually, isNotEmpty } from "../helpers/eventually.ts";
import { secretOf, startTestServer } from "../helpers/server.ts";
import { newResourceType } from "../helpers/resources.ts";
import { newTopic } from "../helpers/triggers.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const bench = await setupWorkflows();

const SCHEMA = { type: "object", properties: { rank: { type: "number" } }, required: ["rank"] };

it("a guard reads resources, which workers get once an event, and register", async () => {
  const type = newResourceType();
  const pool = `p-${randomBytes(6).toString("hex")}`;
  const topic = newTopic();
  const asked: (readonly string[])[] = [];
  let isDown = true;
  const severity = defineResource({
    type,
    title: "Severity",
    schema: SCHEMA,
    get: (ids) => {
      asked.push(ids);
      if (isDown) return Promise.reject(new Error("It is down."));
      return Promise.resolve({ major: { rank: 3 } });
    },
    table: { name: "app.severity", id: "id" },
  });
  const served = createDefinitions({ pool, resources: [severity] });
  const client = createCheckedClient({ url: bench.url, tools: served.tools });
  onTestFinished(() => client.close());
  const publish = async (when: string): Promise<string> => {
    const name = newDefinitionName();
    const revision = await definitionsOf(client).create({
      format: 1,
      name,
      triggers: { changed: { on: topic, when } },
      nodes: { done: { type: "end@1", params: { output: { $path: "input.id" } } } },
      settings: { pool },
    });
    await definitionsOf(client).publish(name, revision);
    return name;
  };
  const paging = await publish(`event.rank >= resource('${type}', 'major').rank`);
  const again = await publish(`event.rank >= resource('${type}', 'major').rank`);
  const broken = await publish(`event.rank >= resource('${type}', 'gone').rank`);
  const worker = served.serve({ url: bench.url, logger: false });
  onTestFinished(() => worker.stop());
  await eventually(
    async () => (await definitionsOf(client).resources.types()).find(({ name }) => name === type),
    (found) => found !== undefined,
  );
  expect(
    (await definitionsOf(client).resources.types()).find(({ name }) => name === type),
  ).toMatchObject({
    title: "Severity",
    schema: SCHEMA,
    pool,
    tableName: "app.severity",
    protectedTable: null,
  });

  await client.topics.publish(topic, { id: "early", rank: 3 });
  const [waiting] = await eventually(
    () => definitionsOf(client).events({ definition: paging }),
    ([event]) => event?.state === "retrying",
  );
  expect(waiting?.error).toContain("It is down.");

  isDown = false;
  asked.length = 0;
  await client.topics.publish(topic, { id: "low", rank: 2 });
  await client.topics.publish(topic, { id: "high", rank: 3 });
  const outputs = async (name: string): Promise<unknown[]> => {
    const found: unknown[] = [];
    for await (const { runs } of client.runs.list({ workflow: name, status: "completed" })) {
      for (const { runId } of runs) found.push((await client.runs.find(runId))?.output);
    }
    return found.filter((output) => output !== "early");
  };
  for (const name of [paging, again]) {
    expect(await eventually(() => outputs(name), isNotEmpty)).toEqual(["high"]);
  }
  // Once an event for each id, however many guards name it.
  expect(asked.filter((ids) => ids.includes("major")).length).toBeLessThanOrEqual(3);
  const events = await definitionsOf(client).events({ definition: broken });
  const failed = events.find(({ state }) => state !== "retrying");
  const { triggers } = await definitionsOf(client).explain(broken, failed?.eventId ?? "");
  expect(triggers[0]?.guardError ?? triggers[0]?.reason).toContain(`there is no ${type} gone`);
});

it("a picker lists resources by the code of the application, page by page, within the scope of a definition", async () => {
  const type = newResourceType();
  const pool = `p-${randomBytes(6).toString("hex")}`;
  const all = ["o1", "o2"].flatMap((org) =>
    Array.from({ length: 5 }, (_, n) => ({
      org,
      id: `${org}-${n}`,
      title: `Level ${n} of ${org}`,
    })),
  );
  let answer: (id: string) => unknown = (id) => id;
  let gate = Promise.resolve();
  const severity = defineResource({
    type,
    schema: SCHEMA,
    get: () => Promise.resolve({}),
    list: async ({ text, after = "", limit, scope }) => {
      await gate;
      const matches = all
        .filter(({ org }) => scope["org_id"] === undefined || org === scope["org_id"])
        .filter(({ id, title }) => `${id} ${title}`.includes(text) && id > after);
      const resources = matches
        .slice(0, limit)
        .map(({ id, title }) => ({ id: answer(id) as string, title }));
      const last = resources.at(-1)?.id;
      return {
        resources,
        ...(matches.length > limit && last !== undefined ? { next: last } : {}),
      };
    },
  });
  const mute = defineResource({ type: `${type}.mute`, schema: {}, get: () => Promise.resolve({}) });
  const served = createDefinitions({ pool, resources: [severity, mute] });
  const client = createCheckedClient({ url: bench.url, tools: served.tools });
  onTestFinished(() => client.close());
  const worker = served.serve({ url: bench.url, logger: false });
  await eventually(
    () => definitionsOf(client).resources.types(),
    (types) => types.some(({ name, isListed }) => name === type && isListed),
  );

  // A worker that has just started may need longer than a list waits.
  const first = await eventually(
    () => definitionsOf(client).resources.list(type, { search: "Level", limit: 6 }),
    () => true,
  );
  expect(first.resources.map(({ id }) => id)).toEqual([
    "o1-0",
    "o1-1",
    "o1-2",
    "o1-3",
    "o1-4",
    "o2-0",
  ]);
  expect(first.resources[0]).toEqual({ id: "o1-0", title: "Level 0 of o1" });
  expect(first.next).toBe("o2-0");
  const { resources, next } = await definitionsOf(client).resources.list(type, {
    limit: 6,
    after: "o2-0",
  });
  expect([resources.length, next]).toEqual([4, null]);

  const name = newDefinitionName();
  const document = { format: 1, name, nodes: { done: { type: "end@1", params: {} } } };
  await definitionsOf(client).create(document, { scope: { org_id: "o2" } });
  const own = await definitionsOf(client).resources.list(type, { definition: name });
  expect(own.resources.map(({ id }) => id)).toEqual(["o2-0", "o2-1", "o2-2", "o2-3", "o2-4"]);

  // Through a server, which asks the same worker.
  const server = await startTestServer(bench.database, { secrets: "reader:read,other:read" });
  const remote = createWorkflowClient({ url: server.url, token: secretOf("reader") });
  onTestFinished(() => remote.close());
  expect(await definitionsOf(remote).resources.list(type, { search: "Level", limit: 6 })).toEqual(
    first,
  );
  const path = `/v1/catalog/resources/${type}?q=2&definition=${name}`;
  expect(await server.request("GET", path, { token: "reader" })).toMatchObject({
    status: 200,
    body: { resources: [{ id: "o2-0" }, {}, {}, {}, {}], next: null },
  });

  // A caller that asks for more than is answered is refused; another one isn't.
  let release = (): void => {};
  gate = new Promise((resolve) => {
    release = resolve;
  });
  let refusals = 0;
  const burst = Array.from({ length: 30 }, async () => {
    const { status } = await server.request("GET", path, { token: "reader" });
    if (status === 429) refusals += 1;
    return status;
  });
  await eventually(() => Promise.resolve(refusals), 20);
  const answered = server.request("GET", path, { token: "other" });
  release();
  expect(await answered).toMatchObject({ status: 200 });
  expect((await Promise.all(burst)).filter((status) => status === 429)).toHaveLength(20);

  const failing: readonly (readonly [(id: string) => unknown, string])[] = [
    [
      () => {
        throw new Error("It is down.");
      },
      "could not be listed: It is down.",
    ],
    [() => 7, "a resource with the id 7"],
  ];
  for (const [returned, message] of failing) {
    answer = returned;
    const error = await definitionsOf(client)
      .resources.list(type)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ResourcesNotListed);
    expect(String(error)).toContain(message);
    const refused = await definitionsOf(remote)
      .resources.list(type)
      .catch((thrown: unknown) => thrown);
    expect(refused).toBeInstanceOf(ResourcesNotListed);
    expect(String(refused)).toContain(message);
  }
  await expect(definitionsOf(client).resources.list(`${type}.mute`)).rejects.toThrow(
    "its workers have no `list`",
  );
  await expect(definitionsOf(client).resources.list("Nothing")).rejects.toBeInstanceOf(
    InvalidArgument,
  );
  await expect(definitionsOf(client).resources.list(type, { limit: 101 })).rejects.toThrow(
    "from 1 to 100",
  );
  await expect(
    definitionsOf(client).resources.list(type, { definition: "none" }),
  ).rejects.toMatchObject({
    code: "DEFINITION_NOT_FOUND",
  });

  await worker.stop();
  const late = await definitionsOf(client)
    .resources.list(type)
    .catch((thrown: unknown) => thrown);
  expect(late).toBeInstanceOf(ResourcesNotListed);
  expect(String(late)).toContain(`No worker has listed resources of type "${type}"`);
  // A worker that comes late finds nothing to do.
  for await (const { runs } of client.runs.list({ status: "running" })) {
    expect(runs.filter((run) => run.name.startsWith("oxbow-resources-"))).toEqual([]);
  }
});

it("only Oxbow starts runs that list resources, since their input decides whose", async () => {
  const type = newResourceType();
  const pool = `p-${randomBytes(6).toString("hex")}`;
  const name = listingWorkflow(type);
  const scopes: unknown[] = [];
  const severity = defineResource({
    type,
    schema: SCHEMA,
    get: () => Promise.resolve({}),
    list: ({ scope }) => {
      scopes.push(scope);
      return { resources: [] };
    },
  });
  const served = createDefinitions({ pool, resources: [severity] });
  const client = createCheckedClient({ url: bench.url, tools: served.tools });
  onTestFinished(() => client.close());
  const forged = { type, text: "", after: null, limit: 20, scope: { org_id: "o2" } };

  // Before a worker has registered the type: a definition of this name would prevent it.
  const squatter = { format: 1, name, nodes: { done: { type: "end@1", params: {} } } };
  await expect(definitionsOf(client).create(squatter)).rejects.toThrow("is reserved");

  const worker = served.serve({ url: bench.url, logger: false });
  onTestFinished(() => worker.stop());
  await eventually(
    () => definitionsOf(client).resources.list(type),
    () => true,
  );
  scopes.length = 0;
  const runsOf = async (workflow: string): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { runs } of client.runs.list({ workflow })) {
      ids.push(...runs.map(({ runId }) => runId));
    }
    return ids;
  };
  const listings = await runsOf(name);
  expect(listings).not.toEqual([]);

  await expect(client.start(name, forged)).rejects.toBeInstanceOf(InvalidName);
  await expect(
    client.schedules.create({ name: newTopic(), workflow: name, input: forged, every: "1s" }),
  ).rejects.toBeInstanceOf(InvalidName);
  for (const runId of listings) {
    await expect(client.runs.rerun(runId, { input: forged })).rejects.toThrow("another input");
  }

  const server = await startTestServer(bench.database, {
    secrets: "reader:read,maker:produce,boss:admin",
  });
  const refused = { status: 400, body: { code: "INVALID_NAME" } };
  const starts: readonly (readonly [string, object])[] = [
    ["runs", { input: forged }],
    ["runs/batch", { runs: [{ input: forged }] }],
    ["runs/signal-with-start", { run: { input: forged, idempotencyKey: "k" }, event: "e" }],
  ];
  for (const [path, body] of starts) {
    const url = `/v1/workflows/${name}/${path}`;
    expect(await server.request("POST", url, { token: "maker", body })).toMatchObject(refused);
  }
  const schedule = { workflow: name, everySeconds: 1, input: forged };
  expect(
    await server.request("PUT", `/v1/schedules/${newTopic()}`, { token: "boss", body: schedule }),
  ).toMatchObject(refused);

  const author = newDefinitionName();
  const revision = await definitionsOf(client).create({
    format: 1,
    name: author,
    nodes: {
      forge: { type: "run@1", params: { workflow: { $path: "input.workflow" }, input: forged } },
    },
    settings: { pool },
  });
  await definitionsOf(client).publish(author, revision);
  const { runId } = await definitionsOf(client).start(author, { workflow: name });
  const run = await eventually(() => client.runs.find(runId), { status: "failed" });
  expect(run?.error?.message).toContain("which lists resources for Oxbow");

  const head = await fetch(`${server.url}/v1/catalog/resources/${type}`, {
    method: "HEAD",
    headers: { authorization: `Bearer ${secretOf("reader")}` },
  });
  expect(head.status).toBe(405);
  expect((await runsOf(name)).filter((id) => !listings.includes(id))).toEqual([]);
  expect(scopes).toEqual([]);
});
