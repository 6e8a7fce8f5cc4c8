/** Endpoints, through the server. */
import type { Endpoint, EndpointTransport } from "../../protocol/endpoints.ts";
import type { HttpConnection } from "./connection.ts";
import { type Shown, toDates } from "./shown.ts";

export class HttpEndpointTransport implements EndpointTransport {
  readonly #connection: HttpConnection;

  constructor(connection: HttpConnection) {
    this.#connection = connection;
  }

  async add(url: string, concurrency: number | undefined): Promise<Endpoint> {
    const body = JSON.stringify({ url, concurrency });
    return toEndpoint(await this.#connection.ask<Shown<Endpoint>>("/v1/endpoints", { body }));
  }

  async list(): Promise<Endpoint[]> {
    const { endpoints } = await this.#connection.get<{ endpoints: Shown<Endpoint>[] }>(
      "/v1/endpoints",
    );
    return endpoints.map(toEndpoint);
  }

  async get(id: string): Promise<Endpoint> {
    const shown = await this.#connection.get<Shown<Endpoint>>(pathOf(id));
    return toEndpoint(shown);
  }

  async sync(id: string): Promise<Endpoint> {
    return toEndpoint(await this.#connection.ask<Shown<Endpoint>>(`${pathOf(id)}/sync`));
  }

  pause(id: string): Promise<boolean> {
    return this.#change(`${pathOf(id)}/pause`);
  }

  resume(id: string): Promise<boolean> {
    return this.#change(`${pathOf(id)}/resume`);
  }

  async remove(id: string): Promise<boolean> {
    const { removed } = await this.#connection.ask<{ removed: boolean }>(pathOf(id), {
      method: "DELETE",
    });
    return removed;
  }

  async #change(path: string): Promise<boolean> {
    return (await this.#connection.ask<{ changed: boolean }>(path)).changed;
  }
}

const pathOf = (id: string): string => `/v1/endpoints/${encodeURIComponent(id)}`;

const toEndpoint = (shown: Shown<Endpoint>): Endpoint =>
  toDates<Endpoint>(shown, ["createdAt", "checkedAt", "failedAt"]);
