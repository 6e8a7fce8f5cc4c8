import { describe, expect, it } from "vitest";
import { nextTurn } from "./next-turn.ts";
import { WakeUp } from "./wake-up.ts";

/** Whether a promise settles without time passing. */
async function settles(promise: Promise<void>): Promise<boolean> {
  let hasSettled = false;
  void promise.then(() => {
    hasSettled = true;
  });
  await nextTurn();
  return hasSettled;
}

describe("a wake-up", () => {
  it("ends a sleep", async () => {
    const wakeUp = new WakeUp();
    const sleep = wakeUp.wait();
    expect(await settles(sleep)).toBe(false);
    wakeUp.now();
    await sleep;
  });

  it("ends the next sleep if nobody sleeps, once", async () => {
    const wakeUp = new WakeUp();
    wakeUp.now();
    wakeUp.now();
    expect(await settles(wakeUp.wait())).toBe(true);
    expect(await settles(wakeUp.wait())).toBe(false);
  });

  it("counts once if it comes again before the sleeper resumes", async () => {
    const wakeUp = new WakeUp();
    const sleep = wakeUp.wait();
    wakeUp.now();
    wakeUp.now();
    await sleep;
    expect(await settles(wakeUp.wait())).toBe(false);
  });

  it("is not needed by a sleep with a time", async () => {
    const wakeUp = new WakeUp();
    await wakeUp.wait(1);
    expect(await settles(wakeUp.wait(0))).toBe(true);
    expect(await settles(wakeUp.wait())).toBe(false);
  });
});
