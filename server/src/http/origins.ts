/**
 * On a server without tokens, only its own dashboard may send requests from a browser.
 *
 * A page of another site in the user's browser could send any request. Browsers report the origin in two headers; old
 * browsers, and all browsers over plain http, only send `Origin`.
 */
import type { FastifyRequest } from "fastify";
import { forbidden } from "./problems.ts";

/**
 * Rejects requests of pages of other sites, except links to the dashboard.
 *
 * @param allowedHosts Names of proxies of the server.
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
  throw forbidden("Pages of other sites can't use this server.");
}

/** Whether the origin is the host of the request, including its port, or an allowed host. */
function isOwn(origin: string, host: string, allowedHosts: ReadonlySet<string>): boolean {
  // Sandboxed pages send "null".
  if (!URL.canParse(origin)) return false;
  const from = new URL(origin);
  const asked = `${from.protocol}//${host}`;
  if (URL.canParse(asked) && new URL(asked).host === from.host) return true;
  return from.port === "" && allowedHosts.has(from.hostname);
}
