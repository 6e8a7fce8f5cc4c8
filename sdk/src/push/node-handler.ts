/**
 * A handler for servers of Node: `node:http`, Express, Fastify's raw requests, Connect.
 *
 * The process stays, so requests share connections, and runs that are executed at the same time share commits.
 */
import { functionOf, type Handler } from "./handler.ts";
import { LARGEST_BODY, type PushedRequest, textOf } from "./push-function.ts";

/** The part of `http.IncomingMessage` that is read. */
export interface NodeRequest extends AsyncIterable<Uint8Array | string> {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The path before the router of a framework took its part. */
  readonly originalUrl?: string | undefined;
  /** The bytes of a body that a framework has read. */
  readonly rawBody?: Uint8Array | string | undefined;
  /** A body that a framework has parsed. */
  readonly body?: unknown;
  readonly readableEnded?: boolean;
}

/** The part of `http.ServerResponse` that is written. */
export interface NodeResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
}

/**
 * Converts a handler to a listener of a Node server.
 *
 * @example
 * http.createServer(toNodeHandler(createHandler({ workflows: [onboardUser] }))).listen(3000);
 * app.use("/api/oxbow", toNodeHandler(createHandler({ workflows: [onboardUser] }))); // Express, before express.json()
 */
export function toNodeHandler(
  handler: Handler,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  const shared = functionOf(handler).sharing();
  return async (request, response) => {
    const { status, headers, body } = await shared.answer(toPushed(request));
    response.statusCode = status;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.end(body);
  };
}

function toPushed(request: NodeRequest): PushedRequest {
  const header = (name: string): string | undefined => {
    const value = request.headers[name];
    return typeof value === "object" ? value.join(", ") : value;
  };
  return {
    method: request.method ?? "GET",
    hostname: () => new URL(`http://${header("host") ?? "unknown"}`).hostname,
    header,
    body: () => bodyOf(request),
  };
}

async function bodyOf(request: NodeRequest): Promise<string | undefined> {
  const { rawBody } = request;
  if (rawBody !== undefined) return textOf([toBytes(rawBody)]);
  if (request.readableEnded === true && request.body !== undefined) {
    // The signature covers the bytes, which a parsed body has lost.
    throw new TypeError(
      "A parser has read the body before: mount the handler before express.json(), or keep the bytes in request.rawBody.",
    );
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const given of request) {
    const chunk = toBytes(given);
    // The rest of a body that is too large is read, so that its sender gets the answer, and not kept.
    if (length <= LARGEST_BODY) chunks.push(chunk);
    length += chunk.length;
  }
  return textOf(chunks);
}

const toBytes = (given: Uint8Array | string): Uint8Array =>
  typeof given === "string" ? new TextEncoder().encode(given) : given;
