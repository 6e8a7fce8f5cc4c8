import type { Workflow } from "@oxbow/sdk/runtime";

/** A schema that accepts anything and has Standard JSON Schema, in place of one of a library. */
export function convertingSchema(convert: () => unknown): NonNullable<Workflow["input"]> {
  const standard = {
    version: 1 as const,
    vendor: "test",
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input: convert, output: convert },
  };
  return { "~standard": standard };
}
