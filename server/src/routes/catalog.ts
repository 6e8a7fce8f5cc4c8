/** The catalog: what definitions may use, as workers have registered it. */
import { Type } from "typebox";
import { MANY_VALUES_BYTES } from "../http/body-limits.ts";
import { route, type Route } from "../http/route.ts";
import { about, Closed, Instant, Json, Pool, WorkflowName } from "../http/schemas.ts";
import { toRequiredText } from "../http/values.ts";

const RegisteredNodeType = Type.Object({
  pool: Type.String(),
  type: Type.String({ description: "Without the version: slack.post of slack.post@2." }),
  version: Type.Integer(),
  descriptor: about(Json, "Schemas, handles, title and documentation."),
  registeredAt: about(Instant, "When the descriptor was stored or changed."),
  lastSeenAt: about(
    Instant,
    "When a worker that serves it reported it last; up to 15 minutes less than the truth.",
  ),
  isServed: Type.Boolean({
    description: "Whether a worker has reported it within the last hour.",
  }),
});

export const getCatalog: Route = route({
  method: "GET",
  path: "/v1/catalog",
  scope: "read",
  summary: "Get the catalog",
  description:
    "Returns what definitions may use: the node types that workers have registered, the built-in ones included, by pool, type and version. A pool without any has never had a worker that registers. Types that no worker serves any longer remain.",
  querystring: Closed({
    pool: Type.Optional(about(Pool, "Default: all pools.")),
    definition: Type.Optional(
      about(
        WorkflowName,
        "Only those of the pool in which this definition is published. It counts more than pool if the definition was configured with one.",
      ),
    ),
  }),
  response: { 200: Type.Object({ nodeTypes: Type.Array(RegisteredNodeType) }) },
  handler: async ({ query }, { declared: { catalog } }) => ({
    nodeTypes: await catalog.nodeTypes(query),
  }),
});

const Descriptor = Type.Object(
  { type: Type.String({ maxLength: 256, description: "With its version: slack.post@2." }) },
  { additionalProperties: true, description: "Schemas, handles, title and documentation." },
);

export const registerNodeTypes: Route = route({
  method: "PUT",
  path: "/v1/worker/node-types",
  scope: "work",
  bodyLimit: MANY_VALUES_BYTES,
  summary: "Register node types",
  description:
    "Registers the node types that a worker serves. Known types that were seen within 10 minutes are not written. A worker does this when it starts, and every 5 minutes with replace false.",
  body: Closed({
    pool: Pool,
    types: Type.Array(Descriptor, { maxItems: 1_000 }),
    replace: Type.Optional(
      Type.Boolean({ default: true, description: "Replaces stored descriptors." }),
    ),
  }),
  response: {
    200: Type.Object({ written: Type.Integer({ description: "How many types were written." }) }),
  },
  handler: async ({ body: { pool, types, replace = true } }, { declared }) => ({
    written: await declared.catalog.registerNodeTypes({
      pool,
      types: toRequiredText(types, "types"),
      replace,
    }),
  }),
});
