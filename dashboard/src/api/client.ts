/** The client of the REST API, typed by the OpenAPI document of the server: `schema.ts` is made by `make docs`. */
import createClient from "openapi-fetch";
import { csrfToken, readSession } from "./csrf.ts";
import { toProblem } from "./problem.ts";
import type { paths } from "./schema.ts";
import { ASKS_FOR_TOKEN, askForToken, currentToken } from "./token.ts";

/**
 * Sends the token of the tab, or else what proves that the user of the session sends the request. Asks the user to sign in
 * if that is needed, and then repeats the request.
 */
export async function authorizedFetch(request: Request): Promise<Response> {
  const isChange = !["GET", "HEAD"].includes(request.method);
  for (;;) {
    const token = currentToken();
    const proof = token === null && isChange ? await csrfToken() : null;
    const attempt = new Request(request.clone(), { cache: "no-store" });
    if (token !== null) attempt.headers.set("authorization", `Bearer ${token}`);
    if (proof !== null) attempt.headers.set("oxbow-csrf-token", proof);
    const response = await fetch(attempt);
    if (response.status === 403 && proof !== null) {
      // Another tab may have begun another session.
      if ((await readSession()) === undefined && (await csrfToken()) !== proof) continue;
      return response;
    }
    if (response.status !== 401) return response;
    let problem = toProblem(response, await response.json().catch(() => null));
    if (problem.code === "SESSION_EXPIRED") {
      const refusal = await readSession();
      if (refusal === undefined) continue;
      problem = refusal;
    }
    // Another request may have been given a token since.
    if (currentToken() === token) {
      const isUnknown = token === null && problem.code === "UNAUTHORIZED";
      await askForToken(isUnknown ? ASKS_FOR_TOKEN : problem.message);
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
