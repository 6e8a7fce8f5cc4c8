/**
 * Encodes values as JSON and decodes them, for values that JSON can't represent (superjson) or that the database must not
 * read (encryption). It applies to inputs, outputs, results of steps, and values that a run sets and streams. It does not
 * apply to payloads of events, tags and messages, which the database matches, nor to errors, which operators read: keep
 * secrets out of these.
 *
 * Those who read or write a value apply it: `replay/steps/` and `engine.ts` of a run, `start-request.ts` of a client.
 *
 * Without a codec, and in what `encode` returns, values that JSON would replace or empty are refused with their path, such as
 * `NaN`, an invalid `Date`, a symbol, a `Map`, a `Set`, an `Error`. Members that are `undefined` or functions are left out, and
 * are null in lists. Numbers are doubles: of larger ones, which SQL can write, `decode` gets the nearest.
 */
export interface Codec {
  /** Encodes a value as plain JSON data. */
  encode(value: unknown): unknown;
  /** Decodes a value. A body sees `decode(encode(value))`. */
  decode(data: unknown): unknown;
}

/** Leaves values to JSON. */
export const PLAIN: Codec = { encode: (value) => value, decode: (data) => data };

/** Encodes the input of a run, as `decodeInput` decodes it. */
export function encodeInput(codec: Codec, input: unknown, isFailureHandler: boolean): unknown {
  if (!isFailureHandler) return codec.encode(input);
  return isFailedRun(input) ? { ...input, input: codec.encode(input.input) } : input;
}

/**
 * Decodes the input of a run. In the input of a failure handler only the input of the failed run is encoded: the database
 * has written the rest.
 */
export function decodeInput(codec: Codec, input: unknown, isFailureHandler: boolean): unknown {
  if (!isFailureHandler) return codec.decode(input);
  return isFailedRun(input) ? { ...input, input: codec.decode(input.input) } : input;
}

/** A failed run that had an input. Later generations of its handler may have anything else as theirs. */
const isFailedRun = (given: unknown): given is { readonly input: unknown } =>
  typeof given === "object" &&
  given !== null &&
  "input" in given &&
  given.input !== null &&
  given.input !== undefined;
