/** Parameters of a url. What is undefined is left out; each element of a list is a parameter. */
export type Query = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

export function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).flatMap(([name, value = []]) =>
    [value].flat().map((one): [string, string] => [name, String(one)]),
  );
  const text = new URLSearchParams(given).toString();
  return text === "" ? path : `${path}?${text}`;
}
