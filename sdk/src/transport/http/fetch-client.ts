/** Requests by `fetch`, in browsers and on edge runtimes, which have nothing else. They keep connections by themselves. */
import { type HttpClient, type HttpResponse, reasonOf } from "./http-client.ts";

/** Reasons of Node and Deno for which no request was sent; browsers and edge runtimes don't say. */
const NOT_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);

export const makeHttpClient = (origin: string): HttpClient => ({
  send: async ({ method, path, headers, body, signal }) => {
    try {
      const response = await fetch(`${origin}${path}`, {
        method,
        headers,
        // Where a redirect leads may not be who should have the token.
        redirect: "manual",
        signal,
        ...(body === undefined ? {} : { body }),
      });
      return toHttpResponse(response);
    } catch (error) {
      const cause = reasonOf(causeOf(error), signal);
      return { cause, sent: !NOT_SENT.has(codeOf(cause)) };
    }
  },
  close: () => {},
});

const toHttpResponse = (response: Response): HttpResponse => ({
  status: response.status,
  text: () => response.text(),
  pieces: piecesOf(response),
});

/** Streams can't be iterated everywhere. */
async function* piecesOf({ body }: Response): AsyncGenerator<string, void> {
  if (body === null) return;
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    // Closes the connection of a reader that stops.
    await reader.cancel().catch(() => {});
  }
}

/** What `fetch` of Node wraps. */
const causeOf = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof Error ? error.cause : error;

const codeOf = (error: Error): string => String((error as { code?: unknown }).code);
