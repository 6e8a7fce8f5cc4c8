/** The server itself, and what the user may do there. */
import { queryOptions } from "@tanstack/react-query";
import { answer, api, authorizedFetch } from "./client.ts";
import type { paths } from "./schema.ts";

export type Scope =
  paths["/v1/session"]["get"]["responses"][200]["content"]["application/json"]["scopes"][number];

/** What the user may do: it changes with the token, which discards all answers. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: ({ signal }) => answer(api.GET("/v1/session", { signal })),
  staleTime: Number.POSITIVE_INFINITY,
  refetchInterval: false,
});

export interface Readiness {
  readonly status: string;
  readonly reason?: string;
  /** Absent without a token that may read. */
  readonly incarnation?: "live" | "held" | "sandbox";
  /** The run that has been ready longest. */
  readonly oldestReadyRun?: { readonly workflow: string; readonly ageSeconds: number } | null;
}

export const readinessQuery = queryOptions({
  queryKey: ["readiness"],
  // An answer of 503 has the same form.
  queryFn: async ({ signal }): Promise<Readiness> => {
    const response = await authorizedFetch(new Request("./readyz", { signal }));
    return (await response.json()) as Readiness;
  },
});
