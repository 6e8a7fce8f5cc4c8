/** Values so deep that recursion over them overflows the stack, wherever a request may have any JSON. */
import { createDefinitions } from "@oxbow/declared";
import { beforeAll, expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { documentOf } from "../helpers/definitions.ts";
import { eventually } from "../helpers/eventually.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";

interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly pattern?: string;
  readonly format?: string;
}

const MARK = "the deep value";
/** Revision of the draft. */
const IF_FIRST = { "if-match": '"1"' };
const deep = (levels: number): string => `${'{"a":['.repeat(levels)}${"]}".repeat(levels)}`;

/** The smallest value of a schema. */
function sample(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const [first] = schema.anyOf ?? [];
  if (first !== undefined) return sample(first);
  switch (schema.type ?? "") {
    case "object":
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, sample(schema.properties?.[name] ?? {})]),
      );
    case "array":
      return Array.from({ length: schema.minItems ?? 0 }, () => sample(schema.items ?? {}));
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return false;
    case "string":
      if (schema.format === "date-time") return "2026-05-01T12:00:00Z";
      return schema.pattern?.includes("0-9]{") === true ? "1" : "known";
    default:
      return null;
  }
}

/** With the target of a subscription, which is optional, since it has other names as well. */
const sampleObject = (schema: Schema): object => ({
  ...(sample(schema) as object),
  ...(schema.properties?.["target"] === undefined ? {} : { target: "known" }),
});

/** Values of a schema with a mark at each place that takes any JSON. */
function marked(schema: Schema): unknown[] {
  const { anyOf, properties = {}, patternProperties = {}, additionalProperties, items } = schema;
  if (anyOf !== undefined) return anyOf.flatMap(marked);
  if (schema.type === "array") return marked(items ?? {}).map((item) => [item]);
  if (schema.type === "object") {
    const others = [
      ...Object.values(patternProperties),
      ...(typeof additionalProperties === "object" ? [additionalProperties] : []),
    ];
    return [
      ...Object.entries(properties),
      ...others.map((other): [string, Schema] => ["known", other]),
    ].flatMap(([name, member]) =>
      marked(member).map((value) => ({ ...sampleObject(schema), [name]: value })),
    );
  }
  return schema.type === undefined && schema.const === undefined && schema.enum === undefined
    ? [MARK]
    : [];
}

interface Operation {
  readonly requestBody?: { readonly content?: Readonly<Record<string, { schema?: Schema }>> };
}

let server: TestServer;
let requests: readonly { readonly method: string; readonly path: string; readonly body: string }[];

beforeAll(async () => {
  const database = await createDatabase();
  server = await startTestServer(database);
  const ask = { type: "approve@1", params: { title: "Known?", form: { type: "object" } } };
  for (const [path, body] of [
    ["/v1/queues", { name: "known" }],
    [
      "/v1/definitions",
      { name: "known", document: { ...documentOf("known"), nodes: { known: ask } } },
    ],
    ["/v1/definitions/known/publish", {}],
    ["/v1/definitions/known/runs", {}],
  ] as const) {
    const { status } = await server.request("POST", path, { body, headers: IF_FIRST });
    if (status >= 300) throw new Error(`${path} answered ${status}.`);
  }
  const worker = createDefinitions().serve({ url: database.url, logger: false });
  await eventually(
    async () => (await server.get("/v1/approvals")).body.approvals as readonly { id: string }[],
    ([approval]) => approval?.id === "1",
  );
  await worker.stop();
  const { body } = await server.get("/openapi.json");
  requests = Object.entries(body.paths as Record<string, Record<string, Operation>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).flatMap(([method, { requestBody }]) =>
        marked(requestBody?.content?.["application/json"]?.schema ?? { const: 0 }).map((value) => ({
          method: method.toUpperCase(),
          path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
            /id$/i.test(name) ? "1" : "known",
          ),
          body: JSON.stringify(value),
        })),
      ),
  );
});

it("a value that is nested too deeply is refused wherever a body takes any JSON", async () => {
  expect(requests.length).toBeGreaterThan(20);
  const failed: unknown[] = [];
  for (const { method, path, body } of requests) {
    const response = await fetch(server.url + path, {
      method,
      headers: { "content-type": "application/json", ...IF_FIRST },
      // Decisions of approvals have at most 128 KiB.
      body: body.replace(`"${MARK}"`, deep(path.startsWith("/v1/approvals/") ? 8_000 : 50_000)),
    });
    const answer = (await response.text()).slice(0, 300);
    const isRefused = response.status < 500 && answer.includes("nested more than 1000 levels");
    if (!isRefused) failed.push({ method, path, body, answer });
  }
  expect(failed).toEqual([]);
});
