/** Drafts of definitions: edited under a revision, so that two people can't overwrite each other. */
import { RevisionConflict } from "@oxbow/declared/client";
import type { DefinitionTransport, SaveDraftRequest } from "@oxbow/declared/internal";
import { Type } from "typebox";
import { actorOf } from "../../http/actor.ts";
import { ONE_VALUE_BYTES } from "../../http/body-limits.ts";
import { route, type Route } from "../../http/route.ts";
import { Closed, Version } from "../../http/schemas.ts";
import { toRequiredText } from "../../http/values.ts";
import { check, findDefinition, findDocument, tools } from "./checker.ts";
import { RevisionHeader, revisionIn, tagOf } from "./revision.ts";
import {
  DocumentBody,
  Named,
  Revision,
  ShownChange,
  ShownDraft,
  ShownProblem,
  toDraft,
} from "./shapes.ts";

const Revised = Type.Object({ revision: Revision });

export const getDraft: Route = route({
  method: "GET",
  path: "/v1/definitions/:name/draft",
  scope: "read",
  summary: "Get the draft of a definition",
  description: "The ETag is the revision, which a change of the draft names in If-Match.",
  params: Named,
  response: { 200: ShownDraft },
  handler: async ({ params: { name } }, { declared: { definitions } }, reply) => {
    const found = await findDefinition(definitions, name);
    return reply.header("etag", tagOf(found.revision)).send(toDraft(found));
  },
});

export const saveDraft: Route = route({
  method: "PUT",
  path: "/v1/definitions/:name/draft",
  scope: "define",
  bodyLimit: ONE_VALUE_BYTES,
  summary: "Save the draft of a definition",
  description:
    "Replaces the draft, if it still has the revision in If-Match: without the header the answer is 428, with another revision 412, with the author of the draft and what the document would change in it. Nothing is published.",
  params: Named,
  headers: RevisionHeader,
  body: DocumentBody,
  response: { 200: Revised },
  handler: async (request, { declared: { definitions } }, reply) => {
    const { name } = request.params;
    const revision = await save(definitions, {
      name,
      document: toRequiredText(request.body, "the document"),
      revision: revisionIn(request.headers),
      actor: actorOf(request),
    });
    return reply.header("etag", tagOf(revision)).send({ revision });
  },
});

async function save(definitions: DefinitionTransport, request: SaveDraftRequest): Promise<number> {
  try {
    return await definitions.saveDraft(request);
  } catch (error) {
    if (!(error instanceof RevisionConflict)) throw error;
    const { draft } = await findDefinition(definitions, request.name);
    const changes = tools.diff(draft, JSON.parse(request.document) as typeof draft);
    throw new RevisionConflict(error.message, {
      cause: error,
      facts: { ...error.facts, changes },
    });
  }
}

export const restoreDefinition: Route = route({
  method: "POST",
  path: "/v1/definitions/:name/restore",
  scope: "define",
  isAudited: true,
  summary: "Restore a version as the draft",
  description: "Makes the document of a version the draft. Publish it to make it effective.",
  params: Named,
  headers: RevisionHeader,
  body: Closed({ version: Version }),
  response: { 200: Revised },
  handler: async (request, { declared: { definitions } }, reply) => {
    const revision = await definitions.restore({
      name: request.params.name,
      version: request.body.version,
      revision: revisionIn(request.headers),
      actor: actorOf(request),
    });
    return reply.header("etag", tagOf(revision)).send({ revision });
  },
});

export const saveLayout: Route = route({
  method: "PUT",
  path: "/v1/definitions/:name/layout",
  scope: "define",
  bodyLimit: ONE_VALUE_BYTES,
  summary: "Store the positions of nodes",
  description:
    "Positions belong to no document: neither the revision nor a version changes, and the last request wins.",
  params: Named,
  querystring: Closed({ version: Type.Optional(Version) }, { description: "Default: the draft." }),
  body: Type.Object(
    {},
    { additionalProperties: true, description: '{"nodes": {"<id>": [x, y]}, "notes": …}' },
  ),
  response: { 200: Type.Object({}) },
  handler: async ({ params: { name }, query, body }, { declared: { definitions } }) => {
    await definitions.move(name, toRequiredText(body, "the layout"), query.version);
    return {};
  },
});

export const validateDefinition: Route = route({
  method: "POST",
  path: "/v1/definitions/:name/validate",
  scope: "read",
  bodyLimit: ONE_VALUE_BYTES,
  summary: "Check a definition",
  description:
    "Checks the document in the body, which need not be saved, nor its definition exist; without one, the draft. Only errors prevent publishing.",
  params: Named,
  body: Closed({ document: Type.Optional(DocumentBody) }),
  response: { 200: Type.Object({ problems: Type.Array(ShownProblem) }) },
  handler: async ({ params: { name }, body }, { declared }) => {
    const document = body.document ?? (await findDefinition(declared.definitions, name)).draft;
    return { problems: (await check(document, declared)).problems };
  },
});

const DocumentName = Type.String({
  pattern: "^(draft|published|[1-9][0-9]{0,8})$",
  description: "A version, draft or published.",
});

export const diffDefinition: Route = route({
  method: "GET",
  path: "/v1/definitions/:name/diff",
  scope: "read",
  summary: "Compare two documents of a definition",
  description: "Returns the differences by node and pointer.",
  params: Named,
  querystring: Closed(
    { from: Type.Optional(DocumentName), to: Type.Optional(DocumentName) },
    { description: "Default: from published to draft." },
  ),
  response: { 200: Type.Object({ changes: Type.Array(ShownChange) }) },
  handler: async ({ params: { name }, query }, { declared: { definitions } }) => {
    const { from = "published", to = "draft" } = query;
    const [before, after] = await Promise.all([
      findDocument(definitions, name, from),
      findDocument(definitions, name, to),
    ]);
    return { changes: tools.diff(before, after) };
  },
});
