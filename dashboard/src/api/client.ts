/** The client of the REST API, typed by the OpenAPI document of the server: `schema.ts` is made by `make docs`. */
import createClient from "openapi-fetch";
import { toProblem } from "./problem.ts";
import type { paths } from "./schema.ts";
import { askForToken, currentToken } from "./token.ts";

/** Sends the token of the tab, asks for one if it is needed, and then repeats the request. */
export async function authorizedFetch(request: Request): Promise<Response> {
  for (;;) {
    const token = currentToken();
    const attempt = new Request(request.clone(), { cache: "no-store" });
    if (token !== null) attempt.headers.set("authorization", `Bearer ${token}`);
    const response = await fetch(attempt);
    if (response.status !== 401) return response;
    // Another request may have been given a token since.
    if (currentToken() === token) {
      const body: unknown = await response.json().catch(() => null);
      await askForToken(
        token === null ? "This server asks for a token." : toProblem(response, body).message,
      );
    }
  }
}

/** Relative to the page, which a proxy may serve beneath any path. */
export const api = createClient<paths>({ baseUrl: ".", fetch: authorizedFetch });

interface Answer<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/**
 * The body of an answer.
 *
 * @throws Problem if the server refused.
 */
export async function answer<Data>(call: Promise<Answer<Data>>): Promise<NonNullable<Data>> {
  const { data, error, response } = await call;
  if (!response.ok) throw toProblem(response, error);
  return data as NonNullable<Data>;
}
