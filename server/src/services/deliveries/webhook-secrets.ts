/**
 * Secrets of subscriptions, and signatures by them, as Standard Webhooks says.
 *
 * No secret is stored: each is derived from one of the server, so that no dump, replica or fork of the database can
 * sign, and a receiver that knows its own knows nobody else's. Several of the server's may be there at once: the
 * first is the one in use, and the others sign besides, until all receivers know their new one.
 */
import { createHmac } from "node:crypto";

const SHORTEST = 32;

export class WebhookSecrets {
  readonly #masters: readonly string[];

  /** @param masters At least 32 characters each. @throws Error that doesn't tell the secret. */
  constructor(masters: readonly string[]) {
    const short = masters.findIndex((master) => master.length < SHORTEST);
    if (short !== -1) {
      throw new Error(
        `Webhook secret ${short + 1} is too short: give at least ${SHORTEST} characters, as \`openssl rand -hex 32\` makes them.`,
      );
    }
    this.#masters = masters;
  }

  get areThere(): boolean {
    return this.#masters.length > 0;
  }

  /**
   * What a receiver verifies with, as `whsec_…`; the one in use comes first.
   *
   * @param sandbox Identity of a copy that sends nothing: whoever may look into it doesn't learn the keys of its source.
   */
  of(subscriptionId: string, url: string, sandbox?: string): string[] {
    return this.#keys(subscriptionId, url, sandbox).map((key) => `whsec_${key.toString("base64")}`);
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

  /** Of the url too: whoever puts another one into a queued delivery gets nothing signed that the target believes. */
  #keys(subscriptionId: string, url: string, sandbox?: string): Buffer[] {
    const what = sandbox === undefined ? "webhook" : `webhook in ${sandbox}`;
    return this.#masters.map((master) =>
      createHmac("sha256", master).update(`oxbow ${what} ${subscriptionId} ${url}`).digest(),
    );
  }
}
