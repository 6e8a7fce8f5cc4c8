/** Authorization by bearer tokens with scopes. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { HttpProblem } from "./problems.ts";

/** `read` reads, `produce` starts, signals, sends and publishes, `work` receives and acknowledges, `admin` does all. */
const SCOPES = ["read", "produce", "work", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/** Shorter secrets could be guessed. */
const SHORTEST_SECRET = 32;

export interface Token {
  /** Only the hash is kept. */
  readonly hash: Buffer;
  readonly scopes: ReadonlySet<Scope>;
}

/**
 * The tokens of `OXBOW_TOKENS`: entries `secret:scope+scope`, separated by commas or white space. An entry without
 * scopes has the scope `admin`. Several entries may have the same scopes, so that secrets can be rotated.
 *
 * @throws Error with the position of an invalid entry, without its secret.
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
          secret === "" ? "it has no secret" : `unknown scope "${unknown}"`
        }. Write secret:scope+scope, with the scopes ${SCOPES.join(", ")}.`,
      );
    }
    if (secret.length < SHORTEST_SECRET) {
      throw new Error(
        `Invalid entry ${index + 1} of OXBOW_TOKENS: its secret has ${secret.length} characters. Use at least ${SHORTEST_SECRET}, for instance from \`openssl rand -hex 32\`.`,
      );
    }
    return { hash: hashOf(secret), scopes: new Set(names as Scope[]) };
  });
}

/** Whether a request has a token with this scope. On a server without tokens, every request has all scopes. */
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
 * Rejects a request without the scope of its route.
 *
 * @throws HttpProblem 401 without a valid token, 403 without the scope.
 */
export function authorize(
  request: FastifyRequest,
  tokens: readonly Token[],
  scope: Scope | "any",
): void {
  if (tokens.length === 0) return;
  const secret = secretIn(request.headers.authorization);
  if (secret === undefined) {
    throw new HttpProblem(
      "UNAUTHORIZED",
      "The request has no token. Send the header Authorization: Bearer <token>.",
      {
        "www-authenticate": "Bearer",
      },
    );
  }
  const scopes = scopesOf(secret, tokens);
  if (scopes === undefined) {
    throw new HttpProblem("UNAUTHORIZED", "The token is invalid.", {
      "www-authenticate": 'Bearer error="invalid_token"',
    });
  }
  if (scope !== "any" && !scopes.has(scope) && !scopes.has("admin")) {
    throw new HttpProblem("FORBIDDEN", `The token lacks the scope "${scope}".`, {
      "www-authenticate": `Bearer error="insufficient_scope", scope="${scope}"`,
    });
  }
}

/** Compares with all tokens, in constant time. */
function scopesOf(secret: string, tokens: readonly Token[]): ReadonlySet<Scope> | undefined {
  const hash = hashOf(secret);
  let found: ReadonlySet<Scope> | undefined;
  for (const token of tokens) {
    if (timingSafeEqual(hash, token.hash)) found = token.scopes;
  }
  return found;
}

const hashOf = (secret: string): Buffer => createHash("sha256").update(secret).digest();
