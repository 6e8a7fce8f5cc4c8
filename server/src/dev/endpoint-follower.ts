/**
 * Follows a function of `oxbow dev --endpoint`: adds its url to the database, and asks it every two seconds what it serves.
 *
 * Promises:
 *   F1  What it serves, or why that is unknown, is reported once while it lasts.
 *   F2  What is reported as served is registered, and its runs are pushed.
 *   F3  While nothing changes and no request fails, nothing is written: the server is asked for a check only if the
 *       function answers and its answer is new, or if a push has failed.
 *   F4  After `stop()` the endpoint is removed, unless it existed before.
 */
import type { WorkflowClient } from "@oxbow/sdk";
import { within, type EndpointManifest } from "@oxbow/sdk/internal/server";
import { setTimeout as delay } from "node:timers/promises";
import { untilChecked } from "../endpoint-check.ts";
import type { EndpointRequests } from "../services/pushes/endpoint-requests.ts";
import { messageOf } from "../message-of.ts";

export interface EndpointFollowerOptions {
  readonly url: string;
  readonly client: Pick<WorkflowClient, "endpoints">;
  readonly requests: Pick<EndpointRequests, "check">;
  readonly onServing: (workflows: EndpointManifest["workflows"]) => void;
  readonly onFailed: (reason: string) => void;
}

const LOOK_EVERY_MS = 2_000;
/** Servers look for endpoints to check every two seconds, and a check may take ten. */
const CHECKED_WITHIN_MS = 15_000;
const REMOVE_WITHIN_MS = 2_000;

export class EndpointFollower {
  readonly #options: EndpointFollowerOptions;
  readonly #stopping = new AbortController();
  #added: { readonly id: string; readonly isNew: boolean } | undefined;
  #following: Promise<void> | undefined;
  /** The answer that is registered. */
  #registered: string | undefined;
  #failure: string | undefined;

  constructor(options: EndpointFollowerOptions) {
    this.#options = options;
  }

  /** @throws InvalidArgument for an invalid url. */
  async start(): Promise<void> {
    const { client, url } = this.#options;
    const before = (await client.endpoints.list()).find((one) => one.url === url);
    const { endpointId } = await client.endpoints.add(url, { concurrency: before?.concurrency });
    this.#added = { id: endpointId, isNew: before === undefined };
    this.#following = this.#follow(endpointId);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#following;
    if (this.#added?.isNew !== true) return;
    // Without the database, there is nothing left to do.
    const removed = this.#options.client.endpoints.remove(this.#added.id).catch(() => false);
    await within(REMOVE_WITHIN_MS, removed);
  }

  async #follow(id: string): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#look(id).catch((error: unknown) => this.#fail(messageOf(error)));
      await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
    }
  }

  async #look(id: string): Promise<void> {
    const { client, requests, url, onServing } = this.#options;
    const { signal } = this.#stopping;
    const answer = await requests.check(url, signal);
    if (signal.aborted) return;
    if (answer.manifest === undefined) {
      this.#registered = undefined;
      this.#fail(answer.detail);
      return;
    }
    const found = JSON.stringify(answer.manifest);
    if (found === this.#registered) {
      // The server would wait for up to a minute.
      const { lastError } = await client.endpoints.get(id);
      if (lastError !== null) await client.endpoints.sync(id);
      return;
    }
    const before = await client.endpoints.sync(id);
    const endpoint = await untilChecked(client, before, CHECKED_WITHIN_MS, signal);
    if (signal.aborted) return;
    if (endpoint === undefined) {
      this.#fail("The server has not checked it.");
      return;
    }
    if (endpoint.lastError !== null) {
      this.#fail(endpoint.lastError);
      return;
    }
    this.#registered = found;
    this.#failure = undefined;
    onServing(answer.manifest.workflows);
  }

  /** F1. */
  #fail(reason: string): void {
    if (this.#stopping.signal.aborted || reason === this.#failure) return;
    this.#failure = reason;
    this.#options.onFailed(reason);
  }
}
