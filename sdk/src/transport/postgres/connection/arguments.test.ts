import { describe, expect, it } from "vitest";
import { parameterText, plainArrayText } from "./arguments.ts";

describe("a parameter", () => {
  it("is written as Postgres reads it", () => {
    expect([null, undefined, "a b", 1.5, true].map(parameterText)).toEqual([
      null,
      null,
      "a b",
      "1.5",
      "true",
    ]);
  });

  it("is refused if it is neither text, number, boolean nor an array", () => {
    expect(() => parameterText({})).toThrow("type object");
    expect(() => parameterText([new Date()])).toThrow("type object");
  });

  it("is an array whose elements have quotes where they need them", () => {
    const elements = [
      "s1",
      "in-sequence",
      7,
      -1.5,
      true,
      null,
      undefined,
      "",
      "null",
      "NULL",
      "a b",
    ];
    expect(parameterText(elements)).toBe(
      '{s1,in-sequence,7,-1.5,true,NULL,NULL,"","null","NULL","a b"}',
    );
    expect(parameterText(["a,b", "{}", "\n", "ü"])).toBe('{"a,b","{}","\n","ü"}');
    expect(parameterText([String.raw`{"a":"\n"}`, '"'])).toBe(String.raw`{"{\"a\":\"\\n\"}","\""}`);
  });

  it("is an array of ids without quotes", () => {
    expect([[], ["1"], ["1", 2]].map(plainArrayText)).toEqual(["{}", "{1}", "{1,2}"]);
  });
});
