/**
 * Routes that run tokens open.
 *
 * Promises:
 *   A1  A route that does not declare what of a run it opens is closed to run tokens, whatever scope it has.
 *   A2  The run of the token is the run of the path, and the token lists what the route opens.
 */
import { RUN_TOKEN_PREFIX, type RunGrant } from "@oxbow/sdk/internal/server";
import type { FastifyRequest } from "fastify";
import { insufficientToken } from "./problems.ts";
import { secretIn } from "./tokens.ts";

/** The part of a run that a route opens to run tokens. */
export type RunAccess = "read" | "stream" | "signal";

/** The run token of a request, not verified; undefined for any other token. */
export function runTokenIn({ headers }: Pick<FastifyRequest, "headers">): string | undefined {
  const secret = secretIn(headers.authorization);
  return secret?.startsWith(RUN_TOKEN_PREFIX) === true ? secret : undefined;
}

/** @throws HttpProblem 403 unless the token opens the route. */
export function requireRunAccess(
  { runId, allow }: RunGrant,
  { params, routeOptions }: Pick<FastifyRequest, "params" | "routeOptions">,
): void {
  const { runAccess } = routeOptions.config;
  if (runAccess === undefined) throw insufficientToken("A run token doesn't open this route.");
  const { run_id: asked, event } = params as { readonly run_id?: string; readonly event?: string };
  if (asked !== runId) throw insufficientToken(`The run token is for run ${runId}.`);
  requirePermission({ allow }, runAccess === "signal" ? `signal:${event ?? ""}` : runAccess);
}

/** @throws HttpProblem 403 unless the token lists the permission. */
export function requirePermission({ allow }: Pick<RunGrant, "allow">, permission: string): void {
  if (allow.includes(permission)) return;
  throw insufficientToken(`The run token doesn't allow "${permission.slice(0, 100)}".`);
}
