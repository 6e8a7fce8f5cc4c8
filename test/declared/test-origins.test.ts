/** Test runs that begin where something happened: from a kept event, or from a past run and its results. */
import { defineNode, takeHandle } from "@oxbow/declared";
import type { Document } from "@oxbow/declared/check";
import type { TriggerEvent } from "@oxbow/declared/client";
import { describe, expect, it } from "vitest";
import { definitionsOf } from "../helpers/checked-clients.ts";
import { oxbow } from "../helpers/command.ts";
import { newDefinitionName } from "../helpers/definitions.ts";
import { eventually } from "../helpers/eventually.ts";
import { serveDefinitions } from "../helpers/served-definitions.ts";
import { newTopic } from "../helpers/triggers.ts";

const RESULT = { timeout: "60s" } as const;

let scores = 0;
const score = defineNode({
  type: "test.score",
  params: { type: "object" },
  handles: ["low", "high"],
  effects: "reads",
  run: ({ isTest }) => {
    scores += 1;
    return takeHandle("high", { score: isTest ? -1 : 97 });
  },
});
const broken = defineNode({
  type: "test.broken",
  params: { type: "object" },
  retry: { attempts: 1 },
  run: () => {
    throw Object.assign(new Error("the service is away"), { code: "AWAY" });
  },
});

const { database, client } = await serveDefinitions({ nodes: [score, broken], knowsTypes: true });

async function publish(document: Document): Promise<string> {
  const definitions = definitionsOf(client());
  const revision = await definitions.create(document as never);
  await definitions.publish(document.name, revision);
  return document.name;
}

const echo = (name: string, triggers: Document["triggers"]): Document => ({
  format: 1,
  name,
  ...(triggers === undefined ? {} : { triggers }),
  nodes: { done: { type: "end@1", params: { output: { $path: "input" } } } },
});

async function keptEvent(
  definition: string,
  topic: string,
  message: object,
): Promise<TriggerEvent> {
  await client().topics.publish(topic, message);
  const [event] = await eventually(
    () => definitionsOf(client()).events({ definition, topic }),
    { length: 1 },
    { withinMs: 30_000 },
  );
  if (event === undefined) throw new Error("no event");
  return event;
}

describe.each(["straight", "remote"])("a test from an event, %s", (way) => {
  it("gets what the trigger of the draft makes of it, with or without its guard", async () => {
    const [name, topic] = [newDefinitionName(), newTopic()];
    await publish(echo(name, { changed: { on: topic, when: "event.rank > 5" } }));
    const { eventId } = await keptEvent(name, topic, { id: 7, rank: 1 });
    const definitions = definitionsOf(client(way));
    const run = await definitions.test(name, undefined, { eventId });
    expect(await run.result(RESULT)).toEqual({ id: 7, rank: 1 });

    const document = echo(name, {
      changed: { on: topic, input: { number: { $path: "event.id" } } },
      other: { on: topic, input: { $cel: "event.rank + 1" } },
    }) as never;
    const one = await definitions.test(name, undefined, { document, eventId, trigger: "other" });
    expect(await one.result(RESULT)).toBe(2);
    const named = await definitions.test(name, undefined, { document, eventId });
    // Only `changed` is published, and so known to want the topic.
    expect(await named.result(RESULT)).toEqual({ number: 7 });
    const node = await definitions.testNode(name, "done", { document, eventId, trigger: "other" });
    expect(node).toMatchObject({ handle: "out", output: 2 });
  });

  it("is refused for what has no input, is unknown, or is outside of the scope", async () => {
    const [name, topic] = [newDefinitionName(), newTopic()];
    await publish(echo(name, { changed: { on: topic } }));
    const { eventId } = await keptEvent(name, topic, { org: "o1" });
    const definitions = definitionsOf(client(way));
    const test = (options: object): Promise<unknown> => definitions.test(name, undefined, options);
    await expect(test({ eventId, trigger: "gone" })).rejects.toThrow('no trigger "gone"');
    await expect(test({ eventId, document: echo(name, undefined) })).rejects.toThrow("no trigger");
    await expect(test({ eventId: "999999999" })).rejects.toThrow("999999999");
    await expect(test({ eventId, fromRun: "1" })).rejects.toThrow("either eventId or fromRun");
    await expect(test({ trigger: "changed" })).rejects.toThrow("give eventId");
    await expect(test({ pinResults: true })).rejects.toThrow("give fromRun");
    await definitionsOf(client()).configure(name, { scope: { org: "o2" } });
    await expect(test({ eventId })).rejects.toThrow("outside of the scope");
    await definitionsOf(client()).configure(name, { scope: { org: "o1" } });
    await expect(test({ eventId })).resolves.toBeDefined();
  });
});

