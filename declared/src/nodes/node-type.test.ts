import { describe, expect, it } from "vitest";
import { checkDocument } from "../check/check-document.ts";
import { programOf } from "../interpreter/program.ts";
import { descriptorsOf } from "./descriptors-of.ts";
import { BUILT_IN, BUILT_IN_CALLS } from "./built-in.ts";
import { BUILT_IN_NODE_TYPES } from "./descriptors/built-in.ts";
import { defineNode } from "./node-type.ts";
import type { StandardSchema } from "./json-schema.ts";

/** A schema as libraries have it: it accepts text with digits, and yields a number. */
const digits = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value: unknown) =>
      typeof value === "string" && /^\d+$/.test(value)
        ? { value: Number(value) }
        : { issues: [{ message: "is not digits" }] },
    jsonSchema: {
      input: ({ target }: { readonly target: string }) => ({
        $schema: `https://json-schema.org/${target}/schema`,
        type: "string",
        title: "Digits",
        widget: "textarea",
      }),
      output: () => ({ type: "number" }),
    },
  },
} satisfies StandardSchema<number>;

const post = {
  type: "slack.post",
  version: 2,
  title: "Post to Slack",
  description: "Posts a message.",
  category: "Messages",
  icon: "chat",
  params: {
    type: "object",
    required: ["channel", "text"],
    additionalProperties: false,
    properties: {
      channel: { $ref: "resource:SlackChannel" },
      text: { type: "string", title: "Text", widget: "textarea", showIf: { mode: "own" } },
    },
  },
  output: { type: "object", properties: { ts: { type: "string" } } },
  secrets: ["slack"],
  effects: "writes",
  timeout: "15s",
  retry: { attempts: 5, backoff: { kind: "fixed", base: "1s" } },
  handles: ["sent", "muted"],
  run: () => {},
  rollback: () => {},
} as const;

describe("the descriptor of a node type", () => {
  it("has everything that editors and the catalog show, as JSON", () => {
    const { id, descriptor } = defineNode(post);
    expect(id).toBe("slack.post@2");
    const { run: _, rollback: __, version: ___, ...rest } = post;
    expect(descriptor).toEqual({ ...rest, type: "slack.post@2", hasRollback: true });
    expect(JSON.parse(JSON.stringify(descriptor))).toEqual(descriptor);
  });

  it("is as short as the definition", () => {
    const { descriptor } = defineNode({ type: "ping", params: true, run: () => {} });
    expect(descriptor).toEqual({
      type: "ping@1",
      title: "ping",
      params: true,
      handles: ["out"],
      effects: "writes",
    });
  });

  it("has the JSON Schema of what a converting schema accepts, and of what its output yields", () => {
    const { descriptor } = defineNode({
      type: "ping",
      params: digits,
      output: digits,
      run: () => {},
    });
    expect(descriptor.params).toEqual({ type: "string", title: "Digits", widget: "textarea" });
    expect(descriptor.output).toEqual({ type: "number" });
  });

  it("is checked when the type is defined: a schema that no editor could show is refused", () => {
    const { jsonSchema: _, ...validating } = digits["~standard"];
    const options = { type: "ping", params: { "~standard": validating } as never, run: () => {} };
    expect(() => defineNode(options)).toThrow(
      'The schema of the parameters of node type "ping" can\'t be converted: give JSON Schema, or a schema of a library with Standard JSON Schema.',
    );
    const refusing = {
      "~standard": {
        ...digits["~standard"],
        jsonSchema: {
          input: () => {
            throw new Error("dates have no JSON Schema");
          },
          output: () => ({}),
        },
      },
    };
    expect(() => defineNode({ type: "ping", params: refusing, run: () => {} })).toThrow(
      'The schema of the parameters of node type "ping" can\'t be converted: dates have no JSON Schema',
    );
  });

  it("needs one handler", () => {
    expect(() => defineNode({ type: "ping", params: true } as never)).toThrow(
      'Node type "ping" must have a handler',
    );
    const both = { type: "ping", params: true, run: () => {}, tx: () => {} } as never;
    expect(() => defineNode(both)).toThrow("either `run`, which may have a `rollback`, or `tx`");
  });

  it("is all that the checker needs", () => {
    const [own, ...others] = descriptorsOf([defineNode(post)]).toReversed();
    expect(others).toHaveLength(BUILT_IN_NODE_TYPES.length);
    const document = {
      format: 1,
      name: "tell",
      nodes: {
        tell: { type: "slack.post@2", params: { channel: "C1", txt: "hello" } },
        late: { type: "delay@1", params: { for: "1m" } },
      },
      edges: [
        { from: "tell", on: "sent", to: "late" },
        { from: "tell", on: "posted", to: "late" },
      ],
    };
    const { problems } = checkDocument(document, {
      nodeType: (type) => (type === own?.type ? own : undefined),
    });
    expect(problems.map(({ code, message }) => [code, message])).toEqual([
      ["MISSING_PARAMETER", expect.stringContaining("text")],
      ["UNKNOWN_PARAMETER", expect.stringContaining("txt")],
      ["UNKNOWN_HANDLE", expect.stringContaining("posted")],
      ["UNUSED_HANDLE", expect.stringContaining("muted")],
    ]);
  });
});

describe("the built-in node types", () => {
  it("have one descriptor each, and a behaviour", () => {
    const types = BUILT_IN_NODE_TYPES.map(({ type }) => type);
    expect(new Set(types).size).toBe(types.length);
    const executed = [...BUILT_IN.keys(), ...BUILT_IN_CALLS.keys()];
    expect(types.toSorted()).toEqual(executed.toSorted());
  });

  it("are JSON with a title and a description for each, and for each parameter a title", () => {
    expect(JSON.parse(JSON.stringify(BUILT_IN_NODE_TYPES))).toEqual(BUILT_IN_NODE_TYPES);
    for (const { type, title, description = "", category, icon, params } of BUILT_IN_NODE_TYPES) {
      expect([type, title.length > 0, description.length > 20]).toEqual([type, true, true]);
      expect([type, typeof category, typeof icon]).toEqual([type, "string", "string"]);
      const { properties = {} } = params as { readonly properties?: Record<string, object> };
      for (const [name, property] of Object.entries(properties)) {
        expect([type, name, "title" in property]).toEqual([type, name, true]);
      }
    }
  });

  it("can be replaced by a worker if they call a handler, and not if the graph executes them", () => {
    const nodes = { a: { type: "set@1", params: 7 } };
    const own = defineNode({ type: "set", params: true, run: () => "never" });
    const program = programOf({ format: 1, name: "own", nodes }, new Map([[own.id, own]]));
    expect(program.uses.get("a")?.behaviour.kind).toBe("pure");
  });
});
