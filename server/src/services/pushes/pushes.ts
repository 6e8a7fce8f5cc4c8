/**
 * Pushes runs to endpoints: a lane for each that serves something, and checks of endpoints.
 *
 * Any number of servers may push at the same time. Promises:
 *   E1  Which versions an endpoint gets is decided by the database, and read every two seconds.
 *   E2  A server checks an endpoint when it was added or synced, and every hour; another server checks others. It registers
 *       the workflows of the endpoint, as a worker does at its start.
 *   E3  A failure of an endpoint is stored once while it lasts, so that it costs nothing however long that is.
 *   E4  Without a signing key, or without a url by which functions reach the server, endpoints of this machine alone are
 *       called; the others have the reason as their error, and so has an endpoint whose url is invalid.
 */
import type {
  Emitter,
  EndpointManifest,
  LeaseTokenKeys,
  PushTarget,
  ServedVersion,
  Transport,
} from "@oxbow/sdk/internal/server";
import type { ServerEvents } from "../../events.ts";
import { isLoopbackName } from "../../http/hosts.ts";
import type { Task } from "../service.ts";
import { EndpointLane, LEASE_MS } from "./endpoint-lane.ts";
import type { EndpointRequests } from "./endpoint-requests.ts";
import { HeldLeases } from "./held-leases.ts";
import { messageOf } from "../../message-of.ts";
import { track } from "../track.ts";

const LOOK_EVERY_MS = 2_000;
const CHECKS_AT_ONCE = 10;
/** E3. */
const REPEAT_FAILURE_MS = 60_000;

export interface PushesOptions {
  readonly transport: Pick<Transport, "flowControl" | "worker" | "workflows">;
  readonly endpoints: NonNullable<Transport["pushes"]>;
  readonly requests: EndpointRequests;
  readonly leaseTokens: LeaseTokenKeys;
  readonly isSigned: boolean;
  /** `https://…`, by which functions reach the server; undefined for its own address. */
  readonly publicUrl: string | undefined;
  readonly ownUrl: () => string;
  readonly events: Pick<Emitter<ServerEvents>, "emit">;
}

export class Pushes implements Task {
  readonly doing = "pushing runs to endpoints";
  readonly #options: PushesOptions;
  readonly #leases: HeldLeases;
  readonly #lanes = new Map<string, EndpointLane>();
  /** Lanes whose endpoints get no more runs, until their last request has ended. */
  readonly #retiring = new Set<EndpointLane>();
  readonly #ending = new Set<Promise<void>>();
  readonly #checks = new Set<Promise<void>>();
  /** When a failure was stored last, by endpoint. */
  readonly #stored = new Map<string, { readonly detail: string; readonly at: number }>();

