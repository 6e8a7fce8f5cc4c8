/**
 * The push protocol, between a server and functions: what `docs/reference/push.md` describes for other languages.
 *
 * A server asks an endpoint by PUT what it serves, and sends it a delivery by POST. Both are signed like webhooks of
 * Standard Webhooks. The function executes the run, commits by the worker routes of the server with a lease token, and
 * answers with what has become of the delivery.
 */
import type { WorkflowDelivery } from "./worker.ts";
import type { Registration } from "./workflows.ts";

export const PUSH_PROTOCOL = 1;
/** Header of every answer of a function: something else that listens at the url doesn't send it. */
export const PROTOCOL_HEADER = "oxbow-protocol";
/** Header of an answer that refuses the time of a request: milliseconds since 1970, by the clock of the function. */
export const CLOCK_HEADER = "oxbow-clock";
/** How old a signature may be, as in Standard Webhooks. */
export const SIGNATURE_WITHIN_MS = 300_000;
/** A run that has more is pushed without its journal, which the function reads by pages. Platforms limit bodies. */
export const LARGEST_PUSHED_BYTES = 1_048_576;

/** The body of a POST. */
export interface PushRequest {
  readonly protocol: number;
  readonly delivery: WorkflowDelivery;
  /** How long ago, when the request is sent, the server asked the database for the delivery. */
  readonly ageMs: number;
  /** How long the lease still lasts when the request is sent. */
  readonly leaseMs: number;
  /** How long the function may take. */
  readonly budgetMs: number;
  /** Milliseconds since 1970, by the clock of the server. */
  readonly sentAt: number;
  readonly commit: {
    /** Url of a server, whose routes for workers the token opens. */
    readonly url: string;
    /** A lease token. */
    readonly token: string;
  };
}

/**
 * What has become of a delivery: the run has ended, waits for something, was given back, or was no longer this function's.
 * In each case the function has nothing more to do with it.
 */
export type PushOutcome = "ended" | "suspended" | "released" | "lost";

/** A workflow that an endpoint serves. */
export type ServedVersion = Registration & {
  /** That of the newest version, if it has one. */
  readonly flowControl?: Readonly<Record<string, unknown>> | undefined;
};

/** The answer to a PUT. */
export interface EndpointManifest {
  readonly protocol: number;
  /** How long the platform lets one request take. */
  readonly maxDurationMs: number;
  readonly workflows: readonly ServedVersion[];
  readonly sdkVersion?: string | undefined;
}
