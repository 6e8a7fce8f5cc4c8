import { describe, expect, it } from "vitest";
import { toStorableText } from "@oxbow/sdk/internal/declared";
import { listingOf } from "./resource-listing.ts";
import type { ListResources } from "./resource-type.ts";

const REQUEST = { type: "Severity", text: "", after: null, limit: 20, scope: null };

/** The output of a run that lists, which the database can store. */
async function outputOf(list: ListResources, request: object = {}): Promise<unknown> {
  const signal = new AbortController().signal;
  const ctx = { step: { run: (_: string, work: (given: AbortSignal) => unknown) => work(signal) } };
  const { run } = listingOf({ type: "Severity", list }) as unknown as {
    run: (context: object, input: object) => Promise<unknown>;
  };
  const output = await run(ctx, { ...REQUEST, ...request });
  toStorableText(output, "the output");
  return output;
}

describe("a list of resources", () => {
  it.each([
    ["limit", { limit: 1e9 }],
    ["limit", { limit: "5" }],
    ["limit", { limit: 0 }],
    ["text", { text: 7 }],
    ["text", { text: "x".repeat(1_001) }],
    ["text", { after: {} }],
    ["scope", { scope: [] }],
    ["scope", { scope: "o1" }],
  ])("isn't asked for with an invalid %s: %j", async (member, request) => {
    let calls = 0;
    const list = (): { resources: [] } => {
      calls += 1;
      return { resources: [] };
    };
    expect(await outputOf(list, request)).toEqual({
      failure: expect.stringContaining(`The request has a ${member}`) as string,
    });
    expect(calls).toBe(0);
  });

  it("has titles that Postgres can store, cut between characters", async () => {
    const titles = ["a\0b", "half \uD83D", `${"x".repeat(499)}👋👋`, "👋".repeat(600)];
    const output = await outputOf(() => ({
      resources: titles.map((title, n) => ({ id: `${n}`, title })),
    }));
    expect(output).toEqual({
      resources: ["a\uFFFDb", "half \uFFFD", `${"x".repeat(499)}👋`, "👋".repeat(500)].map(
        (title, n) => ({ id: `${n}`, title }),
      ),
      next: null,
    });
  });

  it.each([
    ["an id", () => ({ resources: [{ id: "\uD83D" }] }), "a resource with the id"],
    ["an id with NUL", () => ({ resources: [{ id: "a\0" }] }), "a resource with the id"],
    ["a next", () => ({ resources: [], next: "\0" }), "a `next`"],
  ])("fails for %s that Postgres can't store", async (_, list, failure) => {
    expect(await outputOf(list)).toEqual({ failure: expect.stringContaining(failure) as string });
  });

  it.each([
    [
      "a message that Postgres can't store",
      new Error("It is \0 down\uD83D."),
      "It is \uFFFD down\uFFFD.",
    ],
    ["a long message", new Error("x".repeat(5_000)), "x".repeat(1_000)],
    ["no text", Object.create(null), "`list` failed with an error that has no text."],
  ])("returns the reason of an error with %s", async (_, error: unknown, failure) => {
    const list = (): never => {
      throw error;
    };
    expect(await outputOf(list)).toEqual({ failure });
  });
});
