/** Options that no type has checked, as in JavaScript: one that is misspelt is refused, and nothing is done. */
import { createWorkflowClient, InvalidArgument } from "@oxbow/sdk";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import { setupWorkflows } from "../helpers/workflows.ts";

/** Options that JavaScript lets through. */
const untyped = (options: object): never => options as never;

const waits = workflow({ name: "waits", run: (ctx) => ctx.step.waitForEvent("go") });
const misspells = workflow({
  name: "misspells",
  run: async (ctx, method: "run" | "map" | "waitForEvent" | "invoke") => {
    const { step } = ctx;
    if (method === "run") await step.run("a", () => 1, untyped({ timout: "1s" }));
    if (method === "map") await step.map("a", [1], () => 1, untyped({ concurency: 1 }));
    if (method === "waitForEvent") await step.waitForEvent("a", untyped({ timeOut: "1s" }));
    if (method === "invoke") await step.invoke("a", waits, undefined, untyped({ detached: true }));
  },
});

const bench = await setupWorkflows();
await bench.client.queues.create("mail");

it("is refused by everything that has options", async () => {
  const { client } = bench;
  const { queues, topics, schedules, runs } = client;
  const url = bench.database.url;
  const run = await client.start(waits, undefined);
  const calls: Record<string, () => unknown> = {
    maxConnection: () => createWorkflowClient(untyped({ url, maxConnection: 1 })),
    concurency: () => waits.serve(untyped({ url, concurency: 1 })),
    workflow: () => createWorker(untyped({ url, workflow: [waits] })),
    retentionDay: () => workflow(untyped({ name: "x", run: () => 1, retentionDay: 1 })),
    attempt: () => workflow({ name: "x", run: () => 1, retry: untyped({ attempt: 1 }) }),
    idempotencykey: () => client.start(waits, undefined, untyped({ idempotencykey: "a" })),
    idempotency_key: () =>
      client.startBatch(waits, [untyped({ input: undefined, idempotency_key: "a" })]),
    trx: () => client.startBatch(waits, [], untyped({ trx: {} })),
    Event: () => client.signalWithStart(waits, undefined, untyped({ Event: "go" })),
    dedupId: () => run.signal("go", undefined, untyped({ dedupId: "a" })),
    timeOut: () => run.result(untyped({ timeOut: "1s" })),
    roll_back: () => run.cancel(untyped({ roll_back: true })),
    transaction: () => run.retry(untyped({ transaction: {} })),
    step: () => run.rerun(untyped({ step: "a" })),
    workflows: () => runs.cancelAll(untyped({ workflows: "waits" })),
    batch: () => runs.retryAll({}, untyped({ batch: 1 })),
    size: () => runs.list({}, untyped({ size: 1 })).next(),
    max_receives: () => queues.create("other", untyped({ max_receives: 1 })),
    delaySeconds: () => queues.send("mail", 1, untyped({ delaySeconds: 1 })),
    header: () => queues.sendBatch("mail", [1], untyped({ header: {} })),
    group: () => queues.sendFifo("mail", 1, untyped({ group: "a" })),
    maxMessages: () => queues.receive("mail", untyped({ maxMessages: 1 })),
    Tx: () => queues.delete("mail", "1", untyped({ Tx: {} })),
    concurrent: () => queues.consume("mail", () => 1, untyped({ concurrent: 1 })),
    filters: () => topics.subscribe("a", untyped({ queue: "mail", filters: {} })),
    tX: () => topics.publish("a", 1, untyped({ tX: {} })),
    timezone: () => schedules.create(untyped({ name: "a", workflow: "waits", timezone: "UTC" })),
    because: () => schedules.pause("a", untyped({ because: "a" })),
  };
  const outcomes: Record<string, unknown> = {};
  for (const [option, call] of Object.entries(calls)) {
    outcomes[option] = await Promise.resolve()
      .then(call)
      .then(
        () => "done",
        (error: unknown) =>
          error instanceof InvalidArgument && error.message.includes(`"${option}"`)
            ? "refused"
            : String(error),
      );
  }
  const refused = Object.fromEntries(Object.keys(calls).map((option) => [option, "refused"]));
  expect(outcomes).toEqual(refused);
  expect(await runs.count()).toBe(1);
  expect((await queues.stats("mail")).visible).toBe(0);
});

it("fails a run whose step has it", async () => {
  bench.serve([misspells]);
  for (const method of ["run", "map", "waitForEvent", "invoke"] as const) {
    const run = await bench.client.start(misspells, method);
    await expect(run.result({ timeout: "60s" })).rejects.toThrow(
      /Unknown option "\w+" of step "a"/,
    );
  }
});
