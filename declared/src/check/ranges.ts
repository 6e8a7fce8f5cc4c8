/** Numbers that a schema refuses. Types have no ranges, so that written values are compared with the schema itself. */
import { readBinding } from "../document/binding.ts";
import { isList, isObject, type Json } from "../document/json.ts";
import { childPointer } from "../document/pointer.ts";
import {
  type Allowance,
  follow,
  MOST_SCHEMAS,
  type ResolveReference,
} from "../types/from-schema.ts";
import type { Findings } from "./findings.ts";

/** Deeper values aren't compared, as their types are not. */
const DEEPEST = 24;

/**
 * Reports the numbers in a value with bindings that are out of the range of its schema.
 *
 * @param schema - Undefined if nothing is known of the value.
 */
export function findRangeProblems(
  value: Json,
  schema: Json | undefined,
  { pointer, resolve, findings }: Place,
): void {
  if (schema === undefined) return;
  for (const { at, fault, bounds, number } of faultsIn(value, schema, {
    root: schema,
    resolve,
    at: pointer,
    depth: 0,
    allowance: { left: MOST_SCHEMAS },
  })) {
    const hint = `Enter a number of ${bounds.join(" and ")}.`;
    findings.error(at, "OUT_OF_RANGE", `${number} is ${fault}`, hint);
  }
}

interface Place {
  readonly pointer: string;
  readonly resolve: ResolveReference;
  readonly findings: Findings;
}

interface Visit {
  /** The schema to which local references lead. */
  readonly root: Json;
  readonly resolve: ResolveReference;
  readonly at: string;
  readonly depth: number;
  readonly allowance: Allowance;
}

interface Fault {
  readonly at: string;
  readonly number: number;
  readonly fault: string;
  readonly bounds: readonly string[];
}

function faultsIn(value: Json, schema: Json | undefined, visit: Visit): readonly Fault[] {
  const { depth, allowance } = visit;
  if (!isObject(schema) || depth > DEEPEST || allowance.left === 0) return [];
  allowance.left -= 1;
  const inside: Visit = { ...visit, depth: depth + 1 };
  const reference = schema["$ref"];
  if (typeof reference === "string") {
    if (reference.startsWith("#")) {
      return faultsIn(value, follow(visit.root, reference), inside);
    }
    const other = visit.resolve(reference);
    return other === undefined ? [] : faultsIn(value, other, { ...inside, root: other });
  }
  const binding = readBinding(value);
  if (binding?.kind === "literal") {
    return faultsIn(binding.$literal, schema, {
      ...inside,
      at: childPointer(visit.at, "$literal"),
    });
  }
  if (binding !== undefined) return [];
  const faults = [
    ...listIn(schema["allOf"]).flatMap((part) => faultsIn(value, part, inside)),
    ...faultsOfAll(value, listIn(schema["anyOf"] ?? schema["oneOf"]), inside),
  ];
  if (typeof value === "number") return [...faults, ...faultOf(value, schema, visit.at)];
  if (isList(value)) {
    const { items } = schema;
    return [
      ...faults,
      ...value.flatMap((item, at) =>
        faultsIn(item, items, { ...inside, at: childPointer(visit.at, at) }),
      ),
    ];
  }
  if (!isObject(value)) return faults;
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  return [
    ...faults,
    ...Object.entries(value).flatMap(([name, member]) => {
      const own = Object.hasOwn(properties, name)
        ? properties[name]
        : schema["additionalProperties"];
      const at = childPointer(visit.at, name);
      return faultsIn(member, own, { ...inside, at });
    }),
  ];
}

/** One of the alternatives for its kind must accept the value; otherwise the faults are those of the first. */
function faultsOfAll(value: Json, choices: readonly Json[], visit: Visit): readonly Fault[] {
  const found = choices
    .filter((choice) => isForKind(value, choice))
    .map((choice) => faultsIn(value, choice, visit));
  return found.every((faults) => faults.length > 0) ? (found[0] ?? []) : [];
}

function faultOf(
  number: number,
  schema: Readonly<Record<string, unknown>>,
  at: string,
): readonly Fault[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const fault =
    typeof minimum === "number" && number < minimum
      ? `less than ${minimum}`
      : typeof maximum === "number" && number > maximum
        ? `more than ${maximum}`
        : typeof exclusiveMinimum === "number" && number <= exclusiveMinimum
          ? `not more than ${exclusiveMinimum}`
          : typeof exclusiveMaximum === "number" && number >= exclusiveMaximum
            ? `not less than ${exclusiveMaximum}`
            : undefined;
  if (fault === undefined) return [];
  const bounds = [
    ...(typeof minimum === "number" ? [`at least ${minimum}`] : []),
    ...(typeof exclusiveMinimum === "number" ? [`more than ${exclusiveMinimum}`] : []),
    ...(typeof maximum === "number" ? [`at most ${maximum}`] : []),
    ...(typeof exclusiveMaximum === "number" ? [`less than ${exclusiveMaximum}`] : []),
  ];
  return [{ at, number, fault, bounds }];
}

/** Whether a schema doesn't say that it is for values of another kind. */
function isForKind(value: Json, schema: Json): boolean {
  if (!isObject(schema)) return schema !== false;
  const { type } = schema;
  const names: readonly unknown[] = Array.isArray(type) ? type : [type];
  const kind = value === null ? "null" : isList(value) ? "array" : typeof value;
  return (
    type === undefined ||
    names.includes(kind) ||
    (kind === "number" && names.includes("integer")) ||
    // A binding may be of any kind.
    readBinding(value) !== undefined
  );
}

const listIn = (value: unknown): readonly Json[] => (isList(value) ? value : []);
