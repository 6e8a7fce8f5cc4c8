/** The identity of the database, which may be a copy of another one. */
import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "./client.ts";
import type { paths } from "./schema.ts";

export type Incarnation = NonNullable<
  paths["/v1/incarnation"]["get"]["responses"][200]["content"]["application/json"]["incarnation"]
>;
export type ReleaseBody =
  paths["/v1/incarnation/release"]["post"]["requestBody"]["content"]["application/json"];
export type Captured =
  paths["/v1/captured-deliveries"]["get"]["responses"][200]["content"]["application/json"]["deliveries"][number];

export const incarnationQuery = queryOptions({
  queryKey: ["incarnation"],
  queryFn: ({ signal }) => answer(api.GET("/v1/incarnation", { signal })),
});

export const releaseIncarnation = (body: ReleaseBody) =>
  answer(api.POST("/v1/incarnation/release", { body }));

export const capturedQuery = (after: string | undefined, max: number) =>
  queryOptions({
    queryKey: ["captured-deliveries", after, max],
    queryFn: ({ signal }) =>
      answer(
        api.GET("/v1/captured-deliveries", {
          params: { query: { max, ...(after === undefined ? {} : { after }) } },
          signal,
        }),
      ),
  });
