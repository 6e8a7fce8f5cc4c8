/** The identity of the database, which may be a copy of another one. */
import { queryOptions } from "@tanstack/react-query";
import type { AnswerOf, BodyOf } from "./bodies.ts";
import { answer, api } from "./client.ts";

export type Incarnation = NonNullable<AnswerOf<"/v1/incarnation">["incarnation"]>;
export type ReleaseBody = BodyOf<"/v1/incarnation/release">;
export type Captured = AnswerOf<"/v1/captured-deliveries">["deliveries"][number];

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
          params: { query: { max, after } },
          signal,
        }),
      ),
  });
