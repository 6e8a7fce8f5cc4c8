/** The catalog, through the server. */
import type {
  CatalogTransport,
  NodeTypeConditions,
  RegisteredNodeType,
  RegisterNodeTypesRequest,
} from "../../protocol/catalog.ts";
import { type ServerRequests, jsonOf, type Shown, toDates } from "@oxbow/sdk/internal/rooms";

export class HttpCatalogTransport implements CatalogTransport {
  readonly #connection: ServerRequests;

  constructor(connection: ServerRequests) {
    this.#connection = connection;
  }

  async registerNodeTypes({ types, ...rest }: RegisterNodeTypesRequest): Promise<number> {
    const { written } = await this.#connection.ask<{ written: number }>("/v1/worker/node-types", {
      method: "PUT",
      repeatable: true,
      body: jsonOf(rest, { types }),
    });
    return written;
  }

  async nodeTypes(conditions: NodeTypeConditions): Promise<RegisteredNodeType[]> {
    const given = Object.entries(conditions).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    const search = new URLSearchParams(given).toString();
    const { nodeTypes } = await this.#connection.ask<{
      nodeTypes: Shown<RegisteredNodeType>[];
    }>(`/v1/catalog?${search}`, { method: "GET" });
    return nodeTypes.map((each) =>
      toDates<RegisteredNodeType>(each, ["registeredAt", "lastSeenAt"]),
    );
  }
}
