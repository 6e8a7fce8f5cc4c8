/** Values as JSON shows them. */

/** In JSON an instant is text. */
export type Shown<Value> = {
  readonly [Key in keyof Value]: Value[Key] extends Date
    ? string
    : Value[Key] extends Date | null
      ? string | null
      : Value[Key];
};

/** In JSON a length of time is in seconds. */
export const toSeconds = (ms: number | undefined): number | undefined =>
  ms === undefined ? undefined : ms / 1_000;

export const toDate = (text: string | null): Date | null => (text === null ? null : new Date(text));

/** Reads the instants of a row. One that the server doesn't know yet is null. */
export function toDates<Row extends object>(
  shown: Shown<Row>,
  instants: readonly (keyof Row)[],
): Row {
  const dates = instants.map((name) => [name, toDate((shown[name] as string | null) ?? null)]);
  return { ...shown, ...Object.fromEntries(dates) } as Row;
}
