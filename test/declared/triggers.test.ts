/** Triggers of definitions, from the publish of an event to the run, straight to the database and through a server. */
import { createDefinitions, defineResource, defineTrigger, definitionTools } from "@oxbow/declared";
import type { ServableDefinitions, TriggerType } from "@oxbow/declared";
import { type RunSummary } from "@oxbow/sdk";
import { randomBytes } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { createCheckedClient, definitionsOf } from "../helpers/checked-clients.ts";
import { newDefinitionName } from "../helpers/definitions.ts";
import { eventually, isNotEmpty } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { newTopic } from "../helpers/triggers.ts";
import { startWorkerProcess } from "../helpers/worker-process.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const bench = await setupWorkflows();
const client = createCheckedClient({ url: bench.url, tools: definitionTools() });
atFileEnd(() => client.close());

const newPool = (): string => `p-${randomBytes(6).toString("hex")}`;

function serve(served: ServableDefinitions): void {
  const worker = served.serve({ url: bench.url, logger: false });
  onTestFinished(() => worker.stop());
}

interface Given {
  readonly pool: string;
  readonly trigger: object;
  readonly name?: string;
  readonly title?: string;
  readonly types?: readonly TriggerType[];
}

/** Publishes a definition whose output is its input. */
async function publish({
  pool,
  trigger,
  name = newDefinitionName(),
  title = "",
  types = [],
}: Given): Promise<string> {
  const document = {
    format: 1,
    name,
    title,
    triggers: { changed: trigger },
    nodes: { done: { type: "end@1", params: { output: { $path: "input" } } } },
    settings: { pool },
  };
  const checked = createCheckedClient({
    url: bench.url,
    tools: definitionTools({ triggers: types }),
    maxConnections: 1,
  });
  try {
    const found = await definitionsOf(checked).get(name);
    const revision =
      found === undefined
        ? await definitionsOf(checked).create(document)
        : await definitionsOf(checked).save(document, found.revision);
    await definitionsOf(checked).publish(name, revision);
  } finally {
    await checked.close();
  }
  return name;
}

async function runsOf(name: string): Promise<RunSummary[]> {
  const found: RunSummary[] = [];
  for await (const { runs } of client.runs.list({ workflow: name }, { withValues: true })) {
    found.push(...runs);
  }
  return found;
}

async function outputsOf(name: string): Promise<unknown[]> {
  const runs = await runsOf(name);
  return runs
    .filter(({ status }) => status === "completed")
    .map(({ output }) => output)
    .toReversed();
}

const outputs = (name: string, count: number): Promise<unknown[]> =>
  eventually(
    () => outputsOf(name),
    (found) => found.length >= count,
  );

/** The events of a definition, once they are that many. */
const events = (definition: string, count: number) =>
  eventually(
    () => definitionsOf(client).events({ definition }),
    (found) => found.length >= count && found.every(({ state }) => state !== "retrying"),
  );

