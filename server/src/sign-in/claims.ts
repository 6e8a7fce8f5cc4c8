/** What the claims of a user mean here. */
import type { Scope } from "../http/scopes.ts";

export type Claims = Readonly<Record<string, unknown>>;

/**
 * The value of a claim: by its name, which may be a url, or else by a path through objects.
 */
export function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** The claims that are lists in one text, by their standards (RFC 8693, and Microsoft's for access tokens). */
const SEPARATED_BY_SPACES: ReadonlySet<string> = new Set(["scope", "scp"]);

/** The roles in a claim: a list, or one text, which is one role: the words of "Sales admin" are not two roles. */
export function rolesIn(claims: Claims, claim: string): string[] {
  const value = claimAt(claims, claim);
  if (Array.isArray(value)) return value.filter((item) => typeof item === "string");
  if (typeof value !== "string" || value === "") return [];
  return SEPARATED_BY_SPACES.has(claim) ? value.split(/ +/).filter((role) => role !== "") : [value];
}

/** The scopes of all roles together. */
export function scopesOf(
  roles: readonly string[],
  known: ReadonlyMap<string, ReadonlySet<Scope>>,
): Set<Scope> {
  return new Set(roles.flatMap((role) => [...(known.get(role) ?? [])]));
}

/** The name of the user in the audit; the subject, which is never reused, if the claim is missing. */
export function actorOf(claims: Claims, claim: string, subject: string): string {
  const value = claimAt(claims, claim);
  return typeof value === "string" && value !== "" ? value.slice(0, 200) : subject;
}

/**
 * Whether the provider reports the address of a user as verified; some providers report it as text. Undefined if it
 * reports neither.
 */
export function isVerified(claims: Claims): boolean | undefined {
  const value = claims["email_verified"];
  if (value === undefined || value === null) return undefined;
  return value === true || (typeof value === "string" && value.toLowerCase() === "true");
}
