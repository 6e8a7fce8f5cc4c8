/**
 * The header `Idempotency-Key` of starts, signals and FIFO messages, equivalent to the key in the request. No answer is
 * stored: what a repeated key does is decided where it is used, of starts in `routes/runs/start.ts`.
 */
import type { IncomingHttpHeaders } from "node:http";
import { Type } from "typebox";
import { invalidRequest } from "./problems.ts";

/** For the schema of a route. */
export const IdempotencyHeader = Type.Object({
  "idempotency-key": Type.Optional(
    Type.String({
      maxLength: 514,
      description: "Equivalent to the key in the request. Surrounding quotes are removed.",
    }),
  ),
});

/**
 * The key of a request, from the header or its other place.
 *
 * @param name Name of the key in its other place.
 * @throws HttpProblem 400 if both are given and differ, or the header is empty or too long.
 */
export function idempotencyKeyOf(
  headers: IncomingHttpHeaders,
  given: string | undefined,
  name: string,
): string | undefined {
  const header = headers["idempotency-key"];
  if (typeof header !== "string") return given;
  // The draft of this header requires a string of RFC 9651; most clients send the bare text.
  const key = header.trim().replace(/^"(.*)"$/, "$1");
  if (key === "" || key.length > 512) {
    throw invalidRequest("Invalid Idempotency-Key: give 1 to 512 characters.");
  }
  if (given !== undefined && given !== key) {
    throw invalidRequest(
      `Idempotency-Key and ${name} differ: give one of them, or the same value.`,
    );
  }
  return key;
}
