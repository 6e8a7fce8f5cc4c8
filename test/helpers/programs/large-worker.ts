/**
 * A worker whose runs journal values of so many bytes, wait for the event `due`, and use them. Arguments: url, token
 * ("" without one).
 */
import { setTimeout } from "node:timers/promises";
import { workflow } from "@oxbow/sdk/runtime";

const [url = "", token = ""] = process.argv.slice(2);

export interface LargeInput {
  readonly values: number;
  readonly bytes: number;
  /** Journal them immediately. */
  readonly together?: boolean;
  /** Use them until no other run has come to do so for this time. Those that come later don't wait. */
  readonly holdMs?: number;
}

let holding = 0;
let hasHeld = false;

/** Prints how many runs hold their values. */
async function hold(quietMs: number): Promise<void> {
  if (hasHeld) return;
  holding += 1;
  process.stdout.write(`holding ${holding}\n`);
  for (let seen = 0; seen < holding;) {
    seen = holding;
    await setTimeout(quietMs);
  }
  hasHeld = true;
}

workflow({
  name: "large",
  run: async (ctx, { values, bytes, together = false, holdMs }: LargeInput) => {
    const make = (n: number) => ctx.step.run(`value-${n}`, () => "x".repeat(bytes));
    const numbers = Array.from({ length: values }, (_, n) => n);
    let length = 0;
    if (together) {
      for (const value of await Promise.all(numbers.map(make))) length += value.length;
    } else {
      for (const n of numbers) length += (await make(n)).length;
    }
    await ctx.step.waitForEvent("due");
    await ctx.step.run("use", () => (holdMs === undefined ? undefined : hold(holdMs)));
    return length;
  },
}).serve({ url, ...(token === "" ? {} : { token }), lease: "60s" });
process.stdout.write("serving\n");
