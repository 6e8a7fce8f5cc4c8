/**
 * Which hosts a server without tokens answers for.
 *
 * A page of somebody else can have its own name lead to this machine (DNS rebinding): for the browser all is one site
 * then, but the request tells the name.
 */
import { HttpProblem } from "./problems.ts";

/**
 * Refuses a request to a name that isn't this machine's own, nor one of `allowed`.
 *
 * @throws HttpProblem 421.
 */
export function checkHost(host: string | undefined, allowed: ReadonlySet<string>): void {
  const name = nameIn(host ?? "");
  if (isLoopbackName(name) || allowed.has(name)) return;
  throw new HttpProblem(
    "HOST_NOT_ALLOWED",
    `Without tokens the server answers for this machine's own names alone, not for "${(host ?? "").slice(0, 100)}": ask localhost, add the name to OXBOW_ALLOWED_HOSTS, or set OXBOW_TOKENS.`,
  );
}

/** @throws Error about a name that no request has. */
export function parseHosts(names: readonly string[]): string[] {
  const wrong = names.find((name) => nameIn(name) !== name.toLowerCase());
  if (wrong === undefined) return names.map((name) => name.toLowerCase());
  throw new Error(`"${wrong.slice(0, 100)}" is no name of a host: give it without port and path.`);
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

/** Without the port, as browsers write it; empty where it is no name at all. */
function nameIn(host: string): string {
  if (!/^[\w.:[\]-]+$/.test(host)) return "";
  const url = `http://${host}`;
  return URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, "") : "";
}
