/** Bodies that are nested so deeply that recursion over them overflows the stack. */
import { MAX_JSON_DEPTH } from "@oxbow/sdk/internal/server";

/** Returns whether the lists and objects of a body are nested more deeply than those of values may be. */
export function isTooDeep(body: unknown, most = MAX_JSON_DEPTH): boolean {
  if (typeof body !== "object" || body === null || ArrayBuffer.isView(body)) return false;
  return most === 0 || Object.values(body).some((member) => isTooDeep(member, most - 1));
}
