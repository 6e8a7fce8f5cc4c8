import { createHash } from "node:crypto";
import { canonicalJson } from "./canonical-json.ts";

/** Returns the SHA-256 of a value's canonical JSON, in hexadecimal. Equal documents have equal hashes. */
export function contentHash(value: unknown): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex");
}
