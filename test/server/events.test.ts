import { workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { startTestServer } from "../helpers/server.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const walk = workflow({
  name: "walk",
  run: async (ctx) => {
    await ctx.step.run("one", () => 1);
    await ctx.step.waitForEvent("go");
    await ctx.step.run("two", () => 2);
    return "there";
  },
});

const bench = await setupWorkflows();
bench.serve([walk]);
const server = await startTestServer(bench.database);

interface Event {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: Record<string, unknown>;
}

/** Events as they come, until the stream ends or the function returns true. */
async function read(
  path: string,
  lastEventId: string | undefined,
  isEnough: (event: Event) => boolean | Promise<boolean>,
): Promise<Event[]> {
  const response = await fetch(`${server.url}${path}`, {
    headers: lastEventId === undefined ? {} : { "last-event-id": lastEventId },
  });
  expect(response.headers.get("content-type")).toMatch("text/event-stream");
  const events: Event[] = [];
  let text = "";
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString();
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
      const event = field("event");
      if (event === undefined) continue;
      const parsed = { event, id: field("id"), data: JSON.parse(field("data") ?? "null") };
      events.push(parsed);
      if (await isEnough(parsed)) return events;
    }
  }
  return events;
}

const aMinuteAgo = (): string => `${((Date.now() - 60_000) * 1_000).toString(36)}-`;

const namesOf = (events: readonly Event[]) =>
  events.filter(({ event }) => event === "step").map(({ data }) => data["name"]);

it("the steps of a run come as they are journaled, then its end; a reader that returns continues after the last one", async () => {
  const run = await bench.client.start(walk, undefined);
  const path = `/v1/workflows/walk/runs/${run.runId}/events`;
  const first = await read(path, undefined, ({ event }) => event === "step");
  expect(namesOf(first)).toEqual(["one"]);

  const rest = await read(path, first.at(-1)?.id, async ({ data }) => {
    if (data["activity"] === "waiting") await bench.client.signal(run.runId, "go", {});
    return false;
  });
  expect(namesOf(rest)).toEqual(["go", "two"]);
  expect(rest.at(-1)).toMatchObject({
    event: "end",
    data: { status: "completed", output: "there" },
  });
  expect(rest.filter(({ event }) => event === "step").map(({ id }) => id)).toEqual(["2", "3"]);
});

it("a run that isn't there has no events", async () => {
  expect(await server.get("/v1/workflows/walk/runs/404/events")).toMatchObject({
    status: 404,
    body: { code: "RUN_NOT_FOUND" },
  });
});

it("the runs of a workflow come as they start and end; a reader that comes again misses nothing", async () => {
  const path = "/v1/workflows/walk/events";
  const before = await bench.client.start(walk, undefined);
  const started: string[] = [];
  const startOne = async (): Promise<void> => {
    const run = await bench.client.start(walk, undefined);
    started.push(run.runId);
    await bench.client.signal(run.runId, "go", {});
  };
  const running = new Set<unknown>();
  const reading = read(path, undefined, ({ data: { status, runId } }) => {
    if (status === "running") running.add(runId);
    return status === "completed" && running.has(runId);
  });
  // It reports from its beginning on, perhaps only the end of a run that was started earlier: another one starts until
  // it has reported both of one.
  let isTold = false;
  void reading.then(() => {
    isTold = true;
  });
  await eventually(async () => {
    if (!isTold) await startOne();
    return isTold;
  }, true);
  const events = await reading;
  const runsOf = (some: readonly Event[]) => some.map(({ data }) => data["runId"]);
  expect(new Set(events.map(({ event }) => event))).toEqual(new Set(["run"]));
  expect(started).toEqual(expect.arrayContaining(runsOf(events) as string[]));
  expect(runsOf(events)).not.toContain(before.runId);
  const ended = events.at(-1);
  expect(ended?.data).toMatchObject({ version: 1, error: null });

  await before.cancel({ reason: "enough" });
  const rest = await read(path, ended?.id, ({ data }) => data["status"] === "cancelled");
  const told = new Set(events.map(({ data }) => JSON.stringify(data)));
  expect(rest.filter(({ data }) => told.has(JSON.stringify(data)))).toEqual([]);
  expect(rest.at(-1)?.data).toMatchObject({
    runId: before.runId,
    error: expect.objectContaining({ message: expect.stringContaining("enough") as string }),
  });
});

it("a reader of a workflow receives all runs of a batch, which have started at the same moment", async () => {
  const count = 5_500;
  await server.post("/v1/workflows/crowd/runs/batch", {
    runs: Array.from({ length: count }, () => ({})),
  });
  const runs = new Set<unknown>();
  const events = await read(
    "/v1/workflows/crowd/events",
    aMinuteAgo(),
    ({ data }) => runs.add(data["runId"]).size === count,
  );
  expect(events.length).toBe(count);
});

it("a reader of a workflow that comes again receives late commits, and nothing twice", async () => {
  const path = "/v1/workflows/late/events";
  const session = await bench.database.connect();
  const start = async (): Promise<string> => {
    const { rows } = await session.query<{ id: string }>(
      "select run_id::text as id from queue.workflow_start('late', null)",
    );
    return rows[0]?.id ?? "";
  };
  const runsUntil = async (run: string, after: string | undefined) => {
    const events = await read(path, after, ({ data }) => data["runId"] === run);
    return { runs: events.map(({ data }) => data["runId"]), id: events.at(-1)?.id };
  };
  const first = await start();
  const other = await bench.database.connect();
  await other.query("begin");
  const { rows } = await other.query<{ id: string }>(
    "select run_id::text as id from queue.workflow_start('late', null)",
  );
  const second = await start();
  const before = await runsUntil(second, aMinuteAgo());
  expect(before.runs).toEqual([first, second]);
  await other.query("commit");
  const third = await start();
  const after = await runsUntil(third, before.id);
  expect(after.runs).toEqual([rows[0]?.id, third]);
  const fourth = await start();
  expect((await runsUntil(fourth, after.id)).runs).toEqual([fourth]);
});
