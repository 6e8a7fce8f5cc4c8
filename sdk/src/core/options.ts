import { InvalidArgument } from "./errors.ts";

/** The names of all options, complete by type: an option that is missing here does not compile. */
export type OptionNames<Options> = Readonly<Record<keyof Options & string, true>>;

/**
 * Rejects a value that is not an object of known options. Types do not protect JavaScript, nor objects built elsewhere, and
 * ignoring a misspelt `idempotencykey` would start a run twice.
 *
 * @param what - The owner of the options, as named in errors.
 * @throws InvalidArgument which names the option and the most similar known one
 */
export function checkOptions<Options extends object>(
  options: Options | undefined,
  names: OptionNames<Options>,
  what: string,
): void {
  if (options === undefined) return;
  const given: unknown = options;
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    const shown = Array.isArray(given) ? "an array" : String(given);
    throw new InvalidArgument(`Invalid options of ${what}: give an object, not ${shown}.`);
  }
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || Object.hasOwn(names, name)) continue;
    const known = Object.keys(names);
    const meant = nearest(name, known);
    const advice =
      meant === undefined ? `There are ${known.join(", ")}.` : `Did you mean ${meant}?`;
    throw new InvalidArgument(`Unknown option "${name.slice(0, 60)}" of ${what}. ${advice}`, {
      facts: { option: name },
    });
  }
}

/** The most similar known name, if one is close enough. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const plain = plainOf(name);
  const [best] = known
    .map((candidate) => ({ candidate, distance: distanceOf(plain, plainOf(candidate)) }))
    .toSorted((one, other) => one.distance - other.distance);
  if (best === undefined) return undefined;
  return best.distance <= Math.min(3, Math.max(1, plain.length * 0.4)) ? best.candidate : undefined;
}

/** Without differences of notation: `idempotency_key`, `IdempotencyKey`. */
const plainOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "")
    .slice(0, 60);

/** The number of letters to change, insert or remove. */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, n) => n);
  for (let index = 0; index < one.length; index += 1) {
    const next = [index + 1];
    for (let n = 0; n < other.length; n += 1) {
      const changed = (row[n] ?? 0) + (one[index] === other[n] ? 0 : 1);
      next.push(Math.min(changed, (row[n + 1] ?? 0) + 1, (next[n] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
