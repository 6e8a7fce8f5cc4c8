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

/**
 * Holds the input of a later generation, or of a rerun, of a failure handler. No member of a failed run has this name, and
 * no codec has a reason to write it.
 */
const ENCODED = "oxbow:encoded";

/** Encodes the input of a run, as `decodeInput` decodes it. */
export function encodeInput(codec: Codec, input: unknown, isFailureHandler: boolean): unknown {
  const encoded = codec.encode(input);
  return isFailureHandler && encoded !== undefined ? { [ENCODED]: encoded } : encoded;
}

/**
 * Decodes the input of a run. The database has written that of a failure handler: of its members only the input of the
 * failed run is encoded, which may be that of a failure handler again.
 */
export function decodeInput(codec: Codec, input: unknown, isFailureHandler: boolean): unknown {
  if (!isFailureHandler) return codec.decode(input);
  if (typeof input !== "object" || input === null) return input;
  if (ENCODED in input) return codec.decode(input[ENCODED]);
  if (!("input" in input) || input.input === null) return input;
  return { ...input, input: decodeInput(codec, input.input, isOfFailureHandler(input.input)) };
}

const isOfFailureHandler = (input: unknown): boolean =>
  typeof input === "object" &&
  input !== null &&
  (ENCODED in input || ["runId", "workflow", "version", "error"].every((name) => name in input));
