/** Bodies whose values are in each other more often than the stacks of those that read them bear. */
import { MAX_JSON_DEPTH } from "@oxbow/sdk/internal";

/** Returns whether lists and objects of a body are in each other more often than values may be. */
export function isTooDeep(body: unknown, most = MAX_JSON_DEPTH): boolean {
  if (typeof body !== "object" || body === null || ArrayBuffer.isView(body)) return false;
  return most === 0 || Object.values(body).some((member) => isTooDeep(member, most - 1));
}
