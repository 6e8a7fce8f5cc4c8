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

/**
 * The input of a run as its body sees it. Of a failure handler only the input of the failed run is encoded: the
 * database has written the rest.
 */
export function decodeInput(codec: Codec, input: unknown, isFailureHandler: boolean): unknown {
  if (!isFailureHandler) return codec.decode(input);
  const failed = input as { readonly input: unknown };
  return { ...failed, input: failed.input === null ? null : codec.decode(failed.input) };
}
