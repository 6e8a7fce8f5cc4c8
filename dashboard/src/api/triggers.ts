/** Triggers of definitions: the events that reached them, and what these came to. */
import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "./client.ts";
import { PROMPTLY_MS, refreshEvery } from "./refresh.ts";
import type { paths } from "./schema.ts";

type Listing = paths["/v1/trigger-events"]["get"];
export type TriggerEvent =
  Listing["responses"][200]["content"]["application/json"]["events"][number];
export type EventState = TriggerEvent["state"];
export type TriggerExplanation =
  paths["/v1/definitions/{name}/explain"]["post"]["responses"][200]["content"]["application/json"]["triggers"][number];

interface EventFilter {
  readonly definition: string;
  readonly topic?: string | undefined;
  readonly state?: EventState | undefined;
  readonly before?: string | undefined;
}

export const triggerEventsQuery = (
  { definition, topic, state, before }: EventFilter,
  limit: number,
) =>
  queryOptions({
    queryKey: ["trigger-events", definition, topic, state, before, limit],
    queryFn: ({ signal }) =>
      answer(
        api.GET("/v1/trigger-events", {
          params: {
            query: {
              definition,
              limit,
              ...(topic === undefined ? {} : { topic }),
              ...(state === undefined ? {} : { state }),
              ...(before === undefined ? {} : { before }),
            },
          },
          signal,
        }),
      ),
    refetchInterval: refreshEvery(PROMPTLY_MS),
  });

export type Hook =
  paths["/v1/definitions/{name}/hooks"]["get"]["responses"][200]["content"]["application/json"]["hooks"][number];

/** The addresses of a definition's webhooks, with their secrets. Only a publish changes them. */
export const hooksQuery = (name: string) =>
  queryOptions({
    queryKey: ["definitions", name, "hooks"],
    queryFn: ({ signal }) =>
      answer(api.GET("/v1/definitions/{name}/hooks", { params: { path: { name } }, signal })),
    refetchInterval: false,
  });

/** @param version Default: the published one. */
export const explanationQuery = (name: string, eventId: string, version: number | undefined) =>
  queryOptions({
    queryKey: ["trigger-events", name, eventId, "explain", version],
    queryFn: ({ signal }) =>
      answer(
        api.POST("/v1/definitions/{name}/explain", {
          params: { path: { name } },
          body: { eventId, ...(version === undefined ? {} : { version }) },
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
