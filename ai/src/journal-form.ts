/** Answers of models as JSON, and back: bytes and dates, which JSON lacks, and text that Postgres can store. */
const BYTES = "$bytes";
const DATE = "$date";

export function toJournalForm(value: unknown): unknown {
  if (value instanceof Uint8Array) return { [BYTES]: Buffer.from(value).toString("base64") };
  if (value instanceof Date) return { [DATE]: value.toISOString() };
  return storableIn(value, toJournalForm);
}

/** A model may say anything, also NUL, and half of a character. */
export const storable = (text: string): string =>
  text.replaceAll("\u0000", "\uFFFD").replaceAll(/\p{Surrogate}/gu, "\uFFFD");

/** A value of JSON with text that Postgres can store, in names as well. */
export function storableIn(value: unknown, map: (part: unknown) => unknown = storableIn): unknown {
  if (typeof value === "string") return storable(value);
  if (Array.isArray(value)) return value.map((part) => map(part));
  if (typeof value !== "object" || value === null || "toJSON" in value) return value;
  return mapMembers(value, map);
}

export function fromJournalForm(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromJournalForm);
  if (typeof value !== "object" || value === null) return value;
  const { [BYTES]: bytes, [DATE]: date } = value as Record<string, unknown>;
  if (typeof bytes === "string") return new Uint8Array(Buffer.from(bytes, "base64"));
  if (typeof date === "string") return new Date(date);
  return mapMembers(value, fromJournalForm);
}

const mapMembers = (value: object, map: (member: unknown) => unknown): object =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      member === undefined ? [] : [[storable(name), map(member)]],
    ),
  );
