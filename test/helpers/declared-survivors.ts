/** Declared workflows in flight, which must survive wherever their database goes: out of a dump, or into a copy. */
import { createDefinitions, type ServableDefinitions } from "@oxbow/declared";
import { type Approval, type WorkflowClient } from "@oxbow/sdk";
import type pg from "pg";
import { expect } from "vitest";
import { createCheckedClient, definitionsOf } from "./checked-clients.ts";
import { eventually } from "./eventually.ts";

const NAME = "review-survivor";
const TOPIC = "survivor.changed";

const served: ServableDefinitions = createDefinitions({ pool: "survivors" });

const document = (title: string): Readonly<Record<string, unknown>> => ({
  format: 1,
  name: NAME,
  title,
  triggers: { changed: { on: TOPIC, when: "event.rank > 1", once_for: ["event.id"] } },
  nodes: {
    ask: { type: "approve@1", params: { title: { $text: "Ship {{ input.id }}?" } } },
    hold: { type: "wait@1", params: { event: "go", timeout: "30d" } },
    done: {
      type: "end@1",
      params: {
        output: {
          id: { $path: "input.id" },
          by: { $path: "nodes.ask.output.actor" },
          level: { $config: "survivor.level" },
          severity: { $resource: { type: "SurvivorSeverity", id: "major" } },
        },
      },
    },
  },
  edges: [
    { from: "ask", on: "approved", to: "hold" },
    { from: "hold", on: "received", to: "done" },
  ],
  settings: { pool: "survivors" },
});

const connect = (url: string): WorkflowClient => createCheckedClient({ url, tools: served.tools });

const waiting = async (client: WorkflowClient): Promise<Approval[]> => {
  const found: Approval[] = [];
  for await (const { approvals } of client.approvals.list({ status: "waiting" })) {
    found.push(...approvals.filter(({ workflow }) => workflow === NAME));
  }
  return found;
};

const runsOf = async (client: WorkflowClient): Promise<string[]> => {
  const found: string[] = [];
  for await (const { runs } of client.runs.list({ workflow: NAME })) {
    found.push(...runs.map(({ runId }) => runId));
  }
  return found;
};

const shipped = (id: number) => ({ id, by: "ada", level: 3, severity: "major" });

/**
 * A definition with a version, a newer draft and a trigger, a table that it protects, and three runs: one that waits for
 * an approval, one that waits for an event after an approval, and one that an event has started.
 */
export async function fillWithDeclaredSurvivors(
  url: string,
  database: pg.ClientBase,
): Promise<void> {
  await database.query(`
    create schema survivor;
    create table survivor.severity (id text primary key);
    insert into survivor.severity values ('major'), ('minor');
    select queue.protect_resource('SurvivorSeverity', 'survivor.severity')`);
  const client = connect(url);
  const worker = served.serve({ url, logger: false });
  try {
    await definitionsOf(client).config.set("survivor.level", 3);
    const revision = await definitionsOf(client).create(document("Published"));
    await definitionsOf(client).publish(NAME, revision);
    await definitionsOf(client).save(document("Newer"), revision);

    await definitionsOf(client).start(NAME, { id: 1 });
    const second = await definitionsOf(client).start(NAME, { id: 2 });
    await client.topics.publish(TOPIC, { id: 3, rank: 2 });
    const requests = await eventually(() => waiting(client), { length: 3 });
    const request = requests.find(({ runId }) => runId === second.runId);
    await client.approvals.decide(request?.id ?? "", "approved", { actor: "ada" });
    await eventually(async () => (await client.runs.explain(second.runId))?.cause, "event");
  } finally {
    await worker.stop();
    await client.close();
  }
}

/** Nothing is lost or repeated, what is used can't be deleted, and every run ends. */
export async function expectDeclaredSurvivors(url: string, database: pg.ClientBase): Promise<void> {
  const client = connect(url);
  const worker = served.serve({ url, logger: false });
  try {
    expect(await definitionsOf(client).get(NAME)).toMatchObject({
      revision: 2,
      publishedVersion: 1,
      title: "Newer",
      hasChanges: true,
    });
    await expect(
      database.query("delete from survivor.severity where id = 'major'"),
    ).rejects.toMatchObject({ code: "OX026" });
    await database.query("delete from survivor.severity where id = 'minor'");

    const requests = await waiting(client);
    expect(requests.map(({ title }) => title).toSorted()).toEqual(["Ship 1?", "Ship 3?"]);
    for (const { id } of requests) {
      expect(await client.approvals.decide(id, "approved", { actor: "ada" })).toBe("delivered");
      expect(await client.approvals.decide(id, "rejected", { actor: "bob" })).toBe("decided");
    }
    // The incident of the event before is known; the other one is new.
    await client.topics.publish(TOPIC, { id: 3, rank: 2 });
    await client.topics.publish(TOPIC, { id: 4, rank: 2 });
    const [fourth] = await eventually(() => waiting(client), { length: 1 });
    expect(fourth?.title).toBe("Ship 4?");
    await client.approvals.decide(fourth?.id ?? "", "approved", { actor: "ada" });

    const runs = await runsOf(client);
    expect(runs).toHaveLength(4);
    for (const run of runs) await client.signal(run, "go", {});
    const outputs = await Promise.all(
      runs.map(async (run) => {
        const handle = await client.runs.handle(NAME, run);
        return (await handle.result({ timeout: "60s" })) as { readonly id: number };
      }),
    );
    expect(outputs.toSorted((a, b) => a.id - b.id)).toEqual([1, 2, 3, 4].map((id) => shipped(id)));
    const { rows } = await database.query("select * from queue.check_invariants()");
    expect(rows).toEqual([]);
  } finally {
    await worker.stop();
    await client.close();
  }
}
