import { describe, expect, it } from "vitest";
import { asReadable, fromErrorRecord, toErrorRecord } from "./error-record.ts";
import { NonRetriableError } from "./retry-errors.ts";

describe("the record of an error", () => {
  it("has its name, message, code, stack and causes", () => {
    const error = Object.assign(new TypeError("outer", { cause: new NonRetriableError("inner") }), {
      code: 42,
    });
    expect(toErrorRecord(error)).toMatchObject({
      name: "TypeError",
      message: "outer",
      code: "42",
      stack: expect.stringMatching(/^TypeError: outer\n {4}at /) as string,
      cause: { name: "NonRetriableError", code: "NON_RETRIABLE", message: "inner" },
    });
  });

  it("names files below the working directory and below node_modules, and no other folders", () => {
    const error = new Error("at /srv/secret/x.ts:1:1");
    const here = process.cwd();
    error.stack = [
      "Error: at /srv/secret/x.ts:1:1",
      `    at charge (file://${here}/src/charge.ts:7:9)`,
      `    at async ${here}/src/main.ts:1:2`,
      "    at Object.query (/srv/shop/node_modules/pg/lib/client.js:10:3)",
      "    at async Promise.all (index 0)",
      "    at new Shop (C:\\Users\\ann\\shop.ts:3:4)",
      `    at file://${here}-other/deep/near.ts:5:6`,
      "    at node:internal/process/task_queues:95:5",
    ].join("\n");
    expect(toErrorRecord(error).stack?.split("\n")).toEqual([
      "Error: at /srv/secret/x.ts:1:1",
      "    at charge (src/charge.ts:7:9)",
      "    at async src/main.ts:1:2",
      "    at Object.query (node_modules/pg/lib/client.js:10:3)",
      "    at async Promise.all (index 0)",
      "    at new Shop (shop.ts:3:4)",
      "    at near.ts:5:6",
      "    at node:internal/process/task_queues:95:5",
    ]);
  });

  it.each<[unknown, object]>([
    ["text", { name: "NonError", message: "text" }],
    [undefined, { name: "NonError", message: "thrown: undefined" }],
    [null, { name: "NonError", message: "thrown: null" }],
    [{ status: 500 }, { name: "NonError", message: 'thrown: {"status":500}' }],
    [Symbol("s"), { name: "NonError", message: "thrown: Symbol(s)" }],
    [1n, { name: "NonError", message: "thrown: [object BigInt]" }],
    [
      { name: "Alike", message: "of another realm" },
      { name: "Alike", message: "of another realm" },
    ],
  ])("is made of anything that is thrown: %#", (thrown, record) => {
    expect(toErrorRecord(thrown)).toEqual(record);
  });

  it("is made even of what can't be looked at", () => {
    const hostile = new Proxy(
      {},
      {
        get() {
          throw new Error("no");
        },
      },
    );
    expect(toErrorRecord(hostile).name).toBe("NonError");
  });

  it("is bounded in every direction", () => {
    let error = new Error("x".repeat(100_000));
    for (let depth = 0; depth < 50; depth += 1) error = new Error("outer", { cause: error });
    error.stack = "line\n".repeat(10_000);
    expect(JSON.stringify(toErrorRecord(error)).length).toBeLessThan(50_000);
    const loop = new Error("loop");
    loop.cause = loop;
    expect(JSON.stringify(toErrorRecord(loop)).length).toBeLessThan(50_000);
  });

  it("holds nothing that Postgres can't", () => {
    const record = toErrorRecord(new Error("nul \u0000, half \uD800, whole \uD83D\uDE00"));
    expect(record.message).toBe("nul \uFFFD, half \uFFFD, whole \uD83D\uDE00");
    const cut = toErrorRecord(new Error(`${"x".repeat(7_998)}\uD83D\uDE00 and more`));
    expect(cut.message.endsWith("x\uFFFD…")).toBe(true);
  });
});

describe("a thrown value", () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const broken = (key: string): Error =>
    Object.defineProperty(new Error("no"), key, {
      get() {
        throw new Error("no");
      },
    });

  it.each([
    { thrown: proxy },
    ...["message", "cause", "code", "delayMs"].map((key) => ({ thrown: broken(key) })),
  ])("is replaced if it can't be read: %#", ({ thrown }) => {
    expect(asReadable(thrown)).toMatchObject({ message: expect.stringContaining("can't be read") });
  });

  it.each([new NonRetriableError("no"), "text", undefined, null, { status: 500 }, () => 1])(
    "stays as it is if it can be read: %#",
    (thrown) => {
      expect(asReadable(thrown)).toBe(thrown);
    },
  );
});

describe("an error from its record", () => {
  it("looks like the one that was recorded", () => {
    const record = toErrorRecord(
      Object.assign(new RangeError("outer", { cause: new Error("inner") }), { code: "E" }),
    );
    const error = fromErrorRecord(record);
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).toBe("RangeError: outer");
    expect(error).toMatchObject({ code: "E", stack: record.stack, cause: { message: "inner" } });
    expect(toErrorRecord(error)).toEqual(record);
  });

  it("has a stack made from its message if no stack was recorded", () => {
    expect(fromErrorRecord({ name: "Timeout", message: "late" }).stack).toBe("Timeout: late");
  });
});
