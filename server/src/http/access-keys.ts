/** Access keys with scopes, which sign requests: the entries of `OXBOW_ACCESS_KEYS`. */
import { isScope, type Scope, SCOPES } from "./scopes.ts";

/** Shorter secrets could be guessed from a signature. */
const SHORTEST_SECRET = 32;

export interface AccessKey {
  /** The actor of what is done with it. Requests name it in the open. */
  readonly id: string;
  /** Kept as it is, since each signature is computed from it. */
  readonly secret: string;
  readonly scopes: ReadonlySet<Scope>;
}

/**
 * The access keys of `OXBOW_ACCESS_KEYS`: entries `id:secret:scope+scope`, separated by commas or white space. An entry
 * without scopes has the scope `admin`. To rotate a secret, add an entry with another id.
 *
 * @throws Error with the position of an invalid entry. Nothing of an entry is quoted, since its parts may be confused.
 */
export function parseAccessKeys(text: string): AccessKey[] {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== "");
  const positions = new Map<string, number>();
  return entries.map((entry, index) => {
    const position = index + 1;
    const [id = "", secret = "", scopeText = "admin", ...rest] = entry.split(":");
    const scopes = scopeText.split("+");
    const first = positions.get(id);
    const flaw =
      flawOf(id, secret, rest) ??
      (scopes.every(isScope) ? undefined : "one of its scopes is unknown") ??
      (first === undefined ? undefined : `it has the id of entry ${first}`);
    if (flaw !== undefined) {
      throw new Error(
        `Invalid entry ${position} of OXBOW_ACCESS_KEYS: ${flaw}. Write id:secret:scope+scope, with the scopes ${SCOPES.join(", ")}.`,
      );
    }
    positions.set(id, position);
    return { id, secret, scopes: new Set(scopes.filter(isScope)) };
  });
}

function flawOf(id: string, secret: string, rest: readonly string[]): string | undefined {
  if (!/^[a-z0-9][\w.@-]{0,127}$/i.test(id)) {
    return "its id must have 1 to 128 characters of A-Z, a-z, 0-9, _, ., @ and -";
  }
  if (secret === "") return "it has no secret";
  if (rest.length > 0) return "a secret can't contain a colon";
  if (secret.length >= SHORTEST_SECRET) return undefined;
  return `its secret has ${secret.length} characters, and needs at least ${SHORTEST_SECRET}, for instance from \`openssl rand -hex 32\``;
}
