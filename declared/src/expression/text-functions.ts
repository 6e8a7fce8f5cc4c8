import {
  type Arguments,
  boundLength,
  bounded,
  method,
  type Overload,
  type ParameterKind,
  plain,
} from "./overload.ts";
import { indexIn, lastIndexIn, splitBy } from "./text-search.ts";
import { type Charge, costOf, isList, isMap, keysOf, kindOf, type Value } from "./value.ts";

/** Functions over text, and `size()`. Positions count code points. */
export const TEXT_FUNCTIONS: readonly Overload[] = [
  ...(["text", "list", "object"] as const).flatMap((kind) => [
    plain("size", [kind], "integer", sizeOf),
    method("size", kind, [], "integer", sizeOf),
  ]),
  test("contains", (whole, part) => indexIn(whole, part) !== -1),
  test("startsWith", (whole, part) => whole.startsWith(part)),
  test("endsWith", (whole, part) => whole.endsWith(part)),
  method("matches", "text", ["text"], "boolean", matches),
  plain("matches", ["text", "text"], "boolean", matches),
  ...search("indexOf", (whole, part, from) => indexIn(whole, part, from)),
  ...search("lastIndexOf", (whole, part, from) => lastIndexIn(whole, part, from)),
  method("charAt", "text", ["number"], "text", ({ text, number, charge }) => {
    charge(costOf(text(0)));
    const at = position(number(1), lengthOf(text(0)));
    return substring(text(0), at, at + 1);
  }),
  method("substring", "text", ["number"], "text", ({ text, number, charge }) => {
    charge(costOf(text(0)));
    const length = lengthOf(text(0));
    return substring(text(0), position(number(1), length), length);
  }),
  method("substring", "text", ["number", "number"], "text", ({ text, number, charge }) => {
    charge(costOf(text(0)));
    const length = lengthOf(text(0));
    return substring(text(0), position(number(1), length), position(number(2), length));
  }),
  change("lowerAscii", [], ({ text }) =>
    text(0).replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase()),
  ),
  change("upperAscii", [], ({ text }) =>
    text(0).replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase()),
  ),
  change("trim", [], ({ text }) => trimmed(text(0))),
  change("replace", ["text", "text"], ({ text }) =>
    replaced(text(0), text(1), text(2), Number.POSITIVE_INFINITY),
  ),
  change("replace", ["text", "text", "number"], ({ text, number }) =>
    replaced(text(0), text(1), text(2), atMost(number(3))),
  ),
  method("split", "text", ["text"], "list of text", ({ text, charge }) =>
    splitText(text(0), text(1), Number.POSITIVE_INFINITY, charge),
  ),
  method("split", "text", ["text", "number"], "list of text", ({ text, number, charge }) =>
    splitText(text(0), text(1), atMost(number(2)), charge),
  ),
  method("join", "list", [], "text", ({ list, charge }) => joined(list(0), "", charge)),
  method("join", "list", ["text"], "text", ({ list, text, charge }) =>
    joined(list(0), text(1), charge),
  ),
];

function test(name: string, holds: (whole: string, part: string) => boolean): Overload {
  return method(name, "text", ["text"], "boolean", ({ text, charge }) => {
    charge(costOf(text(0)));
    return holds(text(0), text(1));
  });
}

function change(
  name: string,
  parameters: readonly ParameterKind[],
  compute: (given: Arguments) => string,
): Overload {
  return method(name, "text", parameters, "text", (given) => {
    given.charge(costOf(given.text(0)));
    return bounded(compute(given), given.charge);
  });
}

function search(
  name: string,
  find: (whole: string, part: string, from?: number) => number,
): readonly Overload[] {
  return [
    method(name, "text", ["text"], "integer", ({ text, charge }) => {
      charge(costOf(text(0)));
      return pointsBefore(text(0), find(text(0), text(1)));
    }),
    method(name, "text", ["text", "number"], "integer", ({ text, number, charge }) => {
      charge(costOf(text(0)));
      const from = position(number(2), lengthOf(text(0)));
      return pointsBefore(text(0), find(text(0), text(1), unitsBefore(text(0), from)));
    }),
  ];
}

