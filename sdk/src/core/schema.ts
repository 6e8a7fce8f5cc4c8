import type { StandardSchemaV1 } from "@standard-schema/spec";
import { ValidationFailed, type ValidationIssue } from "./errors.ts";
import { childPath } from "./json-path.ts";

/**
 * Validates a value with a schema (Standard Schema v1: zod, valibot, arktype, …) and returns the schema's result.
 *
 * @param what - The value, as named in errors.
 * @throws ValidationFailed with all issues and their paths
 */
export async function validate<Output>(
  schema: StandardSchemaV1<unknown, Output>,
  value: unknown,
  what: string,
): Promise<Output> {
  const result = await schema["~standard"].validate(value);
  if (result.issues === undefined) return result.value;
  throw new ValidationFailed(what, result.issues.map(toIssue));
}

function toIssue(issue: StandardSchemaV1.Issue): ValidationIssue {
  const keys = (issue.path ?? []).map((part) => (typeof part === "object" ? part.key : part));
  return {
    path: keys.reduce<string>(
      (path, key) => childPath(path, typeof key === "number" ? key : String(key)),
      "$",
    ),
    message: issue.message,
  };
}
