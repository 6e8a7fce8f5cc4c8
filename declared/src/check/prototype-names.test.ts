/** Names that every object has a member of, such as "constructor", are like any others. */
import { expect, it } from "vitest";
import { diffDocuments } from "../document/document-diff.ts";
import type { Document, JsonSchema } from "../document/document.ts";
import type { Json } from "../document/json.ts";
import { OpenedSecrets } from "../nodes/secrets.ts";
import { reader } from "../nodes/parameters.ts";
import { inputOfEvent } from "../triggers/event-input.ts";
import { issueWithSchema } from "../types/conformance.ts";
import { sampleOf } from "../types/sample.ts";
import { checkDocument } from "./check-document.ts";
import type { Catalog } from "./catalog.ts";

const NAMES = ["constructor", "__proto__", "toString", "hasOwnProperty"];

/** A name of the same form, and as long, since problems have ranges. */
const unusual = (name: string): string => name.replaceAll(/[a-z]/g, "z").replaceAll(/[A-Z]/g, "Z");

/** What a function makes of JSON with a name in it, with another name in its place. */
function withName(name: string, json: unknown, use: (value: Json) => unknown): unknown {
  const value = JSON.parse(JSON.stringify(json).replaceAll("NAME", name)) as Json;
  let made: unknown;
  try {
    made = use(value);
  } catch (error) {
    made = String(error);
  }
  return JSON.stringify(made, (_, each: unknown) =>
    typeof each === "string" ? each.replaceAll(name, "NAME") : each,
  );
}

const catalog: Catalog = {
  nodeType: (type) =>
    type === "typed@1"
      ? {
          type,
          params: {
            type: "object",
            properties: { a: { type: "string" } },
            additionalProperties: false,
          },
        }
      : undefined,
  config: (name) => (name === "known" ? {} : undefined),
  resourceType: (name) => (name === "Known" ? {} : undefined),
  hasSecret: (name) => name === "known",
};

const document = {
  format: 1,
  name: "names",
  input: { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
  nodes: {
    a: { type: "typed@1", params: { NAME: 1 } },
    b: { type: "set@1", params: { x: { $config: "NAME" }, y: { $path: "input.NAME" } } },
    c: { type: "set@1", params: { x: { $cel: "has(input.NAME) || config.NAME == 1" } } },
    d: { type: "set@1", params: { x: { $resource: { type: "NAME", id: "NAME" } } } },
    e: { type: "set@1", params: { x: { $cel: "resource('NAME', 'NAME').NAME" } } },
    f: { type: "set@1", params: { x: { $cel: "NAME(input) == input.NAME()" } } },
    g: {
      type: "http.request@1",
      params: { auth: { bearer: { $secret: "NAME" } }, url: "https://a.b" },
    },
    h: { type: "set@1", params: { x: { $cel: "nodes.a.output.NAME" }, NAME: 1 } },
    i: {
      type: "set@1",
      params: { x: { $path: "nodes.NAME.output" } },
      when: "nodes.NAME.output == 1",
    },
  },
  edges: [{ from: "a", to: "b" }],
  triggers: { t: { on: "NAME", when: "event.NAME == 1", once_for: ["event.NAME"] } },
};

it.each(NAMES)("%s is checked and compared as others are", (name) => {
  const check = (value: Json) => checkDocument(value, catalog).problems;
  expect(withName(name, document, check)).toEqual(withName(unusual(name), document, check));
  const unknown = {
    ...document,
    edges: [
      { from: "NAME", to: "b" },
      { from: "a", to: "NAME", on: "NAME" },
    ],
  };
  expect(withName(name, unknown, check)).toEqual(withName(unusual(name), unknown, check));
  const diff = (value: Json) =>
    diffDocuments(
      { ...document, nodes: {} } as unknown as Document,
      value as unknown as Document,
    ).toSorted((a, b) => a.pointer.length - b.pointer.length);
  const other = { ...document, NAME: 1, nodes: { NAME: { type: "NAME@1" } } };
  expect(withName(name, other, diff)).toEqual(withName(unusual(name), other, diff));
});

it.each(NAMES)("%s is read, compared with schemas and evaluated as others are", (name) => {
  const cases: readonly [unknown, (value: Json) => unknown][] = [
    [{ $path: "input.NAME" }, (value) => reader(value)({ input: {} })],
    [{ $path: "NAME.a" }, (value) => reader(value)({ input: {} })],
    [{ $path: "input.NAME", default: 1 }, (value) => reader(value)({ input: {} })],
    [{ $config: "NAME" }, (value) => reader(value)({ config: {} })],
    [{ $cel: "has(input.NAME)" }, (value) => reader(value)({ input: {} })],
    [{ $cel: "'NAME' in input" }, (value) => reader(value)({ input: {} })],
    [{ $cel: "input.NAME" }, (value) => reader(value)({ input: {} })],
    [{ $cel: "NAME" }, (value) => reader(value)({ input: {} })],
    [{ type: "object", required: ["NAME"] }, (value) => issueWithSchema({}, value as JsonSchema)],
    [{ $from: "params.NAME" }, (value) => sampleOf(value, {})],
    [{ $ref: "#/NAME" }, (value) => sampleOf(value, {})],
    [
      { triggers: { t: { on: "NAME", input: { $path: "event.a" } } } },
      (value) =>
        inputOfEvent(value as object as Readonly<Record<string, unknown>>, {
          eventId: "1",
          topic: name,
          message: { a: 1 },
          loaded: {},
          triggers: [],
        }),
    ],
  ];
  for (const [value, use] of cases) {
    const neutral = JSON.stringify(value);
    expect([neutral, withName(name, value, use)]).toEqual([
      neutral,
      withName(unusual(name), value, use),
    ]);
  }
});

it("a secret whose name an object inherits is missing", async () => {
  const values: Readonly<Record<string, string>> = { known: "a secret value" };
  const secrets = new OpenedSecrets({ get: (name) => values[name] }, new Set(["known", ...NAMES]));
  expect(await secrets.open("known")).toBe("a secret value");
  for (const name of NAMES) {
    await expect(secrets.open(name)).rejects.toMatchObject({ code: "SECRET_MISSING" });
  }
});
