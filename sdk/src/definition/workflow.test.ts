import type { StandardSchemaV1 } from "@standard-schema/spec";
import { describe, expect, expectTypeOf, it } from "vitest";
import { InvalidArgument, InvalidName } from "../core/errors.ts";
import type { InputOf, OutputOf, Workflow } from "./workflow.ts";
import { defineWorkflow } from "./define-workflow.ts";

const run = async (): Promise<void> => {};

/** A schema that has nothing but types. */
const typed = <Input, Output = Input>(): StandardSchemaV1<Input, Output> => ({
  "~standard": { version: 1, vendor: "test", validate: (value) => ({ value: value as Output }) },
});

describe("a workflow", () => {
  it("is version 1 with three attempts a step by default", () => {
    expect(defineWorkflow({ name: "plain", run })).toEqual({
      name: "plain",
      version: 1,
      retentionDays: undefined,
      input: undefined,
      events: {},
      retry: { attempts: 3, kind: "exp", baseMs: 1_000, maxMs: 60_000, jitter: 0.2 },
      strict: false,
      run,
    });
  });

  it("can't be changed", () => {
    const plain = defineWorkflow({ name: "plain", run });
    expect(Object.isFrozen(plain)).toBe(true);
    expect(Object.isFrozen(plain.events)).toBe(true);
  });

  it.each([
    ["30d", 30],
    ["1h", 1],
    ["25h", 2],
    [0, 1],
  ])("kept for %s is kept for %d days", (retention, days) => {
    expect(defineWorkflow({ name: "kept", retention, run }).retentionDays).toBe(days);
  });

  it("refuses a bad name, of itself or of an event", () => {
    expect(() => defineWorkflow({ name: "Bad Name", run })).toThrow(InvalidName);
    expect(() => defineWorkflow({ name: "ok", events: { "no tab\t": typed() }, run })).toThrow(
      'Invalid event name "no tab',
    );
  });

  it.each([
    [{ version: 0 }, 'Invalid version 0 of workflow "w"'],
    [{ version: 1.5 }, "Invalid version 1.5"],
    [{ version: 2_147_483_648 }, "Invalid version 2147483648"],
    [{ retention: "long" }, 'Invalid duration "long" for the retention of workflow "w"'],
    [{ retry: { attempts: -1 } }, 'Invalid retry.attempts -1 of workflow "w"'],
    [{ run: "code" as never }, 'Workflow "w" has no body'],
    [{ expose: true }, 'Invalid expose true of workflow "w": give true or a description, and'],
    [{ expose: null as never, input: typed() }, "Invalid expose null"],
    [{ expose: "yes" as never, input: typed() }, 'Invalid expose "yes" of workflow "w"'],
    [{ expose: { description: 7 as never }, input: typed() }, 'Invalid expose {"description":7}'],
  ])("refuses options that make no sense: %o", (options, message) => {
    const define = (): Workflow => defineWorkflow({ name: "w", run, ...options });
    expect(define).toThrow(InvalidArgument);
    expect(define).toThrow(message);
  });
});

describe("the types of a workflow", () => {
  it("come from the schema of its input, and from what its body returns", () => {
    const definition = defineWorkflow({
      name: "typed",
      input: typed<{ at: string }, { at: Date }>(),
      run: (_ctx, input) => {
        expectTypeOf(input).toEqualTypeOf<{ at: Date }>();
        return { year: 2026 };
      },
    });
    expectTypeOf<InputOf<typeof definition>>().toEqualTypeOf<{ at: string }>();
    expectTypeOf<OutputOf<typeof definition>>().toEqualTypeOf<{ year: number }>();
  });

  it("come from the body's parameter, where there is no schema", () => {
    const definition = defineWorkflow({
      name: "annotated",
      run: async (ctx, input: { email: string }) => ctx.step.run("a", () => input.email),
    });
    expectTypeOf<InputOf<typeof definition>>().toEqualTypeOf<{ email: string }>();
    expectTypeOf<OutputOf<typeof definition>>().toEqualTypeOf<string>();
  });

  it("know the payloads of declared events, and no others", () => {
    defineWorkflow({
      name: "events",
      events: { verify: typed<string, { userId: number }>() },
      run: async (ctx) => {
        const verified = await ctx.step.waitForEvent("verify", { timeout: "7d" });
        expectTypeOf(verified).toEqualTypeOf<{ userId: number } | null>();
        const again = await ctx.step.waitForEvent("verify-again", { event: "verify" });
        expectTypeOf(again).toEqualTypeOf<{ userId: number } | null>();
        // @ts-expect-error: it is not declared
        await ctx.step.waitForEvent("unheard-of");
      },
    });
  });

  it("allow any event, of unknown payload, if no events are declared", () => {
    defineWorkflow({
      name: "any",
      run: async (ctx) => {
        expectTypeOf(await ctx.step.waitForEvent("whatever")).toEqualTypeOf<unknown>();
      },
    });
  });

  it("tell what a step's value looks like once it is journaled", () => {
    defineWorkflow({
      name: "journaled",
      run: async (ctx) => {
        const user = await ctx.step.run("load", () =>
          Promise.resolve({ at: new Date(), save: () => 1 }),
        );
        expectTypeOf(user).toEqualTypeOf<{ at: string }>();
        expectTypeOf(ctx.step.sleep("nap", "5m")).resolves.toEqualTypeOf<void>();
      },
    });
  });

  it("of any workflow fit where workflows are listed", () => {
    const list: Workflow[] = [
      defineWorkflow({ name: "a", run: (_ctx, input: number) => input }),
      defineWorkflow({ name: "b", input: typed<{ x: 1 }>(), events: { e: typed<2>() }, run }),
    ];
    expect(list.map(({ name }) => name)).toEqual(["a", "b"]);
  });
});
