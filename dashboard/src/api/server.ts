/** Whether the server is ready, and with which database. */
import { queryOptions } from "@tanstack/react-query";
import { authorizedFetch } from "./client.ts";

export interface ShardReadiness {
  readonly status: string;
  readonly reason?: string;
  /** Absent without a token that may read. */
  readonly incarnation?: "live" | "held" | "sandbox";
}

export interface Readiness extends ShardReadiness {
  /** Readiness of each database, if there are several. */
  readonly shards?: Readonly<Record<string, ShardReadiness>>;
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
