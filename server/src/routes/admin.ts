/** The installation: broken invariants, and whether a token may use it. */
import { Type } from "typebox";
import { route, type Route } from "../http/route.ts";

export const listInvariants: Route = route({
  method: "GET",
  path: "/v1/invariants",
  scope: "read",
  summary: "List broken invariants",
  description: "Always empty in a healthy database.",
  response: {
    200: Type.Object({
      violations: Type.Array(
        Type.Object({
          invariant: Type.String(),
          subject: Type.String(),
          detail: Type.String(),
        }),
      ),
    }),
  },
  handler: async (_request, { transport }) => ({
    violations: await transport.admin.checkInvariants(),
  }),
});

export const checkAccess: Route = route({
  method: "GET",
  path: "/v1/check",
  scope: "any",
  summary: "Check the token and the database",
  description: "Answers 200 if the token is valid and the database can be used.",
  response: { 200: Type.Object({ status: Type.String() }) },
  handler: async (_request, { transport }) => {
    await transport.check();
    return { status: "ready" };
  },
});
