/**
 * Turns values into JSON and back, for values that JSON alone can't hold (superjson) or that the database must
 * not read (encryption). It is applied to inputs, outputs and what steps return; not to payloads of events,
 * which the database matches.
 */
export interface Codec {
  /** Makes plain JSON data of a value. */
  encode(value: unknown): unknown;
  /** Gets the value back. `decode(encode(value))` is what a body sees. */
  decode(data: unknown): unknown;
}
