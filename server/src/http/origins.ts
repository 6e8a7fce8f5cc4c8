/**
 * Which pages may use a server without tokens: its own dashboard alone.
 *
 * A page of another site in the user's browser could send whatever it likes. Browsers say where a request comes from
 * in two headers, of which an old browser, or one that reaches the server by plain http, sends only `Origin`.
 */
import type { FastifyRequest } from "fastify";
import { HttpProblem } from "./problems.ts";

/**
 * Refuses what a page of another site sends; a link to the dashboard is fine.
 *
 * @param allowedHosts Names by which a proxy makes the server reachable.
 * @throws HttpProblem 403.
 */
export function checkOrigin(
  { method, headers }: Pick<FastifyRequest, "method" | "headers">,
  allowedHosts: ReadonlySet<string>,
): void {
  const isLink = method === "GET" && headers["sec-fetch-mode"] === "navigate";
  const isForeign =
    /^(cross|same)-site$/.test(String(headers["sec-fetch-site"])) ||
    (headers.origin !== undefined && !isOwn(headers.origin, headers.host ?? "", allowedHosts));
  if (!isForeign || isLink) return;
  throw new HttpProblem("FORBIDDEN", "Pages of other sites may not use this server.");
}

/** Whether the origin is the host that was asked, port included; or one that a proxy in front of it has. */
function isOwn(origin: string, host: string, allowedHosts: ReadonlySet<string>): boolean {
  // "null" of a sandboxed page is none.
  if (!URL.canParse(origin)) return false;
  const from = new URL(origin);
  const asked = `${from.protocol}//${host}`;
  if (URL.canParse(asked) && new URL(asked).host === from.host) return true;
  return from.port === "" && allowedHosts.has(from.hostname);
}
