/**
 * Secrets of subscriptions, and signatures as in Standard Webhooks.
 *
 * Secrets are not stored but derived from a secret of the server, so that no dump, replica or fork of the database can
 * sign, and no receiver knows the secret of another. The server may have several secrets: the first is current, and the
 * others sign too, until all receivers have their new secret.
 */
import { createHmac } from "node:crypto";

const SHORTEST = 32;

export class WebhookSecrets {
  readonly #masters: readonly string[];

  /** @param masters At least 32 characters each. @throws Error without the secret. */
  constructor(masters: readonly string[]) {
    const short = masters.findIndex((master) => master.length < SHORTEST);
    if (short !== -1) {
      throw new Error(
        `Webhook secret ${short + 1} is too short: use at least ${SHORTEST} characters, for instance from \`openssl rand -hex 32\`.`,
      );
    }
    this.#masters = masters;
  }

  get areThere(): boolean {
    return this.#masters.length > 0;
  }

  /**
   * The secrets with which a receiver verifies, as `whsec_…`; the current one comes first.
   *
   * @param sandbox Identity of a sandbox, whose readers must not learn the keys of its source.
   */
  of(subscriptionId: string, url: string, sandbox?: string): string[] {
    return this.#keys(subscriptionId, url, sandbox).map((key) => `whsec_${key.toString("base64")}`);
  }

  /** The secrets with which a sender signs deliveries to a webhook trigger, as `whsec_…`; the current one comes first. */
  ofHook(hookId: string): string[] {
    return this.#masters.map(
      (master) =>
        `whsec_${createHmac("sha256", master).update(`oxbow hook ${hookId}`).digest("base64")}`,
    );
  }

  /** The header `webhook-signature`; undefined without secrets. */
  sign(
    { subscriptionId, url }: { readonly subscriptionId: string; readonly url: string },
    { id, timestamp, body }: { readonly id: string; readonly timestamp: number; body: string },
  ): string | undefined {
    if (!this.areThere) return undefined;
    return this.#keys(subscriptionId, url)
      .map((key) => createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64"))
      .map((signature) => `v1,${signature}`)
      .join(" ");
  }

  /** Keys depend on the url, so that a delivery with a forged url has no valid signature. */
  #keys(subscriptionId: string, url: string, sandbox?: string): Buffer[] {
    const what = sandbox === undefined ? "webhook" : `webhook in ${sandbox}`;
    return this.#masters.map((master) =>
      createHmac("sha256", master).update(`oxbow ${what} ${subscriptionId} ${url}`).digest(),
    );
  }
}
