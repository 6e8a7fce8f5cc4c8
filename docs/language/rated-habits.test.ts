import { describe, expect, it } from "vitest";
import { allowance, RATED_HABITS, type RatedHabit } from "./rated-habits.ts";
import { textsOf } from "./texts.ts";

const habitNamed = (name: string): RatedHabit => {
  const habit = RATED_HABITS.find((one) => one.name === name);
  if (habit === undefined) throw new Error(`There is no habit "${name}".`);
  return habit;
};

/** How often the texts of a file have a habit. */
const count = (name: string, source: string, path = "file.ts"): number =>
  textsOf(path, source).flatMap(({ words }) => [...words.matchAll(habitNamed(name).pattern)])
    .length;

describe("a rated habit", () => {
  it.each<[name: string, path: string, source: string]>([
    ["at once", "a.md", "The step returns its id at once."],
    ["alone", "a.md", "The result depends on the expression alone."],
    ["alone", "a.ts", "/** Leave a blank. It is for this trigger alone. */"],
    ["none", "a.ts", "// Returns the receipts; null if there are none."],
    ["none", "a.md", "No worker sees the run, and none ever does."],
    ["Of …", "a.ts", "/** Of the version of a run. */"],
    ["Of …", "a.ts", "/**\n * Of `step.map`: what the\n * step is for.\n */"],
    ["Of …", "a.sql", "-- Of two concurrent calls, the second waits."],
    ["By …", "a.ts", "/** By name, in the order of the table. */"],
    ["Undefined: …", "a.ts", "/** Undefined: the version of the run. */"],
    ["Undefined: …", "a.ts", "/** The first tick after them; undefined: there is no other. */"],
    ["Undefined: …", "a.ts", "/** @param version Absent: the published one. */"],
  ])("%s is found in %s: %s", (name, path, source) => {
    expect(count(name, source, path)).toBe(1);
  });

  it.each<[name: string, path: string, source: string]>([
    ["alone", "a.md", "The sweep leaves other attempts alone."],
    ["none", "a.md", "| `timeout` | none | how long a call may take |"],
    ["none", "a.ts", "// The kind is 'none' by default."],
    ["Of …", "a.ts", "/** Of course. The rest follows. */"],
    ["Of …", "a.ts", "// The version\n// of a run."],
    ["By …", "a.ts", "/** By default, the version of the run. */"],
    ["Undefined: …", "a.ts", "/** The version; undefined for that of the run. */"],
  ])("%s leaves the plain use in %s: %s", (name, path, source) => {
    expect(count(name, source, path)).toBe(0);
  });

  it("may occur at its rate over all texts", () => {
    expect(allowance(habitNamed("at once"), 100_000)).toBe(25);
    expect(allowance(habitNamed("at once"), 100)).toBe(1);
    expect(allowance(habitNamed("Of …"), 100_000)).toBe(0);
  });

  it("has a replacement that is free of it", () => {
    for (const { pattern, replacement } of RATED_HABITS) expect(replacement).not.toMatch(pattern);
  });
});
