/** Arguments of SQL functions, and how they are written. */

/** As Postgres reads it, whatever the type of the parameter. */
export function parameterText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return `{${value.map(elementText).join(",")}}`;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw new TypeError(`A parameter can't be of type ${typeof value}.`);
}

function elementText(element: unknown): string {
  const text = parameterText(element);
  if (text === null) return "NULL";
  return PLAIN.test(text) ? text : `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

/** Needs no quotes in an array: most names, ids and numbers. */
const PLAIN = /^(?!null$)[\w.:+-]+$/i;

/** An array whose elements need no quotes: numbers, ids, and words of the protocol. A fifth of the time of `parameterText`. */
export const plainArrayText = (elements: readonly (string | number)[]): string =>
  `{${elements.join(",")}}`;

export const unlessNone = <Value>(values: (Value | null)[]): (Value | null)[] | null =>
  values.every((each) => each === null) ? null : values;

export const toSeconds = (ms: number | undefined): number | null =>
  ms === undefined ? null : ms / 1000;
