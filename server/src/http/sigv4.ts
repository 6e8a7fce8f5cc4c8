/**
 * Verifies requests that clients sign by AWS Signature Version 4, in the header `Authorization` or in the query
 * (presigned urls). The region is the client's choice.
 *
 * S1. The signature covers the method, the path, the query, the headers that decide what the request means (`host`,
 *     `x-amz-date` and, where sent, `x-amz-target`), and the body as it arrived.
 * S2. A signed request is accepted for 5 minutes, a presigned one until it expires. Within this time, it can be sent
 *     again.
 * S3. Signatures are compared in constant time, and no message contains a secret or anything derived from it.
 *
 * A derived key is kept for each access key, since it depends only on the day, the region and the service.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { AccessKey } from "./access-keys.ts";

const ALGORITHM = "AWS4-HMAC-SHA256";
const TERMINATOR = "aws4_request";
const LARGEST_SKEW_MS = 5 * 60_000;
/** Seven days, in seconds. */
const LONGEST_PRESIGNED = 604_800;

export interface SignedRequest {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As it arrived. */
  readonly body: Buffer;
}

/** Why a request is refused: the message names what is wrong. */
export class SignatureFailure extends Error {
  override readonly name = "SignatureFailure";
  /** `mismatch` includes signatures that are too old, or for another service. */
  readonly reason: "missing" | "unknown-key" | "mismatch" | "malformed";

