/** Definitions for workers that run them. */
import { Type } from "typebox";
import { ONE_VALUE_BYTES } from "../../http/body-limits.ts";
import { route, type Route } from "../../http/route.ts";
import { Closed, Id, Json, Version, WorkflowName } from "../../http/schemas.ts";

export const readDefinitionEpoch: Route = route({
  method: "GET",
  path: "/v1/worker/definitions",
  scope: "work",
  summary: "Read the epoch of definitions",
  description:
    "Returns a counter that rises with each change of what is published, paused, archived or configured, and whether the database is a sandbox, in which nodes send no requests.",
  response: { 200: Type.Object({ epoch: Type.String(), isSandbox: Type.Boolean() }) },
  handler: async (_request, { declared: { definitions } }) => ({
    epoch: await definitions.epoch(),
    isSandbox: await definitions.isSandbox(),
  }),
});

export const captureRequest: Route = route({
  method: "POST",
  path: "/v1/worker/captures",
  scope: "work",
  bodyLimit: ONE_VALUE_BYTES,
  summary: "List a request that a sandbox did not send",
  description:
    "Lists it among captured deliveries, once for its key. Does nothing if the database is no sandbox.",
  body: Closed({
    runId: Id,
    key: Type.String({ maxLength: 2_048, description: "Its idempotency key." }),
    method: Type.String({ maxLength: 16 }),
    url: Type.String(),
    headers: Type.Record(Type.String(), Type.String()),
    body: Type.Optional(Json),
  }),
  response: { 200: Type.Object({ captured: Type.Boolean() }) },
  handler: async ({ body }, { declared: { definitions } }) => ({
    captured: await definitions.captureRequest(body),
  }),
});

export const readServedDocuments: Route = route({
  method: "POST",
  path: "/v1/worker/definitions",
  scope: "work",
  summary: "Read documents of versions",
  description: "Returns the documents of existing versions, in the order of the request.",
  body: Closed({
    versions: Type.Array(Closed({ name: WorkflowName, version: Version }), {
      maxItems: 100,
    }),
  }),
  response: {
    200: Type.Object({
      documents: Type.Array(
        Type.Object({
          name: Type.String(),
          version: Type.Integer(),
          document: Json,
          test: Type.Optional(Json),
        }),
      ),
    }),
  },
  handler: async ({ body: { versions } }, { declared: { definitions } }) => ({
    documents: (await definitions.servedDocuments(versions)).map(
      ({ name, version, document, test }) => ({ name, version, document, test: test ?? null }),
    ),
  }),
});
