import { exact, method, type Overload, plain, type ResultKind } from "./overload.ts";
import { kindOf, type Value } from "./value.ts";

export const NUMBER_FUNCTIONS: readonly Overload[] = [
  ...unary("math.ceil", "integer", Math.ceil),
  ...unary("math.floor", "integer", Math.floor),
  ...unary("math.round", "integer", rounded),
  ...unary("math.trunc", "integer", Math.trunc),
  ...unary("math.sign", "integer", Math.sign),
  ...unary("math.abs", "number", Math.abs),
  ...choice("math.greatest", Math.max),
  ...choice("math.least", Math.min),
  method("sum", "list", [], "number", ({ list, charge }) => {
    charge(list(0).length);
    return exact(numbersIn(list(0), "sum()").reduce((sum, each) => sum + each, 0));
  }),
];

/** Adding 0 makes 0 of -0, which JSON doesn't have. */
function unary(
  name: string,
  result: ResultKind,
  compute: (value: number) => number,
): readonly Overload[] {
  return [plain(name, ["number"], result, ({ number }) => compute(number(0)) + 0)];
}

/** Defines a function of a list, or of one to five arguments. */
function choice(name: string, compute: (...values: number[]) => number): readonly Overload[] {
  const ofList = plain(name, ["list"], "number", ({ list, charge }) => {
    charge(list(0).length);
    const numbers = numbersIn(list(0), `${name}()`);
    if (numbers.length === 0) throw new RangeError(`${name}() needs at least one number`);
    return numbers.reduce((best, each) => compute(best, each));
  });
  const ofSome = [1, 2, 3, 4, 5].map((count) => {
    const places = Array.from({ length: count }, (_, at) => at);
    return plain(
      name,
      places.map(() => "number"),
      "number",
      ({ number }) => compute(...places.map(number)),
    );
  });
  return [ofList, ...ofSome];
}

function numbersIn(values: readonly Value[], name: string): readonly number[] {
  return values.map((value) => {
    if (typeof value === "number") return value;
    throw new RangeError(`${name} needs a list of numbers, and has ${kindOf(value)} in it`);
  });
}

/** Half away from zero, as people round. */
function rounded(value: number): number {
  return Math.sign(value) * Math.round(Math.abs(value));
}
