/** References: what names a resource. */
import { type Static, Type } from "typebox";
import { route, type Route } from "../../http/route.ts";
import { Closed, nonEmpty, Nullable, oneOf } from "../../http/schemas.ts";

export const Name = nonEmpty(256, "1 to 256 characters without control characters.");

const Resource = Type.Object({ type: Name, id: Name });

const Owner = Type.Object({
  ownerType: Type.String({ description: "definition, or a kind of object of the application." }),
  ownerId: Type.String({ description: "Name of the definition, or id of the object." }),
  title: Nullable(Type.String()),
  version: Nullable(
    Type.Integer({ description: "Null for a draft, or an owner without versions." }),
  ),
  state: oneOf(
    ["draft", "published", "archived", "current"],
    "archived: with runs in progress. current: of an owner without versions.",
  ),
  pointer: Type.String({ description: "Where it is in the owner, as a JSON Pointer." }),
  protects: Type.Boolean({
    description: "Whether the resource must not be deleted for its sake: false for drafts.",
  }),
});

export const listReferences: Route = route({
  method: "GET",
  path: "/v1/references/:type/:id",
  scope: "read",
  summary: "List what names a resource",
  description:
    "Returns each place at which a definition or another owner names the resource; first the places that keep it from being deleted.",
  params: Resource,
  response: { 200: Type.Object({ owners: Type.Array(Owner) }) },
  handler: async ({ params: { type, id } }, { declared: { resources } }) => ({
    owners: (await resources.referencesTo(type, id)) as Static<typeof Owner>[],
  }),
});

export const assertNoReferences: Route = route({
  method: "POST",
  path: "/v1/references/:type/:id/assert-none",
  scope: "read",
  summary: "Assert that nothing names a resource",
  description:
    "Fails with 409 and the owners if something names the resource that must not be deleted then. It keeps nothing from being published afterwards: for that, the owner of a table protects it by SQL.",
  params: Resource,
  response: {
    200: Type.Object({
      drafts: Type.Integer({ description: "How many drafts name it, which do not keep it." }),
    }),
  },
  handler: async ({ params: { type, id } }, { declared: { resources } }) => ({
    drafts: await resources.assertUnreferenced(type, id),
  }),
});

export const setReferences: Route = route({
  method: "PUT",
  path: "/v1/reference-owners/:owner_type/:owner_id",
  scope: "admin",
  isAudited: true,
  summary: "Set the references of an object",
  description:
    "Replaces the references of an object of the application, such as a policy, which then keeps the resources that it names from being deleted.",
  params: Type.Object({ owner_type: Name, owner_id: Name }),
  body: Closed({
    title: Type.Optional(Type.String({ maxLength: 1_000, description: "Title in lists." })),
    resources: Type.Array(
      Closed({
        type: Name,
        id: Name,
        pointer: Type.Optional(
          Type.String({
            maxLength: 10_000,
            description: "Where the object names it, as a JSON Pointer.",
          }),
        ),
      }),
      { maxItems: 10_000, description: "An empty array removes all references." },
    ),
  }),
  response: { 200: Type.Object({ changed: Type.Boolean() }) },
  handler: async ({ params, body }, { declared: { resources } }) => ({
    changed: await resources.setReferences({
      ownerType: params.owner_type,
      ownerId: params.owner_id,
      title: body.title,
      resources: body.resources,
    }),
  }),
});
