/** Values of the environment that definitions name. */
import { Type } from "typebox";
import { route, type Route } from "../../http/route.ts";
import { Closed, Instant, Json, nonEmpty } from "../../http/schemas.ts";
import { toRequiredText } from "../../http/values.ts";

const Named = Type.Object({
  name: nonEmpty(256, "As documents use it."),
});
const Value = Type.Object({
  name: Type.String(),
  value: Json,
  changedAt: Instant,
  changedBy: Type.String({ description: "Actor that set it." }),
});

export const listConfig: Route = route({
  method: "GET",
  path: "/v1/config",
  scope: "read",
  summary: "List the values of the environment",
  description: "Returns the values that definitions may name, in the order of their names.",
  response: { 200: Type.Object({ values: Type.Array(Value) }) },
  handler: async (_request, { declared: { definitions } }) => ({
    values: await definitions.config(),
  }),
});

export const setConfig: Route = route({
  method: "PUT",
  path: "/v1/config/:name",
  scope: "admin",
  isAudited: true,
  summary: "Set a value of the environment",
  description:
    "Runs that start after the commit have it; runs in progress keep the value with which they began. It is no secret: tokens with the scope read see it.",
  params: Named,
  body: Closed({ value: Json }),
  response: { 200: Type.Object({ changed: Type.Boolean() }) },
  handler: async ({ params: { name }, body }, { declared: { definitions } }) => ({
    changed: await definitions.setConfig(name, toRequiredText(body.value, "value")),
  }),
});

export const deleteConfig: Route = route({
  method: "DELETE",
  path: "/v1/config/:name",
  scope: "admin",
  isAudited: true,
  summary: "Delete a value of the environment",
  description: "It is refused while a published version names it.",
  params: Named,
  response: { 200: Type.Object({ deleted: Type.Boolean() }) },
  handler: async ({ params: { name } }, { declared: { definitions } }) => ({
    deleted: await definitions.deleteConfig(name),
  }),
});

export const readConfig: Route = route({
  method: "POST",
  path: "/v1/worker/config",
  scope: "work",
  summary: "Read the values of the environment",
  description: "Returns the values that definitions name, for workers that run them.",
  body: Closed({
    names: Type.Optional(
      Type.Array(Type.String({ maxLength: 256 }), {
        maxItems: 1_000,
        description: "Only these. Default: all.",
      }),
    ),
  }),
  response: { 200: Type.Object({ values: Type.Array(Value) }) },
  handler: async ({ body: { names } }, { declared: { definitions } }) => ({
    values: await definitions.servedConfig(names),
  }),
});
