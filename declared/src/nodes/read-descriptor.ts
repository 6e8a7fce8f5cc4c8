import type { JsonSchema } from "../document/document.ts";
import { isObject, type JsonObject } from "../document/json.ts";
import type { NodeDescriptor } from "./descriptor.ts";

const EFFECTS = ["none", "reads", "writes"] as const;
const FLAGS = [
  "isPure",
  "waits",
  "isCall",
  "takesSecrets",
  "isTransaction",
  "hasRollback",
] as const;
const TEXTS = ["description", "category", "icon", "handlesFrom"] as const;

/**
 * Reads a descriptor that a worker has registered. Workers of another release, or in another language, may have made it, so
 * members that aren't what they should be are left out.
 *
 * @returns Undefined without a type or a schema of parameters.
 */
export function readDescriptor(value: unknown): NodeDescriptor | undefined {
  if (!isObject(value)) return undefined;
  const { type, params, title, handles, effects, secrets, output, timeout, retry } =
    value as JsonObject;
  if (typeof type !== "string" || !isObject(params)) return undefined;
  return {
    type,
    title: typeof title === "string" ? title : type,
    params: params as JsonSchema,
    handles: isTexts(handles) ? handles : ["out"],
    effects: EFFECTS.find((each) => each === effects) ?? "writes",
    ...(output === undefined ? {} : { output }),
    ...(isTexts(secrets) ? { secrets } : {}),
    ...(typeof timeout === "string" || typeof timeout === "number" ? { timeout } : {}),
    ...(isObject(retry) ? { retry } : {}),
    ...Object.fromEntries(
      FLAGS.flatMap((name) => (typeof value[name] === "boolean" ? [[name, value[name]]] : [])),
    ),
    ...Object.fromEntries(
      TEXTS.flatMap((name) => (typeof value[name] === "string" ? [[name, value[name]]] : [])),
    ),
  };
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");
