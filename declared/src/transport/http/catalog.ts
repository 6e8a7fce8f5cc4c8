/** The catalog, through the server. */
import {
  askingFor,
  jsonOf,
  type ServerRequests,
  type Shown,
  toDates,
  withQuery,
} from "@oxbow/sdk/internal/rooms";
import type { CatalogTransport, RegisteredNodeType } from "../../protocol/catalog.ts";

export function catalogOverHttp(server: ServerRequests): CatalogTransport {
  const askFor = askingFor(server);
  return {
    registerNodeTypes: ({ types, ...rest }) =>
      askFor("written", "/v1/worker/node-types", {
        method: "PUT",
        repeatable: true,
        body: jsonOf(rest, { types }),
      }),
    nodeTypes: async (conditions) => {
      const path = withQuery("/v1/catalog", { ...conditions });
      const types = await askFor<Shown<RegisteredNodeType>[]>("nodeTypes", path);
      return types.map((each) => toDates<RegisteredNodeType>(each, ["registeredAt", "lastSeenAt"]));
    },
  };
}
