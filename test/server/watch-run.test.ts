/** `@oxbow/sdk/browser`: what a page knows of a run and sends to it, while servers die and tokens expire, and what it weighs. */
import {
  SignalFailed,
  signalRun,
  watchRun,
  type WatchedRun,
  type WatchRunOptions,
} from "@oxbow/sdk/browser";
import { RunTokenKeys } from "@oxbow/sdk/internal/server";
import { findFreePort } from "@oxbow/sdk/internal/testing";
import { workflow } from "@oxbow/sdk/runtime";
import { build } from "esbuild";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, it, onTestFinished, vi } from "vitest";
import { atLeast, eventually } from "../helpers/eventually.ts";
import { serveHttp } from "../helpers/http-server.ts";
import { startTestServer } from "../helpers/server.ts";
import { startServerProcess } from "../helpers/server-process.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const KEY = "k".repeat(32);
const MOST_KB = 4;

const ticking = workflow({
  name: "ticking",
  run: async (ctx) => {
    for (let round = 1; round <= 3; round += 1) {
      ctx.set("round", round);
      await ctx.step.run(`tick-${round}`, () => ctx.stream.write(round));
      await ctx.step.waitForEvent(`next-${round}`);
    }
    return "done";
  },
});

/** Its text has characters that end a line in JavaScript, but neither in JSON nor in server-sent events. */
const speaking = workflow({
  name: "speaking",
  run: (ctx) => ctx.step.run("speak", () => ctx.stream.write("one\u2028two\u2029three")),
});

const bench = await setupWorkflows();
bench.serve([ticking, speaking]);
const server = await startTestServer(bench.database, { runTokenKeys: [KEY] });

const sign = (runId: string, ttlMs = 600_000): Promise<string> =>
  new RunTokenKeys([KEY]).sign({
    runId,
    ttlMs,
    allow: ["read", "stream", "signal:next-1"],
    name: undefined,
  });

/** Watches until the end of the test. */
function watch(runId: string, options: WatchRunOptions) {
  const seen: WatchedRun[] = [];
  const stop = watchRun(runId, options, (run) => void seen.push(run));
  onTestFinished(stop);
  const until = async (is: (run: WatchedRun) => boolean): Promise<WatchedRun> => {
    const last = await eventually(
      () => seen.at(-1),
      (run) => run !== undefined && is(run),
    );
    if (last === undefined) throw new Error("Nothing was seen.");
    return last;
  };
  return { seen, stop, until };
}

const start = async (): Promise<string> => (await bench.client.start(ticking, undefined)).runId;

const atRound = (round: number) => (run: WatchedRun) =>
  run.activity === "waiting" && run.state["round"] === round && run.chunks.length === round;

const names = ({ steps }: WatchedRun): string[] => steps.map(({ name }) => name);

const ALL = ["tick-1", "next-1", "tick-2", "next-2", "tick-3", "next-3"];

it("a page follows a run to its end", async () => {
  const runId = await start();
  const { seen, until } = watch(runId, {
    url: server.url,
    token: await sign(runId),
    chunks: true,
  });
  for (const round of [1, 2, 3]) {
    await until(atRound(round));
    await bench.client.signal(runId, `next-${round}`, {});
  }
  const last = await until(({ status }) => status === "completed");
  expect(last).toMatchObject({ runId, output: "done", error: null, isLive: false, refusal: null });
  expect(last.steps).toHaveLength(ALL.length);
  expect(last.chunks.map(({ value }) => value)).toEqual([1, 2, 3]);
  expect(seen[0]).toMatchObject({ status: undefined, isLive: true });
  const count = seen.length;
  await new Promise((resolve) => {
    setTimeout(resolve, 300);
  });
  expect(seen).toHaveLength(count);
});

it("a page reads texts whole with U+2028 and U+2029", async () => {
  const { runId } = await bench.client.start(speaking, undefined);
  const { until } = watch(runId, { url: server.url, token: await sign(runId), chunks: true });
  const last = await until(({ status }) => status === "completed");
  expect(last.chunks.map(({ value }) => value)).toEqual(["one\u2028two\u2029three"]);
});

