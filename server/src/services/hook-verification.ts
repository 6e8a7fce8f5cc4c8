/** Proves where deliveries to webhook triggers come from, by the secret that the server derives for each webhook. */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { TriggerHook } from "@oxbow/declared/internal";

/** How far the clock of a sender may be off, as in Standard Webhooks. */
const TOLERANCE_S = 300;
const LONGEST_ID = 256;

/**
 * What a delivery proved. `identity` distinguishes a repeated delivery from a new one: the signed part, if there is one.
 * `deliveryId` is what the sender calls it, for the event.
 */
export type Verified =
  | {
      readonly isGenuine: true;
      readonly deliveryId: string | null;
      readonly identity: string | null;
    }
  | { readonly isGenuine: false; readonly reason: string };

interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Seconds since 1970. */
  readonly now: number;
}

/** @param secrets As the sender has them, `whsec_…`; one of them has to fit. */
export function verify(
  { verify: verifier, identical }: Pick<TriggerHook, "verify" | "identical">,
  delivery: Delivery,
  secrets: readonly string[],
): Verified {
  const verified = VERIFIERS[verifier](delivery, secrets, identical);
  if (verified.isGenuine && (verified.deliveryId?.length ?? 1) === 0) return fake("an empty id");
  return verified.isGenuine && (verified.deliveryId ?? "").length > LONGEST_ID
    ? fake(`an id of more than ${LONGEST_ID} characters`)
    : verified;
}

/** The headers that carry a proof, with the way of verifying that reads them. */
const PROOFS = [
  ["webhook-signature", "signature"],
  ["x-hub-signature-256", "github"],
  ["authorization", "token"],
] as const;

/**
 * Returns why the sender of a delivery doesn't know the secret of the webhook, whichever way its trigger verifies;
 * undefined if it does. The secret derives from the address, so a forged address costs no query.
 */
export function forgeryOf(delivery: Delivery, secrets: readonly string[]): string | undefined {
  const proofs = PROOFS.filter(([header]) => delivery.headers[header] !== undefined).map(
    ([, way]) => verify({ verify: way, identical: "once" }, delivery, secrets),
  );
  const reasons = proofs.flatMap((proof) => (proof.isGenuine ? [] : [proof.reason]));
  if (reasons.length < proofs.length) return undefined;
  return reasons[0] ?? "The delivery has no signature and no bearer token.";
}

type Verifier = (
  delivery: Delivery,
  secrets: readonly string[],
  identical: TriggerHook["identical"],
) => Verified;

const VERIFIERS: Readonly<Record<TriggerHook["verify"], Verifier>> = {
  signature: ({ headers, body, now }, secrets) => {
    const id = one(headers["webhook-id"]);
    const timestamp = one(headers["webhook-timestamp"]);
    const given = one(headers["webhook-signature"]);
    if (id === undefined || timestamp === undefined || given === undefined) {
      return fake("no webhook-id, webhook-timestamp and webhook-signature");
    }
    if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now - Number(timestamp)) > TOLERANCE_S) {
      return fake(`a webhook-timestamp that is more than ${TOLERANCE_S} seconds off`);
    }
    const wanted = secrets.map((secret) =>
      createHmac("sha256", Buffer.from(secret.replace(/^whsec_/, ""), "base64"))
        .update(`${id}.${timestamp}.`)
        .update(body)
        .digest("base64"),
    );
    const signatures = given.split(" ").map((signature) => signature.replace(/^v1,/, ""));
    return isOneOf(signatures, wanted)
      ? { isGenuine: true, deliveryId: id, identity: id }
      : fake("a webhook-signature of another secret");
  },
  github: ({ headers, body }, secrets, identical) => {
    const given = one(headers["x-hub-signature-256"]);
    if (given === undefined) return fake("no x-hub-signature-256");
    const wanted = secrets.map(
      (secret) => `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
    );
    if (!isOneOf([given], wanted)) return fake("an x-hub-signature-256 of another secret");
    const deliveryId = one(headers["x-github-delivery"]) ?? null;
    // The signature covers only the body: with another id, a copy would be another delivery.
    const identity = identical === "each" ? deliveryId : `body:${digest(body).toString("hex")}`;
    return { isGenuine: true, deliveryId, identity };
  },
  token: ({ headers }, secrets) => {
    const [, given] = /^Bearer (\S+)$/i.exec(headers.authorization ?? "") ?? [];
    if (given === undefined) return fake("no bearer token");
    const id = one(headers["webhook-id"]) ?? one(headers["idempotency-key"]) ?? null;
    return isOneOf([given], secrets)
      ? { isGenuine: true, deliveryId: id, identity: id }
      : fake("another bearer token");
  },
};

const fake = (what: string): Verified => ({
  isGenuine: false,
  reason: `The delivery has ${what}.`,
});

const one = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === "string" ? value : value?.[0];

const digest = (content: string | Buffer): Buffer => createHash("sha256").update(content).digest();

/** In a time that doesn't depend on where texts differ. */
function isOneOf(given: readonly string[], wanted: readonly string[]): boolean {
  const digests = wanted.map(digest);
  return given
    .slice(0, 10)
    .some((text) => digests.some((each) => timingSafeEqual(each, digest(text))));
}
