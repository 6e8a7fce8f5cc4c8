/** Published versions of definitions, and runs of them. */
import { requireInput, revisionConflict } from "@oxbow/declared/internal";
import { Type } from "typebox";
import { actorOf } from "../../http/actor.ts";
import { ONE_VALUE_BYTES } from "../../http/body-limits.ts";
import { IdempotencyHeader, idempotencyKeyOf } from "../../http/idempotency.ts";
import { HttpProblem } from "../../http/problems.ts";
import { route, type Route, startingFor } from "../../http/route.ts";
import { Closed, WorkflowName } from "../../http/schemas.ts";
import { startTraced } from "../../telemetry/request-trace.ts";
import { StartBody, Started, toStartRequest } from "../runs/start-request.ts";
import { compile, findDefinition, tools } from "./checker.ts";
import { RevisionHeader, revisionIn } from "./revision.ts";
import { Named, Note, ShownDocument, ShownProblem, ShownVersion } from "./shapes.ts";

export const publishDefinition: Route = route({
  method: "POST",
  path: "/v1/definitions/:name/publish",
  scope: "publish",
  isAudited: true,
  summary: "Publish the draft of a definition",
  description:
    "Publishes the draft as a new version, which starts take from now on; runs in progress stay with their versions. A draft with errors is refused with 422 and its problems; warnings are in the answer.",
  params: Named,
  headers: RevisionHeader,
  body: Closed({ note: Type.Optional(Note) }),
  response: {
    200: Type.Object({
      version: Type.Integer(),
      created: Type.Boolean({ description: "False if the draft was published before." }),
      warnings: Type.Array(ShownProblem),
    }),
  },
  handler: async (request, { declared }) => {
    const { definitions } = declared;
    const { name } = request.params;
    const revision = revisionIn(request.headers);
    const found = await findDefinition(definitions, name);
    // The database would compare the revision too late: it may have been saved by then, unchecked.
    if (found.revision !== revision) throw revisionConflict(found, revision);
    const checked = await compile(found.draft, declared);
    const published = await definitions.publish({
      name,
      revision,
      compiled: JSON.stringify(checked.compiled),
      note: request.body.note,
      actor: actorOf(request),
    });
    return { ...published, warnings: checked.problems };
  },
});

export const listDefinitionVersions: Route = route({
  method: "GET",
  path: "/v1/definitions/:name/versions",
  scope: "read",
  summary: "List the versions of a definition",
  description: "Returns versions, newest first.",
  params: Named,
  response: { 200: Type.Object({ versions: Type.Array(ShownVersion) }) },
  handler: async ({ params: { name } }, { declared: { definitions } }) => {
    await findDefinition(definitions, name);
    return { versions: await definitions.versions(name) };
  },
});

/** Largest integer of PostgreSQL. Test runs count from 1,000,000,000. */
const LARGEST_VERSION = 2_147_483_647;

export const getDefinitionVersion: Route = route({
  method: "GET",
  path: "/v1/definitions/:name/versions/:version",
  scope: "read",
  summary: "Get a version of a definition",
  description: "Returns the version with its document.",
  params: Type.Object({
    name: WorkflowName,
    version: Type.String({
      pattern: "^(published|[1-9][0-9]{0,9})$",
      description: "A number, also that of a test run, or published.",
    }),
  }),
  response: { 200: ShownDocument },
  handler: async ({ params: { name, version } }, { declared: { definitions } }) => {
    const number = version === "published" ? undefined : Number(version);
    const isPossible = number === undefined || number <= LARGEST_VERSION;
    const found = isPossible ? await definitions.document(name, number) : undefined;
    if (found !== undefined) return found;
    const which = number === undefined ? "published version" : `version ${number}`;
    throw new HttpProblem("DEFINITION_NOT_FOUND", `Definition "${name}" has no ${which}.`);
  },
});

export const startDefinition: Route = route({
  method: "POST",
  path: "/v1/definitions/:name/runs",
  scope: "produce",
  bodyLimit: ONE_VALUE_BYTES,
  summary: "Start a run of a definition",
  description:
    "Starts a run of the published version, or of the one in the body. It stays with that version, whatever is published later. An input that does not match the schema of the document is refused with 400.",
  headers: IdempotencyHeader,
  params: Named,
  querystring: Closed({
    hasEncodedInput: Type.Optional(
      Type.Boolean({
        default: false,
        description: "A codec has encoded the input: the run compares it with the schema.",
      }),
    ),
  }),
  body: StartBody,
  response: { 200: Started, 201: Started },
  handler: async (request, context, reply) => {
    const {
      params: { name },
      query,
      body,
      headers,
    } = request;
    const {
      declared: { definitions },
      maxRetentionDays,
    } = startingFor(context, request);
    if (query.hasEncodedInput !== true) {
      const { version, input } = body;
      await requireInput(tools, definitions, { name, version, input });
    }
    const start = {
      ...toStartRequest(name, body, maxRetentionDays),
      idempotencyKey: idempotencyKeyOf(headers, body.idempotencyKey, "idempotencyKey"),
    };
    const started = await startTraced(headers, { "workflow.name": name }, (trace) =>
      definitions.start({ ...start, trace: start.trace ?? trace }),
    );
    return reply.code(started.created ? 201 : 200).send(started);
  },
});
