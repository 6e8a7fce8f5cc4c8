import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PayloadTooLarge, SerializationError } from "./errors.ts";
import { MAX_JSON_BYTES, MAX_JSON_DEPTH, toJournal } from "./json.ts";

const journal = (value?: unknown): ReturnType<typeof toJournal> => toJournal(value, "the test");

const nested = (depth: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { value };
  return value;
};

class Named {
  readonly name: string;
  readonly #secret = 1;
  constructor(name: string) {
    this.name = name;
  }
  secret(): number {
    return this.#secret;
  }
}

describe("the journaled form", () => {
  it.each([
    [null, "null", null],
    [0, "0", 0],
    [-0, "0", 0],
    ["text", '"text"', "text"],
    [new Date(0), '"1970-01-01T00:00:00.000Z"', "1970-01-01T00:00:00.000Z"],
    [{ a: undefined, b: () => 1, c: [undefined] }, '{"c":[null]}', { c: [null] }],
    [
      { rows: [{ n: 1 }], parsers: [() => 1] },
      '{"rows":[{"n":1}],"parsers":[null]}',
      { rows: [{ n: 1 }], parsers: [null] },
    ],
    [new Named("a"), '{"name":"a"}', { name: "a" }],
    [{ at: { toJSON: () => "now" } }, '{"at":"now"}', { at: "now" }],
    [Object.assign(new Error("gone"), { toJSON: () => "gone" }), '"gone"', "gone"],
    [Buffer.from("a"), '{"type":"Buffer","data":[97]}', { type: "Buffer", data: [97] }],
    ["\\u0000 is but text", String.raw`"\\u0000 is but text"`, "\\u0000 is but text"],
    ["\uD83D\uDE00", '"\uD83D\uDE00"', "\uD83D\uDE00"],
  ])("of %o is what JSON makes of it", (value, text, seen) => {
    expect(journal(value)).toEqual({ text, value: seen });
  });

  it("of nothing is nothing", () => {
    expect(journal()).toEqual({ text: undefined, value: undefined });
    expect(journal({ toJSON: () => {} })).toEqual({ text: undefined, value: undefined });
  });

  it("has keys in the order of jsonb: shorter ones first, by their bytes", () => {
    const keysOf = (value: object): string[] => Object.keys(journal(value).value as object);
    expect(keysOf({ bb: 1, c: 1, aa: 1, b: 1 })).toEqual(["b", "c", "aa", "bb"]);
    // Two bytes, four bytes, and three: "\uffff" comes after "\ud800\udc00" in UTF-16, and is shorter in UTF-8.
    expect(keysOf({ "\uD800\uDC00": 1, "\uFFFF": 1, ä: 1, z: 1, é: 1 })).toEqual([
      "z",
      "ä",
      "é",
      "\uFFFF",
      "\uD800\uDC00",
    ]);
    expect(Object.keys((journal([{ x: { b: 1, a: 1 } }]).value as [{ x: object }])[0].x)).toEqual([
      "a",
      "b",
    ]);
  });

  it("keeps a key named __proto__", () => {
    const { value } = journal(JSON.parse('{"__proto__":{"b":1,"a":2},"a":1}'));
    expect(JSON.stringify(value)).toBe('{"a":1,"__proto__":{"a":2,"b":1}}');
  });

  it("is the journaled form of itself, whatever the value", () => {
    const storable = fc
      .jsonValue()
      .filter((value) => !/\\u(?:0000|d[89a-f])/.test(JSON.stringify(value)));
    fc.assert(
      fc.property(storable, (value) => {
        const once = journal(value);
        const twice = journal(once.value);
        expect(twice.value).toEqual(once.value);
        expect(once.value).toEqual(JSON.parse(JSON.stringify(value)));
        expect(JSON.stringify(twice.value)).toBe(JSON.stringify(once.value));
      }),
    );
  });
});

