/** Loaded when it is used. */
import { InvalidArgument } from "../core/errors.ts";
import { checkOptions } from "../core/options.ts";
import type { Endpoint } from "../protocol/endpoints.ts";
import type { ClientTransport } from "../protocol/transport.ts";

const ADD_OPTIONS = { concurrency: true } as const;

/** `client.endpoints`: urls of functions to which servers push runs. */
export class Endpoints {
  readonly #transport: ClientTransport;

  constructor(transport: ClientTransport) {
    this.#transport = transport;
  }

  /**
   * Adds an endpoint, which a server then asks which versions of which workflows it serves. Each version goes to the newest
   * endpoint that serves it. Adding a known url again sets its concurrency, resumes it, and makes it the newest.
   * `concurrency` is how many runs one server pushes to it at a time, 1 to 1,000, default 20.
   *
   * @returns The endpoint, before the check.
   * @throws InvalidArgument
   * @example
   * await client.endpoints.add("https://shop.example.com/api/oxbow");
   */
  async add(
    url: string,
    options: { readonly concurrency?: number | undefined } = {},
  ): Promise<Endpoint> {
    checkOptions(options, ADD_OPTIONS, "endpoints.add()");
    return this.#transport.endpoints.add(checkUrl(url), checkConcurrency(options.concurrency));
  }

  /** Returns all endpoints, newest first. */
  async list(): Promise<Endpoint[]> {
    return this.#transport.endpoints.list();
  }

  /** Returns an endpoint. @throws EndpointNotFound */
  async get(id: string): Promise<Endpoint> {
    return this.#transport.endpoints.get(checkId(id));
  }

  /**
   * Has a server check an endpoint soon, as after a deployment. Servers check each endpoint hourly, and each minute after a
   * failure.
   *
   * @returns The endpoint, before the check.
   * @throws EndpointNotFound; InvalidArgument if it is paused.
   */
  async sync(id: string): Promise<Endpoint> {
    return this.#transport.endpoints.sync(checkId(id));
  }

  /**
   * Pauses an endpoint: its versions go to the next newest endpoint that serves them. Runs that were pushed to it continue.
   *
   * @returns False if it was paused.
   * @throws EndpointNotFound
   */
  async pause(id: string): Promise<boolean> {
    return this.#transport.endpoints.pause(checkId(id));
  }

  /** Resumes a paused endpoint, and has it checked. @returns False if it was not paused. @throws EndpointNotFound */
  async resume(id: string): Promise<boolean> {
    return this.#transport.endpoints.resume(checkId(id));
  }

  /** Removes an endpoint. Runs that were pushed to it continue. @returns False if it does not exist. */
  async remove(id: string): Promise<boolean> {
    return this.#transport.endpoints.remove(checkId(id));
  }
}

function checkUrl(url: unknown): string {
  if (typeof url === "string") return url;
  throw new InvalidArgument(
    `Invalid url ${JSON.stringify(url)} of an endpoint: give the text of a url, such as "https://example.org/api/oxbow".`,
  );
}

function checkConcurrency(concurrency: unknown): number | undefined {
  if (concurrency === undefined) return undefined;
  if (typeof concurrency === "number" && Number.isInteger(concurrency)) return concurrency;
  throw new InvalidArgument(
    `Invalid concurrency ${JSON.stringify(concurrency)} of an endpoint: give a whole number from 1 to 1000.`,
  );
}

function checkId(id: unknown): string {
  if (typeof id === "string" && /^\d{1,18}$/.test(id)) return id;
  const shown = typeof id === "string" ? `"${id.slice(0, 40)}"` : String(id);
  throw new InvalidArgument(
    `Invalid endpoint id ${shown}: it is digits in a string, as endpoints.list() returns it.`,
  );
}