  constructor(reason: SignatureFailure["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The parts of a signature, as a request states them. */
interface Claim {
  readonly keyId: string;
  /** Day, region, service and terminator. */
  readonly scope: readonly [day: string, region: string, service: string, terminator: string];
  /** As in the string that is signed. */
  readonly time: string;
  /** Seconds for which a presigned request is valid. */
  readonly expiresAfter: number | undefined;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
}

/** A name and its value, both encoded. */
type Parameter = readonly [name: string, value: string];

export class SignatureVerifier {
  readonly #keys: ReadonlyMap<string, AccessKey>;
  readonly #service: string;
  /** The last one that a valid signature needed, found by the id of its access key. */
  readonly #derived = new Map<string, { readonly scope: string; readonly key: Buffer }>();

  /** @param service That clients sign for, such as `sqs`. */
  constructor(keys: readonly AccessKey[], service: string) {
    this.#keys = new Map(keys.map((key) => [key.id, key]));
    this.#service = service;
  }

  /**
   * The access key that signed a request. Without access keys, it refuses all requests.
   *
   * @throws SignatureFailure
   */
  verify(request: SignedRequest, now: Date): AccessKey {
    const mark = request.url.indexOf("?");
    const path = mark === -1 ? request.url : request.url.slice(0, mark);
    const query = mark === -1 ? [] : parametersIn(request.url.slice(mark + 1));
    const claim = claimIn(request, query);
    const key = this.#keyOf(claim);
    checkScope(claim, this.#service);
    checkTime(claim, now);
    const bodyHash = hashOf(request.body);
    const claimedHash = request.headers["x-amz-content-sha256"];
    if (claimedHash !== undefined && claimedHash !== bodyHash) {
      throw new SignatureFailure(
        "mismatch",
        "The header x-amz-content-sha256 is not the SHA-256 of the body.",
      );
    }
    const canonical = [
      request.method,
      canonicalPath(path),
      canonicalQuery(query),
      ...claim.signedHeaders.map((name) => `${name}:${canonicalHeader(request, name)}`),
      "",
      claim.signedHeaders.join(";"),
      bodyHash,
    ].join("\n");
    this.#compare(claim, key, canonical);
    return key;
  }

  #keyOf({ keyId }: Claim): AccessKey {
    const key = this.#keys.get(keyId);
    if (key !== undefined) return key;
    throw new SignatureFailure(
      "unknown-key",
      this.#keys.size === 0
        ? "The server has no access keys. Set OXBOW_ACCESS_KEYS."
        : `The server has no access key "${cut(keyId)}".`,
    );
  }

  #compare({ scope, time, signature }: Claim, { id, secret }: AccessKey, canonical: string): void {
    const scopeText = scope.join("/");
    const known = this.#derived.get(id);
    const key = known?.scope === scopeText ? known.key : derivedKey(secret, scope);
    const text = [ALGORITHM, time, scopeText, hashOf(canonical)].join("\n");
    const expected = hmac(key, text);
    const given = Buffer.from(/^[0-9a-f]{64}$/.test(signature) ? signature : "", "hex");
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      throw new SignatureFailure(
        "mismatch",
        `The signature does not match. Check the secret of access key "${id}", and that no proxy changes the path, the body or the signed headers.`,
      );
    }
    if (key !== known?.key) this.#derived.set(id, { scope: scopeText, key });
  }
}

function claimIn(request: SignedRequest, query: readonly Parameter[]): Claim {
  const { authorization } = request.headers;
  const isPresigned = query.some(([name]) => name === "X-Amz-Signature");
  if (authorization === undefined && !isPresigned) {
    throw new SignatureFailure(
      "missing",
      "The request is not signed. Sign it with an access key, as the SDKs of AWS do.",
    );
  }
  if (authorization !== undefined && isPresigned) {
    throw malformed("The request has a signature in its header and another one in its query.");
  }
  const claim = isPresigned ? claimInQuery(query) : claimInHeader(request, String(authorization));
  const decisive = ["host", ...(isPresigned ? [] : ["x-amz-date"]), "x-amz-target"];
  const unsigned = decisive.find(
    (name) =>
      !claim.signedHeaders.includes(name) &&
      (name !== "x-amz-target" || request.headers[name] !== undefined),
  );
  if (unsigned !== undefined) throw malformed(`The header ${unsigned} must be signed.`);
  return claim;
}

function claimInHeader({ headers }: SignedRequest, authorization: string): Claim {
  const space = authorization.indexOf(" ");
  if (authorization.slice(0, Math.max(0, space)) !== ALGORITHM) {
    throw malformed(`The header Authorization must begin with ${ALGORITHM}.`);
  }
  refuseSessionToken(headers["x-amz-security-token"] !== undefined);
  const parts = new Map<string, string>();
  for (const part of authorization.slice(space).split(",")) {
    const [name = "", ...value] = part.trim().split("=");
    if (parts.has(name)) throw malformed(`The header Authorization contains ${cut(name)} twice.`);
    parts.set(name, value.join("="));
  }
  const partOf = (name: string): string => {
    const value = parts.get(name) ?? "";
    if (value !== "") return value;
    throw malformed(`The header Authorization lacks ${name}.`);
  };
  return {
    ...credentialIn(partOf("Credential")),
    signedHeaders: headerNamesIn(partOf("SignedHeaders")),
    signature: partOf("Signature"),
    time: timeIn(headers["x-amz-date"], "The header x-amz-date"),
    expiresAfter: undefined,
  };
}

function claimInQuery(query: readonly Parameter[]): Claim {
  const valueOf = (name: string): string => {
    const values = query.filter(([one]) => one === name).map(([, value]) => decoded(value));
    const [value = ""] = values;
    if (values.length === 1 && value !== "") return value;
    throw malformed(
      values.length > 1 ? `The query contains ${name} twice.` : `The query lacks ${name}.`,
    );
  };
  if (valueOf("X-Amz-Algorithm") !== ALGORITHM) {
    throw malformed(`X-Amz-Algorithm must be ${ALGORITHM}.`);
  }
  refuseSessionToken(query.some(([name]) => name === "X-Amz-Security-Token"));
  const expires = valueOf("X-Amz-Expires");
  const expiresAfter = /^\d{1,6}$/.test(expires) ? Number(expires) : 0;
  if (expiresAfter < 1 || expiresAfter > LONGEST_PRESIGNED) {
    throw malformed(
      `X-Amz-Expires must be from 1 to ${LONGEST_PRESIGNED} seconds, not "${cut(expires)}".`,
    );
  }
  return {
    ...credentialIn(valueOf("X-Amz-Credential")),
    signedHeaders: headerNamesIn(valueOf("X-Amz-SignedHeaders")),
    signature: valueOf("X-Amz-Signature"),
    time: timeIn(valueOf("X-Amz-Date"), "X-Amz-Date"),
    expiresAfter,
  };
}

function refuseSessionToken(isSent: boolean): void {
  if (!isSent) return;
  throw new SignatureFailure(
    "unknown-key",
    "The request has a session token, and the server accepts only access keys without one.",
  );
}

function credentialIn(text: string): Pick<Claim, "keyId" | "scope"> {
  const [keyId = "", day = "", region = "", service = "", terminator, ...rest] = text.split("/");
  if (terminator !== TERMINATOR || rest.length > 0 || region === "") {
    throw malformed(
      `The credential must be <access key>/<day>/<region>/<service>/${TERMINATOR}, not "${cut(text)}".`,
    );
  }
  return { keyId, scope: [day, region, service, terminator] };
}

function headerNamesIn(text: string): string[] {
  const names = text.split(";");
  if (names.every((name) => /^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(name))) return names;
  throw malformed(
    `The signed headers must be names in lower case, separated by semicolons, not "${cut(text)}".`,
  );
}

function timeIn(value: string | string[] | undefined, place: string): string {
  if (typeof value === "string" && !Number.isNaN(instantOf(value).getTime())) return value;
  const given = value === undefined ? "missing" : `"${cut(String(value))}"`;
  throw malformed(`${place} must be a time like 20260131T235959Z, and is ${given}.`);
}

/** An invalid date for another form. */
function instantOf(time: string): Date {
  const [, day = "", clock = ""] = /^(\d{8})T(\d{6})Z$/.exec(time) ?? [];
  const [date, hours] = [day.replace(/(..)(..)$/, "-$1-$2"), clock.replace(/(..)(..)$/, ":$1:$2")];
  return new Date(`${date}T${hours}Z`);
}

function checkScope({ scope: [day, , service], time }: Claim, expected: string): void {
  if (service !== expected) {
    throw new SignatureFailure(
      "mismatch",
      `The signature is for the service "${cut(service)}", not for "${expected}".`,
    );
  }
  if (!time.startsWith(`${day}T`)) {
    throw new SignatureFailure(
      "mismatch",
      `The day of the credential, "${cut(day)}", is not the day of ${time}.`,
    );
  }
}

function checkTime({ time, expiresAfter }: Claim, now: Date): void {
  const age = now.getTime() - instantOf(time).getTime();
  const clock = `the server's clock is at ${now.toISOString()}`;
  if (age < -LARGEST_SKEW_MS) {
    throw new SignatureFailure(
      "mismatch",
      `The signature of ${time} is from the future: ${clock}.`,
    );
  }
  if (age > (expiresAfter === undefined ? LARGEST_SKEW_MS : expiresAfter * 1_000)) {
    throw new SignatureFailure("mismatch", `The signature of ${time} has expired: ${clock}.`);
  }
}

function parametersIn(query: string): Parameter[] {
  return query
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const [name = "", ...value] = pair.split("=");
      return [encodedAgain(name), encodedAgain(value.join("="))];
    });
}

