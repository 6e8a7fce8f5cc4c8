/** Versions of workflows that workers serve and register. */
import { Type } from "typebox";
import { MANY_VALUES_BYTES } from "../../http/body-limits.ts";
import { route, type Route } from "../../http/route.ts";
import { Closed, Positive, WorkflowName } from "../../http/schemas.ts";

export const Versions = Type.Record(
  Type.String({ pattern: "^@?[a-z0-9][a-z0-9_-]{0,42}$" }),
  Type.Array(Positive, { minItems: 1, maxItems: 100 }),
  {
    description:
      "Workflows that the worker serves, with their versions. A name that begins with @ is a pool, whose version is 1; version 2 of a pool are the runs that a worker has given back because it can't execute them.",
    minProperties: 1,
    additionalProperties: false,
  },
);

export const registerVersions: Route = route({
  method: "PUT",
  path: "/v1/worker/versions",
  scope: "work",
  bodyLimit: MANY_VALUES_BYTES,
  summary: "Register versions of workflows",
  description:
    "Registers the versions that a worker serves, with the defaults of their runs. Starts without a version use the latest.",
  body: Closed({
    versions: Type.Array(
      Closed({
        name: WorkflowName,
        version: Positive,
        retentionDays: Type.Optional(Type.Integer({ minimum: 0, maximum: 36_500 })),
        deadlineMs: Type.Optional(Type.Number({ minimum: 1 })),
        onFailure: Type.Optional(WorkflowName),
        inputSchema: Type.Optional(
          Type.Record(Type.String(), Type.Unknown(), {
            description:
              "JSON Schema of the input, at most 65,536 bytes, from which forms are made. Default: the one that is registered.",
          }),
        ),
      }),
      { minItems: 1, maxItems: 1_000 },
    ),
  }),
  response: {
    200: Type.Object({
      changed: Type.Integer({ description: "How many versions are new or have changed." }),
    }),
  },
  handler: async ({ body }, { transport }) => ({
    changed: await transport.workflows.register(body.versions),
  }),
});
