/** The audit: who changed what by hand. */
import { Type } from "typebox";
import { route, type Route } from "../http/route.ts";
import { about, Closed, Cursor, Instant, Nullable, oneOf } from "../http/schemas.ts";
import { toInstant } from "../http/values.ts";

const Text = Type.String({ maxLength: 1_000 });
const exactly = (what: string) => Type.Optional(about(Text, what));

const Entry = Type.Object({
  id: Type.String(),
  actedAt: Instant,
  actorKind: oneOf(
    ["token", "user", "delegate", "role"],
    "How the actor is known: token; user, signed in by OpenID Connect; delegate, named by a token or a role that may act for others; role of the database.",
  ),
  actor: Type.String(),
  token: Nullable(Type.String({ description: "Token that named a delegate." })),
  role: Type.String({
    description: "The role that logged in to the database, which SET ROLE does not change.",
  }),
  address: Nullable(Type.String({ description: "Address of the client." })),
  action: Type.String({ description: "object.verb, for example run.cancel." }),
  subjectType: Type.String(),
  subject: Type.String({ description: "Id or name of the object." }),
  outcome: oneOf(["changed", "unchanged"]),
  detail: Type.Unknown({ description: "Facts of the action by name, or null." }),
  cursor: Cursor,
});

export const listAudit: Route = route({
  method: "GET",
  path: "/v1/audit",
  scope: "read",
  summary: "List the audit",
  description:
    "Returns who changed what by hand, newest first. Changes by the clock, by workers and by the sweep are not in it, and neither are starts, signals and messages of applications.",
  querystring: Closed({
    actor: exactly("Name of a token, a user or a role."),
    action: exactly("object.verb, for example run.cancel."),
    subjectType: exactly("Kind of the object, for example run."),
    subject: exactly("Id or name of the object."),
    after: Type.Optional(Type.String({ description: "At or after this time." })),
    before: Type.Optional(Type.String({ description: "Before this time." })),
    cursor: Type.Optional(Cursor),
    limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 50 }),
  }),
  response: {
    200: Type.Object({
      entries: Type.Array(Entry),
      cursor: Nullable(about(Cursor, "Cursor of the next page; null on the last.")),
    }),
  },
  handler: async ({ query }, { transport }) => {
    const { after, before, cursor, limit, ...values } = query;
    const entries = await transport.audit.list(
      {
        ...values,
        after: after === undefined ? undefined : toInstant(after, "after"),
        before: before === undefined ? undefined : toInstant(before, "before"),
      },
      { cursor, maxEntries: limit },
    );
    const last = entries.length === limit ? entries.at(-1) : undefined;
    return { entries, cursor: last?.cursor ?? null };
  },
});
