/**
 * The conformance suite of CEL (github.com/google/cel-spec) against the profile. Cases that need what the profile
 * leaves out must be refused for that reason; every other case that is answered differently is named here.
 */
import { tests } from "@bufbuild/cel-spec/testdata/conformance.js";
import { expect, it } from "vitest";
import { evaluateValue } from "./evaluate.ts";
import { ExpressionFailed, InvalidExpression } from "./expression-errors.ts";
import { parseExpression } from "./expression.ts";
import { readInstant, readSpan } from "./time.ts";
import { equals, isList, isMap, type Key, type Value } from "./value.ts";

/** Suites about protobuf messages, wrappers and enums, about types of checkers, and about extensions. */
const LEFT_OUT = new Set([
  "bindings_ext",
  "block_ext",
  "dynamic",
  "encoders_ext",
  "enums",
  "macros2",
  "optionals",
  "proto2",
  "proto2_ext",
  "proto3",
  "type_deductions",
  "unknowns",
  "wrappers",
]);

/** Parts of CEL that the profile leaves out, by the reason of the refusal. */
const REFUSALS: readonly (readonly [string, RegExp])[] = [
  ["bytes", /^bytes aren't part|function bytes\(\)/],
  ["messages", /^messages aren't part|^[.{] isn't expected here/],
  ["optional values", /^optional values aren't part/],
  ["types as values", /function type\(\)/],
  ["whole numbers beyond 2^53", /is too large a number/],
  ["functions that are left out", /^there is no function /],
];

/** Cases whose answer differs on purpose, by the reason. */
const DIFFERENT: Readonly<Record<string, readonly string[]>> = {
  "division by zero is an error, for every number": [
    "comparisons/eq_literal/not_eq_double_nan",
    "comparisons/eq_literal/not_eq_int_double_nan",
    "comparisons/eq_literal/not_eq_uint_double_nan",
    "comparisons/ne_literal/ne_double_nan",
    "comparisons/ne_literal/not_ne_double_nan",
    "comparisons/ne_literal/not_ne_int_double_nan",
    "comparisons/ne_literal/not_ne_uint_double_nan",
  ],
  "there is one kind of number": [
    "conversions/uint/int_neg",
    "fp_math/fp_math/mod_not_support",
    "integer_math/int64_math/uint64_overflow_negative",
    "integer_math/int64_math/unary_minus_no_overload",
    "integer_math/uint64_math/negative_no_overload",
    "math_ext/ceil/dyn_error",
    "math_ext/floor/dyn_error",
    "math_ext/round/dyn_error",
    "math_ext/trunc/dyn_error",
  ],
  "names of variables have no dots": [
    "fields/qualified_identifier_resolution/ident_with_longest_prefix_check",
    "fields/qualified_identifier_resolution/map_field_select",
    "fields/qualified_identifier_resolution/qualified_ident",
    "fields/qualified_identifier_resolution/qualified_identifier_resolution_unchecked",
    "namespace/namespace/self_eval_container_lookup",
    "namespace/namespace/self_eval_container_lookup_unchecked",
    "namespace/qualified/self_eval_qualified_lookup",
  ],
};

interface Suite {
  readonly name: string;
  readonly suites?: readonly Suite[];
  readonly tests?: readonly { readonly original: Case }[];
}

interface Case {
  readonly name?: string;
  readonly expr: string;
  readonly value?: ProtoValue;
  readonly typedResult?: { readonly result?: ProtoValue };
  readonly evalError?: unknown;
  readonly bindings?: Readonly<Record<string, { readonly value?: ProtoValue }>>;
}

/** `cel.expr.Value` in the JSON of protobuf: one member. */
type ProtoValue = Readonly<Record<string, unknown>>;

interface ProtoMap {
  readonly entries?: readonly { readonly key: ProtoValue; readonly value: ProtoValue }[];
}

it("standard CEL over values of JSON is answered as its conformance suite demands", () => {
  const same: string[] = [];
  const refused = new Map<string, number>();
  const different: string[] = [];
  const unlike: string[] = [];
  const missing = new Set<string>();
  for (const { path, given } of cases()) {
    const answer = answerOf(given, missing);
    if (answer === undefined) continue;
    if (answer === "same") same.push(path);
    else if (answer.startsWith("refused: ")) {
      refused.set(answer, (refused.get(answer) ?? 0) + 1);
    } else {
      different.push(path);
      if (!isKnown(path)) unlike.push(`${path}: ${given.expr}: ${answer}`);
    }
  }
  expect(unlike).toEqual([]);
  expect(new Set(different)).toEqual(new Set(Object.values(DIFFERENT).flat()));
  expect([...missing].toSorted().join(" ")).toMatchInlineSnapshot(
    `"as break const continue else f_unknown for format function if import let loop math.bitAnd math.bitNot math.bitOr math.bitShiftLeft math.bitShiftRight math.bitXor math.isFinite math.isInf math.isNaN namespace package quote return type var void while"`,
  );
  expect({
    same: same.length,
    ...Object.fromEntries(refused),
  }).toMatchInlineSnapshot(`
    {
      "refused: bytes": 49,
      "refused: functions that are left out": 168,
      "refused: messages": 69,
      "refused: types as values": 9,
      "refused: whole numbers beyond 2^53": 75,
      "same": 1057,
    }
  `);
});

const isKnown = (path: string): boolean =>
  Object.values(DIFFERENT).some((paths) => paths.includes(path));

function* cases(): Generator<{ readonly path: string; readonly given: Case }> {
  for (const suite of (tests as Suite).suites ?? []) {
    if (!LEFT_OUT.has(suite.name)) yield* casesOf(suite, suite.name);
  }
}

function* casesOf(
  suite: Suite,
  path: string,
): Generator<{ readonly path: string; readonly given: Case }> {
  for (const { original } of suite.tests ?? []) {
    yield { path: `${path}/${original.name ?? original.expr}`, given: original };
  }
  for (const each of suite.suites ?? []) yield* casesOf(each, `${path}/${each.name}`);
}

/** Returns undefined for cases whose values aren't those of JSON. */
function answerOf(given: Case, missing: Set<string>): string | undefined {
  const wanted = given.value ?? given.typedResult?.result ?? { boolValue: true };
  const isError = given.evalError !== undefined;
  let expected: Value;
  let variables: Readonly<Record<string, unknown>>;
  try {
    expected = isError ? null : fromProto(wanted);
    variables = Object.fromEntries(
      Object.entries(given.bindings ?? {}).map(([name, { value }]) => [
        name,
        fromProto(value ?? {}),
      ]),
    );
  } catch {
    return undefined;
  }
  try {
    const value = evaluateValue(parseExpression(asNumbers(given.expr)), { variables });
    if (!isError && equals(value, expected, () => {})) return "same";
    return `${shownValue(value)} instead of ${isError ? "an error" : shownValue(expected)}`;
  } catch (error) {
    if (error instanceof InvalidExpression) {
      const unknown = /^there is no function (.*)\(\)$/.exec(error.reason)?.[1];
      if (unknown !== undefined) missing.add(unknown);
      const reason = REFUSALS.find(([, pattern]) => pattern.test(error.reason))?.[0];
      if (reason !== undefined) return `refused: ${reason}`;
    }
    if (!(error instanceof InvalidExpression) && !(error instanceof ExpressionFailed)) throw error;
    return isError ? "same" : error.message;
  }
}

/** Unsigned integers are numbers here. */
const asNumbers = (text: string): string =>
  text.replaceAll(/\b(0x[0-9a-fA-F]+|\d+)[uU]\b/g, "$1").replaceAll("uint(", "int(");

/** Throws if a value isn't one of JSON. */
function fromProto(value: ProtoValue): Value {
  const [[kind, content] = ["nullValue", null]] = Object.entries(value);
  switch (kind) {
    case "nullValue":
      return null;
    case "boolValue":
    case "stringValue":
      return content as boolean | string;
    case "int64Value":
    case "uint64Value":
    case "doubleValue": {
      const number = Number(content);
      const isExact = kind === "doubleValue" || Number.isSafeInteger(number);
      if (isExact && Number.isFinite(number)) return number;
      break;
    }
    case "listValue":
      return ((content as { readonly values?: readonly ProtoValue[] }).values ?? []).map(fromProto);
    case "mapValue":
      return new Map<Key, Value>(
        ((content as ProtoMap).entries ?? []).map((entry): [Key, Value] => [
          fromProto(entry.key) as Key,
          fromProto(entry.value),
        ]),
      );
    case "objectValue": {
      const { "@type": type, value: text } = content as Readonly<Record<string, string>>;
      if (type?.endsWith("Timestamp") === true) return readInstant(text ?? "");
      if (type?.endsWith("Duration") === true) return readSpan(text ?? "");
      break;
    }
    default:
  }
  throw new Error(`${kind} isn't a value of JSON`);
}

const shownValue = (value: Value): string =>
  isList(value) || isMap(value) ? JSON.stringify(value) : String(value);