  constructor(options: PushesOptions) {
    this.#options = options;
    this.#leases = new HeldLeases(options.transport.worker, LEASE_MS, (error) =>
      options.events.emit("trouble", { doing: "extending leases of pushed runs", error }),
    );
  }

  async tick(signal: AbortSignal): Promise<number> {
    const { endpoints } = this.#options;
    for (const due of await endpoints.toCheck(CHECKS_AT_ONCE)) {
      this.#track(this.#checks, this.#check(due, signal));
    }
    this.#reconcile(await endpoints.toPush());
    return LOOK_EVERY_MS;
  }

  async drain(): Promise<void> {
    await Promise.all([...this.#lanes.values(), ...this.#retiring].map((lane) => lane.stop()));
    await Promise.all([...this.#ending, ...this.#checks]);
    this.#options.requests.close();
  }

  #reconcile(targets: readonly PushTarget[]): void {
    const wanted = new Map(
      targets
        .filter(
          ({ url, serves }) => Object.keys(serves).length > 0 && this.#whyNot(url) === undefined,
        )
        .map((target) => [target.endpointId, target]),
    );
    for (const [id, lane] of this.#lanes) {
      if (wanted.has(id)) continue;
      this.#lanes.delete(id);
      this.#retiring.add(lane);
      this.#track(
        this.#ending,
        lane.retire().finally(() => void this.#retiring.delete(lane)),
      );
    }
    for (const [id, target] of wanted) {
      const lane = this.#lanes.get(id);
      if (lane === undefined) this.#open(target);
      else this.#track(this.#ending, lane.update(target));
    }
  }

  #open(target: PushTarget): void {
    const { transport, requests, leaseTokens, publicUrl, ownUrl, events } = this.#options;
    const lane = new EndpointLane({
      target,
      transport,
      requests,
      leaseTokens,
      events,
      leases: this.#leases,
      commitUrl: () => publicUrl ?? ownUrl(),
      onFailing: ({ endpointId }, detail) => this.#noteFailure(endpointId, detail),
      onWell: ({ endpointId }, manifest) => {
        const registered = this.#register(endpointId, manifest);
        this.#track(this.#checks, registered);
        return failureOf(registered);
      },
    });
    this.#lanes.set(target.endpointId, lane);
    lane.start();
  }

  /** E2. */
  async #check(
    { endpointId, url }: Pick<PushTarget, "endpointId" | "url">,
    signal: AbortSignal,
  ): Promise<void> {
    const { endpoints, requests } = this.#options;
    const reason = this.#whyNot(url);
    const answer = reason === undefined ? await requests.check(url, signal) : { detail: reason };
    if (signal.aborted) return;
    if (answer.manifest === undefined) {
      await endpoints.failed(endpointId, answer.detail);
      return;
    }
    await this.#register(endpointId, answer.manifest);
  }

  async #register(
    endpointId: string,
    { workflows, maxDurationMs, sdkVersion }: EndpointManifest,
  ): Promise<void> {
    const { endpoints, transport } = this.#options;
    try {
      await transport.workflows.register(workflows);
      for (const { name, version, flowControl } of workflows) {
        if (flowControl !== undefined) await transport.flowControl.set(name, flowControl, version);
      }
    } catch (error) {
      const detail = `Its workflows could not be registered: ${messageOf(error)}`;
      await this.#storeFailure(endpointId, detail);
      throw new Error(detail, { cause: error });
    }
    this.#stored.delete(endpointId);
    await endpoints.checked(endpointId, {
      serves: versionsOf(workflows),
      maxDurationMs,
      sdkVersion,
    });
    this.#lanes.get(endpointId)?.answered();
  }

  /** E4. */
  #whyNot(url: string): string | undefined {
    const { isSigned, publicUrl } = this.#options;
    if (!URL.canParse(url)) {
      return "The url is invalid: remove the endpoint, and add one such as https://example.org/api/oxbow. A port is at most 65535.";
    }
    if (isLoopbackName(new URL(url).hostname.replace(/^\[(.*)\]$/, "$1"))) return undefined;
    if (!isSigned) {
      return "The server has no key to sign with: set OXBOW_SIGNING_KEY, on the server and for the function, to a secret such as `openssl rand -hex 32` makes.";
    }
    if (publicUrl !== undefined) return undefined;
    return "The server does not know the url by which functions reach it: set OXBOW_PUBLIC_URL of the server, as https://oxbow.example.com.";
  }

  /** E3. */
  #noteFailure(endpointId: string, detail: string): void {
    const now = performance.now();
    const last = this.#stored.get(endpointId);
    if (last?.detail === detail && now - last.at < REPEAT_FAILURE_MS) return;
    this.#track(this.#checks, this.#storeFailure(endpointId, detail));
  }

  async #storeFailure(endpointId: string, detail: string): Promise<void> {
    this.#stored.set(endpointId, { detail, at: performance.now() });
    await this.#options.endpoints.failed(endpointId, detail);
  }

  #track(into: Set<Promise<void>>, work: Promise<void>): void {
    track(into, work, (error) => {
      this.#options.events.emit("trouble", { doing: "checking an endpoint", error });
    });
  }
}

async function failureOf(work: Promise<void>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function versionsOf(workflows: readonly ServedVersion[]): Record<string, number[]> {
  // Names such as "constructor" are those of workflows, too.
  const versions = new Map<string, number[]>();
  for (const { name, version } of workflows)
    versions.set(name, [...(versions.get(name) ?? []), version]);
  return Object.fromEntries(versions);
}
