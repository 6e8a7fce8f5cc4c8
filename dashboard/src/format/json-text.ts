/** JSON that a user types in a form. */
export const prettyJson = (value: unknown): string => JSON.stringify(value, undefined, 2) ?? "";

/** @throws Error with the field and what is wrong. */
export function parseJson(text: string, field: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Error(`${field} is not JSON: ${error instanceof Error ? error.message : ""}`, {
      cause: error,
    });
  }
}
