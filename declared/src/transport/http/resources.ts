/** Resources, through the server. */
import { InvalidArgument } from "@oxbow/sdk";
import {
  askingFor,
  jsonOf,
  READ,
  type ServerRequests,
  type Shown,
  toDates,
  withQuery,
} from "@oxbow/sdk/internal/rooms";
import type { ResourceTransport, ResourceType } from "../../protocol/resources.ts";

export function resourcesOverHttp(server: ServerRequests): ResourceTransport {
  const askFor = askingFor(server);
  return {
    startList: () =>
      Promise.reject(new InvalidArgument("A server starts lists of resources itself.")),

    register: ({ pool, types, replace }) => {
      const shown = types.map(({ schema, ...rest }) => jsonOf(rest, { schema }));
      const body = jsonOf({ pool, replace }, { types: `[${shown.join(",")}]` });
      return askFor("changed", "/v1/worker/resource-types", { method: "PUT", body });
    },

    types: async () => {
      const types = await askFor<Shown<ResourceType>[]>("types", "/v1/resource-types");
      return types.map((each) => toDates<ResourceType>(each, ["registeredAt"]));
    },

    list: ({ type, text, ...page }) => {
      const path = `/v1/catalog/resources/${encodeURIComponent(type)}`;
      return server.ask(withQuery(path, { q: text, ...page }), READ);
    },

    referencesTo: (type, id, tx) => askFor("owners", pathOf(type, id), READ, tx),

    setReferences: ({ ownerType, ownerId, title, resources }, tx) => {
      const owner = [ownerType, ownerId].map(encodeURIComponent).join("/");
      const body = JSON.stringify({ title, resources });
      return askFor("changed", `/v1/reference-owners/${owner}`, { method: "PUT", body }, tx);
    },

    assertUnreferenced: (type, id, tx) =>
      askFor("drafts", `${pathOf(type, id)}/assert-none`, { isRead: true }, tx),

    protect: () => Promise.reject(new InvalidArgument(NOT_HERE)),
    unprotect: () => Promise.reject(new InvalidArgument(NOT_HERE)),
  };
}

const NOT_HERE =
  "The owner of a table protects it, by a direct connection: give the client a url like postgres://…, not that of a server.";

const pathOf = (type: string, id: string): string =>
  `/v1/references/${encodeURIComponent(type)}/${encodeURIComponent(id)}`;
