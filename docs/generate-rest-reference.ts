/**
 * Writes `docs/reference/rest.md` from the OpenAPI document of the server. Run it with `make docs`; a test fails while
 * the page is out of date.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseTokens, startServer } from "../server/src/index.ts";
import { exampleOf, type Schema } from "./rest-example.ts";

const PAGE = new URL("reference/rest.md", import.meta.url);

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Content {
  readonly description?: string;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly [string];
  readonly security: readonly { readonly token?: readonly string[] }[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, Content>>;
}

interface Document {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Endpoint {
  readonly method: string;
  /** The second is the same without the name of the workflow. */
  readonly paths: string[];
  readonly operation: Operation;
}

/** The text of the page. */
export async function restReference(): Promise<string> {
  const { tags, paths } = await readDocument();
  const endpoints = endpointsOf(paths);
  const sections = tags.map((tag) => ({
    ...tag,
    endpoints: endpoints.filter(({ operation }) => operation.tags[0] === tag.name),
  }));
  const page = [
    "# REST reference",
    "",
    "<!-- Made by `make docs` from the schemas in server/src/routes: change them there. -->",
    "",
    "[The server](../operate/server.md) serves these endpoints, and describes them at `/openapi.json`. Bodies are JSON, ids are strings, times are ISO 8601. Unknown properties are rejected.",
    "",
    "With `OXBOW_TOKENS`, requests require `Authorization: Bearer <token>`. A token has the scopes `read`, `produce`, `work`, `define`, `publish` or `admin`; `admin` includes the others. Failed requests are answered with [problems](errors.md#http-problems).",
    "",
    ...sections.map(
      (section) =>
        `- [${section.name}](#${section.name.toLowerCase()}): ${section.endpoints.map(linkTo).join(", ")}`,
    ),
    "",
    ...sections.flatMap((section) => [
      `## ${section.name}`,
      "",
      section.description,
      "",
      ...section.endpoints.flatMap((endpoint) => describeEndpoint(endpoint)),
    ]),
  ].join("\n");
  return `${page.trimEnd()}\n`;
}

async function readDocument(): Promise<Document> {
  const server = await startServer({
    // Describing the server takes no database.
    url: "postgres://127.0.0.1/none",
    port: 0,
    host: "127.0.0.1",
    sweepIntervalMs: 0,
    schedules: false,
    deliveries: { senders: 0 },
    tokens: parseTokens("for-the-scopes-of-the-endpoints-only"),
  });
  await server.stop();
  return server.description as Document;
}

const isShort = (path: string | undefined): boolean =>
  path?.startsWith("/v1/runs/{run_id}") === true;

/** Endpoints of one run that do the same have two paths, and are described once. */
function endpointsOf(paths: Document["paths"]): Endpoint[] {
  const found = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      paths: [path],
      operation,
    })),
  );
  const named = found.filter(({ paths: [path] }) => !isShort(path));
  for (const short of found.filter(({ paths: [path] }) => isShort(path))) {
    const longPath = `/v1/workflows/{name}${short.paths[0]?.slice("/v1".length) ?? ""}`;
    const long = named.find(
      ({ method, paths: [path], operation }) =>
        method === short.method &&
        path === longPath &&
        operation.summary === short.operation.summary,
    );
    if (long === undefined) named.push(short);
    else long.paths.push(...short.paths);
  }
  return named;
}

const linkTo = ({ operation }: Endpoint): string =>
  `[${operation.summary}](#${anchorOf(operation.summary)})`;

const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

function describeEndpoint({ method, paths, operation }: Endpoint): string[] {
  const { summary, description, parameters = [], requestBody, responses } = operation;
  const body = Object.values(requestBody?.content ?? {})[0]?.schema;
  const isSaidBySummary = description === `${summary}.`;
  return [
    `### ${summary}`,
    "",
    ...paths.map((path) => `\`${method} ${path}\`  `),
    `${scopeOf(operation)} · \`${operation.operationId}\``,
    "",
    ...(isSaidBySummary ? [] : [escape(description), ""]),
    ...tableOf("Parameters", inOrder(parameters).map(parameterRow)),
    ...(body === undefined ? [] : bodyTables(body)),
    ...describeResponses(responses),
    "```sh",
    exampleRequest(method, paths[0] ?? "", parameters, body),
    "```",
    "",
    ...exampleResponse(responses),
  ];
}

function scopeOf({ security }: Operation): string {
  const [scope] = security.flatMap(({ token = [] }) => token);
  if (scope !== undefined) return `Scope \`${scope}\``;
  return security.length === 0 ? "No token" : "Any token";
}

function tableOf(title: string, rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  return [
    `**${title}**`,
    "",
    "| name | type | |",
    "| --- | --- | --- |",
    ...rows.map((cells) => `| ${cells.join(" | ")} |`),
    "",
  ];
}

const headerName = (name: string): string =>
  name.replaceAll(/\b[a-z]/g, (first) => first.toUpperCase());

function parameterRow({ name, in: place, required = false, schema, description }: Parameter) {
  const shown = place === "path" ? name : place === "query" ? `?${name}` : headerName(name);
  return fieldRow(
    shown,
    { ...schema, ...(description === undefined ? {} : { description }) },
    {
      isRequired: required && place !== "path" && schema.default === undefined,
    },
  );
}

