/** Who may do what: bearer tokens with scopes. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { HttpProblem } from "./problems.ts";

/** `read` looks, `produce` starts, signals, sends and publishes, `work` receives and acknowledges, `admin` does all. */
const SCOPES = ["read", "produce", "work", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/** As of webhooks: what a machine draws can't be guessed, what people make up can. */
const SHORTEST_SECRET = 32;

export interface Token {
  /** Only the hash is kept. */
  readonly hash: Buffer;
  readonly scopes: ReadonlySet<Scope>;
}

/**
 * The tokens of `OXBOW_TOKENS`: entries `secret:scope+scope`, separated by commas or white space. An entry without
 * scopes may do everything. Several entries may have the same scopes, so that secrets are rotated without a gap.
 *
 * @throws Error naming what can't be read or is too short, without the secret.
 */
export function parseTokens(text: string): Token[] {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== "");
  return entries.map((entry, index) => {
    const colon = entry.lastIndexOf(":");
    const secret = colon === -1 ? entry : entry.slice(0, colon);
    const names = colon === -1 ? ["admin"] : entry.slice(colon + 1).split("+");
    const unknown = names.find((name) => !(SCOPES as readonly string[]).includes(name));
    if (secret === "" || unknown !== undefined) {
      throw new Error(
        `Invalid entry ${index + 1} of OXBOW_TOKENS: ${
          secret === "" ? "it has no secret" : `there is no scope "${unknown}"`
        }. Write secret:scope+scope, with the scopes ${SCOPES.join(", ")}.`,
      );
    }
    if (secret.length < SHORTEST_SECRET) {
      throw new Error(
        `Invalid entry ${index + 1} of OXBOW_TOKENS: its secret has ${secret.length} characters. Give at least ${SHORTEST_SECRET}, as \`openssl rand -hex 32\` makes them.`,
      );
    }
    return { hash: hashOf(secret), scopes: new Set(names as Scope[]) };
  });
}

/** Whether a request has a token with this scope. Without tokens, everybody who reaches the server has all scopes. */
export function hasScope(
  { headers }: FastifyRequest,
  tokens: readonly Token[],
  scope: Scope,
): boolean {
  if (tokens.length === 0) return true;
  const scopes = scopesOf(secretIn(headers.authorization) ?? "", tokens);
  return scopes !== undefined && (scopes.has(scope) || scopes.has("admin"));
}

const secretIn = (header: string | undefined): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(header ?? "")?.[1];

/**
 * Refuses a request that may not do what its route needs.
 *
 * @throws HttpProblem 401 without a valid token, 403 where its scopes don't suffice.
 */
export function authorize(
  request: FastifyRequest,
  tokens: readonly Token[],
  scope: Scope | "any",
): void {
  if (tokens.length === 0) return;
  const secret = secretIn(request.headers.authorization);
  if (secret === undefined) {
    throw new HttpProblem("UNAUTHORIZED", "Send a token: Authorization: Bearer <token>.", {
      "www-authenticate": "Bearer",
    });
  }
  const scopes = scopesOf(secret, tokens);
  if (scopes === undefined) {
    throw new HttpProblem("UNAUTHORIZED", "The token is not known.", {
      "www-authenticate": 'Bearer error="invalid_token"',
    });
  }
  if (scope !== "any" && !scopes.has(scope) && !scopes.has("admin")) {
    throw new HttpProblem("FORBIDDEN", `The token lacks the scope "${scope}".`, {
      "www-authenticate": `Bearer error="insufficient_scope", scope="${scope}"`,
    });
  }
}

/** Compares with each token, in the same time whatever matches. */
function scopesOf(secret: string, tokens: readonly Token[]): ReadonlySet<Scope> | undefined {
  const hash = hashOf(secret);
  let found: ReadonlySet<Scope> | undefined;
  for (const token of tokens) {
    if (timingSafeEqual(hash, token.hash)) found = token.scopes;
  }
  return found;
}

const hashOf = (secret: string): Buffer => createHash("sha256").update(secret).digest();
