/**
 * Tokens that one secret signs and verifies, without a query: what they grant, in the open, and a signature.
 *
 * Promises:
 *   S1  The key of each kind of token is derived for it: nothing else that is signed with the same secret is such a token.
 *   S2  The first secret signs and all of them verify, so that secrets can be rotated. Without a secret, its tokens end.
 */
import { InvalidArgument } from "../core/errors.ts";

/** A kind of token. */
export interface TokenKind {
  /** Its first characters, by which servers and scanners for secrets recognize it. */
  readonly prefix: string;
  /** Derives its keys: never changes. */
  readonly purpose: string;
}

interface Key {
  readonly id: string;
  readonly hmac: Awaited<ReturnType<typeof crypto.subtle.importKey>>;
}

/** Shorter secrets could be guessed. */
const SHORTEST_SECRET = 32;
/** The length of the claims in a token, in characters: a header of HTTP has room for it. */
const LONGEST_BODY = 12_000;
const BASE64_URL = new RegExp(String.raw`^[\w-]{1,${LONGEST_BODY}}$`);

/** The secrets in the text of a variable. */
export const secretsIn = (text: string | undefined): string[] =>
  (text ?? "").split(/[\s,]+/).filter((secret) => secret !== "");

/**
 * @param what Names the keys in errors, such as "for run tokens".
 * @throws InvalidArgument for a secret that could be guessed, without the secret.
 */
export function checkSecrets(secrets: readonly string[], what: string): readonly string[] {
  const index = secrets.findIndex((secret) => secret.length < SHORTEST_SECRET);
  if (index === -1) return secrets;
  throw new InvalidArgument(
    `Key ${index + 1} ${what} has ${secrets[index]?.length ?? 0} characters. Use at least ${SHORTEST_SECRET}, for instance from \`openssl rand -hex 32\`.`,
  );
}

export class SignedTokens<Claims extends object> {
  readonly #kind: TokenKind;
  readonly #secrets: readonly string[];
  #derived: Promise<readonly Key[]> | undefined;

  /** @param secrets Checked ones. */
  constructor(kind: TokenKind, secrets: readonly string[]) {
    this.#kind = kind;
    this.#secrets = secrets;
  }

  get areThere(): boolean {
    return this.#secrets.length > 0;
  }

  /** Undefined without a secret. @throws InvalidArgument for claims that are too long. */
  async sign(claims: Claims): Promise<string | undefined> {
    const [key] = await this.#keys();
    if (key === undefined) return undefined;
    const text = JSON.stringify({ ...claims, kid: key.id });
    const body = toBase64Url(new TextEncoder().encode(text));
    if (body.length > LONGEST_BODY) {
      throw new InvalidArgument(
        `The token would be too long: its claims have ${body.length} characters, and may have ${LONGEST_BODY}. Sign several tokens with less each.`,
      );
    }
    const signature = await crypto.subtle.sign("HMAC", key.hmac, this.#signedText(body));
    return `${this.#kind.prefix}${body}.${toBase64Url(new Uint8Array(signature))}`;
  }

  /** Returns the claims of a token; undefined if no key signed it. */
  async verify(token: string): Promise<Claims | undefined> {
    const { prefix } = this.#kind;
    if (!token.startsWith(prefix)) return undefined;
    const [body = "", signature = "", ...rest] = token.slice(prefix.length).split(".");
    const bytes = fromBase64Url(signature);
    const claims = readClaims(body);
    if (rest.length > 0 || bytes === undefined || claims === undefined) return undefined;
    const key = (await this.#keys()).find(({ id }) => id === claims.kid);
    if (key === undefined) return undefined;
    // In constant time.
    const isOurs = await crypto.subtle.verify("HMAC", key.hmac, bytes, this.#signedText(body));
    return isOurs ? (claims as Claims) : undefined;
  }

  #signedText(body: string): Uint8Array<ArrayBuffer> {
    return new TextEncoder().encode(`${this.#kind.prefix}${body}`);
  }

  #keys(): Promise<readonly Key[]> {
    return (this.#derived ??= Promise.all(
      this.#secrets.map((secret) => derive(secret, this.#kind.purpose)),
    ));
  }
}

async function derive(secret: string, purpose: string): Promise<Key> {
  const bytes = new TextEncoder().encode(secret);
  const master = await crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveBits"]);
  const info = new TextEncoder().encode(purpose);
  const how = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info };
  const derived = await crypto.subtle.deriveBits(how, master, 256);
  const use = { name: "HMAC", hash: "SHA-256" };
  const hmac = await crypto.subtle.importKey("raw", derived, use, false, ["sign", "verify"]);
  const digest = await crypto.subtle.digest("SHA-256", derived);
  return { id: toBase64Url(new Uint8Array(digest)).slice(0, 8), hmac };
}

/** The claims of a body that is not verified yet. */
function readClaims(body: string): { readonly kid?: unknown } | undefined {
  const bytes = fromBase64Url(body);
  if (bytes === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof claims === "object" && claims !== null ? claims : undefined;
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
  if (!BASE64_URL.test(text)) return undefined;
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(binary, (one) => one.codePointAt(0) ?? 0);
  } catch {
    return undefined;
  }
}
