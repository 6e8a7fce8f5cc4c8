/**
 * Host names that a server without tokens accepts.
 *
 * A foreign page can resolve its own name to this machine (DNS rebinding). The browser then treats both as one site, but
 * the request has the foreign name.
 */
import { HttpProblem } from "./problems.ts";

/**
 * Rejects a request to a name that is neither this machine's nor one of `allowed`.
 *
 * @throws HttpProblem 421.
 */
export function checkHost(host: string | undefined, allowed: ReadonlySet<string>): void {
  const name = nameIn(host ?? "");
  if (isLoopbackName(name) || allowed.has(name)) return;
  throw new HttpProblem(
    "HOST_NOT_ALLOWED",
    `Without tokens, the server only accepts requests to localhost, not to "${(host ?? "").slice(0, 100)}". Add the name to OXBOW_ALLOWED_HOSTS, or set OXBOW_TOKENS.`,
  );
}

/** @throws Error for an invalid name. */
export function parseHosts(names: readonly string[]): string[] {
  const wrong = names.find((name) => nameIn(name) !== name.toLowerCase());
  if (wrong === undefined) return names.map((name) => name.toLowerCase());
  throw new Error(`"${wrong.slice(0, 100)}" is not a host name: give it without port and path.`);
}

export function isLoopbackName(name: string): boolean {
  return (
    name === "localhost" ||
    name.endsWith(".localhost") ||
    name === "::1" ||
    name === "[::1]" ||
    /^127(\.\d{1,3}){3}$/.test(name)
  );
}

/** The name without the port; empty if it is invalid. */
function nameIn(host: string): string {
  if (!/^[\w.:[\]-]+$/.test(host)) return "";
  const url = `http://${host}`;
  return URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, "") : "";
}
