/** Settings of the sign-in by OpenID Connect. */
import { isScope, type Scope, SCOPES } from "../http/scopes.ts";

export interface SignInSettings {
  /** Issuer of the provider: `https://…`, or `http://` on this machine. */
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for a public client, which only PKCE protects. */
  readonly clientSecret?: string | undefined;
  /** Url of the dashboard as browsers see it. */
  readonly publicUrl: string;
  /** What session cookies are sealed with: the first seals, all of them open. */
  readonly sessionSecrets: readonly string[];
  /** Scopes that the provider is asked for. Default `openid profile email`. */
  readonly requestedScopes?: string | undefined;
  /** Claim with the roles of a user: a name, or a path such as `realm_access.roles`. Default `roles`. */
  readonly rolesClaim?: string | undefined;
  /** The scopes of each role. */
  readonly roles: ReadonlyMap<string, ReadonlySet<Scope>>;
  /** Claim that names the actor in the audit. Default `sub`. */
  readonly actorClaim?: string | undefined;
  /** Whether an address counts as verified that the provider reports without `email_verified`. Default false. */
  readonly assumesVerified?: boolean | undefined;
  /** Name of the provider on the button. Default: the host of the issuer. */
  readonly providerName?: string | undefined;
  /** When a user has to sign in again at the latest. Default 8 hours. */
  readonly longestMs?: number | undefined;
  /** How often the provider is asked whether the user still has its roles. Default 15 minutes. */
  readonly refreshMs?: number | undefined;
}

export const signInDefaults = {
  requestedScopes: "openid profile email",
  rolesClaim: "roles",
  actorClaim: "sub",
  longestMs: 8 * 3_600_000,
  refreshMs: 15 * 60_000,
} as const;

/** Shorter secrets could be guessed. */
const SHORTEST_SECRET = 32;

/** @throws Error for a secret that could be guessed. */
export function checkSessionSecrets(secrets: readonly string[]): readonly string[] {
  if (secrets.length === 0)
    throw new Error("give at least one secret, as `openssl rand -hex 32` makes them.");
  const index = secrets.findIndex((secret) => secret.length < SHORTEST_SECRET);
  if (index === -1) return secrets;
  throw new Error(
    `secret ${index + 1} has ${secrets[index]?.length ?? 0} characters. Use at least ${SHORTEST_SECRET}, for instance from \`openssl rand -hex 32\`.`,
  );
}

/**
 * The scopes of roles: `platform team=admin, viewers=read`, separated by commas or lines.
 *
 * @throws Error naming the entry.
 */
export function parseRoles(text: string): Map<string, ReadonlySet<Scope>> {
  const entries = text
    .split(/[,\n]+/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
  if (entries.length === 0) throw new Error("give at least one role, as admins=admin.");
  return new Map(
    entries.map((entry) => {
      const equals = entry.lastIndexOf("=");
      const role = entry.slice(0, Math.max(equals, 0)).trim();
      const names = entry
        .slice(equals + 1)
        .split("+")
        .map((name) => name.trim());
      const unknown = names.find((name) => !isScope(name));
      if (role === "" || unknown !== undefined) {
        throw new Error(
          `"${entry.slice(0, 80)}" ${role === "" ? "names no role" : `has the unknown scope "${unknown}"`}. Write role=scope+scope, with the scopes ${SCOPES.join(", ")}.`,
        );
      }
      return [role, new Set(names.filter(isScope))];
    }),
  );
}

/**
 * A url that browsers reach: `https://`, or `http://` for a host of this machine or network in development.
 *
 * @throws Error if it is not one.
 */
export function parsePublicUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new Error(`"${text.slice(0, 100)}" is not a url like https://oxbow.example.com/.`);
  }
  const { origin, pathname, search, hash } = new URL(text);
  if (search !== "" || hash !== "") {
    throw new Error(`"${text.slice(0, 100)}" must have no query and no fragment.`);
  }
  return `${origin}${pathname.replace(/\/?$/, "/")}`;
}
