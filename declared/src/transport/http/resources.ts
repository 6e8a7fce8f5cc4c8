/** Resources, through the server. */
import { InvalidArgument, type TransactionClient } from "@oxbow/sdk";
import type {
  ReferenceOwner,
  RegisterResourceTypesRequest,
  ResourceListRequest,
  ResourcePage,
  ResourceTransport,
  ResourceType,
  SetReferencesRequest,
} from "../../protocol/resources.ts";
import { jsonOf, type Shown, toDates } from "@oxbow/sdk/internal/rooms";
import { queryOf, ServerRoom } from "./server-room.ts";

export class HttpResourceTransport extends ServerRoom implements ResourceTransport {
  startList(): Promise<string> {
    return Promise.reject(new InvalidArgument("A server starts lists of resources itself."));
  }

  register({ pool, types, replace }: RegisterResourceTypesRequest): Promise<number> {
    const shown = types.map(({ schema, ...rest }) => jsonOf(rest, { schema }));
    const body = jsonOf({ pool, replace }, { types: `[${shown.join(",")}]` });
    return this.ask("changed", "/v1/worker/resource-types", { method: "PUT", body });
  }

  async types(): Promise<ResourceType[]> {
    const types = await this.ask<Shown<ResourceType>[]>("types", "/v1/resource-types");
    return types.map((each) => toDates<ResourceType>(each, ["registeredAt"]));
  }

  list({ type, text, ...page }: ResourceListRequest): Promise<ResourcePage> {
    const path = `/v1/catalog/resources/${encodeURIComponent(type)}`;
    return this.connection.ask(`${path}${queryOf({ q: text, ...page })}`, { method: "GET" });
  }

  referencesTo(type: string, id: string, tx?: TransactionClient): Promise<ReferenceOwner[]> {
    return this.ask("owners", pathOf(type, id), { method: "GET" }, tx);
  }

  setReferences(
    { ownerType, ownerId, title, resources }: SetReferencesRequest,
    tx?: TransactionClient,
  ): Promise<boolean> {
    const owner = [ownerType, ownerId].map(encodeURIComponent).join("/");
    const body = JSON.stringify({ title, resources });
    return this.ask("changed", `/v1/reference-owners/${owner}`, { method: "PUT", body }, tx);
  }

  assertUnreferenced(type: string, id: string, tx?: TransactionClient): Promise<number> {
    return this.ask("drafts", `${pathOf(type, id)}/assert-none`, { isRead: true }, tx);
  }

  protect(): Promise<boolean> {
    return Promise.reject(new InvalidArgument(NOT_HERE));
  }

  unprotect(): Promise<boolean> {
    return Promise.reject(new InvalidArgument(NOT_HERE));
  }
}

const NOT_HERE =
  "The owner of a table protects it, by a direct connection: give the client a url like postgres://…, not that of a server.";

const pathOf = (type: string, id: string): string =>
  `/v1/references/${encodeURIComponent(type)}/${encodeURIComponent(id)}`;
