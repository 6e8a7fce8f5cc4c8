/**
 * Routes that lease tokens open to functions, which execute the runs that the server pushes to them.
 *
 * Promises:
 *   A1  A route that does not declare which leases a body names is closed to lease tokens, whatever scope it has.
 *   A2  Every lease that the body names is that of a token of the request.
 */
import {
  LEASE_TOKEN_PREFIX,
  type LeaseGrant,
  type LeaseTokenKeys,
  LEASES_HEADER,
  MOST_LEASES,
} from "@oxbow/sdk/internal/server";
import type { FastifyRequest } from "fastify";
import { insufficientToken, invalidToken } from "./problems.ts";
import { secretIn } from "./tokens.ts";

/** The receipts or the runs that a body names. It has not been validated yet. */
export type LeaseAccess = (
  body: unknown,
) => { readonly receipts: readonly unknown[] } | { readonly runId: unknown };

/** The receipts in a list of a body. */
export const receiptsIn =
  (list: string): LeaseAccess =>
  (body) => {
    const { [list]: items } = body as Readonly<Record<string, unknown>>;
    return { receipts: Array.isArray(items) ? items.map(receiptOf) : [undefined] };
  };

const receiptOf = (item: unknown): unknown =>
  (item as { readonly receipt?: unknown } | null | undefined)?.receipt;

/** The lease tokens of a request, not verified; empty for any other token. */
export function leaseTokensIn({ headers }: Pick<FastifyRequest, "headers">): readonly string[] {
  const first = secretIn(headers.authorization);
  if (first?.startsWith(LEASE_TOKEN_PREFIX) !== true) return [];
  const others = headers[LEASES_HEADER];
  return [first, ...(typeof others === "string" ? others.split(",").map((one) => one.trim()) : [])];
}

/** @throws HttpProblem 401 for a token that no key of this server signed, or that has expired. */
export async function verifyLeases(
  tokens: readonly string[],
  keys: LeaseTokenKeys,
): Promise<readonly LeaseGrant[]> {
  if (tokens.length > MOST_LEASES) {
    throw invalidToken(
      `The request has ${tokens.length} lease tokens: send at most ${MOST_LEASES}.`,
    );
  }
  const grants = await Promise.all(tokens.map((token) => keys.verify(token)));
  const now = Date.now();
  return grants.map((grant) => {
    if (grant === undefined) {
      throw invalidToken(
        "The lease token is invalid: no key of this server signed it. All servers need the same OXBOW_SIGNING_KEY.",
      );
    }
    if (grant.expiresAt.getTime() > now) return grant;
    throw invalidToken(`The lease token expired at ${grant.expiresAt.toISOString()}.`);
  });
}

/** @throws HttpProblem 403 unless the tokens open all leases that the body names. */
export function requireLeases(
  grants: readonly LeaseGrant[],
  { body, routeOptions }: Pick<FastifyRequest, "body" | "routeOptions">,
): void {
  const { leaseAccess } = routeOptions.config;
  if (leaseAccess === undefined) throw insufficientToken("A lease token doesn't open this route.");
  const named = leaseAccess(body ?? {});
  const [what, asked, open] =
    "receipts" in named
      ? ["receipt", named.receipts, new Set<unknown>(grants.map(({ receipt }) => receipt))]
      : ["run", [named.runId], new Set<unknown>(grants.map(({ runId }) => runId))];
  const other = asked.find((one) => !open.has(one));
  if (other === undefined) return;
  throw insufficientToken(
    `No lease token of the request is for ${what} ${JSON.stringify(other)?.slice(0, 60)}.`,
  );
}
