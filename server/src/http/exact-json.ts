/** JSON of requests, read without changing what it says. */
import { isUtf8 } from "node:buffer";
import { findInexactNumber } from "@oxbow/sdk/internal/server";
import { HttpProblem, invalidRequest } from "./problems.ts";

/** The text of a body. @throws HttpProblem if its bytes are no text */
export function textOf(body: Buffer): string {
  if (isUtf8(body)) return body.toString("utf8");
  throw new HttpProblem("INVALID_JSON", "The body is not valid UTF-8: encode it as UTF-8.");
}

/** Checks the numbers of valid JSON. @throws HttpProblem with the path of one that would change */
export function checkNumbers(text: string, what: string): void {
  const found = findInexactNumber(text, what);
  if (found !== undefined) {
    throw invalidRequest(`${found.path} ${found.problem}.`);
  }
}
