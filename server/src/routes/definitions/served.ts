/** Documents for workers that run definitions. */
import { Type } from "typebox";
import { route, type Route } from "../../http/route.ts";
import { closed, Json, Version, WorkflowName } from "../../http/schemas.ts";

const Pool = Type.String({ minLength: 1, maxLength: 256, description: "Default: default." });

export const listServedDefinitions: Route = route({
  operationId: "listServedDefinitions",
  method: "GET",
  path: "/v1/worker/definitions",
  scope: "work",
  schema: {
    summary: "List the versions that a pool must know",
    description:
      "Returns what is published, and archived versions with runs in progress. The epoch rises with each change of what is published, paused or archived.",
    querystring: Type.Object({ pool: Type.Optional(Pool) }, closed),
    response: {
      200: Type.Object({
        epoch: Type.String(),
        versions: Type.Array(
          Type.Object({ name: Type.String(), version: Type.Integer(), hash: Type.String() }),
        ),
      }),
    },
  },
  handler: async ({ query }, _reply, { transport: { definitions } }) => {
    // In this order, so that a change between the two is seen again.
    const epoch = await definitions.epoch();
    return { epoch, versions: await definitions.served(query.pool ?? "default") };
  },
});

export const readServedDocuments: Route = route({
  operationId: "readServedDocuments",
  method: "POST",
  path: "/v1/worker/definitions",
  scope: "work",
  schema: {
    summary: "Read documents of versions",
    description: "Returns those that exist, in the order of the request.",
    body: Type.Object(
      {
        versions: Type.Array(Type.Object({ name: WorkflowName, version: Version }, closed), {
          maxItems: 100,
        }),
      },
      closed,
    ),
    response: {
      200: Type.Object({
        documents: Type.Array(
          Type.Object({
            name: Type.String(),
            version: Type.Integer(),
            hash: Type.String(),
            document: Json,
          }),
        ),
      }),
    },
  },
  handler: async ({ body: { versions } }, _reply, { transport: { definitions } }) => ({
    documents: (await definitions.servedDocuments(versions)).map(
      ({ name, version, hash, document }) => ({ name, version, hash, document }),
    ),
  }),
});
