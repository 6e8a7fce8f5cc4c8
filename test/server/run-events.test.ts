/** The events of one run, of any kind: in order, resumable, to holders of run tokens too, at little cost while idle. */
import { workflow } from "@oxbow/sdk/runtime";
import { RunTokenKeys } from "@oxbow/sdk/internal/server";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { countStatements } from "../helpers/counted-statements.ts";
import { eventually } from "../helpers/eventually.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const KEY = "k".repeat(32);

const order = workflow({
  name: "order",
  run: async (ctx) => {
    ctx.set("phase", "charging");
    await ctx.step.run("charge", () => {
      ctx.stream.write("charged");
      return { secret: "of the application" };
    });
    await ctx.step.waitForEvent("approved");
    ctx.set("phase", "done");
    await ctx.step.run("ship", () => 2);
    return "shipped";
  },
});

const renewed = workflow({
  name: "renewed",
  run: async (ctx, input: number) => {
    ctx.set("round", input);
    await ctx.step.run(`round-${input}`, () => input);
    await ctx.step.waitForEvent("next");
    if (input < 2) return ctx.continueAsNew(input + 1);
    return input;
  },
});

const failing = workflow({
  name: "failing",
  run: async (ctx) => {
    await ctx.step.run(
      "break",
      () => {
        throw new Error("no stock");
      },
      { retry: { attempts: 1 } },
    );
  },
});

const bench = await setupWorkflows();
bench.serve([order, renewed, failing]);
const server = await startTestServer(bench.database, { runTokenKeys: [KEY] });

interface Event {
  readonly event: string;
  readonly id: string | undefined;
  // Tests say what they expect of it.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any;
}

/** Events until the stream ends, or the function returns true. */
async function read(
  path: string,
  {
    on = server,
    isEnough = () => false,
    ...headers
  }: {
    readonly on?: Pick<TestServer, "url">;
    readonly isEnough?: (event: Event) => boolean | Promise<boolean>;
    readonly "last-event-id"?: string | undefined;
    readonly authorization?: string;
  } = {},
): Promise<Event[]> {
  const given = Object.entries(headers).filter(([, value]) => value !== undefined);
  const response = await fetch(`${on.url}${path}`, {
    headers: Object.fromEntries(given) as Record<string, string>,
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
      const one = { event, id: field("id"), data: JSON.parse(field("data") ?? "null") as unknown };
      events.push(one);
      if (await isEnough(one)) return events;
    }
  }
  return events;
}

const of = (events: readonly Event[], name: string) =>
  events.filter(({ event }) => event === name).map(({ data }) => data);

const approve =
  (runId: string) =>
  async ({ event, data }: Event) => {
    if (event === "run" && data.activity === "waiting")
      await bench.client.signal(runId, "approved", {});
    return false;
  };

it("a run has its status, steps, state and chunks, and an end with the output", async () => {
  const { runId } = await bench.client.start(order, undefined);
  const events = await read(`/v1/runs/${runId}/events?chunks=true`, { isEnough: approve(runId) });
  expect(of(events, "step").map(({ name }) => name)).toEqual(["charge", "approved", "ship"]);
  expect(of(events, "state").at(-1)).toEqual({ phase: "done" });
  expect(of(events, "chunk")).toMatchObject([{ value: "charged", step: "charge" }]);
  expect(of(events, "run").at(-1)).toMatchObject({ runId, workflow: "order", status: "completed" });
  expect(events.at(-1)).toMatchObject({
    event: "end",
    data: { status: "completed", output: "shipped", error: null },
  });
  expect(JSON.stringify(events)).not.toMatch("of the application");
});

it("a reader that returns continues after the last event that it has", async () => {
  const { runId } = await bench.client.start(order, undefined);
  const path = `/v1/runs/${runId}/events?chunks=true`;
  const seen = new Set<string>();
  const first = await read(path, {
    isEnough: ({ event }) => seen.add(event).has("step") && seen.has("chunk"),
  });
  const rest = await read(path, { "last-event-id": first.at(-1)?.id, isEnough: approve(runId) });
  expect(of(rest, "step").map(({ name }) => name)).toEqual(["approved", "ship"]);
  expect(of(rest, "chunk")).toEqual([]);
  expect(rest[0]?.event).toMatch(/run|state|step/);
  const again = await read(path, { "last-event-id": rest.at(-1)?.id });
  expect(again.map(({ event }) => event)).toEqual(["state", "run", "end"]);
});

