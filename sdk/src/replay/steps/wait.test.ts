import { describe, expect, it } from "vitest";
import type { Context } from "../../definition/context.ts";
import { completion, Drive, failure, T0, waited } from "../simulation/drive.ts";
import { schemaOf } from "../simulation/schema.ts";

describe("a wait for an event", () => {
  it("describes the event, its match, and when it began and ends", async () => {
    const run = new Drive(({ step }) =>
      step.waitForEvent("approval", { event: "approved", match: { b: [1], a: 2 }, timeout: "1m" }),
    );
    expect((await run.poll()).commit).toEqual({
      steps: [],
      transition: {
        kind: "suspend",
        resumeAt: T0 + 60_000,
        continuation: {
          retries: [],
          waits: [
            {
              kind: "event",
              step: "approval",
              event: "approved",
              match: { a: 2, b: [1] },
              since: T0,
              until: T0 + 60_000,
            },
          ],
        },
      },
    });
  });

  it("waits for the event named like the step, without limit, by default", async () => {
    const run = new Drive(({ step }) => step.waitForEvent("go"));
    expect((await run.poll()).commit?.transition).toEqual({
      kind: "suspend",
      continuation: { waits: [{ kind: "event", step: "go", event: "go", since: T0 }], retries: [] },
    });
  });

  it("comes to the payload, or to null without one, live and on a replay", async () => {
    const body = ({ step }: Context): unknown => step.waitForEvent("go");
    for (const [payload, seen] of [
      [{ n: 1 }, { n: 1 }],
      [undefined, null],
      [null, null],
      [0, 0],
    ]) {
      const live = new Drive(body);
      await live.poll();
      expect(completion(await live.commit([{ step: "go", payload }]))).toEqual(seen);
      const replay = new Drive(body, { journal: [waited("go", payload)] });
      expect(completion(await replay.poll())).toEqual(seen);
    }
  });

  it("is journaled by the database, never by a record", async () => {
    const run = new Drive(({ step }) => step.waitForEvent("go"));
    await run.poll();
    const { commit } = await run.commit([{ step: "go", payload: 1 }]);
    expect(commit).toEqual({ steps: [], transition: { kind: "complete", output: "1" } });
  });

  it("keeps its first deadline when the code changes", async () => {
    const waits = [
      { kind: "event", step: "go", event: "go", since: T0 - 1_000, until: T0 + 1_000 },
    ] as const;
    const run = new Drive(({ step }) => step.waitForEvent("go", { timeout: "7d" }), {
      continuation: { waits },
    });
    expect((await run.poll()).commit?.transition).toMatchObject({ continuation: { waits } });
  });

  it("is written again when the code changes its match", async () => {
    const waits = [{ kind: "event", step: "go", event: "go", match: { a: 1 }, since: T0 }] as const;
    const waitingFor = (match: unknown): Drive =>
      new Drive(
        ({ step }) => Promise.all([step.waitForEvent("go", { match }), step.run("x", () => {})]),
        { continuation: { waits } },
      );
    expect((await waitingFor({ a: 1 }).poll()).commit).toBeUndefined();
    expect((await waitingFor({ a: 2 }).poll()).commit?.transition).toMatchObject({
      kind: "keep",
      continuation: { waits: [{ match: { a: 2 } }] },
    });
  });

  it("with a timeout of zero asks the database immediately", async () => {
    const run = new Drive(({ step }) => step.waitForEvent("go", { timeout: 0 }));
    expect((await run.poll()).commit?.transition).toMatchObject({
      continuation: { waits: [{ expired: true }] },
    });
  });

  it("resolves all waits of a commit one by one, in their order", async () => {
    const order: string[] = [];
    const run = new Drive(async ({ step }) => {
      const wait = async (name: string): Promise<void> => {
        await step.waitForEvent(name);
        order.push(name);
      };
      await Promise.all([wait("a"), wait("b"), wait("c")]);
    });
    await run.poll();
    await run.commit([{ step: "c" }, { step: "a" }]);
    expect(order).toEqual(["c", "a"]);
  });

  it.each([
    [{ event: " no margins" }, 'Invalid event name " no margins"'],
    [{ timeout: "later" }, 'Invalid duration "later" for the timeout of step "go"'],
    [{ match: { user: { id: undefined } } }, 'its member "id" is undefined'],
    [{ match: { id: 1n } }, "$.id is a BigInt"],
  ])("refuses options that make no sense: %o", async (options, message) => {
    const run = new Drive(({ step }) => step.waitForEvent("go", options as { event: string }));
    expect(failure(await run.poll())?.message).toContain(message);
  });
});

describe("a wait for an event with a schema", () => {
  const events = {
    go: schemaOf((value) =>
      typeof value === "number"
        ? { value: value * 2 }
        : { issues: [{ message: "must be a number" }] },
    ),
  };
  const body = ({ step }: Context): unknown => step.waitForEvent("go");

  it("comes to what the schema makes of the payload", async () => {
    const run = new Drive(body, { workflow: { events }, journal: [waited("go", 21)] });
    expect(completion(await run.poll())).toBe(42);
  });

  it("comes to null at the timeout", async () => {
    const run = new Drive(body, { workflow: { events }, journal: [waited("go")] });
    expect(completion(await run.poll())).toBeNull();
  });

  it("rejects with ValidationFailed where the payload does not pass", async () => {
    const run = new Drive(body, { workflow: { events }, journal: [waited("go", "text")] });
    expect(failure(await run.poll())).toMatchObject({
      code: "VALIDATION_FAILED",
      message: 'Invalid payload of event "go": $: must be a number',
    });
  });
});
