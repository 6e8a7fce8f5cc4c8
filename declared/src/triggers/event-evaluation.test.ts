import type { ChangedTrigger, TriggerDelivery } from "../protocol/triggers.ts";
import { expect, it } from "vitest";
import { type EvaluatedEvent, evaluateEvent } from "./event-evaluation.ts";
import { TriggerIndex } from "./trigger-index.ts";
import type { GetResources } from "./resource-reading.ts";

const event: TriggerDelivery = {
  eventId: "1",
  receipt: "1",
  attempts: 1,
  publishedAt: 0,
  topic: "incident",
  message: { id: "i1" },
  subscriptionIds: ["s"],
  only: null,
};

const naming = (...ids: readonly string[]): ChangedTrigger[] =>
  ids.map((id, at) => ({
    definition: `d${at}`,
    version: 1,
    name: "changed",
    subscriptionId: "s",
    spec: { on: "incident", when: `resource('Severity', '${id}').rank > 1` },
    loads: [],
  }));

function evaluate(triggers: readonly ChangedTrigger[], get: GetResources): Promise<EvaluatedEvent> {
  const index = new TriggerIndex();
  index.apply(triggers);
  return evaluateEvent({
    event,
    index,
    types: new Map(),
    get,
    load: () => Promise.resolve({}),
    pause: () => Promise.resolve(),
  });
}

const severities = (ids: readonly string[]): Promise<Record<string, unknown>> =>
  Promise.resolve(Object.fromEntries(ids.map((id) => [id, { rank: 2 }])));

const ids = Array.from({ length: 100 }, (_, n) => `s${n}`);

it("reads the resources of all triggers of an event together", async () => {
  const reads: (readonly string[])[] = [];
  const { matches, failure, loaded } = await evaluate(naming(...ids, "s0"), (_type, read) => {
    reads.push(read);
    return severities(read);
  });
  expect(reads).toEqual([ids]);
  expect(matches).toHaveLength(101);
  expect(failure).toBeUndefined();
  expect(loaded).toMatchObject({ "resource()": { Severity: { s7: { rank: 2 } } } });
});

it("holds back only the trigger whose id can't be read", async () => {
  const { matches, failure } = await evaluate(naming(...ids, "wrong"), (_type, read) =>
    read.includes("wrong") ? Promise.reject(new Error("no uuid")) : severities(read),
  );
  expect(matches.map(({ outcome }) => outcome)).toEqual(ids.map(() => "start"));
  expect(failure).toBe("Severity could not be read: no uuid");
});

it("holds back only the trigger whose resource can't be kept, without another read", async () => {
  let reads = 0;
  const { matches, failure, loaded } = await evaluate(
    naming(...ids, "odd"),
    async (_type, read) => {
      reads++;
      return { ...(await severities(read)), odd: { rank: 2, name: "a\u0000b" } };
    },
  );
  expect(reads).toBe(1);
  expect(matches.map(({ outcome }) => outcome)).toEqual(ids.map(() => "start"));
  expect(failure).toMatch(/^Severity could not be read: .*Severity "odd".*u0000/);
  expect(loaded).not.toHaveProperty(["resource()", "Severity", "odd"]);
});

it("gives up after some reads if all fail", async () => {
  let reads = 0;
  const { matches, failure } = await evaluate(naming(...ids), () => {
    reads++;
    return Promise.reject(new Error("It is down."));
  });
  expect(reads).toBeLessThanOrEqual(32);
  expect(matches).toEqual([]);
  expect(failure).toBe("Severity could not be read: It is down.");
});

it("leaves a trigger to other workers if it loads less than its type, and evaluates the others", async () => {
  const triggers: ChangedTrigger[] = [
    ...naming("s0"),
    {
      definition: "newer",
      version: 1,
      name: "changed",
      subscriptionId: "s",
      spec: { on: "incident.updated", when: "event.severity.rank > 1" },
      loads: ["severity"],
    },
  ];
  const { matches, unknown, failure } = await evaluate(triggers, (_type, read) => severities(read));
  expect(matches).toMatchObject([{ definition: "d0", outcome: "start" }]);
  expect(unknown).toBe("No worker that loads incident.updated has received the event yet.");
  expect(failure).toBeUndefined();
});

it("fails only the trigger that names a secret, which a definition that wasn't checked may have", async () => {
  const [sound, other] = naming("s0", "s1");
  const wrong = {
    ...other,
    spec: { on: "incident", input: { $secret: "stock" } },
  } as ChangedTrigger;
  const { matches } = await evaluate([sound as ChangedTrigger, wrong], (_type, read) =>
    severities(read),
  );
  const ends = matches.map(({ definition, outcome }) => [definition, outcome]);
  expect(Object.fromEntries(ends)).toEqual({ d0: "start", d1: "failed" });
});
