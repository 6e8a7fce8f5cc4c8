/**
 * Host names that a server without tokens accepts.
 *
 * A foreign page can resolve its own name to this machine (DNS rebinding). The browser then treats both as one site, but
 * the request has the foreign name.
 */
import { HttpProblem } from "./problems.ts";

export class HostCheck {
  readonly #allowed: ReadonlySet<string>;
  /** The header of the last request that was accepted: most have the same. */
  #accepted: string | undefined;

  /** @param allowed Names besides those of this machine. */
  constructor(allowed: ReadonlySet<string>) {
    this.#allowed = allowed;
  }

  /**
   * Rejects a request to any other name.
   *
   * @throws HttpProblem 421.
   */
  check(host = ""): void {
    if (host === this.#accepted) return;
    const name = nameIn(host);
    if (!isLoopbackName(name) && !this.#allowed.has(name)) {
      throw new HttpProblem(
        "HOST_NOT_ALLOWED",
        `Without tokens, the server only accepts requests to localhost, not to "${host.slice(0, 100)}". Add the name to OXBOW_ALLOWED_HOSTS, or set OXBOW_TOKENS.`,
      );
    }
    this.#accepted = host;
  }
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