/** Sorted by name, then by value, without the signature itself. */
function canonicalQuery(query: readonly Parameter[]): string {
  return query
    .filter(([name]) => name !== "X-Amz-Signature")
    .toSorted(([a, x], [b, y]) => order(a, b) || order(x, y))
    .map((parameter) => parameter.join("="))
    .join("&");
}

const order = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Without empty and dotted segments; what is encoded in the url is encoded once more. */
function canonicalPath(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(encoded(segment));
  }
  const isFolder = path.endsWith("/") && segments.length > 0;
  return `/${segments.join("/")}${isFolder ? "/" : ""}`;
}

function canonicalHeader({ headers }: SignedRequest, name: string): string {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  if (value !== undefined) {
    return [value]
      .flat()
      .map((one) => one.trim().replaceAll(/\s+/g, " "))
      .join(",");
  }
  throw new SignatureFailure("mismatch", `The signed header ${cut(name)} was not sent.`);
}

/** With percent signs before all bytes but letters, digits and `-._~`. */
const encoded = (text: string): string =>
  text.replaceAll(/[^\w.~-]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => percent(byte)).join(""),
  );

/** The same for text that is encoded already, maybe otherwise: a plus is a space, as in forms. */
const encodedAgain = (text: string): string =>
  text.replaceAll(/%[\da-f]{2}|[^%]+|%/gi, (part) => {
    if (!/^%../.test(part)) return encoded(part.replaceAll("+", " "));
    const byte = Number.parseInt(part.slice(1), 16);
    return byte < 128 ? encoded(String.fromCodePoint(byte)) : percent(byte);
  });

const percent = (byte: number): string => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw malformed("A parameter of the signature is not UTF-8.");
  }
}

function derivedKey(secret: string, scope: readonly string[]): Buffer {
  return scope.reduce<Buffer>((key, part) => hmac(key, part), Buffer.from(`AWS4${secret}`));
}

const hmac = (key: Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
const hashOf = (data: Buffer | string): string => createHash("sha256").update(data).digest("hex");

const malformed = (message: string): SignatureFailure => new SignatureFailure("malformed", message);

/** Text of a client, short enough for a message. */
const cut = (text: string): string => text.slice(0, 100);