it("a run that continues as new begins its steps again, after an event with the generation", async () => {
  const { runId } = await bench.client.start(renewed, 1);
  const events = await read(`/v1/runs/${runId}/events`, {
    isEnough: async ({ event, data }) => {
      if (event === "run" && data.activity === "waiting") {
        await bench.client.signal(runId, "next", {});
      }
      return false;
    },
  });
  const second = events.findIndex(({ event, data }) => event === "run" && data.generation === 2);
  const named = (some: readonly Event[]) => of(some, "step").map(({ name }) => name);
  expect(named(events.slice(0, second))).toContain("round-1");
  // A reader that loses the connection before that event gets it by the id before.
  expect(events.slice(0, second).filter(({ id = "" }) => id.startsWith("2-"))).toEqual([]);
  expect(named(events.slice(second))).toContain("round-2");
  expect(named(events.slice(second))).not.toContain("round-1");
  expect(events.at(-1)).toMatchObject({ event: "end", data: { output: 2, generation: 2 } });
});

it("a failed run ends with its error, without stacks", async () => {
  const { runId } = await bench.client.start(failing, undefined);
  const events = await read(`/v1/runs/${runId}/events`);
  expect(of(events, "end")).toMatchObject([{ status: "failed", output: null }]);
  expect(of(events, "step")[0].error).toEqual({ name: "Error", message: "no stock" });
  expect(JSON.stringify(events)).not.toMatch("stack");
});

it("a run token opens the events of its run until it expires, and the chunks if it names the stream", async () => {
  const { runId } = await bench.client.start(order, undefined);
  const keys = new RunTokenKeys([KEY]);
  const sign = async (allow: readonly ("read" | "stream")[], ttlMs: number) =>
    `Bearer ${await keys.sign({ runId, ttlMs, allow, name: undefined })}`;
  const path = `/v1/runs/${runId}/events`;
  // The run waits, so the expiry ends the stream.
  const events = await read(path, { authorization: await sign(["read"], 1_500) });
  expect(of(events, "step").map(({ name }) => name)).toEqual(["charge"]);
  expect(of(events, "end")).toEqual([]);
  const refused = await fetch(`${server.url}${path}?chunks=true`, {
    headers: { authorization: await sign(["read"], 60_000) },
  });
  expect([refused.status, await refused.json()]).toMatchObject([
    403,
    { detail: `The run token doesn't allow "stream".` },
  ]);
  const chunks = await read(`${path}?chunks=true`, {
    authorization: await sign(["read", "stream"], 60_000),
    isEnough: approve(runId),
  });
  expect(of(chunks, "chunk")).toHaveLength(1);
});

it("a run that doesn't exist, and an id that no event has, are refused", async () => {
  expect(await server.get("/v1/runs/404404/events")).toMatchObject({
    status: 404,
    body: { code: "RUN_NOT_FOUND" },
  });
  const wrong = await server.request("GET", "/v1/runs/1/events", {
    headers: { "last-event-id": "x" },
  });
  expect(wrong.status).toBe(400);
});

it("idle readers share a statement a second, however many there are", async () => {
  const counted = await countStatements(bench.database.url);
  const idle = await startTestServer({ url: counted.url }, { schedules: false });
  const runs = await Promise.all(
    Array.from({ length: 20 }, () => bench.client.start(order, undefined)),
  );
  const control = new AbortController();
  const isWaiting = async ({ runId }: { readonly runId: string }): Promise<void> => {
    const response = await fetch(`${idle.url}/v1/runs/${runId}/events`, { signal: control.signal });
    let text = "";
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      if (text.includes('"activity":"waiting"')) return;
    }
  };
  // `return` cancels the body: the readers that stay are opened after all runs wait.
  await Promise.all(runs.map(isWaiting));
  const open = await Promise.all(
    runs.map(({ runId }) =>
      fetch(`${idle.url}/v1/runs/${runId}/events`, { signal: control.signal }),
    ),
  );
  expect(open.map(({ status }) => status)).toEqual(runs.map(() => 200));
  const perSecond: number[] = [];
  await eventually(
    async () => {
      counted.take();
      await sleep(3_000);
      perSecond.push(counted.take().statements / 3);
      return perSecond.at(-1) ?? Number.POSITIVE_INFINITY;
    },
    // Twenty readers that polled for themselves would take forty.
    (statements) => statements <= 5,
  );
  control.abort();
});
