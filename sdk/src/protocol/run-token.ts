/**
 * Run tokens: a server or a client signs them so that a browser can follow one run, and send it named events.
 *
 * Promises:
 *   T1  A token opens one run, for what it lists, until it expires. The owner of a key verifies it without a query.
 *   T2  Its key is derived for this purpose: nothing else that is signed with the same secret is a token.
 *   T3  The first secret signs and all of them verify, so that secrets can be rotated. Without a secret, its tokens end.
 */
import { InvalidArgument } from "../core/errors.ts";
import { checkEventName } from "../core/names.ts";

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
  /** Id of the key. */
  readonly kid: string;
}

interface Key {
  readonly id: string;
  readonly hmac: Awaited<ReturnType<typeof crypto.subtle.importKey>>;
}

/** Servers and scanners for secrets recognize a run token by it. */
export const RUN_TOKEN_PREFIX = "oxrun_";

export const LONGEST_RUN_TOKEN_MS = 86_400_000;
const SHORTEST_RUN_TOKEN_MS = 1_000;
const MOST_PERMISSIONS = 20;
/** A line of text, as the name of any other actor. */
const NAME = /^[!-~](?:[ -~]{0,98}[!-~])?$/;
/** Shorter secrets could be guessed. */
const SHORTEST_SECRET = 32;

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

/** The secrets in the text of `OXBOW_RUN_TOKEN_KEYS`. */
export const secretsIn = (text: string | undefined): string[] =>
  (text ?? "").split(/[\s,]+/).filter((secret) => secret !== "");

/** @throws Error for a secret that could be guessed, without the secret. */
export function checkRunTokenSecrets(secrets: readonly string[]): readonly string[] {
  const index = secrets.findIndex((secret) => secret.length < SHORTEST_SECRET);
  if (index === -1) return secrets;
  throw new InvalidArgument(
    `Key ${index + 1} for run tokens has ${secrets[index]?.length ?? 0} characters. Use at least ${SHORTEST_SECRET}, for instance from \`openssl rand -hex 32\`.`,
  );
}

export class RunTokenKeys {
  readonly #secrets: readonly string[];
  #derived: Promise<readonly Key[]> | undefined;

  /** @throws InvalidArgument for a secret that could be guessed. */
  constructor(secrets: readonly string[]) {
    this.#secrets = checkRunTokenSecrets(secrets);
  }

  get areThere(): boolean {
    return this.#secrets.length > 0;
  }

  /** @throws InvalidArgument, InvalidName; InvalidArgument without a key. */
  async sign(request: RunTokenRequest): Promise<string> {
    checkRunTokenRequest(request);
    const [key] = await this.#keys();
    if (key === undefined) {
      throw new InvalidArgument(
        "There is no key for run tokens: pass `key`, or set the environment variable OXBOW_RUN_TOKEN_KEYS, here and on the server, to a secret such as `openssl rand -hex 32` makes.",
      );
    }
    const { runId, ttlMs, allow, name } = request;
    const exp = Math.ceil((Date.now() + ttlMs) / 1_000);
    const claims: Claims = { run: String(BigInt(runId)), allow, name, exp, kid: key.id };
    const body = toBase64Url(new TextEncoder().encode(JSON.stringify(claims)));
    const signature = await crypto.subtle.sign("HMAC", key.hmac, signedText(body));
    return `${RUN_TOKEN_PREFIX}${body}.${toBase64Url(new Uint8Array(signature))}`;
  }

  /** Returns the access that a token gives, also once it has expired; undefined if no key signed it. */
  async verify(token: string): Promise<RunGrant | undefined> {
    if (!token.startsWith(RUN_TOKEN_PREFIX)) return undefined;
    const [body = "", signature = "", ...rest] = token.slice(RUN_TOKEN_PREFIX.length).split(".");
    const bytes = fromBase64Url(signature);
    const claims = readClaims(body);
    if (rest.length > 0 || bytes === undefined || claims === undefined) return undefined;
    const key = (await this.#keys()).find(({ id }) => id === claims.kid);
    if (key === undefined) return undefined;
    // In constant time.
    if (!(await crypto.subtle.verify("HMAC", key.hmac, bytes, signedText(body)))) return undefined;
    const { run: runId, allow, name, exp } = claims;
    return { runId, allow, name, expiresAt: new Date(exp * 1_000) };
  }

  #keys(): Promise<readonly Key[]> {
    return (this.#derived ??= Promise.all(this.#secrets.map(derive)));
  }
}

const signedText = (body: string): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(`${RUN_TOKEN_PREFIX}${body}`);

async function derive(secret: string): Promise<Key> {
  const bytes = new TextEncoder().encode(secret);
  const master = await crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveBits"]);
  const info = new TextEncoder().encode("oxbow run token");
  const how = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info };
  const derived = await crypto.subtle.deriveBits(how, master, 256);
  const use = { name: "HMAC", hash: "SHA-256" };
  const hmac = await crypto.subtle.importKey("raw", derived, use, false, ["sign", "verify"]);
  const digest = await crypto.subtle.digest("SHA-256", derived);
  return { id: toBase64Url(new Uint8Array(digest)).slice(0, 8), hmac };
}

/** The claims of a body that is not verified yet. */
function readClaims(body: string): Claims | undefined {
  const bytes = fromBase64Url(body);
  if (bytes === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof claims === "object" && claims !== null ? (claims as Claims) : undefined;
  } catch {
    return undefined;
  }
}

const toBase64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCodePoint(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]{1,12000}$/.test(text)) return undefined;
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(binary, (one) => one.codePointAt(0) ?? 0);
  } catch {
    return undefined;
  }
}
