/** Definitions: workflows as data. */
import { Type } from "typebox";
import { actorOf } from "../../http/actor.ts";
import { MANY_VALUES_BYTES, ONE_VALUE_BYTES } from "../../http/body-limits.ts";
import { forbidden } from "../../http/problems.ts";
import { route, type Route } from "../../http/route.ts";
import { Closed, Nullable, oneOf, Reason, WorkflowName } from "../../http/schemas.ts";
import { toRequiredText, toText } from "../../http/values.ts";
import { compile, findDefinition } from "./checker.ts";
import { tagOf } from "./revision.ts";
import {
  DocumentBody,
  Folder,
  Named,
  Note,
  Revision,
  Scope,
  ShownDefinition,
  ShownSummary,
  State,
} from "./shapes.ts";

const Changed = Type.Object({ changed: Type.Boolean() });

export const listDefinitions: Route = route({
  method: "GET",
  path: "/v1/definitions",
  scope: "read",
  summary: "List definitions",
  description: "Returns definitions in the order of their names.",
  querystring: Closed({
    name: Type.Optional(Type.String({ maxLength: 43, description: "Exactly this one." })),
    folder: Type.Optional(Folder),
    state: Type.Optional(State),
    search: Type.Optional(
      Type.String({ maxLength: 256, description: "Text in the name or title." }),
    ),
    after: Type.Optional(
      Type.String({ maxLength: 43, description: "Name of the last one of the page before." }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 100 })),
  }),
  response: {
    200: Type.Object({
      definitions: Type.Array(ShownSummary),
      epoch: Type.String({
        description: "Rises with each change of what is published, paused or archived.",
      }),
    }),
  },
  handler: async ({ query }, { declared: { definitions } }) => {
    const { name, folder, state, search, after, limit: maxDefinitions = 100 } = query;
    // In this order, so that a change between the two is seen again.
    const epoch = await definitions.epoch();
    const found = await definitions.list({ name, folder, state, search, after, maxDefinitions });
    return { definitions: found, epoch };
  },
});

export const createDefinition: Route = route({
  method: "POST",
  path: "/v1/definitions",
  scope: "define",
  isAudited: true,
  bodyLimit: ONE_VALUE_BYTES,
  summary: "Create a definition",
  description: "Creates a definition, as a draft. Nothing runs until it is published.",
  body: Closed({
    name: WorkflowName,
    document: Type.Optional(DocumentBody),
    folder: Type.Optional(Folder),
    scope: Type.Optional(Scope),
    isProtected: Type.Optional(Type.Boolean({ default: false })),
  }),
  response: { 201: Type.Object({ revision: Revision }) },
  handler: async (request, { declared: { definitions } }, reply) => {
    const { name, document, folder, scope, isProtected } = request.body;
    const revision = await definitions.create({
      name,
      document: toText(document, "document"),
      folder,
      scope: toText(scope, "scope"),
      isProtected,
      actor: actorOf(request),
    });
    return reply.code(201).header("etag", tagOf(revision)).send({ revision });
  },
});

export const applyDefinitions: Route = route({
  method: "PUT",
  path: "/v1/definitions",
  scope: "define",
  isAudited: true,
  bodyLimit: MANY_VALUES_BYTES,
  summary: "Apply definitions",
  description:
    "Creates or changes definitions by their documents, atomically. Publishing them requires the scope publish as well.",
  body: Closed({
    documents: Type.Array(DocumentBody, { maxItems: 1_000 }),
    publish: Type.Optional(
      Type.Boolean({ default: false, description: "Publishes the drafts as well." }),
    ),
    overwrite: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Replaces drafts that were changed and not published.",
      }),
    ),
    note: Type.Optional(Note),
  }),
  response: {
    200: Type.Object({
      definitions: Type.Array(
        Type.Object({
          name: Type.String(),
          outcome: oneOf(["created", "changed", "unchanged"]),
          revision: Revision,
          version: Nullable(Type.Integer({ description: "The published version." })),
        }),
      ),
    }),
  },
  handler: async (request, { declared }) => {
    const { documents, publish = false, overwrite = false, note } = request.body;
    if (publish && !request.may("publish")) {
      throw forbidden('The token lacks the scope "publish". Apply drafts only.');
    }
    const compiled = publish
      ? await Promise.all(
          documents.map(async (document) =>
            JSON.stringify((await compile(document, declared)).compiled),
          ),
        )
      : undefined;
    return {
      definitions: await declared.definitions.apply({
        documents: documents.map((document) => toRequiredText(document, "document")),
        publish,
        compiled,
        note,
        overwrite,
        actor: actorOf(request),
      }),
    };
  },
});

