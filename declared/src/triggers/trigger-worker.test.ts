import type {
  EventReport,
  MatchReport,
  TriggerBatch,
  TriggerDelivery,
  TriggerTransport,
} from "../protocol/triggers.ts";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { DefinedResource } from "../resources/resource-type.ts";
import { defineTrigger } from "./trigger-type.ts";
import { TriggerWorker, type TriggerWorkerOptions } from "./trigger-worker.ts";

const event: TriggerDelivery = {
  eventId: "1",
  receipt: "r1",
  attempts: 1,
  publishedAt: 0,
  topic: "incident",
  message: {},
  subscriptionIds: ["s"],
  only: null,
};

const batch: TriggerBatch = {
  epoch: "1",
  triggers: ["a", "b"].map((id) => ({
    definition: id,
    version: 1,
    name: "changed",
    subscriptionId: "s",
    spec: { on: "incident", when: `resource('Severity', '${id}').rank > 1` },
    loads: [],
  })),
  events: [event],
};

it("extends the leases of events that take long, until they are evaluated", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setImmediate", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const stop = new AbortController();
  const reports: EventReport[] = [];
  let batches = 0;
  const triggers: Pick<TriggerTransport, "declare" | "receive" | "commit"> = {
    declare: () => Promise.resolve(0),
    receive: ({ signal }) =>
      batches++ === 0
        ? Promise.resolve(batch)
        : new Promise((resolve) => {
            signal.addEventListener("abort", () => resolve({ ...batch, events: [] }));
          }),
    commit: (_pool, events) => {
      reports.push(...events);
      return Promise.resolve([]);
    },
  };
  const severity: DefinedResource = {
    type: "Severity",
    title: undefined,
    schema: {},
    get: async (ids) => {
      await new Promise((resolve) => {
        setTimeout(resolve, 9_000);
      });
      // Read one by one thereafter.
      if (ids.length > 1) throw new Error("One at a time.");
      return Object.fromEntries(ids.map((id) => [id, { rank: 2 }]));
    },
  };
  const worker = new TriggerWorker({
    triggers: triggers as TriggerTransport,
    pool: "p",
    types: [],
    resources: [severity],
    onTrouble: (_doing, error) => {
      throw error;
    },
  });
  const working = worker.run(stop.signal);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reports.map(({ state }) => state)).toEqual(["more", "more", "evaluated"]);
  stop.abort();
  await working;
});

it("declares its types once, and reports them every 5 minutes, whether that fails or not", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const stop = new AbortController();
  const declared: { readonly at: number; readonly replace: boolean }[] = [];
  const troubles: string[] = [];
  const begunAt = performance.now();
  const triggers: Pick<TriggerTransport, "declare" | "receive"> = {
    declare: ({ replace }) => {
      declared.push({ at: Math.round((performance.now() - begunAt) / 60_000), replace });
      return declared.length === 2 ? Promise.reject(new Error("Away.")) : Promise.resolve(0);
    },
    receive: ({ waitMs }) =>
      new Promise((resolve) => {
        setTimeout(() => resolve({ ...batch, events: [] }), waitMs);
      }),
  };
  const worker = new TriggerWorker({
    triggers: triggers as TriggerTransport,
    pool: "p",
    types: [],
    resources: [],
    onTrouble: (doing) => void troubles.push(doing),
  });
  const working = worker.run(stop.signal);
  await vi.advanceTimersByTimeAsync(15 * 60_000);
  stop.abort();
  await vi.advanceTimersByTimeAsync(60_000);
  await working;
  expect(declared).toEqual([
    { at: 0, replace: true },
    { at: 5, replace: false },
    { at: 6, replace: false },
    { at: 11, replace: false },
  ]);
  expect(troubles).toEqual(["reporting trigger types"]);
});

/** What a worker without types and resources reports of a batch, until it is stopped by its first report. */
async function reportsOf(given: TriggerBatch) {
  const stop = new AbortController();
  const reports: { events: readonly EventReport[]; matches: readonly unknown[] }[] = [];
  const triggers: Pick<TriggerTransport, "declare" | "receive" | "commit"> = {
    declare: () => Promise.resolve(0),
    receive: () => Promise.resolve(given),
    commit: (_pool, events, matches) => {
      reports.push({ events, matches });
      stop.abort();
      return Promise.resolve([]);
    },
  };
  const worker = new TriggerWorker({
    triggers: triggers as TriggerTransport,
    pool: "p",
    types: [],
    resources: [],
    onTrouble: (_doing, error) => {
      throw error;
    },
  });
  await worker.run(stop.signal);
  return reports;
}

