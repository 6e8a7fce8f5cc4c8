import type { StandardSchemaV1 } from "@standard-schema/spec";
import { expect, it } from "vitest";
import { ValidationFailed } from "./errors.ts";
import { validate } from "./schema.ts";

const schemaOf = (check: StandardSchemaV1.Props["validate"]): StandardSchemaV1 => ({
  "~standard": { version: 1, vendor: "test", validate: check },
});

it("a value becomes what its schema makes of it, now or later", async () => {
  expect(
    await validate(
      schemaOf(() => ({ value: 1 })),
      "x",
      "input",
    ),
  ).toBe(1);
  expect(
    await validate(
      schemaOf(() => ({ value: 2 })),
      "x",
      "input",
    ),
  ).toBe(2);
});

it("a value that does not pass is refused with all issues and their paths", async () => {
  const schema = schemaOf(() => ({
    issues: [
      { message: "too short", path: ["users", 0, { key: "name" }] },
      { message: "unknown key", path: ["odd key", Symbol("s")] },
      { message: "wrong as a whole" },
    ],
  }));
  const failed = validate(schema, {}, "input of workflow");
  await expect(failed).rejects.toBeInstanceOf(ValidationFailed);
  await expect(failed).rejects.toMatchObject({
    message:
      'Invalid input of workflow: $.users[0].name: too short; $["odd key"]["Symbol(s)"]: unknown key; $: wrong as a whole',
    issues: [{ path: "$.users[0].name", message: "too short" }, {}, { path: "$" }],
  });
});
