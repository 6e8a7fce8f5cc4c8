/** Everything that takes part in a transaction of the caller's does so through every driver alike. */
import {
  createWorkflowClient,
  InvalidArgument,
  QueueNotFound,
  type TransactionClient,
  type WorkflowClient,
} from "@oxbow/sdk";
import { workflow } from "@oxbow/sdk/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../helpers/database.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { type World, worlds } from "./worlds.ts";

/** Values that drivers easily store in another form. */
const VALUE = {
  text: `"quoted", 'single', back\\slash, {curly}, NULL, $1, ?, é, 日本, 👋`,
  lines: "a\nb\tc",
  numbers: [0, -1.5, 1e21, Number.MAX_SAFE_INTEGER],
  nothing: null,
  nested: { deep: [{ yes: true, no: false }], empty: {}, none: [] },
};
const VALUES: readonly unknown[] = [VALUE, [VALUE, "x"], `a "text"`, "", 12.5, true, null];
const DEADLINE = new Date("2099-12-31T23:59:59.999Z");

const ships = workflow({
  name: "ships",
  flowControl: { concurrency: 7, key: "text", concurrencyPerKey: 7, priority: "numbers.0" },
  run: (ctx, _input: unknown) => ctx.step.waitForEvent("never"),
});

/** The visible work of one world, by what existed before it. */
async function setUp(
  client: WorkflowClient,
): Promise<{ runId: string; receipts: string[]; subscription: string }> {
  const { queues, topics } = client;
  await queues.create("mail");
  await queues.create("copies");
  await queues.create("orders", { fifo: true });
  await queues.create("held", { visibilityTimeout: "1h" });
  await queues.sendBatch("held", [1, 2, 3]);
  const held = await queues.receive("held", { max: 3 });
  await topics.subscribe("order.#", { queue: "copies" });
  const subscription = await topics.subscribe("never.#", { queue: "copies" });
  const run = await client.start(ships, "first");
  return { runId: run.runId, receipts: held.map(({ receipt }) => receipt), subscription };
}

type Before = Awaited<ReturnType<typeof setUp>>;

async function work(client: WorkflowClient, tx: TransactionClient, before: Before): Promise<void> {
  const { queues, topics, schedules } = client;
  const [first = "", second = "", third = ""] = before.receipts;
  expect(await client.setFlowControl(ships, { tx })).toBe("created");
  await client.start(ships, VALUE, {
    tx,
    idempotencyKey: `a "key", {1}`,
    tags: { by: "hand", list: [1, "two"] },
    deadline: DEADLINE,
    // Longer than the test takes: a run that is due looks different.
    delay: 3_600_500,
    retention: "3d",
    priority: 4,
    flowKey: "k",
    onRunning: "fail",
    onEnded: "start-new",
  });
  const batch = VALUES.map((input, n) => ({ input, ...(n === 1 ? { tags: { n } } : {}) }));
  expect(await client.startBatch(ships, batch, { tx })).toHaveLength(VALUES.length);
  expect(await client.startBatch("ships", [{ input: undefined }], { tx })).toMatchObject([
    { created: true, initialStatus: "running", runId: expect.stringMatching(/^\d+$/) },
  ]);
  for (const payload of VALUES) {
    expect(
      await client.signal(before.runId, "later", payload, {
        tx,
        deduplicationId: JSON.stringify(payload),
      }),
    ).toBe("buffered");
  }
  const { run, outcome } = await client.signalWithStart(ships, VALUE, {
    tx,
    idempotencyKey: "signalled",
    event: "go",
    payload: VALUE,
    deadline: DEADLINE,
    tags: { n: 1 },
  });
  expect(outcome).toBe("buffered");
  expect(await run.pause("by hand", { tx })).toBe(true);
  expect(await run.resume({ tx })).toBe(true);
  expect(await run.cancel({ tx, reason: `it's "over"` })).toBe(true);
  expect(await run.retry({ tx })).toBe(true);
  expect((await run.rerun({ tx, input: VALUE })).runId).toMatch(/^\d+$/);

  for (const message of VALUES) await queues.send("mail", message, { tx, headers: { of: "one" } });
  await queues.sendBatch("mail", VALUES, {
    tx,
    headers: VALUES.map((_, n) => (n === 0 ? VALUE : null)),
  });
  await queues.sendFifo("orders", VALUE, {
    tx,
    groupId: "g",
    deduplicationId: "d",
    headers: VALUE,
  });
  expect(await queues.delete("held", first, { tx })).toBe(true);
  expect(await queues.deleteBatch("held", [first, second], { tx })).toEqual([second]);
  expect(await queues.changeVisibility("held", third, "2h", { tx })).toBe(true);

  expect(await topics.publish("order.paid", VALUE, { tx, headers: { of: "topic" } })).toBe(1);
  expect(await topics.unsubscribe(before.subscription, { tx })).toBe(true);
  expect(await topics.subscribe("new", { queue: "mail", filter: VALUE, tx })).toMatch(/^\d+$/);

  const schedule = {
    name: "daily",
    workflow: ships,
    cron: "0 9 * * *",
    input: VALUE,
    tags: { n: 1 },
  };
  expect(await schedules.create({ ...schedule, tx, jitter: "1h" })).toBe("created");
  expect(
    await schedules.create({
      ...schedule,
      name: "often",
      cron: undefined as never,
      every: "1h",
      tx,
    }),
  ).toBe("created");
  expect(await schedules.pause("daily", { tx, reason: "why not" })).toBe(true);
  expect(await schedules.resume("daily", { tx })).toBe(true);
  expect((await schedules.trigger("daily", { tx })).created).toBe(true);
  expect(await schedules.delete("often", { tx })).toBe(true);
}

