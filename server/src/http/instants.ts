/** A row whose instants are ISO text, for answers. */
type InstantsAsText<Row> = {
  readonly [Key in keyof Row]: Row[Key] extends Date | null
    ? null extends Row[Key]
      ? string | null
      : string
    : Row[Key];
};

export const instantsAsText = <Row extends object>(row: Row): InstantsAsText<Row> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]: [string, unknown]) => [
      name,
      value instanceof Date ? value.toISOString() : value,
    ]),
  ) as InstantsAsText<Row>;
