import { isObject } from "./json.ts";

/**
 * Returns the canonical JSON of a value (RFC 8785): members in the order of their names by UTF-16 units, no spaces,
 * numbers as JavaScript writes them. Equal values have equal texts.
 *
 * @param value - A value of JSON; members that are undefined are left out.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .toSorted()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`);
  return `{${members.join(",")}}`;
}
