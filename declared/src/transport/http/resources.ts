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
import { type ServerRequests, jsonOf, refuseTx } from "@oxbow/sdk/internal/rooms";

interface ShownType extends Omit<ResourceType, "registeredAt"> {
  readonly registeredAt: string | null;
}

export class HttpResourceTransport implements ResourceTransport {
  readonly #connection: ServerRequests;

  constructor(connection: ServerRequests) {
    this.#connection = connection;
  }

  startList(): Promise<string> {
    return Promise.reject(new InvalidArgument("A server starts lists of resources itself."));
  }

  async register({ pool, types, replace }: RegisterResourceTypesRequest): Promise<number> {
    const shown = types.map(({ schema, ...rest }) => jsonOf(rest, { schema }));
    const { changed } = await this.#connection.ask<{ changed: number }>(
      "/v1/worker/resource-types",
      { method: "PUT", body: jsonOf({ pool, replace }, { types: `[${shown.join(",")}]` }) },
    );
    return changed;
  }

  async types(): Promise<ResourceType[]> {
    const { types } = await this.#connection.ask<{ types: ShownType[] }>("/v1/resource-types", {
      method: "GET",
    });
    return types.map(({ registeredAt, ...type }) => ({
      ...type,
      registeredAt: registeredAt === null ? null : new Date(registeredAt),
    }));
  }

  list({ type, text, after, limit, definition }: ResourceListRequest): Promise<ResourcePage> {
    const query = new URLSearchParams({ q: text, limit: String(limit) });
    if (after !== undefined) query.set("after", after);
    if (definition !== undefined) query.set("definition", definition);
    return this.#connection.ask(
      `/v1/catalog/resources/${encodeURIComponent(type)}?${query.toString()}`,
      {
        method: "GET",
      },
    );
  }

  async referencesTo(type: string, id: string, tx?: TransactionClient): Promise<ReferenceOwner[]> {
    refuseTx(tx);
    const { owners } = await this.#connection.ask<{ owners: ReferenceOwner[] }>(pathOf(type, id), {
      method: "GET",
    });
    return owners;
  }

  async setReferences(
    { ownerType, ownerId, title, resources }: SetReferencesRequest,
    tx?: TransactionClient,
  ): Promise<boolean> {
    refuseTx(tx);
    const owner = [ownerType, ownerId].map(encodeURIComponent).join("/");
    const { changed } = await this.#connection.ask<{ changed: boolean }>(
      `/v1/reference-owners/${owner}`,
      { method: "PUT", body: JSON.stringify({ title, resources }) },
    );
    return changed;
  }

  async assertUnreferenced(type: string, id: string, tx?: TransactionClient): Promise<number> {
    refuseTx(tx);
    const { drafts } = await this.#connection.ask<{ drafts: number }>(
      `${pathOf(type, id)}/assert-none`,
      { isRead: true },
    );
    return drafts;
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
