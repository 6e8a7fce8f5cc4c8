/** Sessions: who the server takes the caller for. */
import { Type } from "typebox";
import { route, type Route } from "../http/route.ts";
import { about, Instant, Nullable, oneOf } from "../http/schemas.ts";
import { effectiveScopes, SCOPES } from "../http/scopes.ts";

const Session = Type.Object({
  actor: Nullable(
    Type.String({
      description: "The actor: the name of the token, or the one that Oxbow-Actor names.",
    }),
  ),
  kind: oneOf(
    ["anyone", "token", "user", "delegate"],
    "anyone on a server without tokens; token; user, signed in by OpenID Connect; delegate for an actor that a token with the scope act names.",
  ),
  scopes: Type.Array(oneOf(SCOPES), {
    description: "All that the caller may do: admin includes all but act.",
  }),
  expiresAt: Nullable(
    about(
      Instant,
      "When the session ends unless this request is repeated, which refreshes it; null for never.",
    ),
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
      expiresAt,
      csrfToken,
    };
  },
});
