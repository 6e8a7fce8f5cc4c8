/** The caller of a request, and whether it may use a route. */
import type { FastifyRequest } from "fastify";
import { HttpProblem } from "./problems.ts";
import { includesScope, type Scope } from "./scopes.ts";
import { secretIn, type Token, tokenOf } from "./tokens.ts";

/** The caller of a request. */
export interface Identity {
  /** Who acts; null on a server without tokens, which does not know. */
  readonly actor: string | null;
  /** How the server knows: `delegate` was named by a token with the scope `act`. */
  readonly kind: "anyone" | "token" | "delegate";
  readonly scopes: ReadonlySet<Scope>;
  /** Of a delegate: the name of the token. */
  readonly token?: string;
  /** When the caller has to sign in again; null: never. */
  readonly expiresAt: Date | null;
}

const ANYONE: Identity = {
  actor: null,
  kind: "anyone",
  scopes: new Set<Scope>(["admin"]),
  expiresAt: null,
};

/** An actor is a line of text, in a header that has no other encoding. */
const ACTOR = /^[!-~](?:[ -~]{0,198}[!-~])?$/;

/**
 * The caller of a request. On a server without tokens, anyone has all scopes.
 *
 * @throws HttpProblem 401 without a valid token; 403 if the caller names an actor without the scope `act`.
 */
export function identify({ headers }: FastifyRequest, tokens: readonly Token[]): Identity {
  const named = headers["oxbow-actor"];
  if (tokens.length === 0) {
    if (named !== undefined) throw mayNotAct("A request without a token");
    return ANYONE;
  }
  const secret = secretIn(headers.authorization);
  if (secret === undefined) {
    throw new HttpProblem(
      "UNAUTHORIZED",
      "The request has no token. Send the header Authorization: Bearer <token>.",
      { "www-authenticate": "Bearer" },
    );
  }
  const token = tokenOf(secret, tokens);
  if (token === undefined) {
    throw new HttpProblem("UNAUTHORIZED", "The token is invalid.", {
      "www-authenticate": 'Bearer error="invalid_token"',
    });
  }
  const { name, scopes } = token;
  if (named === undefined) return { actor: name, kind: "token", scopes, expiresAt: null };
  if (!scopes.has("act")) throw mayNotAct(`The token "${name}"`);
  if (typeof named !== "string" || !ACTOR.test(named)) {
    throw new HttpProblem(
      "INVALID_REQUEST",
      "The header Oxbow-Actor is invalid: give 1 to 200 printable ASCII characters.",
    );
  }
  return { actor: named, kind: "delegate", scopes, token: name, expiresAt: null };
}

const mayNotAct = (caller: string): HttpProblem =>
  new HttpProblem(
    "FORBIDDEN",
    `${caller} can't name another actor. Leave out the header Oxbow-Actor, or use a token with the scope "act".`,
  );

/** @throws HttpProblem 403 if the caller lacks the scope. */
export function requireScope({ scopes }: Identity, scope: Scope): void {
  if (includesScope(scopes, scope)) return;
  throw new HttpProblem("FORBIDDEN", `The token lacks the scope "${scope}".`, {
    "www-authenticate": `Bearer error="insufficient_scope", scope="${scope}"`,
  });
}
