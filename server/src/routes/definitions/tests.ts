/** Test runs of definitions: of drafts and of documents that are not saved, with pins. */
import {
  type DeclaredCalls,
  readTestedNode,
  readTestOrigin,
  requireTestable,
} from "@oxbow/declared/internal";
import type { FastifyRequest } from "fastify";
import { type Static, Type } from "typebox";
import { actorOf } from "../../http/actor.ts";
import { MANY_VALUES_BYTES } from "../../http/body-limits.ts";
import { waitMsOf, whileClientWaits } from "../../http/long-poll.ts";
import { forbidden, HttpProblem } from "../../http/problems.ts";
import { route, type Route } from "../../http/route.ts";
import { endOf } from "../../http/run-end.ts";
import { Closed, Id, Json, Wait, WorkflowName } from "../../http/schemas.ts";
import { toText } from "../../http/values.ts";
import { findDefinition, tools } from "./checker.ts";
import { DocumentBody, Named } from "./shapes.ts";

const NodeId = Type.String({ pattern: "^[a-z][a-z0-9_]{0,31}$" });

const Pin = Closed({
  output: Type.Optional(Json),
  handle: Type.Optional(
    Type.String({ maxLength: 63, description: "The handle that the node takes." }),
  ),
  error: Type.Optional(
    Closed(
      { code: Type.Optional(Type.String()), message: Type.Optional(Type.String()) },
      { description: "The node fails." },
    ),
  ),
});

const Common = {
  document: Type.Optional(DocumentBody),
  input: Type.Optional(Json),
  pins: Type.Optional(
    Type.Record(Type.String(), Pin, {
      description: "Substitutes by node: what it does instead of its work.",
    }),
  ),
  effects: Type.Optional(
    Type.Union([Type.Literal("mock"), Type.Literal("real")], {
      default: "mock",
      description:
        "mock: nodes that read or write anything outside of the run take their pin, or a sample of their output. real requires the scope publish, and of a protected definition a document that is published or a draft that the caller has not saved.",
    }),
  ),
  item: Type.Optional(Json),
  eventId: Type.Optional(
    Type.String({
      pattern: "^[0-9]{1,19}$",
      description:
        "A kept event: the input is what a trigger of the document makes of it, unless there is one. The guard is not asked. Requires the scope read.",
    }),
  ),
  trigger: Type.Optional(
    Type.String({
      maxLength: 63,
      description: "Name of that trigger. Default: the only one that wants the topic of the event.",
    }),
  ),
  fromRun: Type.Optional(
    Type.String({
      pattern: "^[0-9]{1,19}$",
      description:
        "A past run of the definition: its input is taken, unless there is one. Requires the scope read.",
    }),
  ),
  pinResults: Type.Optional(
    Type.Boolean({
      description: "Gives each node the result that it had in that run, unless pins have one.",
    }),
  ),
};

const TestBody = Closed({
  ...Common,
  until: Type.Optional(Type.String({ description: "The run ends after this node." })),
  only: Type.Optional(Type.String({ description: "Only this node is executed." })),
});

const TestedNode = Type.Object({
  runId: Id,
  input: Json,
  handle: Type.String({ description: "The handle that it took; error if it failed." }),
  output: Type.Optional(Json),
  error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
  log: Type.Array(Type.Object({ level: Type.String(), message: Type.String() })),
  attempts: Type.Integer(),
  durationMs: Type.Number(),
});

export const testDefinition: Route = route({
  method: "POST",
  path: "/v1/definitions/:name/tests",
  scope: "define",
  isAudited: true,
  bodyLimit: MANY_VALUES_BYTES,
  summary: "Start a test run of a definition",
  description:
    "Executes the draft, or the document in the body. Lists and counts of runs leave the run out, flow control does not apply to it, and it is deleted a day after its end.",
  params: Named,
  body: TestBody,
  response: { 201: Type.Object({ runId: Id }) },
  handler: async (request, { declared }, reply) => {
    const { name } = request.params;
    const runId = await startTest(request, declared, { name, ...request.body });
    return reply.code(201).send({ runId });
  },
});

export const testDefinitionNode: Route = route({
  method: "POST",
  path: "/v1/definitions/:name/nodes/:node/test",
  scope: "define",
  isAudited: true,
  bodyLimit: MANY_VALUES_BYTES,
  summary: "Test a node of a definition",
  description:
    "Executes only one node, with those before it as they are pinned, and answers when it has ended. After the wait (at most a minute), the answer is 202 with the run.",
  params: Type.Object({ name: WorkflowName, node: NodeId }),
  querystring: Closed({ wait: Type.Optional(Wait) }),
  body: Closed(Common),
  response: { 200: TestedNode, 202: Type.Object({ runId: Id }) },
  handler: async (request, { transport, declared }, reply) => {
    const { name, node } = request.params;
    const runId = await startTest(request, declared, { name, only: node, ...request.body });
    const waitMs = waitMsOf(request.query.wait ?? 30);
    const ended = await endOf(transport.runs, runId, waitMs, whileClientWaits(reply));
    if (ended === undefined || ended.status === "running") return reply.code(202).send({ runId });
    if (ended.status !== "completed") {
      throw new HttpProblem(
        "INVALID_ARGUMENT",
        `Node "${node}" could not be executed: ${ended.error?.message ?? ended.status}`,
      );
    }
    return readTestedNode(transport.runs, { runId, node, output: ended.output });
  },
});

export const deleteDefinitionTest: Route = route({
  method: "DELETE",
  path: "/v1/definitions/:name/tests/:run_id",
  scope: "define",
  isAudited: true,
  summary: "Delete a test run",
  description: "Ends it, if it is in progress, and deletes it with all that belongs to it.",
  params: Type.Object({ name: WorkflowName, run_id: Id }),
  response: { 200: Type.Object({ deleted: Type.Boolean() }) },
  handler: async ({ params: { name, run_id: runId } }, { declared: { definitions } }) => ({
    deleted: await definitions.deleteTest(name, runId),
  }),
});

async function startTest(
  request: FastifyRequest,
  declared: DeclaredCalls,
  test: Static<typeof TestBody> & { readonly name: string },
): Promise<string> {
  const { name, document, effects = "mock", until, only, item } = test;
  const { eventId, trigger, fromRun, pinResults } = test;
  const { definitions } = declared;
  if (effects === "real" && !request.may("publish")) {
    throw forbidden('The token lacks the scope "publish". Test with mocked effects only.');
  }
  if ((eventId ?? fromRun) !== undefined && !request.may("read")) {
    throw forbidden('The token lacks the scope "read". Give the input of the test.');
  }
  const tested = document ?? (await findDefinition(definitions, name)).draft;
  const origin = await readTestOrigin(declared, tools, name, tested, {
    eventId,
    trigger,
    fromRun,
    pinResults,
  });
  const { input = origin.input } = test;
  const pins = { ...origin.pins, ...test.pins };
  requireTestable(tools, tested, { only, input });
  const { runId } = await definitions.test({
    name,
    document: toText(document, "document"),
    input: toText(input, "input"),
    pins: toText(pins, "pins"),
    options: JSON.stringify({ until, only, item, effects }),
    actor: actorOf(request),
  });
  return runId;
}