describe.each(["straight", "remote"])("a test from a run, %s", (way) => {
  it("gets its input, and the results of its nodes where asked", async () => {
    const name = await publish({
      format: 1,
      name: newDefinitionName(),
      nodes: {
        rate: { type: "test.score@1", params: {} },
        try: { type: "test.broken@1", params: {} },
        ask: { type: "wait@1", params: { event: "go" } },
        low: { type: "end@1", params: { output: "low" } },
        done: {
          type: "end@1",
          params: {
            output: {
              input: { $path: "input" },
              score: { $path: "nodes.rate.output.score" },
              code: { $path: "nodes.try.error.code", default: "none" },
              event: { $path: "nodes.ask.output", default: "none" },
            },
          },
        },
      },
      edges: [
        { from: "rate", on: "low", to: "low" },
        { from: "rate", on: "high", to: "try" },
        { from: "try", on: "error", to: "ask" },
        { from: "ask", on: "received", to: "done" },
      ],
    });
    const definitions = definitionsOf(client(way));
    const past = await definitions.start(name, { n: 1 });
    await client().signal(past.runId, "go", { by: "ada" });
    const output = { input: { n: 1 }, score: 97, code: "AWAY", event: { by: "ada" } };
    expect(await past.result(RESULT)).toEqual(output);

    const before = scores;
    const origin = { fromRun: past.runId, pinResults: true };
    const same = await definitions.test(name, undefined, origin);
    expect(await same.result(RESULT)).toEqual(output);
    expect(scores).toBe(before);
    // Given pins count more.
    const other = await definitions.test(
      name,
      { n: 2 },
      {
        ...origin,
        pins: { rate: { handle: "high", output: { score: 3 } } },
      },
    );
    expect(await other.result(RESULT)).toEqual({ ...output, input: { n: 2 }, score: 3 });
    const alone = await definitions.testNode(name, "done", origin);
    expect(alone).toMatchObject({ handle: "out", output: { score: 97, event: { by: "ada" } } });
    // Without the results, the handler is called, and knows that it is a test.
    const called = await definitions.test(name, undefined, {
      fromRun: past.runId,
      effects: "real",
      until: "rate",
    });
    expect(await called.result(RESULT)).toEqual({ score: -1 });
    await expect(
      definitions.test(await publish(echo(newDefinitionName(), undefined)), undefined, origin),
    ).rejects.toThrow(`has no run ${past.runId}`);
  });
});

it("starts from the command line as well", async () => {
  const name = await publish(echo(newDefinitionName(), undefined));
  const past = await definitionsOf(client()).start(name, [1, 2]);
  await past.result(RESULT);
  const { code, stdout, stderr } = await oxbow([
    "definitions",
    "test",
    name,
    "--run",
    past.runId,
    "--results",
    "--url",
    database.url,
    "--json",
  ]);
  const run = JSON.parse(stdout) as { runId: string; output: unknown };
  expect({ code, stderr, output: run.output }).toEqual({
    code: 0,
    stderr: `Test run ${run.runId} of ${name}.`,
    output: [1, 2],
  });
});
