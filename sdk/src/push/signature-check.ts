/**
 * Whether a request comes from the server.
 *
 * Promises:
 *   G1  With keys, a request has a signature of one of them, over its id, its time and its body. It is checked before the
 *       body is parsed.
 *   G2  A signature is accepted for five minutes, and once by this process. A time that is further away is answered with the
 *       time here, for which the server signs again: clocks may differ, also by an hour.
 *   G3  Without a key, only requests to a name of this machine are answered.
 */
import { SIGNATURE_WITHIN_MS } from "../protocol/push.ts";
import { WebhookSignatures } from "../protocol/standard-webhook.ts";

/** Why a request is refused. */
export interface Refusal {
  readonly detail: string;
  /** The signature is good, and its time is not. */
  readonly isUntimely?: true;
}

export interface SignedRequest {
  /** The host that the request was sent to, without its port. */
  readonly hostname: () => string;
  /** @param name In lower case. */
  readonly header: (name: string) => string | undefined;
}

const OF_THIS_MACHINE = /^(localhost|(.+\.)?localhost|127(\.\d+){3}|\[::1\])$/;

export class SignatureCheck {
  readonly #keys: readonly string[];
  readonly #signatures: WebhookSignatures;
  /** Ids that were accepted, and when: the oldest comes first. */
  readonly #seen = new Map<string, number>();

  constructor(keys: readonly string[]) {
    this.#keys = keys;
    this.#signatures = new WebhookSignatures(keys);
  }

  get isSigned(): boolean {
    return this.#keys.length > 0;
  }

  /** Undefined if the request is accepted. */
  async refuse({ hostname, header }: SignedRequest, body: string): Promise<Refusal | undefined> {
    if (!this.isSigned) {
      if (OF_THIS_MACHINE.test(hostname())) return undefined;
      return {
        detail:
          "This handler has no signing key, so it answers only requests of the same machine. Set OXBOW_SIGNING_KEY, here and on the server.",
      };
    }
    const id = header("webhook-id");
    const timestamp = header("webhook-timestamp");
    const signatures = header("webhook-signature");
    if (id === undefined || timestamp === undefined || signatures === undefined) {
      return {
        detail:
          "The request is not signed. Set OXBOW_SIGNING_KEY on the server to the key of this handler.",
      };
    }
    if (!(await this.#signatures.verify({ id, timestamp, body }, signatures))) {
      return {
        detail:
          "The signature is not of a key that this handler has. Set OXBOW_SIGNING_KEY to the same key, here and on the server.",
      };
    }
    return this.#refuseTime(id, Number(timestamp) * 1_000);
  }

  #refuseTime(id: string, signedMs: number): Refusal | undefined {
    const now = Date.now();
    const awayMs = Math.abs(now - signedMs);
    if (!(awayMs <= SIGNATURE_WITHIN_MS)) {
      return {
        isUntimely: true,
        detail: `The request was signed at a time that is ${Math.round(awayMs / 60_000)} minutes away from the clock here, and at most five are accepted.`,
      };
    }
    this.#forget(now);
    if (this.#seen.has(id)) return { detail: "The request was received before." };
    this.#seen.set(id, now);
    return undefined;
  }

  /** As long as a signature may be valid by this clock. Only the server can add ids, some 100 bytes each. */
  #forget(now: number): void {
    for (const [id, at] of this.#seen) {
      if (Math.abs(now - at) <= 2 * SIGNATURE_WITHIN_MS) return;
      this.#seen.delete(id);
    }
  }
}
