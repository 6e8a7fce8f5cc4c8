/** Endpoints, straight to the database: each method one call of one SQL function. */
import type { Endpoint, EndpointTransport } from "../../../protocol/endpoints.ts";
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

export class PostgresEndpointTransport implements EndpointTransport {
  readonly #queries: Queries;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  add(url: string, concurrency: number | undefined): Promise<Endpoint> {
    return this.#queries.queryOne(endpointAdd, [url, concurrency ?? null]);
  }

  list(): Promise<Endpoint[]> {
    return this.#queries.query(endpoints, []);
  }

  get(id: string): Promise<Endpoint> {
    return this.#queries.queryOne(endpointGet, [id]);
  }

  sync(id: string): Promise<Endpoint> {
    return this.#queries.queryOne(endpointSync, [id]);
  }

  pause(id: string): Promise<boolean> {
    return this.#queries.value(endpointPause, [id]);
  }

  resume(id: string): Promise<boolean> {
    return this.#queries.value(endpointResume, [id]);
  }

  remove(id: string): Promise<boolean> {
    return this.#queries.value(endpointRemove, [id]);
  }
}
