/**
 * Seals values for cookies: encrypted and authenticated (JWE, A256GCM), so that a browser can neither read nor change
 * them. A server needs no memory of them, and any other server with the same secrets can open them.
 *
 * To rotate: put the new secret in front, restart all servers, and take the old one away once the values that it sealed
 * have expired.
 */
import { createHash, hkdfSync } from "node:crypto";
import { EncryptJWT, jwtDecrypt } from "jose";

interface Key {
  readonly id: string;
  readonly bytes: Uint8Array;
}

export class Seal {
  readonly #keys: readonly [Key, ...Key[]];

  /** @param purpose A value that was sealed for another purpose doesn't open. */
  constructor(secrets: readonly string[], purpose: string) {
    const [first, ...rest] = secrets.map((secret) => keyOf(secret, purpose));
    if (first === undefined) throw new Error("A seal requires a secret.");
    this.#keys = [first, ...rest];
  }

  close(value: Readonly<Record<string, unknown>>, expiresAt: Date): Promise<string> {
    const [{ id, bytes }] = this.#keys;
    return new EncryptJWT({ value })
      .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid: id })
      .setExpirationTime(expiresAt)
      .encrypt(bytes);
  }

  /** Undefined if the text was not sealed with one of the secrets, or has expired. */
  async open(text: string): Promise<unknown> {
    try {
      const { payload } = await jwtDecrypt(
        text,
        ({ kid }) => {
          const key = this.#keys.find(({ id }) => id === kid);
          if (key === undefined) throw new Error("No secret of this server sealed the value.");
          return key.bytes;
        },
        { keyManagementAlgorithms: ["dir"], contentEncryptionAlgorithms: ["A256GCM"] },
      );
      return payload["value"];
    } catch {
      return undefined;
    }
  }
}

function keyOf(secret: string, purpose: string): Key {
  const bytes = new Uint8Array(hkdfSync("sha256", secret, "", `oxbow ${purpose}`, 32));
  return { id: createHash("sha256").update(bytes).digest("base64url").slice(0, 8), bytes };
}