describe("a trigger", () => {
  it("starts a run for an event that its guard accepts, with the input that it makes", async () => {
    const [pool, topic] = [newPool(), newTopic()];
    const name = await publish({
      pool,
      trigger: {
        on: topic,
        when: "event.rank >= 2 && event.service == 'web'",
        input: { id: { $path: "event.id" } },
      },
    });
    serve(createDefinitions({ pool }));
    await client.topics.publish(topic, { id: 1, rank: 1, service: "web" });
    await client.topics.publish(topic, { id: 2, rank: 3, service: "mail" });
    await client.topics.publish(topic, { id: 3, rank: 3, service: "web" });
    expect(await outputs(name, 1)).toEqual([{ id: 3 }]);
    // The prefilter keeps the one of another service from being delivered at all.
    const found = await events(name, 2);
    expect(found.map(({ message }) => message)).toMatchObject([{ id: 3 }, { id: 1 }]);
    expect(found.map(({ matches }) => matches.length)).toEqual([1, 0]);
    expect(await bench.violations()).toEqual([]);
  });

  it("reads what its type loads, once an event", async () => {
    const [pool, topic] = [newPool(), newTopic()];
    let loads = 0;
    const changed = defineTrigger({
      name: "incident.changed",
      topic,
      loads: ["severity"],
      load: ({ event }) => {
        loads++;
        const { id } = event as { id: number };
        return Promise.resolve({ severity: { rank: id }, other: "dropped" });
      },
    });
    const trigger = {
      on: "incident.changed",
      when: "event.severity.rank == 2 && event.severity.rank > 1",
    };
    const types = [changed];
    const first = await publish({ pool, trigger, types });
    const second = await publish({ pool, trigger, types });
    serve(createDefinitions({ pool, triggers: types }));
    // A worker declares the type, and with it the topic.
    await eventually(() => client.topics.targets(topic, {}), isNotEmpty);
    await client.topics.publish(topic, { id: 1 });
    await client.topics.publish(topic, { id: 2 });
    const expected = [{ id: 2, severity: { rank: 2 } }];
    expect([await outputs(first, 1), await outputs(second, 1)]).toEqual([expected, expected]);
    expect(loads).toBe(2);
  });

  it("whose guard fails starts nothing, keeps the error, and stops no other one", async () => {
    const [pool, topic] = [newPool(), newTopic()];
    const failing = await publish({ pool, trigger: { on: topic, when: "event.missing > 1" } });
    const other = await publish({ pool, trigger: { on: topic } });
    serve(createDefinitions({ pool }));
    await client.topics.publish(topic, { id: 1 });
    expect(await outputs(other, 1)).toEqual([{ id: 1 }]);
    const [event] = await events(failing, 1);
    expect(event?.matches).toMatchObject([
      { definition: failing, outcome: "failed", error: expect.stringContaining("missing") },
    ]);
    expect(await outputsOf(failing)).toEqual([]);
  });

  it("whose load fails is evaluated again, while others of the event start at once", async () => {
    const [pool, topic] = [newPool(), newTopic()];
    let isDown = true;
    const flaky = defineTrigger({
      name: "flaky.event",
      topic,
      loads: ["more"],
      load: () =>
        isDown ? Promise.reject(new Error("It is down.")) : Promise.resolve({ more: 1 }),
    });
    const types = [flaky];
    const loading = await publish({ pool, trigger: { on: "flaky.event" }, types });
    const other = await publish({ pool, trigger: { on: topic } });
    serve(createDefinitions({ pool, triggers: types }));
    // The other one wants the topic from the start.
    await eventually(() => client.topics.targets("flaky.event", {}), []);
    await client.topics.publish(topic, { id: 1 });
    expect(await outputs(other, 1)).toEqual([{ id: 1 }]);
    const [waiting] = await definitionsOf(client).events({ definition: loading });
    expect(waiting).toMatchObject({
      state: "retrying",
      error: expect.stringContaining("It is down."),
    });
    const { triggers } = await definitionsOf(client).explain(loading, waiting?.eventId ?? "");
    expect(triggers).toMatchObject([{ verdict: "waiting" }]);
    isDown = false;
    expect(await outputs(loading, 1)).toEqual([{ id: 1, more: 1 }]);
    expect(await outputsOf(other)).toHaveLength(1);
  });

  it.each([
    ["is nested too deeply", JSON.parse("[".repeat(9_000) + "]".repeat(9_000)), /deep/],
    ["has a character that can't be kept", "a\u0000b", /u0000/],
    ["fails with a message that can't be kept", new Error("half of \uD83D\u0000"), /half of/],
  ])("whose load or resource %s fails, and no other event with it", async (_what, odd, reason) => {
    const [pool, topic] = [newPool(), newTopic()];
    const type = defineTrigger({
      name: "odd.event",
      topic,
      loads: ["more"],
      load: ({ event }) => {
        const more: unknown = (event as { id: number }).id === 1 ? odd : null;
        return more instanceof Error ? Promise.reject(more) : Promise.resolve({ more });
      },
    });
    const thing = defineResource({
      type: "Thing",
      schema: {},
      get: (ids) =>
        odd instanceof Error && ids.includes("odd")
          ? Promise.reject(odd)
          : Promise.resolve({ odd, even: 2 }),
    });
    const reading = (id: string): Promise<string> =>
      publish({ pool, trigger: { on: topic, when: `resource('Thing', '${id}') != null` } });
    const loading = await publish({ pool, trigger: { on: "odd.event" }, types: [type] });
    const [even, failing] = [await reading("even"), await reading("odd")];
    await client.topics.publish(topic, { id: 1 });
    await client.topics.publish(topic, { id: 2 });
    serve(createDefinitions({ pool, triggers: [type], resources: [thing] }));
    expect(await outputs(even, 2)).toEqual([{ id: 1 }, { id: 2 }]);
    await client.topics.publish(topic, { id: 1 });
    await client.topics.publish(topic, { id: 3 });
    expect(await outputs(loading, 1)).toEqual([{ id: 3, more: null }]);
    for (const definition of [loading, failing]) {
      const found = await definitionsOf(client).events({ definition });
      expect(found).toContainEqual(
        expect.objectContaining({
          state: "retrying",
          error: expect.stringMatching(reason) as string,
        }),
      );
    }
  });

  it("of a paused definition starts nothing, and the event records it", async () => {
    const [pool, topic] = [newPool(), newTopic()];
    const name = await publish({ pool, trigger: { on: topic } });
    await definitionsOf(client).pause(name);
    serve(createDefinitions({ pool }));
    await client.topics.publish(topic, {});
    const [event] = await events(name, 1);
    expect(event?.matches).toMatchObject([{ outcome: "paused", runId: null }]);
  });

  it("starts a run although the worker that received the event was killed while it evaluated it", async () => {
    const [pool, topic] = [newPool(), newTopic()];
    const slow = defineTrigger({
      name: "slow.event",
      topic,
      loads: ["more"],
      load: () => Promise.resolve({ more: 1 }),
    });
    const types = [slow];
    const killed = startWorkerProcess(
      new URL("../helpers/programs/trigger-worker.ts", import.meta.url),
      { args: [bench.url, pool, topic] },
    );
    await killed.line(/^serving/);
    await eventually(
      () =>
        bench.database.query("select from queue.list_queues() where name = $1", [`__tr_${pool}`]),
      { length: 1 },
    );
    const name = await publish({
      pool,
      trigger: { on: "slow.event", once_for: ["event.id"] },
      types,
    });
    await eventually(() => client.topics.targets(topic, {}), isNotEmpty);
    await client.topics.publish(topic, { id: 1 });
    await killed.line(/^loading \{"id":1\}/);
    await killed.kill();
    serve(createDefinitions({ pool, triggers: types }));
    // The lease of the killed worker has to end.
    const found = await eventually(() => outputsOf(name), isNotEmpty);
    expect(found).toEqual([{ id: 1, more: 1 }]);
    const [event] = await events(name, 1);
    expect(event).toMatchObject({ attempts: 2, matches: [{ outcome: "started" }] });
  }, 480_000);

  it("starts every event exactly once while versions are published", async () => {
    const [pool, topic] = [newPool(), newTopic()];
    const trigger = (n: number) => ({ on: topic, when: `event.kind == 'a' || ${n} < 0` });
    const name = await publish({ pool, trigger: trigger(0) });
    serve(createDefinitions({ pool }));
    serve(createDefinitions({ pool }));
    const sending = (async () => {
      for (let id = 0; id < 100; id++) await client.topics.publish(topic, { id, kind: "a" });
    })();
    // Prefilters come and go, so that the events of each version arrive by other subscriptions.
    for (let n = 1; n <= 8; n++) {
      const when = n % 2 === 0 ? trigger(n) : { on: topic, when: "event.kind == 'a'" };
      await publish({ pool, name, title: String(n), trigger: when });
    }
    await sending;
    const found = (await outputs(name, 100)) as { id: number }[];
    expect(found.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 100 }, (_, id) => id),
    );
  });
});

