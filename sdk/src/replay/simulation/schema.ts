import type { StandardSchemaV1 } from "@standard-schema/spec";

/** A Standard Schema of a function, in place of a library. */
export const schemaOf = <Output>(
  validate: (value: unknown) => StandardSchemaV1.Result<Output>,
): StandardSchemaV1<unknown, Output> => ({
  "~standard": { version: 1, vendor: "test", validate },
});
