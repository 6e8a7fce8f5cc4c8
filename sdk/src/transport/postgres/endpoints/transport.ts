/** Endpoints, straight to the database: each method one call of one SQL function. */
import type { EndpointTransport } from "../../../protocol/endpoints.ts";
import type { Queries } from "../connection/queries.ts";
import {
  endpointAdd,
  endpointGet,
  endpointPause,
  endpointRemove,
  endpointResume,
  endpoints,
  endpointSync,
} from "./functions.ts";

export const endpointsOverPostgres = (queries: Queries): EndpointTransport => ({
  add: (url, concurrency) => queries.queryOne(endpointAdd, [url, concurrency ?? null]),
  list: () => queries.query(endpoints, []),
  get: (id) => queries.queryOne(endpointGet, [id]),
  sync: (id) => queries.queryOne(endpointSync, [id]),
  pause: (id) => queries.value(endpointPause, [id]),
  resume: (id) => queries.value(endpointResume, [id]),
  remove: (id) => queries.value(endpointRemove, [id]),
});
