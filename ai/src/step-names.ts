/**
 * Names of the steps of a run that the AI SDK causes.
 *
 *   N1  A name derives from what the body asks: a replay gives the same names, whatever order concurrent calls have, and
 *       code that asks something else departs from the journal.
 *   N2  The second step of the same name gets ` #2`, and so on: models and tools of a run count together.
 */
import type { Context } from "@oxbow/sdk/runtime";
import { createHash } from "node:crypto";
import { perRun } from "./per-run.ts";
import { sorted } from "./sorted.ts";

const countsOf = perRun(() => new Map<string, number>());

/** `<what> <key>`, or with a hash in place of a key that is no part of a name. */
export function nextStepName(ctx: Pick<Context, "step">, what: string, key: string): string {
  const counted = countsOf(ctx);
  const name = `${what} ${/^[!-~]{1,100}$/.test(key) ? key : hashOf(key)}`;
  const count = (counted.get(name) ?? 0) + 1;
  counted.set(name, count);
  return count === 1 ? name : `${name} #${count}`;
}

/** The same for equal JSON, whatever the order of its members. */
export const hashOf = (value: unknown): string =>
  createHash("sha256")
    .update(JSON.stringify(sorted(value)) ?? "")
    .digest("hex")
    .slice(0, 12);
