/** Trigger types, as workers have declared them. */
import { Type } from "typebox";
import { route, type Route } from "../../http/route.ts";
import { about, Closed, Instant, Json, WorkflowName } from "../../http/schemas.ts";
import { Pool } from "./shapes.ts";

export const listTriggerTypes: Route = route({
  method: "GET",
  path: "/v1/trigger-types",
  scope: "read",
  summary: "List trigger types",
  description:
    "Returns the trigger types that workers have declared, by pool and name. A name that no type of the pool has stands for a topic.",
  querystring: Closed({
    pool: Type.Optional(about(Pool, "Default: all pools.")),
    definition: Type.Optional(
      about(
        WorkflowName,
        "Only those of the pool in which this definition is published. It counts more than pool if the definition was configured with one.",
      ),
    ),
  }),
  response: {
    200: Type.Object({
      types: Type.Array(
        Type.Object({
          pool: Type.String(),
          name: Type.String({ description: "Name by which triggers refer to it." }),
          topic: Type.String({ description: "Pattern of the topics of its events." }),
          loaded: Type.Array(Type.String(), {
            description: "Members of the event that workers load: topics can't filter by them.",
          }),
          eventSchema: about(
            Json,
            "JSON Schema of the event with what is loaded; null for any event.",
          ),
          declaredAt: about(Instant, "When a worker declared it last with another content."),
        }),
      ),
    }),
  },
  handler: async ({ query }, { declared: { triggers } }) => ({
    types: await triggers.types(query),
  }),
});
