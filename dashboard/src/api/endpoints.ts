/** Endpoints: urls of functions to which servers push runs. */
import type { AnswerOf } from "./bodies.ts";
import { answer, api } from "./client.ts";
import { readQuery } from "./queries.ts";

export type Endpoint = AnswerOf<"/v1/endpoints">["endpoints"][number];

const one = (id: string) => ({ params: { path: { endpoint_id: id } } });

export const endpointsQuery = readQuery(["endpoints"], "/v1/endpoints");

export const addEndpoint = (url: string, concurrency: number) =>
  answer(api.POST("/v1/endpoints", { body: { url, concurrency } }));

export const syncEndpoint = (id: string) =>
  answer(api.POST("/v1/endpoints/{endpoint_id}/sync", one(id)));

export const pauseEndpoint = (id: string) =>
  answer(api.POST("/v1/endpoints/{endpoint_id}/pause", one(id)));

export const resumeEndpoint = (id: string) =>
  answer(api.POST("/v1/endpoints/{endpoint_id}/resume", one(id)));

export const removeEndpoint = (id: string) =>
  answer(api.DELETE("/v1/endpoints/{endpoint_id}", one(id)));
