import { describe, expect, it } from "vitest";
import type { Context } from "../definition/context.ts";
import { Deferred } from "./deferred.ts";
import { completion, Drive, failure, ran } from "./simulation/drive.ts";

type Steps = Context["step"];

/** The names that the engine reports when a body has returned. */
async function unawaitedOf(body: (step: Steps) => unknown): Promise<readonly string[]> {
  const run = new Drive(({ step }) => body(step));
  expect((await run.finish()).kind).toBe("complete");
  return run.engine.unawaited;
}

const call = (): string => "called";
const all = {
  "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) },
} as const;

describe("a step that the body has never awaited", () => {
  it.each<[string, (step: Steps) => unknown]>([
    ["run", (step) => void step.run("a", call)],
    ["tx", (step) => void step.tx("a", call)],
    ["sleep", (step) => void step.sleep("a", "1h")],
    ["wait", (step) => void step.waitForEvent("a")],
    ["map", (step) => void step.map("a", [1, 2], call)],
    ["signal", (step) => void step.signal("a", "7", "event")],
  ])("is reported when the body returns: %s", async (_kind, body) => {
    expect(await unawaitedOf((step) => Promise.resolve(body(step)))).toEqual(["a"]);
  });

  it("is reported with a schema of its event", async () => {
    const run = new Drive(({ step }) => Promise.resolve(void step.waitForEvent("a" as never)), {
      workflow: { events: { a: all } },
    });
    await run.finish();
    expect(run.engine.unawaited).toEqual(["a"]);
  });

  it("is reported also if it has finished or failed", async () => {
    const run = new Drive(async ({ step }) => {
      void step.run("a", call, { retry: { attempts: 1 } });
      await step.run("b", call);
    });
    await run.poll();
    await run.fail("a");
    await run.succeed("b");
    expect(run.engine.unawaited).toEqual(["a"]);
  });

  it("fails the run of a strict workflow", async () => {
    const body = async ({ step }: Context): Promise<void> => {
      void step.run("a", call);
      await step.run("b", call);
    };
    const run = new Drive(body, { journal: [ran("b")], workflow: { strict: true } });
    expect(failure(await run.poll())).toMatchObject({
      code: "INVALID_ARGUMENT",
      message:
        'The body of run 42 returned, and has never awaited step "a". Await each step that it asks for, or abandon it with ctx.step.abandon.',
    });
  });
});

describe("a step is not reported", () => {
  it.each<[string, (step: Steps) => unknown]>([
    ["awaited", async (step) => void (await step.run("a", call))],
    ["returned", (step) => step.run("a", call)],
    ["a loser of a race", (step) => Promise.race([step.run("a", call), step.sleep("b", "1h")])],
    ["joined", (step) => Promise.all([step.run("a", call), step.map("b", [1], call)])],
    ["settled", (step) => Promise.allSettled([step.run("a", call)])],
    ["with only a handler", (step) => Promise.resolve(void step.run("a", call).catch(() => {}))],
    [
      "abandoned",
      async (step) => {
        void step.sleep("a", "1h");
        step.abandon("a");
        await step.run("b", call);
      },
    ],
  ])("that is %s", async (_how, body) => {
    expect(await unawaitedOf(body)).toEqual([]);
  });
});

it("the promise of a step takes no more turns than any other", async () => {
  const order: string[] = [];
  const follow = async (name: string, promise: Promise<unknown>): Promise<void> => {
    await promise;
    order.push(name);
  };
  const deferred = new Deferred<void>();
  deferred.resolve();
  await Promise.all([follow("step", deferred.promise), follow("other", Promise.resolve())]);
  expect(order).toEqual(["step", "other"]);
  expect(deferred.promise).toBeInstanceOf(Promise);
  expect(deferred.promise.then(call).constructor).toBe(Promise);
});

describe("a rejection that nothing awaits", () => {
  it("ends the body, and only the first counts", async () => {
    const run = new Drive(({ step }) => step.run("a", call));
    await run.poll();
    expect(run.engine.strayed(new Error("first"))).toBe(true);
    expect(run.engine.strayed(new Error("second"))).toBe(false);
    expect(failure(await run.poll())).toMatchObject({ message: "first" });
  });

  it("changes nothing while the run is suspended", async () => {
    const run = new Drive(({ step }) => step.sleep("a", "1h"));
    await run.poll();
    expect(run.engine.strayed(new Error("late"))).toBe(false);
    await run.commit();
    expect(run.engine.strayed(new Error("late"))).toBe(false);
  });

  it("changes nothing once the body has returned", async () => {
    const run = new Drive(() => Promise.resolve("done"));
    const turn = await run.poll();
    expect(run.engine.strayed(new Error("late"))).toBe(false);
    expect(completion(turn)).toBe("done");
  });
});
