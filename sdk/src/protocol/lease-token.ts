/**
 * Lease tokens: a server signs one for each delivery that it pushes to a function, which commits with it. It opens the
 * routes of workers for this lease alone, for longer than the function may take (`endpoint-lane.ts` of the server): the
 * receipt ends earlier, with the lease.
 *
 * It is signed as `signed-token.ts` says.
 */
import { checkSecrets, SignedTokens, type TokenKind } from "./signed-token.ts";

/** The lease that a token opens. */
export interface LeaseGrant {
  readonly runId: string;
  readonly receipt: string;
  readonly expiresAt: Date;
}

interface Claims {
  readonly run: string;
  readonly lease: string;
  /** Seconds since 1970. */
  readonly exp: number;
}

export const LEASE_TOKEN_PREFIX = "oxlease_";
/** Header with the tokens, besides that in `Authorization`, of a request for several leases. */
export const LEASES_HEADER = "oxbow-leases";
/** So many a server accepts. Functions send fewer, so that proxies accept the header. */
export const MOST_LEASES = 64;

/** A function sends its token with each commit. */
const MOST_REMEMBERED = 4_096;

const KIND: TokenKind = { prefix: LEASE_TOKEN_PREFIX, purpose: "oxbow lease token" };

/** @throws InvalidArgument for a secret that could be guessed, without the secret. */
export const checkSigningKeys = (secrets: readonly string[]): readonly string[] =>
  checkSecrets(secrets, "for endpoints");

export class LeaseTokenKeys {
  readonly #tokens: SignedTokens<Claims>;
  /** Tokens that were signed or verified here, the oldest first. */
  readonly #verified = new Map<string, LeaseGrant>();

  /** @throws InvalidArgument for a secret that could be guessed. */
  constructor(secrets: readonly string[]) {
    this.#tokens = new SignedTokens<Claims>(KIND, checkSigningKeys(secrets));
  }

  /** @throws Error without a secret. */
  async sign({ runId, receipt, expiresAt }: LeaseGrant): Promise<string> {
    const exp = Math.ceil(expiresAt.getTime() / 1_000);
    const token = await this.#tokens.sign({ run: runId, lease: receipt, exp });
    if (token === undefined) throw new Error("There is no key for lease tokens.");
    this.#remember(token, { runId, receipt, expiresAt: new Date(exp * 1_000) });
    return token;
  }

  /** Returns the lease that a token opens, also once the token has expired; undefined if no key signed it. */
  async verify(token: string): Promise<LeaseGrant | undefined> {
    const known = this.#verified.get(token);
    if (known !== undefined) return known;
    const claims = await this.#tokens.verify(token);
    if (claims === undefined) return undefined;
    const { run: runId, lease: receipt, exp } = claims;
    const grant = { runId, receipt, expiresAt: new Date(exp * 1_000) };
    return this.#remember(token, grant);
  }

  #remember(token: string, grant: LeaseGrant): LeaseGrant {
    this.#verified.set(token, grant);
    const [oldest = ""] = this.#verified.keys();
    if (this.#verified.size > MOST_REMEMBERED) this.#verified.delete(oldest);
    return grant;
  }
}
