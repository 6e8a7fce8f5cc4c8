/**
 * A handler for servers of Node: `node:http`, Express, Fastify's raw requests, Connect.
 *
 * The process stays, so requests share connections, and runs that are executed at the same time share commits.
 */
import { functionOf, type Handler, LARGEST_BODY } from "./handler.ts";

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
    const answer = await toRequest(request).then((each) => shared.answer(each), failed);
    response.statusCode = answer.status;
    for (const [name, value] of answer.headers) response.setHeader(name, value);
    response.end(await answer.text());
  };
}

const failed = (error: unknown): Response =>
  new Response(JSON.stringify({ status: 500, detail: String(error) }), { status: 500 });

async function toRequest(request: NodeRequest): Promise<Request> {
  const { method = "GET", headers, url = "/", originalUrl = url } = request;
  const host = headers["host"];
  const target = new URL(originalUrl, `http://${typeof host === "string" ? host : "unknown"}`);
  const list = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, typeof value === "string" ? value : value.join(", ")]],
  ) as [string, string][];
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(target, {
    method,
    headers: list,
    ...(hasBody ? { body: await bodyOf(request) } : {}),
  });
}

async function bodyOf(request: NodeRequest): Promise<string | Uint8Array<ArrayBuffer>> {
  const { rawBody } = request;
  if (rawBody !== undefined) return typeof rawBody === "string" ? rawBody : new Uint8Array(rawBody);
  if (request.readableEnded === true && request.body !== undefined) {
    // The signature covers the bytes, which a parsed body has lost.
    throw new TypeError(
      "A parser has read the body before: mount the handler before express.json(), or keep the bytes in request.rawBody.",
    );
  }
  const chunks: Uint8Array[] = [];
  const encoder = new TextEncoder();
  let length = 0;
  for await (const given of request) {
    const chunk = typeof given === "string" ? encoder.encode(given) : given;
    // The rest of a body that is too large is read, so that its sender gets the answer, and not kept.
    if (length <= LARGEST_BODY) chunks.push(chunk);
    length += chunk.length;
  }
  return joined(chunks);
}

function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