/** All that is stored, but for times and for what is different by chance. */
async function stored(client: WorkflowClient): Promise<unknown> {
  const shown = [];
  const first = await client.runs.list({}).next();
  for (const { runId } of first.done === true ? [] : first.value.runs) {
    const found = await client.runs.find(runId);
    const { startedAt: _s, completedAt: _c, resumesAt: _r, scheduledAt: _t, ...rest } = found ?? {};
    shown.push(rest);
  }
  const queues: Record<string, unknown> = {};
  for (const queue of ["mail", "orders", "copies", "held"]) {
    const messages = await client.queues.peek(queue, { max: 100 });
    queues[queue] = messages.map(({ id, body, headers, groupId }) => ({
      id,
      body,
      headers,
      groupId,
    }));
  }
  const subscriptions = (await client.topics.list()).map(({ createdAt: _c, ...rest }) => rest);
  const schedules = (await client.schedules.list()).map(
    ({ createdAt: _c, changedAt: _h, nextTickAt: _n, ...rest }) => rest,
  );
  return { runs: shown, queues, subscriptions, schedules, flow: await client.flowControl(ships) };
}

interface Bench {
  readonly database: TestDatabase;
  readonly client: WorkflowClient;
  readonly before: Before;
}

/** A database that is set up, which those of all tests are copies of. */
let original: Omit<Bench, "client">;

async function openBench(): Promise<Bench> {
  const database = await createDatabase({ copyOf: original.database });
  const client = createWorkflowClient({ url: database.url });
  atFileEnd(() => client.close());
  return { database, client, before: original.before };
}

async function openWorld(name: string, url: string): Promise<World> {
  const world = await worlds[name]?.(url);
  if (world === undefined) throw new Error(`There is no ${name}.`);
  atFileEnd(() => world.end());
  return world;
}

let expected: unknown;
const sent: { text: string; values: unknown[] }[] = [];

beforeAll(async () => {
  const empty = await createDatabase();
  {
    await using client = createWorkflowClient({ url: empty.url });
    original = { database: empty, before: await setUp(client) };
  }
  const { database, client, before } = await openBench();
  const connection = await database.connect();
  await connection.query("begin");
  const tx: TransactionClient = {
    query: (text, values) => {
      sent.push({ text, values });
      return connection.query(text, values);
    },
  };
  await work(client, tx, before);
  await connection.query("commit");
  expected = await stored(client);
});

describe.each(Object.keys(worlds))("a transaction of %s", (name) => {
  it("that commits leaves exactly what was meant", async () => {
    const { database, client, before } = await openBench();
    const world = await openWorld(name, database.url);
    await world.transaction((tx) => work(client, tx, before));
    expect(await stored(client)).toEqual(expected);
  });

  it("that is rolled back leaves nothing, and gets Oxbow's own errors", async () => {
    const { database, client, before } = await openBench();
    const world = await openWorld(name, database.url);
    const untouched = await stored(client);
    const failure = world.transaction(async (tx) => {
      await work(client, tx, before);
      throw new Error("no, after all");
    });
    await expect(failure).rejects.toThrow("no, after all");
    expect(await stored(client)).toEqual(untouched);
    let error: unknown;
    await world
      .transaction(async (tx) => {
        error = await client.queues.send("nosuch", 1, { tx }).catch((thrown: unknown) => thrown);
        throw new Error("rolled back");
      })
      .catch(() => {});
    expect(error).toBeInstanceOf(QueueNotFound);
    expect(String(error)).toContain(`"nosuch"`);
  });
});

it("leaves nothing to the driver: every parameter is text, or null, and is cast", () => {
  const uncast = sent.flatMap(({ text }) => text.match(/\$\d+(?!\d|::text::)/g) ?? []);
  expect(uncast).toEqual([]);
  const odd = sent.flatMap(({ values }) =>
    values.filter((value) => value !== null && typeof value !== "string"),
  );
  expect(odd).toEqual([]);
  expect(expected).toMatchObject({ queues: { orders: [{ body: VALUE, headers: VALUE }] } });
});

it("a tx whose query() does not answer as pg does is refused, with what to do", async () => {
  const { client, database } = await openBench();
  const connection = await database.connect();
  const answers: Record<string, (rows: unknown[]) => unknown> = {
    "an array": (rows) => rows,
    "an object of records": (rows) => ({ records: rows }),
    null: () => null,
  };
  for (const [words, answer] of Object.entries(answers)) {
    const query = async (text: string, values: unknown[]): Promise<never> =>
      answer((await connection.query(text, values)).rows) as never;
    await connection.query("begin");
    const refused = client.queues.send("mail", 1, { tx: { query } });
    await expect(refused).rejects.toBeInstanceOf(InvalidArgument);
    await expect(refused).rejects.toThrow(`resolved with ${words}.`);
    await connection.query("rollback");
  }
});