describe("the end of a run", () => {
  it("starts runs, by workflow and status", async () => {
    const pool = newPool();
    const first = await publish({ pool, trigger: { on: "manual" } });
    const next = await publish({
      pool,
      trigger: {
        on: "run.ended",
        when: `event.workflow == '${first}' && event.status == 'completed'`,
        input: { of: { $path: "event.run_id" }, output: { $path: "event.output" } },
      },
    });
    serve(createDefinitions({ pool }));
    const run = await definitionsOf(client).start(first, { id: 1 });
    expect(await outputs(next, 1)).toEqual([{ of: run.runId, output: { id: 1 } }]);
    // Nothing wants the end of the second one.
    expect(await client.topics.targets(`oxbow.run.${next}.completed`, {})).toEqual([]);
    expect(await client.topics.targets(`oxbow.run.${first}.failed`, {})).toEqual([]);
  });

  it("starts no endless runs of the same definition", async () => {
    const pool = newPool();
    const name = newDefinitionName();
    await publish({
      pool,
      name,
      trigger: { on: "run.ended", when: `event.workflow == '${name}'`, input: 1 },
    });
    serve(createDefinitions({ pool }));
    await definitionsOf(client).start(name);
    const [refused] = await eventually(
      () => definitionsOf(client).events({ definition: name, state: "refused" }),
      isNotEmpty,
    );
    expect(refused).toMatchObject({ depth: 11, matches: [] });
    expect(await runsOf(name)).toHaveLength(12);
    const { triggers } = await definitionsOf(client).explain(name, refused?.eventId ?? "");
    expect(triggers).toMatchObject([{ verdict: "refused" }]);
  });

  it("pauses a definition whose runs keep failing, and not one that completes between", async () => {
    const pool = newPool();
    const name = newDefinitionName();
    const document = {
      format: 1,
      name,
      nodes: {
        check: {
          type: "branch@1",
          params: { cases: [{ id: "ok", when: "input.ok" }] },
        },
        fine: { type: "end@1", params: { output: 1 } },
        wrong: { type: "end@1", params: { output: { $cel: "input.missing + 1" } } },
      },
      edges: [
        { from: "check", on: "ok", to: "fine" },
        { from: "check", on: "else", to: "wrong" },
      ],
      settings: { pool, pauseAfterFailures: 2 },
    };
    await definitionsOf(client).publish(name, await definitionsOf(client).create(document));
    serve(createDefinitions({ pool }));
    const run = async (ok: boolean): Promise<unknown> => {
      const handle = await definitionsOf(client).start(name, { ok });
      await handle.result({ timeout: "60s" }).catch(() => {});
      return (await definitionsOf(client).get(name))?.state;
    };
    expect(await run(false)).toBe("published");
    expect(await run(true)).toBe("published");
    expect(await run(false)).toBe("published");
    expect(await run(false)).toBe("paused");
    expect((await definitionsOf(client).get(name))?.pauseReason).toBe(
      "2 runs in a row have failed",
    );
  });

  it("are not for tests: these start nothing, and pause nothing", async () => {
    const pool = newPool();
    const name = newDefinitionName();
    await definitionsOf(client).publish(
      name,
      await definitionsOf(client).create({
        format: 1,
        name,
        nodes: {
          check: {
            type: "branch@1",
            params: { cases: [{ id: "ok", when: "input.ok" }] },
          },
          fine: { type: "end@1", params: { output: 1 } },
          wrong: { type: "end@1", params: { output: { $cel: "input.missing + 1" } } },
        },
        edges: [
          { from: "check", on: "ok", to: "fine" },
          { from: "check", on: "else", to: "wrong" },
        ],
        settings: { pool, pauseAfterFailures: 2 },
      }),
    );
    const next = await publish({
      pool,
      trigger: {
        on: "run.ended",
        when: `event.workflow == '${name}'`,
        input: { $path: "event.run_id" },
      },
    });
    serve(createDefinitions({ pool }));
    const ended: string[] = [];
    const run = async (kind: "start" | "test", ok: boolean): Promise<unknown> => {
      const handle = await definitionsOf(client)[kind](name, { ok });
      if (kind === "start") ended.push(handle.runId);
      await handle.result({ timeout: "60s" }).catch(() => {});
      return (await definitionsOf(client).get(name))?.state;
    };
    expect(await run("test", false)).toBe("published");
    expect(await run("start", false)).toBe("published");
    expect(await run("test", true)).toBe("published");
    expect(await run("start", false)).toBe("paused");
    await definitionsOf(client).resume(name);
    expect(await run("test", false)).toBe("published");
    expect(new Set(await outputs(next, ended.length))).toEqual(new Set(ended));
  });
});

