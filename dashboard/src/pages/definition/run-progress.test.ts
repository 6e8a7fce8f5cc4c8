import type { RunProgress } from "@oxbow/editor";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { RunReader } from "./run-progress.ts";

const EVENTS = "/v1/runs/7/progress/events";
const VERSION = "/v1/definitions/greet/versions/1";
const DOCUMENT = {
  format: 1,
  name: "greet",
  nodes: { hello: { type: "test.call@1", params: {} } },
  edges: [],
};
const STEP = { position: 1, name: "hello", kind: "run", output: "Hello", error: null };
const CHANGES = { position: "1.1", version: 1, nodes: { hello: "succeeded" }, edges: [] };

type Answer = (request: Request) => Response;

const json = (body: object, status = 200): Response => Response.json(body, { status });

/** A stream of events that ends only with the request. */
const stream = (...events: readonly (readonly [name: string, data: object])[]): Response => {
  const blocks = events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(blocks.join(""))),
  });
  return new Response(body);
};

let asked: Request[] = [];
let answers: Record<string, Answer> = {};
let reader: RunReader;

beforeEach(async () => {
  asked = [];
  answers = {
    "/v1/runs/7": () => json({ status: "completed", version: 1, hasOutput: false, error: null }),
    [VERSION]: () => json({ document: DOCUMENT }),
    "/v1/runs/7/steps": () => json({ steps: [STEP], after: null }),
    [EVENTS]: () => stream(["reset", { version: 1 }], ["changes", CHANGES], ["end", {}]),
  };
  class PageRequest extends Request {
    constructor(input: Request | string, init?: RequestInit) {
      super(typeof input === "string" ? new URL(input, "http://page.test/") : input, init);
    }
  }
  vi.stubGlobal("Request", PageRequest);
  vi.stubGlobal("sessionStorage", { getItem: () => "token" });
  vi.stubGlobal("fetch", (request: Request): Promise<Response> => {
    asked.push(request);
    const { pathname } = new URL(request.url);
    return Promise.resolve().then(() => answers[pathname]?.(request) ?? json({}, 404));
  });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.resetModules();
  const made = await import("./run-progress.ts");
  reader = new made.RunReader("greet", () => Promise.resolve(new Set()), "7");
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Returns the last progress. */
async function followed(signal = new AbortController().signal): Promise<RunProgress | undefined> {
  let last: RunProgress | undefined;
  const state = { isOver: false };
  const following = (async () => {
    for await (const progress of reader.follow(undefined, signal)) last = progress;
    return last;
  })().finally(() => {
    state.isOver = true;
  });
  following.catch(() => {});
  for (let n = 0; n < 1_000 && !state.isOver; n++) await vi.advanceTimersByTimeAsync(100);
  if (!state.isOver) throw new Error("It still follows.");
  return following;
}

/** Fails the request of each path that is made the `nth` time. */
function failEach(nth: number, fail: () => Response): void {
  for (const [path, answer] of Object.entries(answers)) {
    let count = 0;
    answers[path] = (request) => (++count === nth ? fail() : answer(request));
  }
}

const SHOWN = {
  status: "completed",
  nodes: { hello: "succeeded" },
  values: { hello: { output: "Hello" } },
};

it.each([
  [
    "a connection that is lost",
    () => {
      throw new TypeError("fetch failed");
    },
  ],
  ["a server that restarts", () => json({ code: "UNAVAILABLE" }, 503)],
])("is shown to its end, whichever request meets %s", async (_what, fail) => {
  failEach(1, fail);
  expect(await followed()).toMatchObject(SHOWN);
  failEach(2, fail);
  expect(await followed()).toMatchObject(SHOWN);
});

it("ends with a refusal, and closes the stream", async () => {
  answers["/v1/runs/7/steps"] = () => json({ code: "RUN_NOT_FOUND", detail: "No run 7." }, 404);
  answers[EVENTS] = () => stream(["reset", { version: 1 }], ["changes", CHANGES]);
  await expect(followed()).rejects.toThrow("No run 7.");
  const streams = asked.filter(({ url }) => url.endsWith(EVENTS));
  expect(streams.map(({ signal }) => signal.aborted)).toEqual([true]);
});

it("asks nothing more once nobody looks, also while it waits to repeat a read", async () => {
  answers["/v1/runs/7"] = () => json({}, 503);
  const leaving = new AbortController();
  setTimeout(() => leaving.abort(), 3_000);
  await expect(followed(leaving.signal)).rejects.toThrow();
  expect(asked).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked).toHaveLength(2);
});