it("the first status comes with all steps and values, and the end with the output", async () => {
  const runId = await start();
  const options = { url: server.url, token: await sign(runId) };
  const first = watch(runId, options);
  const goOn = async (round: number): Promise<void> => {
    await first.until(({ activity, state }) => activity === "waiting" && state["round"] === round);
    await bench.client.signal(runId, `next-${round}`, {});
  };
  await goOn(1);
  await goOn(2);
  await first.until(({ activity, state }) => activity === "waiting" && state["round"] === 3);
  const late = watch(runId, options);
  await late.until(({ status }) => status !== undefined);
  const known = late.seen.find(({ status }) => status !== undefined);
  expect(known).toMatchObject({ state: { round: 3 }, activity: "waiting" });
  expect(known?.steps.map(({ name }) => name)).toEqual(ALL.slice(0, 5));
  await goOn(3);
  await first.until(({ status }) => status === "completed");
  const ended = first.seen.filter(({ status }) => status === "completed");
  expect(ended.map(({ output }) => output)).toEqual(["done"]);
});

it("misses and repeats nothing when the server is killed and comes back", async () => {
  const port = await findFreePort();
  const options = {
    database: bench.database.url,
    port,
    env: { OXBOW_RUN_TOKEN_KEYS: KEY },
  };
  let process = await startServerProcess(options);
  const runId = await start();
  const { seen, until } = watch(runId, {
    url: `http://127.0.0.1:${port}/`,
    token: await sign(runId),
    chunks: true,
  });
  for (const round of [1, 2, 3]) {
    await until(atRound(round));
    await process.kill();
    await bench.client.signal(runId, `next-${round}`, {});
    await until(({ isLive }) => !isLive);
    process = await startServerProcess(options);
  }
  const last = await until(({ status }) => status === "completed");
  expect(names(last)).toEqual(ALL);
  expect(last.chunks.map(({ value }) => value)).toEqual([1, 2, 3]);
  expect(seen.some(({ isLive }) => isLive)).toBe(true);
  await process.kill();
});

it("connects again at once when a page gets the focus after a sleep of its machine", async () => {
  const page = new EventTarget();
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  vi.stubGlobal("removeEventListener", page.removeEventListener.bind(page));
  onTestFinished(() => void vi.unstubAllGlobals());
  const runId = await start();
  let connections = 0;
  let isAsleep = false;
  // A network that takes the first connection down without a word.
  const url = await serveHttp((request, response) => {
    connections += 1;
    const isFirst = connections === 1;
    const { authorization = "", "last-event-id": last } = request.headers;
    const headers = {
      authorization,
      ...(last === undefined ? {} : { "last-event-id": String(last) }),
    };
    const control = new AbortController();
    response.on("close", () => control.abort());
    void fetch(`${server.url}${request.url}`, { headers, signal: control.signal })
      .then(async (answer) => {
        response.writeHead(answer.status, { "content-type": "text/event-stream" });
        for await (const chunk of answer.body ?? []) {
          if (!isFirst || !isAsleep) response.write(chunk);
        }
      })
      .catch(() => response.end());
  });
  const { seen, until } = watch(runId, { url, token: await sign(runId) });
  await until(({ activity }) => activity === "waiting");
  isAsleep = true;
  await bench.client.signal(runId, "next-1", {});
  page.dispatchEvent(new Event("focus"));
  expect(connections).toBe(1);
  const { now } = Date;
  vi.spyOn(Date, "now").mockImplementation(() => now() + 30_000);
  onTestFinished(() => void vi.restoreAllMocks());
  page.dispatchEvent(new Event("focus"));
  await until(({ state }) => state["round"] === 2);
  expect(connections).toBe(2);
  expect(names(seen.at(-1) as WatchedRun)).toEqual(["tick-1", "next-1", "tick-2"]);
});