describe("what can't be journaled is refused, with its path", () => {
  const circular: Record<string, unknown> = { a: [{}] };
  circular["a"] = [{ back: circular }];

  it.each<[unknown, string]>([
    ["nul \u0000", "$ contains the character \\u0000"],
    [{ a: [{ b: "\u0000" }] }, "$.a[0].b contains the character \\u0000"],
    [{ "odd key": { "\u0000": 1 } }, '$["odd key"] has a key with the character \\u0000'],
    [["\uD800"], "$[0] contains half of a surrogate pair"],
    [{ "\uDC00x": 1 }, "$ has a key with half of a surrogate pair"],
    [1n, "$ is a BigInt"],
    [{ list: [0, { n: 1n }] }, "$.list[1].n is a BigInt"],
    [circular, "$.a[0].back refers back to an object that contains it"],
    [() => 1, "$ is a function"],
    [Symbol("x"), "$ is a symbol"],
    [Number.NaN, "$ is NaN, which JSON can't represent: give a finite number, a string or null"],
    [{ rates: [1, -Infinity] }, "$.rates[1] is -Infinity, which JSON can't represent"],
    [{ at: new Date(Number.NaN) }, "$.at is an invalid Date: give a valid one, or null"],
    [
      { "by id": new Map([[1, 2]]) },
      '$["by id"] is a Map, of which JSON keeps nothing: give Object.fromEntries(map) or [...map]',
    ],
    [[new Set([1])], "$[0] is a Set, of which JSON keeps nothing: give [...set]"],
    [{ kind: Symbol("x") }, "$.kind is a symbol: give a string"],
    [[Symbol("x")], "$[0] is a symbol: give a string"],
    [{ a: { [Symbol("x")]: 1 } }, "$.a has the key Symbol(x), which JSON leaves out"],
    [{ user: Promise.resolve(1) }, "$.user is a Promise, of which JSON keeps nothing: await it"],
    [
      { status: "rejected", reason: Object.assign(new TypeError("gone"), { code: 1 }) },
      "$.reason is an Error, whose message JSON leaves out: give its message",
    ],
    [{ bytes: new Uint8Array(2) }, "$.bytes is a Uint8Array, which JSON can't represent"],
    [{ pattern: /a/ }, "$.pattern is a RegExp, which JSON can't represent"],
    [{ buffer: new ArrayBuffer(2) }, "$.buffer is an ArrayBuffer, which JSON can't represent"],
    [new Headers({ a: "b" }), "$ is a Headers, which JSON can't represent"],
    [{ a: { toJSON: () => ({ b: [Number.NaN] }) } }, "$.a.b[0] is NaN"],
    [Object.assign(new Named("a"), { rate: Number.NaN }), "$.rate is NaN"],
    [nested(MAX_JSON_DEPTH + 1), "$ is nested more than 1000 levels deep"],
    [nested(50_000), "$ is nested more than 1000 levels deep"],
    [
      {
        toJSON() {
          throw new Error("won't");
        },
      },
      "$ can't be turned into JSON: Error: won't",
    ],
    [
      {
        get x() {
          throw new Error("can't");
        },
      },
      "$ can't be turned into JSON: Error: can't",
    ],
  ])("%#", (value, message) => {
    expect(() => journal(value)).toThrow(SerializationError);
    expect(() => journal(value)).toThrow(`Cannot journal the test: ${message}`);
  });

  it("but not for what merely looks deep, or is as deep as allowed", () => {
    expect(() => journal(nested(MAX_JSON_DEPTH))).not.toThrow();
    expect(() => journal('[{\\"'.repeat(2_000))).not.toThrow();
    expect(() => journal(Array.from({ length: 5_000 }, () => ["\\", '"', "{["]))).not.toThrow();
  });

  it("nor for the same object in two places", () => {
    const shared = { n: 1 };
    expect(journal([shared, shared]).text).toBe('[{"n":1},{"n":1}]');
  });
});

it("a value is measured in bytes", () => {
  const fits = "x".repeat(MAX_JSON_BYTES - 2);
  expect(journal(fits).value).toBe(fits);
  expect(() => journal(`${fits}x`)).toThrow(PayloadTooLarge);
  expect(() => journal("€".repeat(MAX_JSON_BYTES / 3))).toThrow("at most 16777216 are allowed");
});