it("leaves an event to other workers if it doesn't know a type of resources", async () => {
  expect(await reportsOf(batch)).toMatchObject([
    {
      events: [
        {
          state: "retry",
          error: "Severity could not be read: This worker doesn't know the type.",
        },
      ],
      matches: [],
    },
  ]);
});

it.each([
  ["gives an event back", 3_600_000, "release"],
  ["sets an event aside after a day", 90_000_000, "failed"],
])("%s that no worker loads its type for", async (_what, ageMs, state) => {
  const [trigger] = batch.triggers ?? [];
  if (trigger === undefined) throw new Error("The batch is empty.");
  const reports = await reportsOf({
    ...batch,
    triggers: [{ ...trigger, spec: { on: "incident.updated" }, loads: ["severity"] }],
    events: [{ ...event, publishedAt: Date.now() - ageMs }],
  });
  expect(reports.flatMap(({ events }) => events)).toMatchObject([
    { state, error: "No worker that loads incident.updated has received the event yet." },
  ]);
});

interface Commit {
  readonly events: readonly EventReport[];
  readonly matches: readonly MatchReport[];
}

/** As a report that is longer than a text may be. */
const TOO_LONG = new RangeError("Invalid string length");

/** The commits of one batch by a transport that rejects some of them, and the trouble that the worker has. */
async function commitsOf(
  given: Partial<TriggerBatch>,
  rejects: (commit: Commit) => boolean,
  { types = [], resources = [] }: Partial<Pick<TriggerWorkerOptions, "types" | "resources">> = {},
): Promise<{ readonly committed: readonly Commit[]; readonly troubles: readonly unknown[] }> {
  const stop = new AbortController();
  const committed: Commit[] = [];
  const troubles: unknown[] = [];
  let batches = 0;
  const triggers: Pick<TriggerTransport, "declare" | "receive" | "commit"> = {
    declare: () => Promise.resolve(0),
    receive: () => {
      if (batches++ === 0) return Promise.resolve({ ...batch, ...given });
      stop.abort();
      return Promise.resolve({ ...batch, events: [] });
    },
    commit: (_pool, events, matches) => {
      if (rejects({ events, matches })) return Promise.reject(TOO_LONG);
      committed.push({ events, matches });
      return Promise.resolve([]);
    },
  };
  const worker = new TriggerWorker({
    triggers: triggers as TriggerTransport,
    pool: "p",
    types,
    resources,
    onTrouble: (_doing, error) => {
      troubles.push(error);
      stop.abort();
    },
  });
  await worker.run(stop.signal);
  return { committed, troubles };
}

const delivered = (...receipts: readonly string[]): TriggerDelivery[] =>
  receipts.map((receipt) => ({ ...event, receipt }));

/** The triggers of a subscription that has no guard. */
const unguarded = (subscriptionId: string, count: number): TriggerBatch["triggers"] =>
  Array.from({ length: count }, (_, n) => ({
    definition: `${subscriptionId}${n}`,
    version: 1,
    name: "changed",
    subscriptionId,
    spec: { on: "incident" },
    loads: [],
  }));

it("reports the other events of a batch in which the database rejects one, match or not", async () => {
  const { committed, troubles } = await commitsOf(
    { triggers: [], events: delivered("r1", "r2", "r3") },
    ({ events }) => events.some(({ receipt }) => receipt === "r1"),
  );
  expect(committed.map(({ events }) => events.map(({ receipt }) => receipt))).toEqual([
    ["r2"],
    ["r3"],
  ]);
  expect(troubles).toMatchObject([{ cause: TOO_LONG }]);
});

it("reports the other events of a batch in which the database rejects one, however many they match", async () => {
  const [rejected, many, last] = delivered("r1", "r2", "r3");
  if (rejected === undefined || many === undefined || last === undefined) throw new Error("Three.");
  const { committed, troubles } = await commitsOf(
    {
      triggers: unguarded("many", 1_500),
      events: [rejected, { ...many, subscriptionIds: ["many"] }, last],
    },
    ({ events }) => events.some(({ receipt }) => receipt === "r1"),
  );
  const started = committed.flatMap(({ matches }) => matches);
  expect(new Set(started.map(({ definition }) => definition)).size).toBe(1_500);
  const states = committed.flatMap(({ events }) => events);
  expect(states.map(({ receipt, state }) => `${receipt} ${state}`)).toEqual([
    "r2 more",
    "r2 evaluated",
    "r3 evaluated",
  ]);
  expect(troubles).toMatchObject([{ cause: TOO_LONG }]);
});

