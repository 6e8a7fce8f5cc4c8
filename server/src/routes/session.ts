/** Sessions: who the server takes the caller for. */
import { Type } from "typebox";
import { route, type Route } from "../http/route.ts";
import { Instant, Nullable } from "../http/schemas.ts";
import { effectiveScopes } from "../http/scopes.ts";

const ScopeName = Type.Union([
  Type.Literal("read"),
  Type.Literal("produce"),
  Type.Literal("work"),
  Type.Literal("define"),
  Type.Literal("publish"),
  Type.Literal("approve"),
  Type.Literal("admin"),
  Type.Literal("act"),
]);

const Session = Type.Object({
  actor: Nullable(
    Type.String({
      description: "The actor: the name of the token, or the one that Oxbow-Actor names.",
    }),
  ),
  kind: Type.Union(
    [Type.Literal("anyone"), Type.Literal("token"), Type.Literal("user"), Type.Literal("delegate")],
    {
      description:
        "anyone on a server without tokens; token; user, signed in by OpenID Connect; delegate for an actor that a token with the scope act names.",
    },
  ),
  scopes: Type.Array(ScopeName, {
    description: "All that the caller may do: admin includes all but act.",
  }),
  expiresAt: Nullable(
    Type.With(Instant, {
      description:
        "When the session ends unless this request is repeated, which refreshes it; null for never.",
    }),
  ),
  csrfToken: Nullable(
    Type.String({
      description:
        "Token of a user: changing requests send it in the header Oxbow-CSRF-Token. Null for others.",
    }),
  ),
});

export const getSession: Route = route({
  method: "GET",
  path: "/v1/session",
  scope: "any",
  isSession: true,
  summary: "Get the session",
  description:
    "Returns who the caller is and what it may do, and refreshes the session of a user. Doesn't need the database.",
  response: { 200: Session },
  handler: async ({ identity }) => {
    if (identity === null) throw new Error("The route has a scope.");
    const { actor, kind, scopes, expiresAt, csrfToken = null } = identity;
    return {
      actor,
      kind,
      scopes: effectiveScopes(scopes),
      expiresAt: expiresAt?.toISOString() ?? null,
      csrfToken,
    };
  },
});
