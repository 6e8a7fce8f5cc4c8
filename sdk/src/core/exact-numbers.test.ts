import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findInexactNumber } from "./exact-numbers.ts";

describe("a number that reading would change is found, with its path", () => {
  it.each([
    ["1e999", "$", "is 1e999, which is too large for a number"],
    ["-1E+400", "$", "is -1E+400, which is too large"],
    [
      '{"a": [0, {"odd key": 9007199254740993}]}',
      '$.a[1]["odd key"]',
      "it would become 9007199254740992.",
    ],
    [
      '{"9007199254740993": "9007199254740993", "n":-9007199254740993}',
      "$.n",
      "is -9007199254740993",
    ],
    [
      '["\\"", "\\\\", {"\\u0061\\"": [], "b\\\\": [[1,2], 1e-400]}]',
      '$[2]["b\\\\"][1]',
      "too small",
    ],
    [`[{"a": true}, {}, ${"9".repeat(400)}]`, "$[2]", "9…, which is too large"],
    ["12345678901234567.89", "$", "it would become 12345678901234568."],
    ["9007199254740993.0", "$", "it would become 9007199254740992."],
    ["1.0000000000000000001e30", "$", "it would become 1e+30."],
    ["99999999999999984", "$", "it would become 99999999999999980."],
    [`9007199254740993.${"0".repeat(1_000_000)}1`, "$", "it would become 9007199254740994."],
  ])("%#", (text, path, problem) => {
    expect(findInexactNumber(text)).toEqual({
      path,
      problem: expect.stringContaining(problem) as string,
    });
  });
});

it.each([
  "9007199254740992",
  "9007199254740994.000",
  "123456789012345680000",
  "1e23",
  "9.9999999999999992e+22",
  "0.1000000000000000055511151231257827",
  "0.10000000000000001",
  "0e999",
  "0.000",
  "1.7976931348623157e308",
  "5e-324",
  '{"a":"1e999","true":[true,false,null,"9007199254740993"]}',
])("%s is read as it is meant", (text) => {
  expect(findInexactNumber(text)).toBeUndefined();
});

it("no JSON that JavaScript has written has such a number", () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      (value, number) => {
        expect(findInexactNumber(JSON.stringify([value, { number }]))).toBeUndefined();
      },
    ),
  );
});
