import type {
  EventReport,
  TriggerBatch,
  TriggerDelivery,
  TriggerTransport,
} from "@oxbow/sdk/internal";
import { expect, it, onTestFinished, vi } from "vitest";
import type { DefinedResource } from "../resources/resource-type.ts";
import { TriggerWorker } from "./trigger-worker.ts";

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

it("reports the other events of a batch in which the database rejects one, match or not", async () => {
  const stop = new AbortController();
  const reported: string[][] = [];
  const troubles: unknown[] = [];
  const events = ["r1", "r2", "r3"].map((receipt) => ({ ...event, receipt }));
  const triggers: Pick<TriggerTransport, "declare" | "receive" | "commit"> = {
    declare: () => Promise.resolve(0),
    receive: () => Promise.resolve({ ...batch, triggers: [], events }),
    commit: (_pool, reports) => {
      const receipts = reports.map(({ receipt }) => receipt);
      // As a report that is longer than a text may be.
      if (receipts.includes("r1")) return Promise.reject(new RangeError("Invalid string length"));
      reported.push(receipts);
      return Promise.resolve([]);
    },
  };
  const worker = new TriggerWorker({
    triggers: triggers as TriggerTransport,
    pool: "p",
    types: [],
    resources: [],
    onTrouble: (_doing, error) => {
      troubles.push(error);
      stop.abort();
    },
  });
  await worker.run(stop.signal);
  expect(reported).toEqual([["r2"], ["r3"]]);
  expect(troubles).toMatchObject([{ cause: new RangeError("Invalid string length") }]);
});
