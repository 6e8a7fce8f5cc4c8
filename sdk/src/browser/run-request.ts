/** What the requests of a page about a run have in common. */

/** A run token, or a function that gets a new one from the application. */
export type RunTokenSource = string | (() => string | Promise<string>);

/** Why the server refuses a page: the status of its answer, and the detail in it. */
export interface RunRefusal {
  readonly status: number;
  readonly detail: string;
}

export const urlOf = (server: string, runId: string): string =>
  `${server.replace(/\/$/, "")}/v1/runs/${encodeURIComponent(runId)}`;

/** Undefined if the server is stopping, starting or busy, so that the same request may be answered soon. */
export async function refusalOf(response: Response): Promise<RunRefusal | undefined> {
  const { status } = response;
  if (status >= 500 || status === 429) return undefined;
  const { detail = "" } = (await response.json().catch(() => ({}))) as { readonly detail?: string };
  return { status, detail };
}

/** The function of an application may never answer, as after a sleep of the machine. @throws the signal's reason */
export function tokenOf(source: RunTokenSource, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    Promise.resolve()
      .then(() => (typeof source === "string" ? source : source()))
      .then(resolve, reject);
  });
}
