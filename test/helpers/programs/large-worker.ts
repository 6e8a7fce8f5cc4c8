/**
 * A worker whose runs journal values of so many bytes, sleep until a table `due` exists, and use them. Arguments: url,
 * token ("" for none).
 */
import { workflow } from "@oxbow/sdk/runtime";

const [url = "", token = ""] = process.argv.slice(2);

export interface LargeInput {
  readonly values: number;
  readonly bytes: number;
  /** Journal them at once. */
  readonly together?: boolean;
}

workflow({
  name: "large",
  run: async (ctx, { values, bytes, together = false }: LargeInput) => {
    const make = (n: number) => ctx.step.run(`value-${n}`, () => "x".repeat(bytes));
    const numbers = Array.from({ length: values }, (_, n) => n);
    let length = 0;
    if (together) {
      for (const value of await Promise.all(numbers.map(make))) length += value.length;
    } else {
      for (const n of numbers) length += (await make(n)).length;
    }
    await ctx.step.waitForEvent("due");
    await ctx.step.run("use", () => {});
    return length;
  },
}).serve({ url, ...(token === "" ? {} : { token }), lease: "10s" });
process.stdout.write("serving\n");
