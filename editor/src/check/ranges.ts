/** Numbers that a schema refuses: the checker compares types alone. */
import {
  type Document,
  type Json,
  type JsonObject,
  type JsonSchema,
  type Problem,
  readBinding,
} from "@oxbow/declared/check";
import type { EditorCatalog } from "../catalog/editor-catalog.ts";
import { pointerTo } from "../document/places.ts";
import { propertiesOf } from "../form/schema-facts.ts";

/** Finds numbers in the parameters of steps that are out of the range of their schema. */
export function rangeProblems(document: Document, catalog: EditorCatalog): readonly Problem[] {
  const problems: Problem[] = [];
  const visit = (
    node: string,
    pointer: string,
    value: Json | undefined,
    schema: JsonSchema | undefined,
  ): void => {
    if (value === undefined || value === null || schema === undefined) return;
    const facts = catalog.resolve(schema);
    if (typeof value === "number") {
      const problem = problemOf(value, facts);
      if (problem !== undefined) problems.push({ ...problem, node, pointer });
    } else if (Array.isArray(value)) {
      const items = facts["items"] as JsonSchema | undefined;
      for (const [at, item] of (value as readonly Json[]).entries()) {
        visit(node, pointerTo(pointer, at), item, items);
      }
    } else if (typeof value === "object" && readBinding(value) === undefined) {
      for (const property of propertiesOf(facts) ?? []) {
        const { name, schema: member } = property;
        visit(node, pointerTo(pointer, name), (value as JsonObject)[name], member);
      }
    }
  };
  for (const [id, { type, params }] of Object.entries(document.nodes)) {
    visit(id, `/nodes/${id}/params`, params, catalog.nodeTypes.get(type)?.params);
  }
  return problems;
}

type Found = Pick<Problem, "code" | "severity" | "message" | "hint">;

function problemOf(value: number, facts: JsonObject): Found | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = facts;
  const fault =
    typeof minimum === "number" && value < minimum
      ? `less than ${minimum}`
      : typeof maximum === "number" && value > maximum
        ? `more than ${maximum}`
        : typeof exclusiveMinimum === "number" && value <= exclusiveMinimum
          ? `not more than ${exclusiveMinimum}`
          : typeof exclusiveMaximum === "number" && value >= exclusiveMaximum
            ? `not less than ${exclusiveMaximum}`
            : undefined;
  if (fault === undefined) return undefined;
  const bounds = [
    ...(typeof minimum === "number" ? [`at least ${minimum}`] : []),
    ...(typeof exclusiveMinimum === "number" ? [`more than ${exclusiveMinimum}`] : []),
    ...(typeof maximum === "number" ? [`at most ${maximum}`] : []),
    ...(typeof exclusiveMaximum === "number" ? [`less than ${exclusiveMaximum}`] : []),
  ];
  return {
    code: "OUT_OF_RANGE",
    severity: "error",
    message: `${value} is ${fault}`,
    hint: `Enter a number of ${bounds.join(" and ")}.`,
  };
}
