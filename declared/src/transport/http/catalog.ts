/** The catalog, through the server. */
import { jsonOf, type Shown, toDates } from "@oxbow/sdk/internal/rooms";
import type {
  CatalogTransport,
  RegisteredNodeType,
  RegisterNodeTypesRequest,
} from "../../protocol/catalog.ts";
import type { CatalogFilter } from "../../protocol/triggers.ts";
import { queryOf, ServerRoom } from "./server-room.ts";

export class HttpCatalogTransport extends ServerRoom implements CatalogTransport {
  registerNodeTypes({ types, ...rest }: RegisterNodeTypesRequest): Promise<number> {
    return this.ask("written", "/v1/worker/node-types", {
      method: "PUT",
      repeatable: true,
      body: jsonOf(rest, { types }),
    });
  }

  async nodeTypes(conditions: CatalogFilter): Promise<RegisteredNodeType[]> {
    const path = `/v1/catalog${queryOf({ ...conditions })}`;
    const types = await this.ask<Shown<RegisteredNodeType>[]>("nodeTypes", path);
    return types.map((each) => toDates<RegisteredNodeType>(each, ["registeredAt", "lastSeenAt"]));
  }
}
