/** Approvals: what runs ask people, and their decisions. */
import type { Transport } from "@oxbow/sdk/internal/server";
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { forbidden, HttpProblem } from "../../http/problems.ts";
import { route, type Route } from "../../http/route.ts";
import { about, Closed, Id, nonEmpty, Nullable, WorkflowName } from "../../http/schemas.ts";
import { checkValues } from "./form-values.ts";
import { DecisionBody, Outcome, ShownApproval, Status } from "./shapes.ts";

const Identified = Type.Object({ approval_id: Id });
const Name = nonEmpty(256);

export const listApprovals: Route = route({
  method: "GET",
  path: "/v1/approvals",
  scope: "any",
  summary: "List requests for approval",
  description:
    "Returns requests, newest first. A caller without the scope read gets the requests that it may decide, which requires the scope approve.",
  querystring: Closed({
    status: Type.Optional(
      Type.Union([...Status.anyOf, Type.Literal("decided")], {
        description: "decided: approved or rejected.",
      }),
    ),
    workflow: Type.Optional(WorkflowName),
    runId: Type.Optional(Id),
    approver: Type.Optional(about(Name, "Requests that this person may decide.")),
    group: Type.Optional(
      Type.Union([Name, Type.Array(Name, { maxItems: 100 })], {
        description: "A group of the approver; may be repeated.",
      }),
    ),
    mine: Type.Optional(
      Type.Boolean({ description: "Requests that the caller may decide, by name or by role." }),
    ),
    cursor: Type.Optional(about(Id, "Cursor of the page before.")),
    limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 50 }),
  }),
  response: {
    200: Type.Object({
      approvals: Type.Array(ShownApproval),
      cursor: Nullable(about(Id, "Cursor of the next page; null on the last.")),
    }),
  },
  handler: async (request, { transport }) => {
    const { cursor, limit, group, mine = false, approver, ...conditions } = request.query;
    const readsAll = request.may("read");
    if (!readsAll && !request.may("approve")) return { approvals: [], cursor: null };
    const own = mine || !readsAll ? personOf(request) : undefined;
    const approvals = await transport.approvals.list(
      {
        ...conditions,
        approver: own === undefined ? approver : own.actor,
        groups: own === undefined ? [group ?? []].flat() : own.groups,
      },
      { before: cursor, maxApprovals: limit },
    );
    const last = approvals.length === limit ? approvals.at(-1) : undefined;
    return { approvals, cursor: last?.id ?? null };
  },
});

export const getApproval: Route = route({
  method: "GET",
  path: "/v1/approvals/:approval_id",
  scope: "any",
  summary: "Get a request for approval",
  description:
    "Requires the scope read or approve. Without read, the caller gets the requests that it may decide.",
  params: Identified,
  response: { 200: ShownApproval },
  handler: async (request, { transport }) => {
    if (!request.may("read") && !request.may("approve")) {
      throw new HttpProblem(
        "APPROVAL_NOT_FOUND",
        'The caller sees no requests: it lacks the scopes "read" and "approve".',
      );
    }
    const approval = await transport.approvals.get(request.params.approval_id);
    // A token that decides in any name sees what there is to decide.
    const seesAll =
      request.may("read") || (request.may("act") && request.identity?.kind !== "delegate");
    if (!seesAll && !(await isListed(transport, approval, personOf(request)))) {
      throw new HttpProblem(
        "APPROVAL_NOT_FOUND",
        `There is no approval ${approval.id} that the caller may decide.`,
      );
    }
    return approval;
  },
});

export const decideApproval: Route = route({
  method: "POST",
  path: "/v1/approvals/:approval_id/decision",
  scope: "approve",
  isAudited: true,
  bodyLimit: 131_072,
  summary: "Decide a request for approval",
  description:
    "Approves or rejects in the name of the caller, who may decide once. The values must fit the form of the request; a rejection may leave them out.",
  params: Identified,
  body: DecisionBody,
  response: { 200: Outcome },
  handler: async (request, { transport: { approvals } }) => {
    const { decision, values, groups } = request.body;
    if (groups !== undefined) requireActing(request, "groups");
    const id = request.params.approval_id;
    const person = personOf(request);
    const approval = await approvals.get(id);
    const asked = { actor: person.actor, groups: groups ?? person.groups };
    // A caller that may not see the form is refused by the decision.
    if (await isListed({ approvals }, approval, asked)) checkValues(approval, decision, values);
    return {
      outcome: await approvals.decide({
        id,
        decision,
        values,
        actor: person.actor,
        groups: groups ?? person.groups,
      }),
    };
  },
});

export const linkApproval: Route = route({
  method: "POST",
  path: "/v1/approvals/:approval_id/links",
  scope: "approve",
  isAudited: true,
  summary: "Create a link to decide a request",
  description:
    "Creates a link by which one person decides without signing in. Send it only to that person: with it, anyone decides in that name. It works until the request ends. Requires the scope act as well.",
  params: Identified,
  body: Closed({
    actor: about(Name, "The person."),
    groups: Type.Optional(
      Type.Array(Name, { maxItems: 1_000, description: "Groups of the person." }),
    ),
  }),
  response: {
    201: Type.Object({
      token: Type.String(),
      path: Type.String({ description: "Address of the page, on this server." }),
    }),
  },
  handler: async (request, { transport: { approvals } }, reply) => {
    if (request.identity?.kind !== "anyone" && !request.may("act")) {
      throw forbidden(
        'The token lacks the scope "act": a link decides in the name of another person.',
      );
    }
    const { actor, groups } = request.body;
    const token = await approvals.link(request.params.approval_id, actor, groups);
    return reply.code(201).send({ token, path: `/approve/${token}` });
  },
});

/** Whether the list of a person has a request. */
async function isListed(
  { approvals }: Pick<Transport, "approvals">,
  { id, runId }: Awaited<ReturnType<Transport["approvals"]["get"]>>,
  { actor, groups }: ReturnType<typeof personOf>,
): Promise<boolean> {
  const [found] = await approvals.list(
    { runId, approver: actor, groups },
    { before: String(BigInt(id) + 1n), maxApprovals: 1 },
  );
  return found?.id === id;
}

type Caller = Pick<FastifyRequest, "identity" | "may">;

function requireActing({ identity }: Caller, what: string): void {
  if (identity?.kind === "delegate" || identity?.kind === "anyone") return;
  throw forbidden(
    `Only a token with the scope "act" may give ${what}, of the person whom the header Oxbow-Actor names.`,
  );
}

/** The person who decides, as the server knows the caller. */
const personOf = ({
  identity,
}: Caller): {
  readonly actor: string | undefined;
  readonly groups: readonly string[] | undefined;
} => ({
  actor: identity?.actor ?? undefined,
  groups: identity?.groups,
});
