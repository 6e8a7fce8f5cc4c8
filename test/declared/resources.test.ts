/** Types of resources, from `defineResource` to the registry and to guards of triggers. */
import { randomBytes } from "node:crypto";
import { createDefinitions, defineResource } from "@oxbow/declared";
import { createWorkflowClient } from "@oxbow/sdk";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { newDefinitionName } from "../helpers/definitions.ts";
import { eventually } from "../helpers/eventually.ts";
import { newResourceType } from "../helpers/resources.ts";
import { newTopic } from "../helpers/triggers.ts";
import { setupWorkflows, type WorkflowBench } from "../helpers/workflows.ts";

const WITHIN = { withinMs: 60_000 };

let bench: WorkflowBench;

beforeAll(async () => {
  bench = await setupWorkflows();
});

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
  const client = createWorkflowClient({ url: bench.url, definitionTools: served.tools });
  onTestFinished(() => client.close());
  const publish = async (when: string): Promise<string> => {
    const name = newDefinitionName();
    const revision = await client.definitions.create({
      format: 1,
      name,
      triggers: { changed: { on: topic, when } },
      nodes: { done: { type: "end@1", params: { output: { $path: "input.id" } } } },
      settings: { pool },
    });
    await client.definitions.publish(name, revision);
    return name;
  };
  const paging = await publish(`event.rank >= resource('${type}', 'major').rank`);
  const again = await publish(`event.rank >= resource('${type}', 'major').rank`);
  const broken = await publish(`event.rank >= resource('${type}', 'gone').rank`);
  const worker = served.serve({ url: bench.url, logger: false });
  onTestFinished(() => worker.stop());
  await eventually(
    async () => (await client.resources.types()).find(({ name }) => name === type),
    (found) => found !== undefined,
    WITHIN,
  );
  expect((await client.resources.types()).find(({ name }) => name === type)).toMatchObject({
    title: "Severity",
    schema: SCHEMA,
    pool,
    tableName: "app.severity",
    protectedTable: null,
  });

  await client.topics.publish(topic, { id: "early", rank: 3 });
  const [waiting] = await eventually(
    () => client.definitions.events({ definition: paging }),
    ([event]) => event?.state === "retrying",
    WITHIN,
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
    expect(
      await eventually(
        () => outputs(name),
        (found) => found.length > 0,
        WITHIN,
      ),
    ).toEqual(["high"]);
  }
  // Once an event for each id, however many guards name it.
  expect(asked.filter((ids) => ids.includes("major")).length).toBeLessThanOrEqual(3);
  const events = await client.definitions.events({ definition: broken });
  const failed = events.find(({ state }) => state !== "retrying");
  const { triggers } = await client.definitions.explain(broken, failed?.eventId ?? "");
  expect(triggers[0]?.guardError ?? triggers[0]?.reason).toContain(`there is no ${type} gone`);
});
