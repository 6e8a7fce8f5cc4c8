/** Rows with the given instants as ISO text, for answers. */
type InstantsAsText<Row, Name extends keyof Row> = {
  readonly [Key in keyof Row]: Key extends Name
    ? null extends Row[Key]
      ? string | null
      : string
    : Row[Key];
};

export function instantsAsText<Row extends object, Name extends keyof Row>(
  row: Row,
  names: readonly Name[],
): InstantsAsText<Row, Name> {
  const texts = names.map((name) => {
    const instant = row[name];
    return [name, instant instanceof Date ? instant.toISOString() : null];
  });
  return { ...row, ...Object.fromEntries(texts) } as InstantsAsText<Row, Name>;
}
