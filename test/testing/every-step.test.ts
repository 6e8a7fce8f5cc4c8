/** The mode that replays a run after every step. */
import { setTimeout as pause } from "node:timers/promises";
import { workflow } from "@oxbow/sdk/runtime";
import { describe, expect, it } from "vitest";
import { setupEnvironment } from "../helpers/test-environment.ts";

const everyStep = { replay: "every-step" } as const;

describe("replaying after every step", () => {
  it("calls no callback twice, and comes to the same end", async () => {
    const bodies: number[] = [];
    const child = workflow({ name: "child", run: (ctx) => ctx.step.run("only", () => "child") });
    const plain = workflow({
      name: "plain",
      run: async (ctx) => {
        bodies.push(1);
        const a = await ctx.step.run("a", () => 1);
        const [b, c] = await Promise.all([
          ctx.step.run("b", () => 2),
          ctx.step.run("c", () => pause(20, 3)),
          ctx.step.sleep("nap", "1d"),
        ]);
        const d = await ctx.step.tx("d", () => 4);
        const e = await ctx.step.invoke("e", child, undefined);
        const f = await ctx.step.map("f", [1, 2], (item) => item);
        await ctx.step.publish("g", "topic", {});
        return [a, b, c, d, e, f];
      },
    });
    await using env = await setupEnvironment([plain, child], everyStep);
    expect(await env.run(plain, undefined)).toEqual([1, 2, 3, 4, "child", [1, 2]]);
    for (const step of ["a", "b", "c", "d", "f-0", "f-1", "only"])
      expect(env.calls(step)).toHaveLength(1);
    expect(bodies.length).toBeGreaterThanOrEqual(6);
    expect(await env.violations()).toEqual([]);
  });

  it("fails a body that takes another way by chance", async () => {
    const coin = workflow({
      name: "coin",
      run: async (ctx) => {
        if (Math.random() < 0.5) await ctx.step.run("heads", () => 1);
        else await ctx.step.run("tails", () => 2);
      },
    });
    await using env = await setupEnvironment([coin], everyStep);
    await expect(env.run(coin, undefined)).rejects.toMatchObject({
      message: expect.stringMatching(/"heads" \(step\.run\).*"tails" \(step\.run\)/),
    });
  });

  it("fails a body that returns by chance", async () => {
    const perhaps = workflow({
      name: "perhaps",
      run: async (ctx) => {
        await ctx.step.run("always", () => 1);
        if (Math.random() > 0.5) await ctx.step.run("perhaps", () => 2);
      },
    });
    await using env = await setupEnvironment([perhaps], everyStep);
    await expect(env.run(perhaps, undefined)).rejects.toThrow(
      /does not follow its journal.*"perhaps"/,
    );
  });

  it("fails a body that takes another way by the time", async () => {
    const clock = workflow({
      name: "clock",
      run: async (ctx) => {
        await ctx.step.run(`day-${new Date().getUTCDate()}`, () => 1);
        await ctx.step.run("after", () => 2);
      },
    });
    await using env = await setupEnvironment([clock], everyStep);
    const error = await env.run(clock, undefined).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "RUN_FAILED", cause: { code: "NONDETERMINISM" } });
    expect(String(error)).toMatch(
      /continues with step "day-\d+" \(step\.run\), and the body asks for "day-\d+"/,
    );
  });

  it("lets time and chance be in callbacks, and in the test", async () => {
    const proper = workflow({
      name: "proper",
      run: async (ctx) => {
        const at = await ctx.step.run("now", () => Date.now());
        const luck = await ctx.step.run("luck", () => Math.random());
        await ctx.step.run(luck < 0.5 ? "low" : "high", () => 1);
        return Math.abs(Date.now() - at) < 3_600_000 ? "now" : "later";
      },
    });
    await using env = await setupEnvironment([proper], everyStep);
    expect(await env.run(proper, undefined)).toBe("later");
    const [{ returned } = { returned: undefined }] = env.calls("now");
    expect(Math.abs(Number(returned) - Date.now())).toBeLessThan(60_000);
    expect(new Date()).toBeInstanceOf(Date);
  });

  it("gives time and chance back in the end", async () => {
    const [realDate, realRandom] = [globalThis.Date, Math.random];
    await using env = await setupEnvironment([workflow({ name: "none", run: () => 1 })], everyStep);
    expect(globalThis.Date).not.toBe(realDate);
    await env.stop();
    expect(globalThis.Date).toBe(realDate);
    expect(Math.random).toBe(realRandom);
  });

  it("finds what depends on variables outside of the body", async () => {
    let count = 0;
    const counting = workflow({
      name: "counting",
      run: async (ctx) => {
        count += 1;
        await ctx.step.run(`call-${count}`, () => 1);
        return "unsafe";
      },
    });
    await using env = await setupEnvironment([counting], everyStep);
    await expect(env.run(counting, undefined)).rejects.toThrow(
      /does not follow its journal.*"call-1"/,
    );
  });
});