function fieldRow(
  name: string,
  schema: Schema,
  { isRequired }: { readonly isRequired: boolean },
): string[] {
  const description = schema.description ?? schema.anyOf?.[0]?.description ?? "";
  const facts = [
    isRequired ? "Required." : "",
    SAID_BY_TYPE.has(description) ? "" : description,
    schema.default === undefined ? "" : `Default \`${JSON.stringify(schema.default)}\`.`,
    rangeOf(schema),
  ];
  return [`\`${name}\``, typeOf(schema), escape(facts.filter((fact) => fact !== "").join(" "))];
}

const SAID_BY_TYPE = new Set(["Any JSON.", "ISO 8601."]);
/** Ranges that are only those of the database's integers. */
const MOST_INTEGER = 2_147_483_647;

function rangeOf({ type, minimum, maximum, minItems, maxItems }: Schema): string {
  if (type === "array" && maxItems !== undefined) return `${minItems ?? 0} to ${maxItems} items.`;
  if (minimum !== undefined && maximum !== undefined && maximum < MOST_INTEGER) {
    return `${minimum} to ${maximum}.`;
  }
  return minimum === undefined ? "" : `At least ${minimum}.`;
}

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(code).join(" or ");
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(" or ");
  if (schema.type === "array") return `array of ${typeOf(schema.items ?? {})}`;
  if (schema.format === "date-time") return "time";
  return schema.type ?? "any JSON";
}

const code = (value: unknown): string => `\`${JSON.stringify(value)}\``;

function bodyTables(body: Schema): string[] {
  const variants = body.anyOf?.length === 1 ? body.anyOf : [body];
  return variants.flatMap((schema) => tableOf("Body", bodyRows(schema)));
}

function bodyRows(schema: Schema): string[][] {
  const rows = fieldRows(schema, "");
  return rows.length > 0 ? rows : [["", typeOf(schema), escape(schema.description ?? "")]];
}

const DEEPEST = 3;

/** A row for each property, those of nested objects included. */
function fieldRows(schema: Schema, prefix: string, depth = 1): string[][] {
  if (depth > DEEPEST) return [];
  if (schema.anyOf !== undefined) {
    const rows = schema.anyOf.flatMap((variant) => fieldRows(variant, prefix, depth));
    return [...new Map(rows.map((row) => [row[0], row])).values()];
  }
  if (schema.items !== undefined) return fieldRows(schema.items, `${prefix}[]`, depth);
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const path = prefix === "" ? name : `${prefix}.${name}`;
    return [
      fieldRow(path, property, {
        isRequired: required.has(name) && property.default === undefined,
      }),
      ...fieldRows(property, path, depth + 1),
    ];
  });
}

/** Responses that have the same body share a table. */
function describeResponses(responses: Operation["responses"]): string[] {
  const titles = new Map<string, string[]>();
  for (const [status, { description = "", content }] of Object.entries(responses)) {
    if (status.endsWith("XX")) continue;
    const key = JSON.stringify(content ?? null);
    titles.set(key, [...(titles.get(key) ?? []), `${status} ${description}`]);
  }
  return [...titles].flatMap(([key, statuses]) =>
    describeContent(statuses.join(", "), JSON.parse(key) as Content["content"] | null),
  );
}

function describeContent(title: string, content: Content["content"] | null): string[] {
  const [type, found] = Object.entries(content ?? {})[0] ?? [];
  if (type === undefined || found === undefined) return [`**${title}**`, ""];
  if (type !== "application/json") return [`**${title}** \`${type}\``, ""];
  // Responses have all of their required properties.
  const rows = fieldRows(found.schema, "").map((cells) =>
    cells.map((cell) => cell.replace(/^Required\. ?/, "")),
  );
  return tableOf(title, rows);
}

const PLACES = ["path", "query", "header"];

const inOrder = (parameters: readonly Parameter[]): Parameter[] =>
  parameters.toSorted((a, b) => PLACES.indexOf(a.in) - PLACES.indexOf(b.in));

function exampleRequest(
  method: string,
  path: string,
  parameters: readonly Parameter[],
  body: Schema | undefined,
): string {
  const url = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(String(exampleOf({ type: "string" }, name, path))),
  );
  const query = parameters
    .filter(
      (one) => one.in === "query" && one.required === true && one.schema.default === undefined,
    )
    .map((one) => `${one.name}=${String(exampleOf(one.schema, one.name, path))}`);
  const target = `localhost:8080${url}${query.length === 0 ? "" : `?${query.join("&")}`}`;
  const options = [
    ...(method === "GET" || (method === "POST" && body !== undefined) ? [] : [`-X ${method}`]),
    '-H "authorization: Bearer $TOKEN"',
    ...(body === undefined
      ? []
      : [
          "-H 'content-type: application/json'",
          `-d '${JSON.stringify(exampleOf(body, "body", path))}'`,
        ]),
  ];
  return `curl ${target} ${options.join(" \\\n  ")}`;
}

function exampleResponse(responses: Operation["responses"]): string[] {
  const [status = "", response] = Object.entries(responses)[0] ?? [];
  const schema = response?.content?.["application/json"]?.schema;
  if (schema === undefined || !status.startsWith("2") || status === "204") return [];
  return [
    "```json",
    JSON.stringify(exampleOf(schema, "body", "", { isWhole: true }), null, 2),
    "```",
    "",
  ];
}

/** Escapes what Markdown would read, except in code. */
const escape = (text: string): string =>
  text
    .split("`")
    .map((part, index) =>
      index % 2 === 1 ? part : part.replaceAll(/[<*|]/g, (special) => `\\${special}`),
    )
    .join("`");

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(PAGE, await restReference());
}
