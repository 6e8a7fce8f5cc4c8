/**
 * Run tokens: a server or a client signs them so that a browser can follow one run, and send it named events.
 *
 * Promises:
 *   T1  A token opens one run, for what it lists, until it expires. The owner of a key verifies it without a query.
 *   T2  It is signed as `signed-token.ts` says.
 */
import { InvalidArgument } from "../core/errors.ts";
import { checkEventName } from "../core/names.ts";
import { checkSecrets, SignedTokens, type TokenKind } from "./signed-token.ts";

/** A run token allows to read the run, to read its stream, or to send it an event. */
export type RunPermission = "read" | "stream" | `signal:${string}`;

/** A token to sign. */
export interface RunTokenRequest {
  readonly runId: string;
  readonly ttlMs: number;
  readonly allow: readonly RunPermission[];
  /** Names its holder in the audit. */
  readonly name: string | undefined;
}

/** Access that a verified token gives. */
export interface RunGrant {
  readonly runId: string;
  readonly allow: readonly string[];
  readonly name: string | undefined;
  readonly expiresAt: Date;
}

interface Claims {
  readonly run: string;
  readonly allow: readonly string[];
  readonly name?: string | undefined;
  /** Seconds since 1970. */
  readonly exp: number;
}

/** Servers and scanners for secrets recognize a run token by it. */
export const RUN_TOKEN_PREFIX = "oxrun_";

export const LONGEST_RUN_TOKEN_MS = 86_400_000;
const SHORTEST_RUN_TOKEN_MS = 1_000;
const MOST_PERMISSIONS = 20;
/** A line of text, as the name of any other actor. */
const NAME = /^[!-~](?:[ -~]{0,98}[!-~])?$/;
const KIND: TokenKind = { prefix: RUN_TOKEN_PREFIX, purpose: "oxbow run token" };

/** @throws InvalidArgument, InvalidName */
export function checkRunTokenRequest({ ttlMs, allow, name }: RunTokenRequest): void {
  if (!(ttlMs >= SHORTEST_RUN_TOKEN_MS && ttlMs <= LONGEST_RUN_TOKEN_MS)) {
    throw new InvalidArgument(
      `Invalid ttl of ${ttlMs} ms for a run token: give 1 second to 24 hours, and sign a new token when it expires.`,
    );
  }
  if (!Array.isArray(allow) || allow.length === 0 || allow.length > MOST_PERMISSIONS) {
    throw new InvalidArgument(
      `A run token allows 1 to ${MOST_PERMISSIONS} things: give a list such as ["read", "stream", "signal:approved"].`,
    );
  }
  for (const one of allow as readonly unknown[]) checkPermission(one);
  if (name !== undefined && (typeof name !== "string" || !NAME.test(name))) {
    throw new InvalidArgument(
      `Invalid name ${JSON.stringify(name)?.slice(0, 120)} of a run token: give 1 to 100 printable ASCII characters.`,
    );
  }
}

function checkPermission(one: unknown): void {
  if (one === "read" || one === "stream") return;
  if (typeof one === "string" && one.startsWith("signal:")) {
    checkEventName(one.slice("signal:".length));
    return;
  }
  const shown = typeof one === "string" ? `"${one.slice(0, 60)}"` : String(one);
  throw new InvalidArgument(
    `Unknown permission ${shown} of a run token: give "read", "stream", or "signal:" and the name of an event.`,
  );
}

/** @throws InvalidArgument for a secret that could be guessed, without the secret. */
export const checkRunTokenSecrets = (secrets: readonly string[]): readonly string[] =>
  checkSecrets(secrets, "for run tokens");

export class RunTokenKeys {
  readonly #tokens: SignedTokens<Claims>;

  /** @throws InvalidArgument for a secret that could be guessed. */
  constructor(secrets: readonly string[]) {
    this.#tokens = new SignedTokens<Claims>(KIND, checkRunTokenSecrets(secrets));
  }

  get areThere(): boolean {
    return this.#tokens.areThere;
  }

  /** @throws InvalidArgument, InvalidName; InvalidArgument without a key. */
  async sign(request: RunTokenRequest): Promise<string> {
    checkRunTokenRequest(request);
    const { runId, ttlMs, allow, name } = request;
    const exp = Math.ceil((Date.now() + ttlMs) / 1_000);
    const token = await this.#tokens.sign({ run: String(BigInt(runId)), allow, name, exp });
    if (token !== undefined) return token;
    throw new InvalidArgument(
      "There is no key for run tokens: pass `key`, or set the environment variable OXBOW_RUN_TOKEN_KEYS, here and on the server, to a secret such as `openssl rand -hex 32` makes.",
    );
  }

  /** Returns the access that a token gives, also once it has expired; undefined if no key signed it. */
  async verify(token: string): Promise<RunGrant | undefined> {
    const claims = await this.#tokens.verify(token);
    if (claims === undefined) return undefined;
    const { run: runId, allow, name, exp } = claims;
    return { runId, allow, name, expiresAt: new Date(exp * 1_000) };
  }
}