export const getDefinition: Route = route({
  method: "GET",
  path: "/v1/definitions/:name",
  scope: "read",
  summary: "Get a definition",
  description: "Returns a definition with its draft.",
  params: Named,
  response: { 200: ShownDefinition },
  handler: async ({ params: { name } }, { declared: { definitions } }) =>
    findDefinition(definitions, name),
});

export const configureDefinition: Route = route({
  method: "PATCH",
  path: "/v1/definitions/:name",
  scope: "admin",
  isAudited: true,
  summary: "Change the folder, scope, protection or pool of a definition",
  params: Named,
  body: Closed({
    folder: Type.Optional(
      Type.String({ maxLength: 512, description: "An empty text removes it." }),
    ),
    scope: Type.Optional(Nullable(Scope)),
    isProtected: Type.Optional(Type.Boolean()),
    pool: Type.Optional(
      Type.String({
        maxLength: 42,
        description:
          "Whose workers receive its runs from now on; an empty text means the pool that its document names.",
      }),
    ),
  }),
  response: { 200: Changed },
  handler: async ({ params: { name }, body }, { declared: { definitions } }) => ({
    changed: await definitions.configure({
      name,
      folder: body.folder,
      scope: toText(body.scope, "scope"),
      isProtected: body.isProtected,
      pool: body.pool,
    }),
  }),
});

export const deleteDefinition: Route = route({
  method: "DELETE",
  path: "/v1/definitions/:name",
  scope: "publish",
  isAudited: true,
  summary: "Delete a definition",
  description:
    "Deletes a definition with its versions. It is refused while the definition has runs, in progress or ended, or something starts it. A protected definition requires the scope admin.",
  params: Named,
  response: { 200: Type.Object({ deleted: Type.Boolean() }) },
  handler: async (request, { declared: { definitions } }) => {
    const { name } = request.params;
    // The database can't decide this: it sees the login of the server, not the caller.
    if (!request.may("admin") && (await definitions.get(name))?.isProtected === true) {
      throw forbidden(
        `Definition "${name}" is protected, and the token lacks the scope "admin". Archive it instead.`,
      );
    }
    return { deleted: await definitions.delete(name) };
  },
});

export const pauseDefinition: Route = route({
  method: "POST",
  path: "/v1/definitions/:name/pause",
  scope: "publish",
  isAudited: true,
  summary: "Pause a definition",
  description: "It starts no runs until it is resumed. Runs in progress continue.",
  params: Named,
  querystring: Type.Object({ reason: Type.Optional(Reason) }),
  response: { 200: Changed },
  handler: async ({ params: { name }, query }, { declared: { definitions } }) => ({
    changed: await definitions.pause(name, query.reason),
  }),
});

export const resumeDefinition: Route = route({
  method: "POST",
  path: "/v1/definitions/:name/resume",
  scope: "publish",
  isAudited: true,
  summary: "Resume a paused definition",
  params: Named,
  response: { 200: Changed },
  handler: async ({ params: { name } }, { declared: { definitions } }) => ({
    changed: await definitions.resume(name),
  }),
});

export const archiveDefinition: Route = route({
  method: "POST",
  path: "/v1/definitions/:name/archive",
  scope: "publish",
  isAudited: true,
  summary: "Archive a definition",
  description:
    "It starts no runs until it is published again. Runs in progress continue, and its versions stay.",
  params: Named,
  response: { 200: Changed },
  handler: async ({ params: { name } }, { declared: { definitions } }) => ({
    changed: await definitions.archive(name),
  }),
});
