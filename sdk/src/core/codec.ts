/**
 * Turns values into JSON and back, for values that JSON alone can't hold (superjson) or that the database must
 * not read (encryption). It is applied to inputs, outputs, what steps return, and what a run shows and streams; not to
 * payloads of events, tags and messages, which the database matches, nor to errors, which operators read: keep what
 * is secret out of these.
 */
export interface Codec {
  /** Makes plain JSON data of a value. */
  encode(value: unknown): unknown;
  /** Gets the value back. `decode(encode(value))` is what a body sees. */
  decode(data: unknown): unknown;
}
