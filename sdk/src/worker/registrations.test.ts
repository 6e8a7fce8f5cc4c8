import { expect, it, vi } from "vitest";
import type { Workflow } from "../definition/workflow.ts";
import { defineWorkflow } from "../definition/define-workflow.ts";
import { registrationsOf } from "./registrations.ts";

/** A workflow whose schema converts itself by a function, unless that is undefined. */
const withSchema = (
  input: ((options: { target: string }) => unknown) | undefined,
  expose?: boolean | { readonly description?: string },
): Workflow =>
  defineWorkflow({
    name: "order",
    version: 2,
    ...(expose === undefined ? {} : { expose }),
    input: {
      "~standard": {
        version: 1,
        vendor: "test",
        validate: (value: unknown) => ({ value }),
        ...(input === undefined ? {} : { jsonSchema: { input } }),
      },
    },
    run: () => null,
  });

const convert = (workflow: Workflow) => {
  const onTrouble = vi.fn<(error: unknown) => void>();
  const [registration] = registrationsOf([workflow], onTrouble);
  const troubles = onTrouble.mock.calls.map(([error]) => (error as Error).message);
  return { registration, troubles };
};

it("a workflow is registered with the defaults of its runs and the JSON Schema of its input", () => {
  const schema = { type: "object", properties: { qty: { type: "integer" } }, required: ["qty"] };
  const asked = vi.fn<(options: { target: string }) => unknown>(() => ({
    ...schema,
    // No JSON, as annotations may be.
    parse: () => schema,
  }));
  expect(convert(withSchema(asked))).toEqual({
    registration: {
      name: "order",
      version: 2,
      retentionDays: undefined,
      deadlineMs: undefined,
      onFailure: undefined,
      inputSchema: schema,
    },
    troubles: [],
  });
  expect(asked).toHaveBeenCalledExactlyOnceWith({ target: "draft-2020-12" });
});

it("a workflow without a schema, or with one that its library doesn't convert, is registered without one", () => {
  const without = defineWorkflow({ name: "order", run: () => null }) as Workflow;
  for (const workflow of [without, withSchema(undefined)]) {
    const { registration, troubles } = convert(workflow);
    expect(registration?.inputSchema).toBeUndefined();
    expect(troubles).toEqual([]);
  }
});

it("the schema of a workflow that is exposed is marked, with its description", () => {
  const schemaOf = (expose: Parameters<typeof withSchema>[1]): unknown =>
    convert(withSchema(() => ({ type: "object" }), expose)).registration?.inputSchema;
  expect(schemaOf(true)).toEqual({ type: "object", "x-oxbow-tool": {} });
  expect(schemaOf({ description: "Ships an order." })).toEqual({
    type: "object",
    "x-oxbow-tool": { description: "Ships an order." },
  });
  expect(schemaOf(false)).toEqual({ type: "object" });
});

it("a workflow that is exposed, and whose library doesn't convert its schema, is reported", () => {
  const { registration, troubles } = convert(withSchema(undefined, true));
  expect(registration?.inputSchema).toBeUndefined();
  expect(troubles).toEqual([expect.stringMatching(/take JSON, and it is no tool, because/)]);
});

const WHO = 'Forms for starts of workflow "order" version 2 take JSON';

it.each([
  {
    what: "can't be converted",
    to: () => {
      throw new Error("Date cannot be represented in JSON Schema");
    },
    reason: "Date cannot be represented in JSON Schema",
  },
  {
    what: "is too large",
    to: () => ({ description: "é".repeat(40_000) }),
    reason: "as JSON Schema it has 80018 bytes, and at most 65536 are registered",
  },
  { what: "is no object", to: () => true, reason: "something other than an object" },
  { what: "is a function", to: () => circular, reason: "something other than an object" },
  { what: "has no end", to: circular, reason: "circular" },
])("a schema that $what is left out, which is reported", ({ to, reason }) => {
  const { registration, troubles } = convert(withSchema(to));
  expect(registration).toMatchObject({ name: "order", version: 2, inputSchema: undefined });
  expect(troubles).toEqual([expect.stringContaining(WHO)]);
  expect(troubles).toEqual([expect.stringContaining(reason)]);
});

it("a schema of exactly 64 KiB is registered", () => {
  const description = "x".repeat(65_536 - '{"description":""}'.length);
  const { registration, troubles } = convert(withSchema(() => ({ description })));
  expect(registration?.inputSchema).toEqual({ description });
  expect(troubles).toEqual([]);
});

function circular(): unknown {
  const schema: Record<string, unknown> = { type: "object" };
  schema["properties"] = { itself: schema };
  return schema;
}
