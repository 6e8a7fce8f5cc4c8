/**
 * A copy in which the members of objects are sorted. The journal doesn't keep their order, so what the body makes of a value,
 * such as text, differs in a replay unless the order is given.
 */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (typeof value !== "object" || value === null || "toJSON" in value) return value;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}
