/** Schemas of parameters that several node types have. */
import type { JsonSchema } from "../../document/document.ts";
import type { JsonObject } from "../../document/json.ts";

/** Annotations for forms and documentation. */
type Annotations = JsonObject;

/** Schema of an object whose members are all known. */
export function object(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonObject {
  return { type: "object", properties, required, additionalProperties: false };
}

export const text = (annotations: Annotations): JsonObject => ({ type: "string", ...annotations });

export const whole = (annotations: Annotations): JsonObject => ({
  type: "integer",
  ...annotations,
});

export const flag = (annotations: Annotations): JsonObject => ({
  type: "boolean",
  default: false,
  ...annotations,
});

export const oneOf = (values: readonly string[], annotations: Annotations): JsonObject => ({
  enum: values,
  ...annotations,
});

/** Milliseconds, or text like "5m". */
export const duration = (annotations: Annotations): JsonObject => ({
  type: ["string", "number"],
  widget: "duration",
  ...annotations,
});

/** A condition in CEL, written as text. */
export const guard = (annotations: Annotations): JsonObject => ({
  type: "string",
  widget: "expression",
  ...annotations,
});

/** Any value. */
export const any = (annotations: Annotations): JsonObject => ({ ...annotations });

/** A member that is read as it is written. */
export const LITERAL = { bindable: false } as const;

/** A member that is evaluated at the end of each iteration of a loop. */
export const IN_BODY = { scope: "body" } as const;
