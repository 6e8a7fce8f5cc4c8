/** The rules that linters of OpenAPI (Redocly and Spectral, recommended sets) apply to the document. */
import { parseTokens, startServer } from "@oxbow/server";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { secretOf } from "../helpers/server.ts";

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: object;
}

interface Operation {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<
    Record<string, { readonly content?: Record<string, { readonly schema?: object }> }>
  >;
}

interface Document {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly object[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly components: { readonly schemas: { readonly Problem: object } };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

async function describeServer(tokens: string): Promise<Document> {
  const server = await startServer({
    url: "postgres://localhost/none",
    port: 0,
    host: "127.0.0.1",
    sweepIntervalMs: 0,
    schedules: false,
    deliveries: { senders: 0 },
    tokens: parseTokens(tokens),
  });
  await server.stop();
  return server.description as Document;
}

const document = await describeServer(secretOf("all"));
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, is]) => ({ path, method, is })),
);

/** Names of operations of which something isn't so. */
const those = (isWrong: (is: Operation, path: string) => boolean): string[] =>
  operations
    .filter(({ is, path }) => isWrong(is, path))
    .map(({ method, path }) => `${method} ${path}`);

describe("the OpenAPI document", () => {
  it("names each operation once, with a summary", () => {
    expect(operations.length).toBeGreaterThan(70);
    expect(those(({ operationId }) => !/^[a-z][A-Za-z]+$/.test(operationId ?? ""))).toEqual([]);
    const ids = operations.map(({ is }) => is.operationId);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    const tags = new Set(document.tags.map(({ name }) => name));
    expect(those(({ tags: own = [] }) => own.length !== 1 || !tags.has(own[0] ?? ""))).toEqual([]);
    const used = new Set(operations.flatMap(({ is }) => is.tags ?? []));
    expect(used).toEqual(tags);
    expect(those(({ summary = "" }) => summary === "")).toEqual([]);
    expect(those(({ description = "" }) => description === "")).toEqual([]);
    expect(document.servers).not.toEqual([]);
  });

  it("lists the parameters of each path, and no others", () => {
    expect(
      those(({ parameters = [] }, path) => {
        const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
        const said = parameters.filter((one) => one.in === "path");
        return (
          said.some(({ required }) => required !== true) ||
          said.length !== named.length ||
          said.some(({ name }) => !named.includes(name))
        );
      }),
    ).toEqual([]);
  });

  it("lists the answers of each operation, including problems", () => {
    expect(
      those(({ responses }) => !Object.keys(responses).some((key) => key.startsWith("2"))),
    ).toEqual([]);
    expect(
      those(
        ({ responses }) =>
          "default" in responses ||
          responses["4XX"]?.content?.["application/problem+json"] === undefined,
      ),
    ).toEqual([]);
  });

  it("states which operations need a token", async () => {
    expect(document.security).toEqual([{ token: [] }]);
    expect(those(({ security }) => security?.length === 0)).toEqual([
      "get /healthz",
      "get /readyz",
      "get /v1/sign-in",
      "post /v1/hooks/{hook_id}",
    ]);
    expect((await describeServer("")).security).toEqual([{}, { token: [] }]);
  });

  it("has schemas that are JSON Schema", () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema(document.components.schemas.Problem, "#/components/schemas/Problem");
    const isBad = (schema: object | undefined): boolean =>
      schema !== undefined && !("$ref" in schema) && ajv.validateSchema(schema) !== true;
    expect(
      those(
        ({ parameters = [], responses }) =>
          parameters.some(({ schema }) => isBad(schema)) ||
          Object.values(responses).some(({ content = {} }) =>
            Object.values(content).some(({ schema }) => isBad(schema)),
          ),
      ),
    ).toEqual([]);
  });
});
