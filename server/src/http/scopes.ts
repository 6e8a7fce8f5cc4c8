/** What a caller may do. */

/**
 * `read` reads, `produce` starts, signals, sends and publishes, `work` receives and acknowledges, `define` edits drafts of
 * definitions, `publish` publishes, pauses, archives and deletes definitions, `approve` lists and decides requests for
 * approval, `admin` does all of these. `act` names
 * another actor of a request, and no other scope includes it.
 */
export const SCOPES = [
  "read",
  "produce",
  "work",
  "define",
  "publish",
  "approve",
  "admin",
  "act",
] as const;
export type Scope = (typeof SCOPES)[number];

export const isScope = (text: string): text is Scope =>
  (SCOPES as readonly string[]).includes(text);

/** Whether these scopes, or one that includes it, contain a scope. */
export const includesScope = (scopes: ReadonlySet<Scope>, scope: Scope): boolean =>
  scopes.has(scope) || (scope !== "act" && scopes.has("admin"));

/** All that these scopes include. */
export const effectiveScopes = (scopes: ReadonlySet<Scope>): Scope[] =>
  SCOPES.filter((scope) => includesScope(scopes, scope));
