/** The workflows whose runs the tests of the dashboard look at. */
import { type Workflow, workflow } from "@oxbow/sdk/runtime";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import {
  boolean,
  integer,
  minValue,
  nullable,
  number,
  object,
  optional,
  picklist,
  pipe,
  string,
} from "valibot";
import { z } from "zod";
import { convertingSchema } from "../helpers/converting-schema.ts";

/** Markup that must stay text, wherever it is shown. */
export const MARKUP = `<img src=x onerror="globalThis.hacked = 1"><b>bold</b>`;

const order = workflow({
  name: "order",
  run: async (ctx) => {
    await ctx.step.run("charge", () => 1);
    await ctx.step.waitForEvent("shipped");
    await ctx.step.run("notify", () => 2);
    return { thanks: "<b>a lot</b>" };
  },
});

const attempts = new Map<string, number>();

const flaky = workflow({
  name: "flaky",
  run: async (ctx, input: { key: string }) =>
    ctx.step.run(
      "once",
      () => {
        const count = (attempts.get(input.key) ?? 0) + 1;
        attempts.set(input.key, count);
        if (count > 1) return "mended";
        throw new Error("the first time it fails");
      },
      { retry: { attempts: 1 } },
    ),
});

const parent = workflow({
  name: "parent",
  run: (ctx) => ctx.step.invoke("child", order, undefined),
});

const large = workflow({
  name: "large",
  run: async (ctx, input: { rows: number }) =>
    ctx.step.run("produce", () =>
      Array.from({ length: input.rows }, (_, id) => ({
        id,
        name: `customer ${id}`,
        isActive: true,
      })),
    ),
});

/** Three steps, of which the last one fails while the input asks for it; the second one can be undone. */
const booking = workflow({
  name: "booking",
  run: async (ctx, input: { readonly room: string; readonly waits?: true }) => {
    const place = await ctx.step.run("find", () => ({ found: input.room }));
    await ctx.step.run("reserve", () => `reserved ${place.found}`, {
      rollback: () => {},
    });
    if (input.waits === true) await ctx.step.waitForEvent("paid");
    return ctx.step.run("confirm", () => `confirmed ${input.room}`);
  },
});

const talks = workflow({
  name: "talks",
  run: async (ctx) => {
    ctx.set("progress", 50);
    ctx.stream.write("first words, ");
    ctx.stream.write("last words");
    await ctx.step.waitForEvent("enough");
  },
});

/** Each text that a user controls is markup. */
const hostile = workflow({
  name: "hostile",
  run: async (ctx, input: { fail: boolean }) => {
    ctx.set(MARKUP, MARKUP);
    ctx.stream.write(MARKUP);
    await ctx.step.run(`step ${MARKUP}`, () => ({ [MARKUP]: MARKUP }));
    if (input.fail) throw new Error(MARKUP);
    await ctx.step.waitForEvent(`event ${MARKUP}`, { match: { [MARKUP]: MARKUP } });
  },
});

/** The dashboard knows the schema of its input. */
const parcel = workflow({
  name: "parcel",
  input: convertingSchema(() => ({
    type: "object",
    properties: {
      zip: { type: "string", title: "Zip code" },
      pieces: { type: "integer", title: "Pieces", minimum: 1 },
      express: { type: "boolean", title: "Express" },
    },
    required: ["zip"],
  })),
  run: (_ctx, input) => input,
});

/** The same input by each library. */
const LIBRARIES = {
  zod: z.object({
    zip: z.string(),
    pieces: z.int().min(1).optional(),
    speed: z.enum(["slow", "fast"]),
    note: z.string().nullable(),
    insured: z.boolean().nullable(),
    sender: z.object({ name: z.string() }).optional(),
  }),
  arktype: type({
    zip: "string",
    "pieces?": "number.integer >= 1",
    speed: "'slow' | 'fast'",
    note: "string | null",
    insured: "boolean | null",
    "sender?": { name: "string" },
  }),
  valibot: toStandardJsonSchema(
    object({
      zip: string(),
      pieces: optional(pipe(number(), integer(), minValue(1))),
      speed: picklist(["slow", "fast"]),
      note: nullable(string()),
      insured: nullable(boolean()),
      sender: optional(object({ name: string() })),
    }),
  ),
};

const byLibraries = Object.entries(LIBRARIES).map(([library, input]) =>
  workflow({ name: `parcel-${library}`, input, run: (_ctx, parsed) => parsed }),
);

export const WORKFLOWS: readonly Workflow[] = [
  order,
  flaky,
  parent,
  large,
  booking,
  talks,
  hostile,
  parcel,
  ...byLibraries,
] as readonly Workflow[];
