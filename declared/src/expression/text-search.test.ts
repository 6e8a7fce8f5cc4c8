import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { indexIn, lastIndexIn, splitBy } from "./text-search.ts";

const LENGTH = 2 ** 18;
/** Texts of few letters have many places that match almost. */
const letters = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom("a", "b", "😀"), minLength, maxLength });
const whole = letters(60, 90).map((part) => part.repeat(900));

describe("a search", () => {
  it("finds what the searches of the language find", () => {
    fc.assert(
      fc.property(
        whole,
        letters(17, 40).map((part) => part.repeat(30)),
        fc.nat(90_000),
        (text, other, from) => {
          const inside = text.slice(from / 2, from / 2 + 700);
          for (const part of [other, inside, `${inside}!`]) {
            expect(indexIn(text, part)).toBe(text.indexOf(part));
            expect(indexIn(text, part, from)).toBe(text.indexOf(part, from));
            expect(lastIndexIn(text, part)).toBe(text.lastIndexOf(part));
            expect(lastIndexIn(text, part, from)).toBe(text.lastIndexOf(part, from));
            expect(splitBy(text, part)).toEqual(text.split(part));
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it.each(["aaaaab", "baaaaa", "b"])("ends soon, whatever repeats: %s among many a", (mistake) => {
    const text = "a".repeat(LENGTH);
    const part = `aaaaa${mistake}${"a".repeat(LENGTH / 4)}`;
    const { user } = process.cpuUsage();
    expect(indexIn(text, part)).toBe(-1);
    expect(lastIndexIn(text, part)).toBe(-1);
    expect(splitBy(text, part)).toEqual([text]);
    // Searches of the language take 20 s and more.
    expect(process.cpuUsage().user - user).toBeLessThan(2_000_000);
  });
});
