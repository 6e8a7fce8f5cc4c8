import { describe, expect, it } from "vitest";
import { containmentText, parseContainment } from "./containment.ts";

describe("conditions as text", () => {
  it.each([
    [{ customer: 142, lot: "a-7", paid: true }, "customer=142 lot=a-7 paid=true"],
    // Read back as something else, these stay JSON.
    [{ customer: "142" }, '{"customer":"142"}'],
    [{ name: "Ada L" }, '{"name":"Ada L"}'],
    [{ "a.b": 1 }, '{"a.b":1}'],
    [{ "a=b": 1 }, '{"a=b":1}'],
    [{ nested: { a: 1 } }, '{"nested":{"a":1}}'],
    [{ nothing: null }, '{"nothing":null}'],
    [{ empty: "" }, '{"empty":""}'],
    [{}, "{}"],
  ])("%j is %s, which is read back as it was", (value, text) => {
    expect(containmentText(value)).toBe(text);
    expect(parseContainment(text, "tags")).toEqual(value);
  });
});