function sizeOf({ any, charge }: Arguments): number {
  const value = any(0);
  if (typeof value === "string") {
    charge(costOf(value));
    return lengthOf(value);
  }
  if (isList(value)) return value.length;
  if (!isMap(value)) return 0;
  const { length } = keysOf(value);
  charge(length);
  return length;
}

function matches({ text, pattern, charge }: Arguments): boolean {
  const compiled = pattern(text(1));
  charge(Math.ceil((text(0).length * compiled.size) / 8));
  return compiled.test(text(0));
}

// Most texts have one UTF-16 unit for each code point.
const isWide = (text: string): boolean => /[\u{10000}-\u{10FFFF}]/u.test(text);
const pointsOf = (text: string): readonly string[] => Array.from(text);
const lengthOf = (text: string): number => (isWide(text) ? pointsOf(text).length : text.length);
const unitsBefore = (text: string, points: number): number =>
  isWide(text) ? pointsOf(text).slice(0, points).join("").length : points;
const pointsBefore = (text: string, units: number): number =>
  units <= 0 || !isWide(text) ? units : pointsOf(text.slice(0, units)).length;

/** Throws RangeError unless a position is a whole number from 0 to a length. */
function position(at: number, length: number): number {
  if (!Number.isInteger(at)) throw new RangeError(`the position ${at} isn't a whole number`);
  if (at < 0 || at > length) {
    throw new RangeError(`the position ${at} is out of range 0 to ${length}`);
  }
  return at;
}

/** A count, of which negative ones have no end. */
const atMost = (count: number): number =>
  count < 0 ? Number.POSITIVE_INFINITY : Math.trunc(count);

function substring(text: string, from: number, to: number): string {
  if (from > to) throw new RangeError(`the start ${from} is after the end ${to}`);
  return isWide(text) ? pointsOf(text).slice(from, to).join("") : text.slice(from, to);
}

/** The size is known before the text is made. */
function replaced(text: string, old: string, put: string, most: number): string {
  const parts = old === "" ? ["", ...pointsOf(text), ""] : splitBy(text, old);
  const count = Math.min(most, parts.length - 1);
  boundLength(text.length + count * (put.length - old.length));
  const head = parts.slice(0, count + 1).join(put);
  return [head, ...parts.slice(count + 1)].join(old);
}

function splitText(text: string, separator: string, most: number, charge: Charge): Value {
  if (most === 0) return [];
  const parts = separator === "" ? pointsOf(text) : splitBy(text, separator);
  charge(parts.length + costOf(text));
  if (parts.length <= most) return parts;
  return [...parts.slice(0, most - 1), parts.slice(most - 1).join(separator)];
}

function joined(items: readonly Value[], separator: string, charge: Charge): string {
  charge(items.length);
  let length = 0;
  const texts = items.map((item) => {
    if (typeof item !== "string") {
      throw new RangeError(`join() needs a list of text, and has ${kindOf(item)} in it`);
    }
    length += item.length + separator.length;
    boundLength(length - separator.length);
    return item;
  });
  return bounded(texts.join(separator), charge);
}

/** The white space of Unicode, as CEL trims. */
const SPACES: ReadonlySet<number> = new Set([
  0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0x85, 0xa0, 0x16_80, 0x20_28, 0x20_29, 0x20_2f, 0x20_5f,
  0x30_00, 0x20_00, 0x20_01, 0x20_02, 0x20_03, 0x20_04, 0x20_05, 0x20_06, 0x20_07, 0x20_08, 0x20_09,
  0x20_0a,
]);

function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && SPACES.has(text.codePointAt(start) ?? 0)) start += 1;
  while (end > start && SPACES.has(text.codePointAt(end - 1) ?? 0)) end -= 1;
  return text.slice(start, end);
}
