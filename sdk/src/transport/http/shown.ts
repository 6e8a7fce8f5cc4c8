/** Values as JSON shows them. */

/** In JSON an instant is text. */
export type Shown<Value> = {
  readonly [Key in keyof Value]: Value[Key] extends Date
    ? string
    : Value[Key] extends Date | null
      ? string | null
      : Value[Key];
};

export const toDate = (text: string | null): Date | null => (text === null ? null : new Date(text));
