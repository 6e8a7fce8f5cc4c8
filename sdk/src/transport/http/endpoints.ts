/** Endpoints, through the server. */
import type { Endpoint, EndpointTransport } from "../../protocol/endpoints.ts";
import type { ServerRequests } from "../../protocol/rooms.ts";
import { askingFor, READ } from "./requests.ts";
import { type Shown, toDates } from "./shown.ts";

const ROOT = "/v1/endpoints";

export function endpointsOverHttp(server: ServerRequests): EndpointTransport {
  const askFor = askingFor(server);
  return {
    add: async (url, concurrency) =>
      toEndpoint(await server.ask(ROOT, { body: JSON.stringify({ url, concurrency }) })),

    list: async () => (await askFor<Shown<Endpoint>[]>("endpoints", ROOT)).map(toEndpoint),

    get: async (id) => toEndpoint(await server.ask(pathOf(id), READ)),

    sync: async (id) => toEndpoint(await server.ask(`${pathOf(id)}/sync`)),

    pause: (id) => askFor("changed", `${pathOf(id)}/pause`, {}),

    resume: (id) => askFor("changed", `${pathOf(id)}/resume`, {}),

    remove: (id) => askFor("removed", pathOf(id), { method: "DELETE" }),
  };
}

const pathOf = (id: string): string => `${ROOT}/${encodeURIComponent(id)}`;

const toEndpoint = (shown: Shown<Endpoint>): Endpoint =>
  toDates<Endpoint>(shown, ["createdAt", "checkedAt", "failedAt"]);
