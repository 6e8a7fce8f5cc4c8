/** Types of resources. */
import { Type } from "typebox";
import { route, type Route } from "../../http/route.ts";
import { about, Closed, Instant, Json, Nullable } from "../../http/schemas.ts";
import { toText } from "../../http/values.ts";
import { Name } from "./references.ts";

const Title = Type.String({ maxLength: 1_000, description: "Title in editors." });

export const listResourceTypes: Route = route({
  method: "GET",
  path: "/v1/resource-types",
  scope: "read",
  summary: "List types of resources",
  description:
    "Returns the types that workers have registered or that are protected, in the order of their names.",
  response: {
    200: Type.Object({
      types: Type.Array(
        Type.Object({
          name: Type.String(),
          title: Nullable(Title),
          schema: about(Json, "JSON Schema of a resource; null for any value."),
          pool: Type.String({ description: "Pool of the workers that know it." }),
          isListed: Type.Boolean({
            description:
              "Whether a worker that lists its resources has reported within 20 minutes.",
          }),
          tableName: Nullable(Type.String({ description: "As its workers name it." })),
          idColumn: Nullable(Type.String({ description: "As its workers name it." })),
          protectedTable: Nullable(
            Type.String({ description: "Empty if the application has dropped it." }),
          ),
          protectedColumn: Nullable(Type.String()),
          registeredAt: Nullable(Instant),
        }),
      ),
    }),
  },
  handler: async (_request, { declared: { resources } }) => ({
    types: await resources.types(),
  }),
});

export const registerResourceTypes: Route = route({
  method: "PUT",
  path: "/v1/worker/resource-types",
  scope: "work",
  summary: "Register types of resources",
  description:
    "Registers the types that a worker knows, so that checkers and editors know their schemas. A worker calls it when it starts and every 5 minutes.",
  body: Closed({
    pool: Name,
    types: Type.Array(
      Closed({
        name: Name,
        title: Type.Optional(Title),
        isListed: Type.Optional(
          Type.Boolean({ description: "Whether the worker lists its resources." }),
        ),
        schema: Type.Optional(about(Json, "A JSON Schema.")),
        table: Type.Optional(
          Closed({ name: Name, id: Name }, { description: "Where the application stores them." }),
        ),
      }),
      { maxItems: 1_000 },
    ),
    replace: Type.Optional(
      Type.Boolean({
        description:
          "Whether to replace what is registered. False replaces it only if no worker has reported it for 20 minutes. Default: true.",
      }),
    ),
  }),
  response: {
    200: Type.Object({
      changed: Type.Integer({ description: "How many types were written." }),
    }),
  },
  handler: async ({ body: { pool, types, replace = true } }, { declared: { resources } }) => ({
    changed: await resources.register({
      pool,
      replace,
      types: types.map(({ name, title, schema, table, isListed = false }) => ({
        name,
        title,
        schema: toText(schema, `the schema of "${name}"`),
        table,
        isListed,
      })),
    }),
  }),
});
