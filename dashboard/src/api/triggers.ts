/** Triggers of definitions: the events that reached them, and what these came to. */
import { queryOptions } from "@tanstack/react-query";
import type { AnswerOf, QueryOf } from "./bodies.ts";
import { answer, api } from "./client.ts";
import { readQuery } from "./queries.ts";
import { PROMPTLY_MS, refreshEvery } from "./refresh.ts";

export type TriggerEvent = AnswerOf<"/v1/trigger-events">["events"][number];
export type EventState = TriggerEvent["state"];
export type TriggerExplanation = AnswerOf<
  "/v1/definitions/{name}/explain",
  "post"
>["triggers"][number];

type EventFilter = Omit<QueryOf<"/v1/trigger-events">, "limit">;

export const triggerEventsQuery = (filter: EventFilter, limit: number) => ({
  ...readQuery(["trigger-events", filter, limit], "/v1/trigger-events", {
    query: { ...filter, limit },
  }),
  refetchInterval: refreshEvery(PROMPTLY_MS),
});

export type Hook = AnswerOf<"/v1/definitions/{name}/hooks">["hooks"][number];

/** The addresses of a definition's webhooks, with their secrets. Only a publish changes them. */
export const hooksQuery = (name: string) => ({
  ...readQuery(["definitions", name, "hooks"], "/v1/definitions/{name}/hooks", {
    path: { name },
  }),
  refetchInterval: false as const,
});

/** @param version Default: the published one. */
export const explanationQuery = (name: string, eventId: string, version: number | undefined) =>
  queryOptions({
    queryKey: ["trigger-events", name, eventId, "explain", version],
    queryFn: ({ signal }) =>
      answer(
        api.POST("/v1/definitions/{name}/explain", {
          params: { path: { name } },
          body: { eventId, version },
          signal,
        }),
      ),
  });

/** @param values In the order of once_for. */
export const forgetOnce = (name: string, values: unknown[]) =>
  answer(
    api.POST("/v1/definitions/{name}/once/forget", {
      params: { path: { name } },
      body: { values },
    }),
  );
