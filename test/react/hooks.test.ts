/** The hooks of `@oxbow/react`, rendered by react-dom in this process, against a real server, database and workers. */
import {
  OxbowProvider,
  RunProgress,
  useRun,
  useRunStream,
  useSignal,
  type LiveRun,
  type RunAccess,
  type RunStream,
} from "@oxbow/react";
import { findFreePort } from "@oxbow/sdk/internal/testing";
import { createElement, type FunctionComponent, type ReactElement, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { describe, expect, expectTypeOf, it, onTestFinished, vi } from "vitest";
import { eventually, isNotEmpty } from "../helpers/eventually.ts";
import { startServerProcess } from "../helpers/server-process.ts";
import { openSmallDocument, type SmallNode } from "../helpers/small-document.ts";
import { failing, onboardUser, ticking } from "./workflows.ts";
import { KEY, setupWorld, sign } from "./world.ts";

const makeElement = openSmallDocument();

const world = await setupWorld();
const url = world.server.url;

const h = createElement;

/** Renders until the end of the test. */
function show(element: ReactElement) {
  const page = makeElement();
  const root = createRoot(page);
  root.render(element);
  onTestFinished(() => root.unmount());
  return { page, leave: () => root.unmount(), render: (next: ReactElement) => root.render(next) };
}

/** A component that records what its hook returns. */
function recorder<Value>(hook: () => Value) {
  const seen: Value[] = [];
  const Component: FunctionComponent = () => {
    seen.push(hook());
    return null;
  };
  const until = async (is: (value: Value) => boolean): Promise<Value> => {
    await eventually(
      () => seen.at(-1),
      (value) => value !== undefined && is(value),
    );
    return seen.at(-1) as Value;
  };
  return { Component, seen, until };
}

const text = (page: SmallNode, expected: RegExp): Promise<string> =>
  eventually(
    () => page.textContent,
    (shown) => expected.test(shown),
  );

/** The connections that are made during a test. */
function recordConnections() {
  const made: { readonly url: string; readonly signal: AbortSignal | null | undefined }[] = [];
  const { fetch } = globalThis;
  const spy = vi.spyOn(globalThis, "fetch").mockImplementation((asked, init) => {
    const address = asked instanceof Request ? asked.url : String(asked);
    if (address.includes("/events")) made.push({ url: address, signal: init?.signal });
    return fetch(asked, init);
  });
  onTestFinished(() => spy.mockRestore());
  return made;
}

const start = async (rounds = 2): Promise<string> =>
  (await world.bench.client.start(ticking, { rounds })).runId;

const next = (runId: string, round: number): Promise<unknown> =>
  world.bench.client.signal(runId, `next-${round}`, {});

const waitsIn = (round: number) => (run: LiveRun) =>
  run.activity === "waiting" && run.state["round"] === round;

const names = ({ steps }: LiveRun): string[] => steps.map(({ name }) => name);

describe("useRun", () => {
  it("follows a run to its output, whose type is that of the workflow", async () => {
    const runId = await start();
    const token = await sign(runId);
    const { Component, seen, until } = recorder(() =>
      useRun<typeof ticking>(runId, { url, token }),
    );
    show(h(Component));
    await until(waitsIn(1));
    await next(runId, 1);
    await until(waitsIn(2));
    await next(runId, 2);
    const run = await until(({ status }) => status === "completed");
    expect(run).toMatchObject({ runId, output: { rounds: 2 }, error: null, isLive: false });
    expect(names(run)).toEqual(["tick-1", "next-1", "tick-2", "next-2"]);
    expect(seen[0]).toMatchObject({ status: undefined, isLive: false, steps: [] });
    expect(seen.some(({ isLive }) => isLive)).toBe(true);
    if (run.status === "completed") expectTypeOf(run.output).toEqualTypeOf<{ rounds: number }>();
    else expectTypeOf(run.output).toEqualTypeOf<undefined>();
  });

  it("continues after its server was killed and started again, and repeats nothing", async () => {
    const port = await findFreePort();
    const options = {
      database: world.bench.database.url,
      port,
      env: { OXBOW_RUN_TOKEN_KEYS: KEY },
    };
    let process = await startServerProcess(options);
    const runId = await start();
    const access = { url: `http://127.0.0.1:${port}`, token: await sign(runId) };
    const run = recorder(() => useRun(runId, access));
    const stream = recorder(() => useRunStream<number>(runId, access));
    show(h("main", null, h(run.Component), h(stream.Component)));
    for (const round of [1, 2]) {
      await run.until(waitsIn(round));
      await process.kill();
      await run.until(({ isReconnecting }) => isReconnecting);
      expect(run.seen.at(-1)?.state).toEqual({ round });
      await next(runId, round);
      process = await startServerProcess(options);
    }
    const last = await run.until(({ status }) => status === "completed");
    expect(names(last)).toEqual(["tick-1", "next-1", "tick-2", "next-2"]);
    expect(last.isReconnecting).toBe(false);
    expect((await stream.until(({ hasEnded }) => hasEnded)).chunks).toEqual([1, 2]);
    // A page takes back nothing that it has shown.
    const lengths = run.seen.map(({ steps }) => steps.length);
    expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
    await process.kill();
  });

  it("gets a new token from the application when one expires, by a function of each rendering", async () => {
    const runId = await start();
    const asked: string[] = [];
    const { Component, until } = recorder(() =>
      useRun(runId, {
        url,
        token: (of) => {
          asked.push(of);
          return sign(of, ["read"], 1_000);
        },
      }),
    );
    show(h(Component));
    await eventually(
      () => asked,
      ({ length }) => length >= 3,
    );
    await until(waitsIn(1));
    await next(runId, 1);
    await until(waitsIn(2));
    expect(new Set(asked)).toEqual(new Set([runId]));
  });

  it("connects again with a new token in the place of one that was refused", async () => {
    const runId = await start();
    const made = recordConnections();
    const seen: LiveRun[] = [];
    const Shown = ({ token }: { readonly token: string }): null => {
      seen.push(useRun(runId, { url, token }));
      return null;
    };
    const { render } = show(h(Shown, { token: "oxrun_x.y" }));
    await eventually(() => seen.at(-1)?.refusal?.status, 401);
    render(h(Shown, { token: await sign(runId) }));
    await eventually(
      () => seen.at(-1),
      (run) => run !== undefined && waitsIn(1)(run),
    );
    const connections = made.length;
    // A new token for a connection that is well waits for the next one.
    render(h(Shown, { token: await sign(runId, ["read"], 60_000) }));
    await next(runId, 1);
    await eventually(
      () => seen.at(-1),
      (run) => run !== undefined && waitsIn(2)(run),
    );
    expect(made).toHaveLength(connections);
  });

  it("has the error of a run that fails, and no output", async () => {
    const { runId } = await world.bench.client.start(failing, undefined);
    const token = await sign(runId);
    const { Component, until } = recorder(() => useRun<typeof failing>(runId, { url, token }));
    const { page } = show(h("main", null, h(Component), h(RunProgress, { runId, url, token })));
    const run = await until(({ status }) => status === "failed");
    expect(run).toMatchObject({ output: undefined, error: { name: "StepFailed" } });
    await text(page, /^Failed/);
    expect(page.all("li").map((step) => step.attributes.get("data-state"))).toEqual([
      "done",
      "failed",
    ]);
    expect(page.all(".oxbow-run-error")[0]?.textContent).toMatch(/no stock$/);
  });

  it("reports why a run can't be shown", async () => {
    const token = await sign("7654321");
    const { Component, until } = recorder(() => useRun("7654321", { url, token }));
    const { page } = show(
      h("main", null, h(Component), h(RunProgress, { runId: "7654321", url, token })),
    );
    expect((await until(({ refusal }) => refusal !== null)).refusal).toMatchObject({ status: 404 });
    await text(page, /^This run can't be shown/);
  });

  it("follows nothing without a run, and another run when it changes", async () => {
    const made = recordConnections();
    const runs = [await start(), await start()];
    const seen: LiveRun[] = [];
    const Shown = ({ runId }: { readonly runId: string | undefined }): null => {
      seen.push(useRun(runId, { url, token: sign }));
      return null;
    };
    const { render } = show(h(Shown, { runId: undefined }));
    await eventually(() => seen, isNotEmpty);
    expect(seen[0]).toMatchObject({ runId: undefined, status: undefined, isReconnecting: false });
    expect(made).toEqual([]);
    for (const runId of runs) {
      const known = seen.length;
      render(h(Shown, { runId }));
      await eventually(
        () => seen.at(-1),
        (run) => run?.runId === runId && waitsIn(1)(run),
      );
      expect(seen[known]).toMatchObject({ runId, status: undefined, state: {} });
    }
    expect(made).toHaveLength(2);
  });

  it("is refused without a url or a token, with the remedy", async () => {
    const errors: unknown[] = [];
    const root = createRoot(makeElement(), {
      onUncaughtError: (error) => void errors.push(error),
    });
    onTestFinished(() => root.unmount());
    root.render(h(recorder(() => useRun("7", { url })).Component));
    await eventually(() => errors, isNotEmpty);
    expect(String(errors[0])).toBe(
      'Error: useRun("7") has no `token`: pass it as an option, or give it to an <OxbowProvider> around the component.',
    );
  });
});

describe("a page", () => {
  it("has one connection for all that follow the same run, which closes after the last has left", async () => {
    const runId = await start();
    const made = recordConnections();
    const one = recorder(() => useRun(runId));
    const two = recorder(() => useRun(runId));
    const stream = recorder(() => useRunStream(runId));
    const all = [h(one.Component), h(two.Component), h(stream.Component)];
    const first = show(
      h(OxbowProvider, { url, token: sign }, ...all, h(RunProgress, { key: "progress", runId })),
    );
    const second = show(h(RunProgress, { runId, url: `${url}/`, token: await sign(runId) }));
    await one.until(waitsIn(1));
    await two.until(waitsIn(1));
    await stream.until(({ chunks }) => chunks.length === 1);
    await text(first.page, /^Waiting/);
    await text(second.page, /^Waiting/);
    expect(made.map((connection) => connection.url)).toEqual([
      `${url}/v1/runs/${runId}/events?chunks=true`,
    ]);
    first.leave();
    await next(runId, 1);
    await text(second.page, /tick-2/);
    expect(made[0]?.signal?.aborted).toBe(false);
    second.leave();
    await eventually(() => made[0]?.signal?.aborted, true);
    expect(made).toHaveLength(1);
  });

  it("keeps one connection in StrictMode, and when a component is replaced by another one", async () => {
    const runId = await start();
    const made = recordConnections();
    const token = await sign(runId);
    const before = recorder(() => useRun(runId, { url, token }));
    const after = recorder(() => useRun(runId, { url, token }));
    const { render, leave } = show(h(StrictMode, null, h(before.Component)));
    await before.until(waitsIn(1));
    render(h(StrictMode, null, h(after.Component, { key: "another" })));
    await after.until(waitsIn(1));
    // It knows the run from its first rendering on.
    expect(after.seen[0]).toMatchObject({ activity: "waiting", isLive: true });
    await next(runId, 1);
    await after.until(waitsIn(2));
    expect(made).toHaveLength(1);
    expect(made[0]?.signal?.aborted).toBe(false);
    leave();
    await eventually(() => made[0]?.signal?.aborted, true);
  });

  it("reads the stream from the moment that something shows it, without taking back what it knows", async () => {
    const runId = await start();
    const made = recordConnections();
    const run = recorder(() => useRun(runId));
    const stream = recorder(() => useRunStream(runId));
    const inside = (...parts: ReactElement[]) =>
      h(OxbowProvider, { url, token: sign }, h(run.Component), ...parts);
    const { render } = show(inside());
    await run.until(waitsIn(1));
    const known = run.seen.length;
    render(inside(h(stream.Component)));
    await stream.until(({ chunks }) => chunks.length === 1);
    await next(runId, 1);
    await run.until(waitsIn(2));
    expect(run.seen.slice(known).filter((one) => one.status === undefined)).toEqual([]);
    expect(run.seen.slice(known).filter((one) => one.steps.length === 0)).toEqual([]);
    expect(made.map((connection) => connection.signal?.aborted)).toEqual([true, false]);
    await stream.until(({ chunks }) => chunks.length === 2);
  });

  it("shows the stream that it knows until a connection with a new token has as much", async () => {
    const runId = await start();
    const seen: RunStream[] = [];
    const Shown = ({ token }: RunAccess): null => {
      seen.push(useRunStream(runId, { url, token }));
      return null;
    };
    // Refused once the page has the first chunk.
    const token = async (): Promise<string> =>
      seen.at(-1)?.chunks.length === 1 ? "oxrun_x.y" : sign(runId, ["read", "stream"], 1_000);
    const { render } = show(h(Shown, { token }));
    await eventually(() => seen.at(-1)?.refusal?.status, 401);
    const known = seen.length;
    render(h(Shown, { token: await sign(runId) }));
    await eventually(() => seen.at(-1), { isLive: true });
    await next(runId, 1);
    await eventually(() => seen.at(-1)?.chunks, { length: 2 });
    expect(seen.slice(known - 1).filter(({ chunks }) => chunks.length === 0)).toEqual([]);
  });

  it("shows a run whose token doesn't open the stream, and reports that where the stream is shown", async () => {
    const runId = await start();
    const token = await sign(runId, ["read"]);
    const run = recorder(() => useRun(runId, { url, token }));
    const stream = recorder(() => useRunStream(runId, { url, token }));
    show(h("main", null, h(run.Component), h(stream.Component)));
    const { refusal } = await stream.until((known) => known.refusal !== null);
    expect(refusal).toMatchObject({
      status: 403,
      detail: `The run token doesn't allow "stream".`,
    });
    await run.until(waitsIn(1));
    expect(run.seen.filter((one) => one.refusal !== null)).toEqual([]);
    await next(runId, 1);
    await run.until(waitsIn(2));
  });

  it("renders a hook only for changes of what it shows", async () => {
    const runId = await start();
    const token = await sign(runId);
    const run = recorder(() => useRun(runId, { url, token }));
    const stream = recorder(() => useRunStream(runId, { url, token }));
    show(h("main", null, h(run.Component), h(stream.Component)));
    await run.until(waitsIn(1));
    await next(runId, 1);
    await run.until(waitsIn(2));
    await next(runId, 2);
    await run.until(({ status }) => status === "completed");
    const same = (one: object, other: object | undefined): boolean =>
      other !== undefined &&
      Object.entries(one).every(
        ([key, value]) => (other as Record<string, unknown>)[key] === value,
      );
    const repeated = (seen: readonly (LiveRun | RunStream)[]) =>
      seen.filter((one, index) => same(one, seen[index - 1]));
    expect(repeated(run.seen)).toEqual([]);
    expect(repeated(stream.seen)).toEqual([]);
  });
});

describe("useSignal", () => {
  const Approval = ({ runId, token }: { readonly runId: string; readonly token: string }) => {
    const { send, isSending, outcome, failure } = useSignal<typeof onboardUser>(runId, "approved", {
      url,
      token,
    });
    expectTypeOf(send).parameter(0).toEqualTypeOf<{ by: string } | undefined>();
    const said = failure?.message ?? outcome ?? (isSending ? "sending" : "ready");
    return h("button", { onClick: () => void send({ by: "Ada" }) }, said);
  };

  it("approves from a page, and shows that", async () => {
    const { runId } = await world.bench.client.start(onboardUser, { email: "a@example.com" });
    const token = await sign(runId);
    const run = recorder(() => useRun<typeof onboardUser>(runId, { url, token }));
    const { page } = show(h("main", null, h(run.Component), h(Approval, { runId, token })));
    await run.until(({ activity }) => activity === "waiting");
    await text(page, /^ready$/);
    page.press();
    await text(page, /^delivered$/);
    const { output } = await run.until(({ status }) => status === "completed");
    expect(output).toEqual({ userId: "user of a@example.com", by: "Ada" });
  });

  it("is not sending after a payload that JSON can't hold", async () => {
    const runId = await start();
    const token = await sign(runId);
    const signal = recorder(() => useSignal(runId, "approved", { url, token }));
    show(h(signal.Component));
    const { send } = await signal.until(({ isSending }) => !isSending);
    await expect(send({ by: 10n })).rejects.toThrow(TypeError);
    await eventually(
      () => signal.seen.length,
      (renders) => renders > 1,
    );
    expect(await signal.until(({ isSending }) => !isSending)).toMatchObject({
      outcome: undefined,
      failure: null,
    });
  });

  it("shows why an event was refused, and forgets it for another run", async () => {
    const [runId, other] = [await start(), await start()];
    const { page, render } = show(h(Approval, { runId, token: await sign(runId, ["read"]) }));
    await text(page, /^ready$/);
    page.press();
    await text(page, /^The event "approved" was not sent: 403 The run token doesn't allow/);
    render(h(Approval, { runId: other, token: await sign(other) }));
    await text(page, /^ready$/);
  });
});
