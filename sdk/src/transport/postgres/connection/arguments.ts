/** Arguments of SQL functions. */

export const unlessNone = <Value>(values: (Value | null)[]): (Value | null)[] | null =>
  values.every((each) => each === null) ? null : values;

export const toSeconds = (ms: number | undefined): number | null =>
  ms === undefined ? null : ms / 1000;
