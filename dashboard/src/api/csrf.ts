/** What changing requests of a signed-in user repeat, which pages of other sites can't know. */
import { type Problem, toProblem } from "./problem.ts";

interface Known {
  /** Null if the server knows the caller otherwise. */
  readonly csrfToken: string | null;
}

let known: Known | undefined;

/**
 * Reads the session, which the server refreshes if it has expired. One tab at a time: providers end sessions that are
 * refreshed twice. Returns why there is no session, if so.
 */
export const readSession = (): Promise<Problem | undefined> =>
  // Over plain http, browsers have locks on this machine only.
  "locks" in navigator ? navigator.locks.request("oxbow-session", read) : read();

async function read(): Promise<Problem | undefined> {
  const response = await fetch("./v1/session", { cache: "no-store" });
  const body: unknown = await response.json().catch(() => null);
  known = response.ok ? (body as Known) : undefined;
  return response.ok ? undefined : toProblem(response, body);
}

/** Null if changing requests need no token. */
export async function csrfToken(): Promise<string | null> {
  if (known === undefined) await readSession();
  return known?.csrfToken ?? null;
}
