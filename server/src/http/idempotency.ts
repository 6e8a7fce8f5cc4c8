/** The header `Idempotency-Key`: of a start, a signal or a FIFO message, the same as the key in the request itself. */
import type { IncomingHttpHeaders } from "node:http";
import { Type } from "typebox";
import { HttpProblem } from "./problems.ts";

/** For the schema of a route. */
export const IdempotencyHeader = Type.Object({
  "idempotency-key": Type.Optional(
    Type.String({
      maxLength: 514,
      description: "The same as the key in the request; quotes around it are not part of it.",
    }),
  ),
});

/**
 * The key of a request: from the header, or as it is given elsewhere.
 *
 * @param name What the key is called elsewhere.
 * @throws HttpProblem 400 where both are there and differ, or the header is empty or too long.
 */
export function idempotencyKeyOf(
  headers: IncomingHttpHeaders,
  given: string | undefined,
  name: string,
): string | undefined {
  const header = headers["idempotency-key"];
  if (typeof header !== "string") return given;
  // A string of RFC 9651, as the draft of this header wants it; most clients send the bare text.
  const key = header.trim().replace(/^"(.*)"$/, "$1");
  if (key === "" || key.length > 512) {
    throw new HttpProblem("INVALID_REQUEST", "Invalid Idempotency-Key: give 1 to 512 characters.");
  }
  if (given !== undefined && given !== key) {
    throw new HttpProblem(
      "INVALID_REQUEST",
      `Idempotency-Key and ${name} differ: give one of them, or the same twice.`,
    );
  }
  return key;
}
