/** Bearer tokens with names and scopes: the entries of `OXBOW_TOKENS`. */
import { createHash, timingSafeEqual } from "node:crypto";
import { isScope, type Scope, SCOPES } from "./scopes.ts";

/** Shorter secrets could be guessed. */
const SHORTEST_SECRET = 32;

export interface Token {
  /** The actor of what is done with it. */
  readonly name: string;
  /** Only the hash is kept. */
  readonly hash: Buffer;
  readonly scopes: ReadonlySet<Scope>;
}

/**
 * The tokens of `OXBOW_TOKENS`: entries `name=secret:scope+scope`, separated by commas or white space. An entry without
 * scopes has the scope `admin`, one without a name is named after the hash of its secret. Several entries may have the
 * same name and scopes, so that secrets can be rotated.
 *
 * @throws Error with the position of an invalid entry, without any part of its secret.
 */
export function parseTokens(text: string): Token[] {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== "");
  return entries.map((entry, index) => {
    const colon = entry.lastIndexOf(":");
    const named = colon === -1 ? entry : entry.slice(0, colon);
    const scopes = colon === -1 ? ["admin"] : entry.slice(colon + 1).split("+");
    const { name, secret } = nameAndSecret(named);
    if (secret === "" || !scopes.every(isScope)) {
      // The text after the colon is not quoted: it is the end of a secret that contains one.
      throw new Error(
        `Invalid entry ${index + 1} of OXBOW_TOKENS: ${
          secret === ""
            ? "it has no secret"
            : "the text after its last colon is not a list of scopes"
        }. Write name=secret:scope+scope, with the scopes ${SCOPES.join(", ")}; a secret that contains a colon needs scopes after it.`,
      );
    }
    if (secret.length < SHORTEST_SECRET) {
      throw new Error(
        `Invalid entry ${index + 1} of OXBOW_TOKENS: its secret has ${secret.length} characters. Use at least ${SHORTEST_SECRET}, for instance from \`openssl rand -hex 32\`.`,
      );
    }
    const hash = hashOf(secret);
    return {
      name: name ?? `token-${hash.toString("hex").slice(0, 8)}`,
      hash,
      scopes: new Set(scopes),
    };
  });
}

/** Base64 ends with "=" too, so a name is followed by as many characters as a secret needs. */
function nameAndSecret(text: string): { name?: string; secret: string } {
  const [whole, name = "", secret = ""] = /^([a-z0-9][\w.@-]{0,62})=(.*)$/i.exec(text) ?? [];
  if (whole === undefined || secret.length < SHORTEST_SECRET) return { secret: text };
  return { name, secret };
}

/** The secret of the header `Authorization: Bearer <secret>`. */
export const secretIn = (header: string | undefined): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(header ?? "")?.[1];

/** The token with this secret. Compares with all tokens, in constant time. */
export function tokenOf(secret: string, tokens: readonly Token[]): Token | undefined {
  const hash = hashOf(secret);
  let found: Token | undefined;
  for (const token of tokens) {
    if (timingSafeEqual(hash, token.hash)) found = token;
  }
  return found;
}

const hashOf = (secret: string): Buffer => createHash("sha256").update(secret).digest();
