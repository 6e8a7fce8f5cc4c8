/**
 * The type of a value once it has been journaled: what JSON makes of it. A `Date` comes back as text, methods
 * are gone; types of plain data are left as they are.
 */
export type Journaled<Value> = unknown extends Value
  ? Value
  : Value extends string | number | boolean | null | undefined | void
    ? Value
    : Value extends { toJSON(): infer Json }
      ? Journaled<Json>
      : Value extends bigint | symbol | Callable
        ? never
        : Value extends readonly unknown[]
          ? { [Index in keyof Value]: Element<Value[Index]> }
          : Value extends object
            ? { [Key in keyof Value as JournaledKey<Key, Value[Key]>]: Journaled<Value[Key]> }
            : never;

type Callable = (...values: never[]) => unknown;

/** In an array, JSON makes null of what it can't hold. */
type Element<Value> = Value extends undefined | symbol | Callable ? null : Journaled<Value>;

/** In an object, it leaves it out. */
type JournaledKey<Key, Value> = Key extends symbol
  ? never
  : Value extends symbol | Callable
    ? never
    : Key;