describe("an escalation", () => {
  const WHEN = "event.severity.rank >= 2 && event.service == 'production'";

  it.each([
    ["the severity", { id: "i1", service: "production", severity: { rank: 1 } }],
    ["the field", { id: "i1", service: "test", severity: { rank: 3 } }],
  ])("pages once when %s changes last", async (_what, before) => {
    const [pool, topic] = [newPool(), newTopic()];
    const trigger = { on: topic, when: WHEN, once_for: ["event.id"] };
    const name = await publish({ pool, trigger });
    serve(createDefinitions({ pool }));
    const after = { id: "i1", service: "production", severity: { rank: 3 } };
    await client.topics.publish(topic, before);
    await client.topics.publish(topic, after);
    expect(await outputs(name, 1)).toEqual([after]);
    // Another version is executed, on other workers.
    await publish({ pool, name, title: "Another", trigger });
    serve(createDefinitions({ pool }));
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => client.topics.publish(topic, { ...after, n })),
    );
    const found = await events(name, 21);
    expect(await outputsOf(name)).toHaveLength(1);

    const [last] = found;
    const [run] = await runsOf(name);
    const { triggers } = await definitionsOf(client).explain(name, last?.eventId ?? "");
    expect(triggers).toMatchObject([
      {
        verdict: "once",
        runId: run?.runId,
        guardHolds: true,
        onceKey: '["i1"]',
        onceHolder: { runId: run?.runId },
      },
    ]);
    expect(await definitionsOf(client).forgetOnce(name, '["i1"]')).toBe(true);
    await client.topics.publish(topic, after);
    expect(await outputs(name, 2)).toEqual([after, after]);
  });

  it("explains each condition of an incident that does not page", async () => {
    const [pool, topic] = [newPool(), newTopic()];
    const name = await publish({
      pool,
      trigger: { on: topic, when: "event.severity.rank >= 2 && event.service != 'test'" },
    });
    serve(createDefinitions({ pool }));
    await client.topics.publish(topic, { service: "production", severity: { rank: 1 } });
    const [event] = await events(name, 1);
    const { triggers } = await definitionsOf(client).explain(name, event?.eventId ?? "");
    expect(triggers).toMatchObject([
      {
        name: "changed",
        verdict: "guard",
        reason: "The guard is false: event.severity.rank >= 2",
        runId: null,
        conditions: [
          {
            text: "event.severity.rank >= 2",
            holds: false,
            values: { "event.severity.rank": "1" },
          },
          { text: "event.service != 'test'", holds: true },
        ],
      },
    ]);
  });

  it("asks again after a delay, and withdraws if the incident is over", async () => {
    const [pool, topic] = [newPool(), newTopic()];
    const open = new Set(["i1", "i2"]);
    const opened = defineTrigger({
      name: "incident.opened",
      topic,
      loads: ["open"],
      load: ({ event }) => Promise.resolve({ open: open.has((event as { id: string }).id) }),
    });
    const types = [opened];
    const name = await publish({
      pool,
      types,
      trigger: { on: "incident.opened", when: "event.open", delay: "2s", recheck: true },
    });
    serve(createDefinitions({ pool, triggers: types }));
    await eventually(() => client.topics.targets(topic, {}), isNotEmpty);
    await client.topics.publish(topic, { id: "i1" });
    await client.topics.publish(topic, { id: "i2" });
    await eventually(
      () => definitionsOf(client).events({ definition: name }),
      (found) => found.filter(({ matches }) => matches[0]?.outcome === "delayed").length === 2,
    );
    open.delete("i1");
    expect(await outputs(name, 1)).toEqual([{ id: "i2", open: true }]);
    const found = await eventually(
      () => definitionsOf(client).events({ definition: name }),
      (list) => list.every(({ matches }) => matches[0]?.outcome !== "delayed"),
    );
    expect(found.map(({ matches }) => matches[0]?.outcome)).toEqual(["started", "withdrawn"]);
  });
});
