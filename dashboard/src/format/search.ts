/** The search of an address, read member by member: whoever writes an address by hand may write anything. */

/** Returns a member as pages take it; undefined leaves it out. */
type Reader<Value> = (given: unknown) => Value | undefined;

/** Makes the function that reads the search of a page. */
export const searchReader =
  <Search extends object>(readers: { readonly [Name in keyof Search]: Reader<Search[Name]> }) =>
  (
    given: Readonly<Record<string, unknown>>,
  ): { [Name in keyof Search]?: Search[Name] | undefined } => {
    const read = Object.entries<Reader<unknown>>(readers).map(([name, reader]) => [
      name,
      reader(given[name]),
    ]);
    return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as Partial<Search>;
  };

/** @param longest Number of characters: the rest is cut off. */
export const text =
  (longest?: number): Reader<string> =>
  (given) =>
    typeof given === "string" && given.trim() !== "" ? given.trim().slice(0, longest) : undefined;

export const textLike =
  (pattern: RegExp): Reader<string> =>
  (given) =>
    typeof given === "string" && pattern.test(given.trim()) ? given.trim() : undefined;

export const id = textLike(/^\d{1,18}$/);

export const oneOf =
  <Value extends string>(values: readonly Value[]): Reader<Value> =>
  (given) =>
    values.find((value) => value === given);