it("drops the steps of the former generation, also if the first connection ended before the run was shown", async () => {
  const step = (name: string, id: string): string =>
    `id: ${id}\nevent: step\ndata: ${JSON.stringify({ name })}\n\n`;
  const run = (event: string, data: object): string =>
    `id: 2-0-0\nevent: ${event}\ndata: ${JSON.stringify({ generation: 2, ...data })}\n\n`;
  const url = await serveHttp((request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(
      request.headers["last-event-id"] === undefined
        ? step("of-the-first", "1-1-0")
        : run("run", { status: "running" }) +
            step("of-the-second", "2-1-0") +
            run("end", { status: "completed" }),
    );
  });
  const { until } = watch("7", { url, token: await sign("7") });
  const last = await until(({ status }) => status === "completed");
  expect(names(last)).toEqual(["of-the-second"]);
});

it("asks for a new token when one expires", async () => {
  const runId = await start();
  let asked = 0;
  const { until } = watch(runId, {
    url: server.url,
    token: () => {
      asked += 1;
      return sign(runId, 1_000);
    },
    chunks: true,
  });
  await eventually(() => asked, atLeast(3));
  for (const round of [1, 2, 3]) {
    await until(atRound(round));
    await bench.client.signal(runId, `next-${round}`, {});
  }
  const last = await until(({ status }) => status === "completed");
  expect(last.chunks.map(({ value }) => value)).toEqual([1, 2, 3]);
  expect(last.steps).toHaveLength(ALL.length);
});

it("ends with the reason when it is refused", async () => {
  const runId = await start();
  const url = server.url;
  const other = watch(runId, { url, token: await sign("1234567") });
  expect((await other.until(({ refusal }) => refusal !== null)).refusal).toMatchObject({
    status: 403,
    detail: "The run token is for run 1234567.",
  });
  const forged = watch(runId, { url, token: "oxrun_x.y" });
  expect((await forged.until(({ refusal }) => refusal !== null)).refusal?.status).toBe(401);
  const gone = watch("7654321", { url, token: await sign("7654321") });
  expect((await gone.until(({ refusal }) => refusal !== null)).refusal?.status).toBe(404);
});

it("ends when it gets a refused token again, and when the url is that of something else", async () => {
  const runId = await start();
  let asked = 0;
  const forged = watch(runId, {
    url: server.url,
    token: () => {
      asked += 1;
      return "oxrun_x.y";
    },
  });
  expect((await forged.until(({ refusal }) => refusal !== null)).refusal?.status).toBe(401);
  expect(asked).toBe(2);
  const url = await serveHttp((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html>");
  });
  const lost = watch(runId, { url, token: await sign(runId) });
  expect((await lost.until(({ refusal }) => refusal !== null)).refusal).toMatchObject({
    status: 200,
    detail: expect.stringContaining("check the url of the Oxbow server"),
  });
});

it("a page sends an event, with a new token if the first one has expired", async () => {
  const runId = await start();
  const { until } = watch(runId, { url: server.url, token: await sign(runId) });
  await until(({ activity }) => activity === "waiting");
  const tokens = ["oxrun_x.y", await sign(runId)];
  const token = (): string => tokens.shift() ?? "";
  expect(await signalRun(runId, "next-1", { by: "Ada" }, { url: server.url, token })).toBe(
    "delivered",
  );
  await until(({ state }) => state["round"] === 2);
  await expect(
    signalRun(runId, "next-2", {}, { url: server.url, token: await sign(runId) }),
  ).rejects.toThrow(
    new SignalFailed("next-2", {
      status: 403,
      detail: `The run token doesn't allow "signal:next-2".`,
    }),
  );
});

