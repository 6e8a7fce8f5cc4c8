/**
 * Answers to pages of other origins, from the routes that run tokens open and from no others.
 *
 * Promises:
 *   O1  Only the origins of the setting are allowed, each by its name. Credentials never are: a page sends a token, and its
 *       cookies stay of no use.
 *   O2  Errors of these routes are readable too, so that a page learns why.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import { forbidden } from "./problems.ts";

const HEADERS = "authorization, content-type, idempotency-key, last-event-id";
const PREFLIGHT_FOR_S = 600;

export class Cors {
  readonly #origins: ReadonlySet<string>;
  /** The methods of each path that answers other origins. */
  readonly #methods = new Map<string, Set<string>>();

  /** @throws Error for what is no origin. */
  constructor(origins: readonly string[]) {
    this.#origins = new Set(parseOrigins(origins));
  }

  /** Whether a path answers other origins. */
  get isOn(): boolean {
    return this.#origins.size > 0;
  }

  /** Adds a method of a path. Returns true for the first one, which needs a route for preflight requests. */
  add(method: string, path: string): boolean {
    const methods = this.#methods.get(path);
    if (methods === undefined) this.#methods.set(path, new Set([method]));
    else methods.add(method);
    return methods === undefined;
  }

  /** Adds the headers of the answer. Returns whether the request comes from a page of an allowed origin. */
  answer({ headers }: FastifyRequest, reply: FastifyReply): boolean {
    if (!this.isOn) return false;
    reply.header("vary", "Origin");
    const { origin } = headers;
    if (origin === undefined || !this.#origins.has(origin)) return false;
    reply.header("access-control-allow-origin", origin);
    reply.header("access-control-expose-headers", "retry-after, www-authenticate");
    return true;
  }

  /** The answer to the question of a browser whether it may send a request. @throws HttpProblem 403 */
  preflight({ headers, routeOptions }: FastifyRequest, reply: FastifyReply): FastifyReply {
    const origin = headers.origin ?? "";
    if (!this.#origins.has(origin)) {
      throw forbidden(
        `Pages of "${origin.slice(0, 100)}" can't use this server. Add the origin to OXBOW_ALLOWED_ORIGINS.`,
      );
    }
    const methods = [...(this.#methods.get(routeOptions.url ?? "") ?? [])];
    return reply
      .code(204)
      .header("access-control-allow-methods", methods.join(", "))
      .header("access-control-allow-headers", HEADERS)
      .header("access-control-max-age", String(PREFLIGHT_FOR_S));
  }
}

/** @throws Error naming what is no origin. */
export function parseOrigins(origins: readonly string[]): string[] {
  const wrong = origins.find((origin) => !isOrigin(origin));
  if (wrong === undefined) return [...origins];
  throw new Error(
    wrong === "*"
      ? '"*" would allow every page: list the origins of yours, like https://shop.example.com.'
      : `"${wrong.slice(0, 100)}" is not an origin like https://shop.example.com: give scheme, host and port without a path.`,
  );
}

const isOrigin = (text: string): boolean =>
  /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
