/** A handler of requests that executes workflows: for functions, and for servers that other programs call. */
import type { HandlerOptions } from "./handler-options.ts";
import { LARGEST_BODY, PushFunction } from "./push-function.ts";

/** An export of a route. Next.js checks the type of its parameter, and reads that of the last signature. */
export interface RouteMethod {
  /** Called with an event of SvelteKit, or a context of Astro. */
  (event: { readonly request: Request }): Promise<Response>;
  (request: Request): Promise<Response>;
}

/**
 * Answers the requests of a server. `GET`, `POST` and `PUT` are exports of a route of Next.js, SvelteKit or Astro; `fetch` is
 * what Bun, Deno, Cloudflare and Hono call.
 */
export interface Handler {
  readonly GET: RouteMethod;
  readonly POST: RouteMethod;
  readonly PUT: RouteMethod;
  readonly fetch: (request: Request) => Promise<Response>;
}

/**
 * Makes a handler that serves workflows to servers, which push runs to it.
 *
 * @throws InvalidArgument, for instance in production without a key.
 * @example
 * // app/api/oxbow/route.ts
 * export const { GET, POST, PUT } = createHandler({ workflows: [onboardUser], maxDuration: "60s" });
 */
export function createHandler(options: HandlerOptions): Handler {
  const made = new PushFunction(options);
  const answer = async (given: Request | { readonly request: Request }): Promise<Response> => {
    const request = "request" in given ? given.request : given;
    const { body, ...rest } = await made.answer({
      method: request.method,
      hostname: () => new URL(request.url).hostname,
      header: (name) => request.headers.get(name) ?? undefined,
      body: () => bodyOf(request),
    });
    return new Response(body, rest);
  };
  const handler: WithFunction = {
    GET: answer,
    POST: answer,
    PUT: answer,
    fetch: answer,
    [FUNCTION]: made,
  };
  return handler;
}

const FUNCTION = Symbol("oxbow.function");

interface WithFunction extends Handler {
  readonly [FUNCTION]: PushFunction;
}

/** The function of a handler, for other forms of requests. */
export const functionOf = (handler: Handler): PushFunction => (handler as WithFunction)[FUNCTION];

/** Undefined if it is too large. */
async function bodyOf(request: Request): Promise<string | undefined> {
  if (Number(request.headers.get("content-length") ?? 0) > LARGEST_BODY) return undefined;
  const { body } = request;
  if (body === null) return "";
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > LARGEST_BODY) {
      await reader.cancel();
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}