it("doesn't acknowledge an event if the database rejects one of its matches even as a failure", async () => {
  const { committed, troubles } = await commitsOf(
    { triggers: unguarded("s", 1_500), events: delivered("r1") },
    ({ matches }) => matches.some(({ definition }) => definition === "s7"),
  );
  const states = new Set(committed.flatMap(({ events }) => events.map(({ state }) => state)));
  expect([...states]).toEqual(["more"]);
  expect(troubles).toMatchObject([{ cause: TOO_LONG }]);
});

it("ignores what a result of a read inherits, and holds back only what can't be kept", async () => {
  const reads: (readonly string[])[] = [];
  const severity: DefinedResource = {
    type: "Severity",
    title: undefined,
    schema: {},
    get: (ids) => {
      reads.push(ids);
      return Promise.resolve({ good: 1, odd: "a\u0000b" });
    },
  };
  const { committed, troubles } = await commitsOf(
    {
      triggers: ["good", "odd", "constructor"].map((id) => ({
        definition: id,
        version: 1,
        name: "changed",
        subscriptionId: "s",
        spec: {
          on: "incident",
          when: `resource('Severity', '${id}') != null`,
        },
        loads: [],
      })),
    },
    () => false,
    { resources: [severity] },
  );
  expect(reads).toEqual([["good", "odd", "constructor"]]);
  expect(committed).toMatchObject([
    {
      events: [
        {
          state: "retry",
          error: expect.stringContaining('Severity "odd"') as string,
          loaded: { "resource()": { Severity: { good: 1, constructor: null } } },
        },
      ],
      matches: [
        { definition: "good", outcome: "start" },
        {
          definition: "constructor",
          outcome: "failed",
          error: expect.stringContaining("constructor") as string,
        },
      ],
    },
  ]);
  expect(troubles).toEqual([]);
});

describe("an event whose loaded members can't be reported", () => {
  const loads = ["more"];
  const type = defineTrigger({
    name: "incident.loaded",
    topic: "incident",
    loads,
    load: () => Promise.resolve({ more: 1 }),
  });
  const triggers = ["good", "bad"].map((definition) => ({
    definition,
    version: 1,
    name: "changed",
    subscriptionId: "s",
    spec: { on: type.name },
    loads,
  }));

  it("is reported without them, with the reason, and starts its runs", async () => {
    const { committed, troubles } = await commitsOf(
      { triggers, events: delivered("r1") },
      ({ events }) => events.some(({ loaded }) => loaded !== undefined),
      { types: [type] },
    );
    expect(committed).toMatchObject([
      {
        events: [
          { state: "evaluated", error: "The loaded members can't be kept: Invalid string length" },
        ],
        matches: [{ outcome: "start" }, { outcome: "start" }],
      },
    ]);
    expect(committed[0]?.events[0]).not.toHaveProperty("loaded");
    expect(troubles).toEqual([]);
  });

  it("is set aside without them after its last attempt, with the reason why that failed", async () => {
    const failing = { ...type, load: () => Promise.reject(new Error("It is down.")) };
    const severity: DefinedResource = {
      type: "Severity",
      title: undefined,
      schema: {},
      get: (ids) => Promise.resolve(Object.fromEntries(ids.map((id) => [id, { rank: 2 }]))),
    };
    const { committed, troubles } = await commitsOf(
      {
        triggers: [...(batch.triggers ?? []), ...triggers],
        events: [{ ...event, attempts: 12 }],
      },
      ({ events }) => events.some(({ loaded }) => loaded !== undefined),
      { types: [failing], resources: [severity] },
    );
    expect(committed).toMatchObject([
      {
        events: [{ state: "failed", error: "incident.loaded could not be loaded: It is down." }],
        matches: [{ outcome: "start" }, { outcome: "start" }],
      },
    ]);
    expect(troubles).toEqual([]);
  });

  it("keeps them if a match is to blame", async () => {
    const { committed, troubles } = await commitsOf(
      { triggers, events: delivered("r1") },
      ({ matches }) =>
        matches.some(({ definition, outcome }) => definition === "bad" && outcome === "start"),
      { types: [type] },
    );
    const matches = committed.flatMap((each) => each.matches);
    expect(matches.map(({ definition, outcome }) => [definition, outcome])).toEqual([
      ["good", "start"],
      ["bad", "failed"],
    ]);
    expect(committed.at(-1)?.events).toEqual([
      { receipt: "r1", state: "evaluated", loaded: { [type.name]: { more: 1 } } },
    ]);
    expect(troubles).toEqual([]);
  });
});
