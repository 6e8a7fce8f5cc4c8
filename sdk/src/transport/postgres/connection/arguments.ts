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

const hasNul = (value: unknown): boolean => parameterText(value)?.includes("\u0000") === true;

/** Names the argument that has a character which no text of Postgres has: its own error names neither. */
export function explainNul(error: unknown, text: string, values: readonly unknown[]): void {
  if (!(error instanceof Error) || Reflect.get(error, "code") !== "22021") return;
  const at = values.findIndex(hasNul);
  const parameter = new RegExp(`(\\w+) => \\$${at + 1}\\b`).exec(text)?.[1];
  if (parameter === undefined) return;
  const name = Array.isArray(values[at]) ? parameter.replace(/s$/, "") : parameter;
  const value = [values[at]].flat().find(hasNul);
  error.message = `invalid ${name.replaceAll("_", " ")} ${JSON.stringify(value).slice(0, 100)}: Postgres can't store the character U+0000. Remove it`;
}
