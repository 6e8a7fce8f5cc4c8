/** The pages through which a browser signs in by OpenID Connect. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { App } from "../http/app.ts";
import { PAGE_HEADERS } from "../http/content-policy.ts";
import { invalidRequest } from "../http/problems.ts";
import { route, type Route } from "../http/route.ts";
import { Nullable } from "../http/schemas.ts";
import { failurePage } from "../sign-in/failure-page.ts";
import { SignInFailure } from "../sign-in/provider.ts";
import type { Sessions } from "../sign-in/sessions.ts";

export const listSignInWays: Route = route({
  method: "GET",
  path: "/v1/sign-in",
  summary: "List the ways to sign in",
  description: "Returns how a user can sign in. Requires no token.",
  response: {
    200: Type.Object({
      token: Type.Boolean({ description: "Whether the server has tokens." }),
      openIdConnect: Nullable(
        Type.Object(
          {
            name: Type.String({ description: "Name of the provider." }),
            url: Type.String({ description: "Where a browser signs in." }),
          },
          { description: "Null if the server has no provider." },
        ),
      ),
    }),
  },
  handler: async (_request, { sessions, hasTokens }) => ({
    token: hasTokens,
    openIdConnect:
      sessions === undefined
        ? null
        : { name: sessions.providerName, url: `${sessions.publicUrl}auth/sign-in` },
  }),
});

const STATUS = { away: 503, refused: 400, "no-role": 403 } as const;

/** No page behind the sign-in is of another site: the fragment is the dashboard's own. */
function toPage(publicUrl: string, fragment: string): string {
  const url = new URL(publicUrl);
  url.hash = fragment;
  return url.href;
}

export function addSignInPages(app: App, sessions: Sessions | undefined): void {
  if (sessions === undefined) return;
  const { publicUrl } = sessions;
  const answer = async (
    request: FastifyRequest,
    reply: FastifyReply,
    work: () => Promise<string>,
  ): Promise<FastifyReply> => {
    reply.headers({ ...PAGE_HEADERS, "cache-control": "no-store" });
    try {
      return await reply.redirect(await work(), 303);
    } catch (error) {
      if (!(error instanceof SignInFailure)) throw error;
      request.log.warn({ err: error, kind: error.kind }, "sign-in failed");
      return reply
        .code(STATUS[error.kind])
        .type("text/html; charset=utf-8")
        .send(failurePage(error.message, publicUrl));
    }
  };
  app.get(
    "/auth/sign-in",
    {
      schema: {
        hide: true,
        querystring: Type.Object({ return: Type.Optional(Type.String({ maxLength: 2_000 })) }),
      },
    },
    (request, reply) =>
      answer(request, reply, () => sessions.begin(request, reply, request.query.return ?? "/")),
  );
  app.get(
    "/auth/callback",
    {
      schema: {
        hide: true,
        querystring: Type.Object({ state: Type.Optional(Type.String({ maxLength: 200 })) }),
      },
    },
    (request, reply) =>
      answer(request, reply, async () => {
        const { state } = request.query;
        if (state === undefined) {
          throw new SignInFailure("refused", "The provider's answer has no state. Sign in again.");
        }
        const { returnTo, actor } = await sessions.finish(request, reply, state);
        request.log.info({ actor }, "signed in");
        return toPage(publicUrl, returnTo);
      }),
  );
}

export const signOut: Route = route({
  method: "DELETE",
  path: "/v1/session",
  scope: "any",
  isSignOut: true,
  summary: "Sign out",
  description:
    "Ends the session of a user in this browser, also one that has expired, and returns where the browser signs out at the provider.",
  response: {
    200: Type.Object({
      signOutUrl: Nullable(
        Type.String({ description: "Null if the provider has no such page, or is away." }),
      ),
    }),
  },
  handler: async (request, { sessions }, reply) => {
    const { identity } = request;
    if (sessions === undefined || (identity !== null && identity.kind !== "user")) {
      throw invalidRequest(
        "The request has no session: a token has nothing to sign out of. Forget the token instead.",
      );
    }
    return { signOutUrl: await sessions.signOut(request, reply) };
  },
});