it("a page sends an event once, although its answer was lost", async () => {
  const runId = await start();
  const { until } = watch(runId, { url: server.url, token: await sign(runId) });
  await until(({ activity }) => activity === "waiting");
  const keys: unknown[] = [];
  // Between the page and the server, it loses the first two answers.
  const url = await serveHttp((request, response) => {
    keys.push(request.headers["idempotency-key"]);
    const { authorization = "" } = request.headers;
    const headers = { authorization, "idempotency-key": String(keys.at(-1)) };
    void fetch(`${server.url}${request.url}`, { method: "POST", headers }).then(async (answer) => {
      if (keys.length < 3) response.destroy();
      else {
        response.writeHead(answer.status, { "content-type": "application/json" });
        response.end(await answer.text());
      }
    });
  });
  const sent = await signalRun(runId, "next-1", undefined, { url, token: await sign(runId) });
  expect(sent).toBe("delivered");
  expect(keys).toEqual([keys[0], keys[0], keys[0]]);
  // Two more would be buffered for it.
  const last = await until(({ state, activity }) => state["round"] === 2 && activity === "waiting");
  expect(names(last)).toEqual(["tick-1", "next-1", "tick-2"]);
});

it("an event that was not sent names the reason: no token, an error of the server, an id that no header has", async () => {
  const url = await serveHttp((_request, response) => void response.writeHead(502).end());
  const send = (more: object): Promise<string> =>
    signalRun("1", "next-1", {}, { url, token: "oxrun_x.y", ...more });
  const token = (): string => {
    throw new Error("signed out");
  };
  await Promise.all([
    expect(send({})).rejects.toThrow("the server answers 502"),
    expect(send({ token })).rejects.toThrow("there is no token: Error: signed out"),
    expect(send({ deduplicationId: "Łódź" })).rejects.toThrow("outside of Latin-1"),
  ]);
});

it("calls back no more once it was stopped", async () => {
  const runId = await start();
  const { seen, stop, until } = watch(runId, { url: server.url, token: await sign(runId) });
  await until(({ activity }) => activity === "waiting");
  stop();
  const count = seen.length;
  await bench.client.signal(runId, "next-1", {});
  await new Promise((resolve) => {
    setTimeout(resolve, 1_500);
  });
  expect(seen).toHaveLength(count);
});

it(`weighs at most ${MOST_KB} kB, minified and compressed, and imports nothing`, async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL("../../sdk/src/browser.ts", import.meta.url))],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    metafile: true,
    write: false,
  });
  const [{ contents } = { contents: new Uint8Array() }] = outputFiles;
  expect(gzipSync(contents).length / 1_000).toBeLessThanOrEqual(MOST_KB);
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
  expect(Object.keys(metafile.inputs)).toHaveLength(4);
});

it("a snapshot for the first rendering has what the page then knows", async () => {
  const { runId } = await bench.client.start(ticking, undefined);
  const { seen, until } = watch(runId, { url: server.url, token: await sign(runId) });
  /** What a page shows of a run. */
  const shownOf = (run: WatchedRun) =>
    Object.fromEntries(
      Object.entries(run).filter(([name]) => !["isLive", "refusal", "chunks"].includes(name)),
    );
  for (const round of [1, 2, 3]) {
    await until((run) => run.activity === "waiting" && run.state["round"] === round);
    const snapshot = await bench.client.runs.snapshot(runId);
    expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot);
    expect(snapshot).toMatchObject({ ...shownOf(seen.at(-1) as WatchedRun), output: null });
    await bench.client.signal(runId, `next-${round}`, {});
  }
  const last = await until(({ status }) => status === "completed");
  expect(await bench.client.runs.snapshot(runId)).toMatchObject(shownOf(last));
  expect(last.output).toBe("done");
});

it("a snapshot of a failed run has its error without the stack, and one of no run is refused", async () => {
  const failing = workflow({
    name: "failing",
    run: (ctx) =>
      ctx.step.run("ship", () => Promise.reject(new TypeError("no stock")), {
        retry: { attempts: 1 },
      }),
  });
  bench.serve([failing]);
  const run = await bench.client.start(failing, undefined);
  await expect(run.result()).rejects.toThrow("no stock");
  const { error, steps } = await bench.client.runs.snapshot(run.runId);
  expect(error).toEqual({ name: "StepFailed", code: "STEP_FAILED", message: expect.any(String) });
  expect(steps.map((step) => step.error)).toEqual([{ name: "TypeError", message: "no stock" }]);
  await expect(bench.client.runs.snapshot("999999999")).rejects.toMatchObject({
    code: "RUN_NOT_FOUND",
  });
});
