/** Endpoints: urls of functions to which servers push runs. */
import { Type } from "typebox";
import { route, type Route } from "../http/route.ts";
import { about, Closed, Id, Instant, nonEmpty, Nullable } from "../http/schemas.ts";

const OneEndpoint = Type.Object({ endpoint_id: Id });
const Changed = Type.Object({ changed: Type.Boolean() });

const Shown = Type.Object({
  endpointId: Id,
  url: Type.String(),
  concurrency: Type.Integer({ description: "How many runs one server pushes to it at a time." }),
  isPaused: Type.Boolean(),
  createdAt: about(
    Instant,
    "When it was added the last time. The newest endpoint that serves a version gets its runs.",
  ),
  serves: Type.Record(Type.String(), Type.Array(Type.Integer()), {
    description: "Versions by workflow, as the last successful check found.",
  }),
  maxDurationMs: Nullable(
    Type.Integer({ description: "How long one of its requests may take; null if unknown." }),
  ),
  sdkVersion: Nullable(Type.String()),
  checkedAt: Nullable(Instant),
  lastError: Nullable(
    Type.String({ description: "Why the last check failed; null if it succeeded." }),
  ),
  failedAt: Nullable(Instant),
});

export const listEndpoints: Route = route({
  method: "GET",
  path: "/v1/endpoints",
  scope: "admin",
  summary: "List endpoints",
  description: "Returns endpoints, newest first.",
  response: { 200: Type.Object({ endpoints: Type.Array(Shown) }) },
  handler: async (_request, { transport: { endpoints } }) => ({
    endpoints: await endpoints.list(),
  }),
});

export const addEndpoint: Route = route({
  method: "POST",
  path: "/v1/endpoints",
  scope: "admin",
  isAudited: true,
  summary: "Add an endpoint",
  description:
    "Adds the url of a function, which a server then asks which versions of which workflows it serves. A known url is resumed, checked, and becomes the newest.",
  body: Closed({
    url: nonEmpty(2_048, "http or https."),
    concurrency: Type.Integer({
      minimum: 1,
      maximum: 1_000,
      default: 20,
      description: "How many runs one server pushes to it at a time.",
    }),
  }),
  response: { 200: Shown },
  handler: async ({ body: { url, concurrency } }, { transport: { endpoints } }) =>
    endpoints.add(url, concurrency),
});

export const getEndpoint: Route = route({
  method: "GET",
  path: "/v1/endpoints/:endpoint_id",
  scope: "admin",
  summary: "Get an endpoint",
  params: OneEndpoint,
  response: { 200: Shown },
  handler: async ({ params }, { transport: { endpoints } }) => endpoints.get(params.endpoint_id),
});

export const removeEndpoint: Route = route({
  method: "DELETE",
  path: "/v1/endpoints/:endpoint_id",
  scope: "admin",
  isAudited: true,
  summary: "Remove an endpoint",
  description: "Runs that were pushed to it continue.",
  params: OneEndpoint,
  response: {
    200: Type.Object({
      removed: Type.Boolean({ description: "False if the endpoint doesn't exist." }),
    }),
  },
  handler: async ({ params }, { transport: { endpoints } }) => ({
    removed: await endpoints.remove(params.endpoint_id),
  }),
});

export const syncEndpoint: Route = route({
  method: "POST",
  path: "/v1/endpoints/:endpoint_id/sync",
  scope: "admin",
  isAudited: true,
  summary: "Check an endpoint soon",
  description:
    "Has a server ask the endpoint what it serves, as after a deployment. Returns the endpoint as it was before; it is checked when checkedAt or failedAt has changed.",
  params: OneEndpoint,
  response: { 200: Shown },
  handler: async ({ params }, { transport: { endpoints } }) => endpoints.sync(params.endpoint_id),
});

export const pauseEndpoint: Route = route({
  method: "POST",
  path: "/v1/endpoints/:endpoint_id/pause",
  scope: "admin",
  isAudited: true,
  summary: "Pause an endpoint",
  description:
    "Nothing is pushed to it until it is resumed. Its versions go to the next newest endpoint that serves them.",
  params: OneEndpoint,
  response: { 200: Changed },
  handler: async ({ params }, { transport: { endpoints } }) => ({
    changed: await endpoints.pause(params.endpoint_id),
  }),
});

export const resumeEndpoint: Route = route({
  method: "POST",
  path: "/v1/endpoints/:endpoint_id/resume",
  scope: "admin",
  isAudited: true,
  summary: "Resume a paused endpoint",
  params: OneEndpoint,
  response: { 200: Changed },
  handler: async ({ params }, { transport: { endpoints } }) => ({
    changed: await endpoints.resume(params.endpoint_id),
  }),
});
