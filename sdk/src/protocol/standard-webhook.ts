/** Signatures of Standard Webhooks (https://www.standardwebhooks.com), with any number of secrets: any that is known verifies. */

export interface SignedText {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: string;
  readonly body: string;
}

type Hmac = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

export class WebhookSignatures {
  readonly #secrets: readonly string[];
  #imported: Promise<readonly Hmac[]> | undefined;

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  /** The header `webhook-signature`: one signature by the first secret. */
  async sign(text: SignedText): Promise<string> {
    const [key] = await this.#keys();
    if (key === undefined) throw new Error("There is no secret to sign with.");
    const signature = await crypto.subtle.sign("HMAC", key, bytesOf(text));
    return `v1,${btoa(String.fromCodePoint(...new Uint8Array(signature)))}`;
  }

  /** Whether one of the secrets made one of the signatures of the header. In constant time. */
  async verify(text: SignedText, header: string): Promise<boolean> {
    const given = header
      .split(" ")
      .slice(0, 10)
      .map(signatureIn)
      .filter((one) => one !== undefined);
    const signed = bytesOf(text);
    for (const key of await this.#keys()) {
      for (const signature of given) {
        if (await crypto.subtle.verify("HMAC", key, signature, signed)) return true;
      }
    }
    return false;
  }

  #keys(): Promise<readonly Hmac[]> {
    return (this.#imported ??= Promise.all(this.#secrets.map(imported)));
  }
}

const imported = (secret: string): Promise<Hmac> =>
  crypto.subtle.importKey(
    "raw",
    new TextEncoder().encode(secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign", "verify"],
  );

const bytesOf = ({ id, timestamp, body }: SignedText): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(`${id}.${timestamp}.${body}`);

function signatureIn(part: string): Uint8Array<ArrayBuffer> | undefined {
  const [, base64 = ""] = /^v1,([\w+/]{43}=)$/.exec(part) ?? [];
  return base64 === ""
    ? undefined
    : Uint8Array.from(atob(base64), (one) => one.codePointAt(0) ?? 0);
}
