/** JSON of an object some of whose values are JSON texts already; what is undefined is left out. */
export function jsonOf(
  values: Readonly<Record<string, unknown>>,
  texts: Readonly<Record<string, string | undefined>> = {},
): string {
  const fields = [
    ...Object.entries(values).map(([key, value]) => [key, JSON.stringify(value)] as const),
    ...Object.entries(texts),
  ].filter(([, text]) => text !== undefined);
  return `{${fields.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(",")}}`;
}
