/** The database as a copy: what it has captured instead of sending. */
import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "./client.ts";
import type { paths } from "./schema.ts";

export type CapturedDelivery =
  paths["/v1/captured-deliveries"]["get"]["responses"][200]["content"]["application/json"]["deliveries"][number];

export const capturedQuery = (after: string | undefined, max: number) =>
  queryOptions({
    queryKey: ["captured", after, max],
    queryFn: ({ signal }) =>
      answer(
        api.GET("/v1/captured-deliveries", {
          params: { query: { max, ...(after === undefined ? {} : { after }) } },
          signal,
        }),
      ),
  });
