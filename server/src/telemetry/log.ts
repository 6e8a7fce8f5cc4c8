/** All log lines of the server. */
import type { Emitter } from "@oxbow/sdk/internal/server";
import type { FastifyBaseLogger } from "fastify";
import type { ServerEvents } from "../events.ts";

export function logEvents(events: Emitter<ServerEvents>, log: FastifyBaseLogger): void {
  events.on("trouble", ({ doing, error }) => log.warn({ err: error }, `error while ${doing}`));
  events.on("deliveryAttempted", (attempt) => {
    if (attempt.failure !== undefined) log.warn(attempt, "delivery failed");
  });
  events.on("runPushed", (pushed) => {
    if (pushed.failure !== undefined) log.warn(pushed, "push failed");
  });
}

/** A request was answered with a problem. */
export function logProblem(
  log: FastifyBaseLogger,
  { status, detail }: { readonly status: number; readonly detail: string },
  error: unknown,
): void {
  if (status >= 500) log.error({ err: error }, detail);
  else log.debug({ err: error }, detail);
}

/** A user signed out, but the provider still accepts the refresh token: a copy of the session can be refreshed. */
export function logFailedRevocation(log: FastifyBaseLogger, error: unknown): void {
  log.warn({ err: error }, "the refresh token of a user who signed out was not revoked");
}

/** A stream of events ended before its client disconnected. The client reconnects. */
export function logBrokenStream(log: FastifyBaseLogger, subject: string, error: unknown): void {
  log.warn({ err: error }, `event stream of ${subject} broke off`);
}
