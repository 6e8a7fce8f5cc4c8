/**
 * The shapes that workflows come in, as code. Each ends in a join that commits with its own row, so that how
 * often it ran can be counted; every other step may run again after a crash.
 */
import { setTimeout as pause } from "node:timers/promises";
import { type Context, NonRetriableError, type Workflow, workflow } from "@oxbow/sdk/runtime";

const FEW = [1, 2, 3, 4] as const;

/** The callback of a shape's step: it takes a moment, so that kills meet it. */
const work = async (value: number): Promise<number> => {
  await pause(5 + Math.random() * 30);
  return value;
};

const step = (ctx: Context, name: string, value = 1): Promise<number> =>
  ctx.step.run(name, () => work(value));

const join = (ctx: Context, name: string, parts: readonly number[]): Promise<number> =>
  ctx.step.tx(name, async (tx) => {
    await tx.query("insert into joined (run_id, step) values ($1, $2)", [ctx.runId, name]);
    return parts.reduce((sum, part) => sum + part, 0);
  });

const sum = (parts: readonly number[]): number => parts.reduce((all, part) => all + part, 0);

const shape = (name: string, run: (ctx: Context) => Promise<number>): Workflow =>
  workflow({
    name,
    retry: { attempts: 20, backoff: { kind: "fixed", base: "20ms" } },
    run: async (ctx) => join(ctx, "end", [await run(ctx)]),
  });

const leaf = shape("leaf", (ctx) => step(ctx, "a"));

/** Shapes by name, with what each returns. */
export const SHAPES: readonly { readonly definition: Workflow; readonly result: number }[] = [
  {
    definition: shape("linear", async (ctx) => {
      let total = 0;
      for (const n of FEW) total += await step(ctx, `s${n}`);
      return total;
    }),
    result: 4,
  },
  {
    definition: shape("fan-out", async (ctx) => {
      await step(ctx, "source");
      return sum(await ctx.step.map("out", [...FEW], work, { concurrency: 2 }));
    }),
    result: 10,
  },
  {
    definition: shape("fan-in", async (ctx) =>
      join(ctx, "in", await Promise.all(FEW.map((n) => step(ctx, `s${n}`, n)))),
    ),
    result: 10,
  },
  {
    definition: shape("diamond-all", async (ctx) => {
      await step(ctx, "top");
      return join(ctx, "bottom", await Promise.all([step(ctx, "left"), step(ctx, "right", 2)]));
    }),
    result: 3,
  },
  {
    definition: shape("diamond-any", async (ctx) => {
      await step(ctx, "top");
      const first = await Promise.race([step(ctx, "left"), step(ctx, "right")]);
      return join(ctx, "bottom", [first]);
    }),
    result: 1,
  },
  {
    definition: shape("deep-chain", async (ctx) => {
      let total = 0;
      for (let n = 0; n < 25; n += 1) total = await step(ctx, `s${n}`, total + 1);
      return total;
    }),
    result: 25,
  },
  {
    definition: shape("error-path", async (ctx) => {
      try {
        await ctx.step.run("fails", async () => {
          await work(0);
          throw new NonRetriableError("as it must");
        });
        return 0;
      } catch {
        return step(ctx, "instead", 7);
      }
    }),
    result: 7,
  },
  {
    definition: shape("conditional", async (ctx) =>
      (await step(ctx, "ask", Number(ctx.runId) % 2)) === 1
        ? step(ctx, "odd", 5)
        : step(ctx, "even", 5),
    ),
    result: 5,
  },
  {
    definition: shape("delay", async (ctx) => {
      await step(ctx, "before");
      await ctx.step.sleep("nap", "300ms");
      return step(ctx, "after", 2);
    }),
    result: 2,
  },
  {
    definition: shape("multi-level-join", async (ctx) => {
      const half = async (side: string): Promise<number> =>
        join(ctx, `${side}-join`, await Promise.all(FEW.map((n) => step(ctx, `${side}-${n}`))));
      return join(ctx, "top-join", await Promise.all([half("left"), half("right")]));
    }),
    result: 8,
  },
  {
    definition: shape("children", async (ctx) =>
      sum(
        (await Promise.all(FEW.map((n) => ctx.step.invoke(`c${n}`, leaf, undefined)))) as number[],
      ),
    ),
    result: 4,
  },
  {
    definition: shape("event-or-timeout", async (ctx) => {
      const [given, late] = await Promise.all([
        ctx.step.waitForEvent("go", { timeout: "60s" }),
        ctx.step.waitForEvent("never", { timeout: "200ms" }),
      ]);
      return (given as number) + (late === null ? 1 : 0);
    }),
    result: 4,
  },
];

/** All that a worker serves. */
export const SHAPE_WORKFLOWS: readonly Workflow[] = [
  leaf,
  ...SHAPES.map(({ definition }) => definition),
];

/** The joins of a shape that run once, besides "end". */
export const JOINS: Readonly<Record<string, readonly string[]>> = {
  "fan-in": ["in"],
  "diamond-all": ["bottom"],
  "diamond-any": ["bottom"],
  "multi-level-join": ["left-join", "right-join", "top-join"],
};
