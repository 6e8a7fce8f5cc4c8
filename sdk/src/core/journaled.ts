/**
 * The type of a value after journaling, as JSON represents it: a `Date` becomes text, methods disappear, and plain data
 * keeps its type.
 */
export type Journaled<Value> = unknown extends Value
  ? Value
  : Value extends JsonLike | undefined | void
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

/** Taken as it is, so that recursive types of JSON end. */
type JsonLike =
  | string
  | number
  | boolean
  | null
  | readonly JsonLike[]
  | { readonly [key: string]: JsonLike | undefined };

type Callable = (...values: never[]) => unknown;

/** In an array, JSON replaces values that it can't represent with null. */
type Element<Value> = Value extends undefined | symbol | Callable ? null : Journaled<Value>;

/** In an object, JSON omits them. */
type JournaledKey<Key, Value> = Key extends symbol
  ? never
  : Value extends symbol | Callable
    ? never
    : Key;
