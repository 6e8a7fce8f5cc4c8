import { InvalidArgument } from "./errors.ts";

/** The names of all options, complete by type: an option that is missing here does not compile. */
export type OptionNames<Options> = Readonly<Record<keyof Options & string, true>>;

/**
 * Refuses what is not an object of known options. Types do so before, but not for JavaScript, nor for an object that
 * was made elsewhere; and a misspelt `idempotencykey` that is ignored starts a run twice.
 *
 * @param what What the options are of, as an error would name it.
 * @throws InvalidArgument that names the option, and the known one that it resembles.
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

/** The name that was meant, where one is near enough. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const plain = plainOf(name);
  const [best] = known
    .map((candidate) => ({ candidate, distance: distanceOf(plain, plainOf(candidate)) }))
    .toSorted((one, other) => one.distance - other.distance);
  if (best === undefined) return undefined;
  return best.distance <= Math.min(3, Math.max(1, plain.length * 0.4)) ? best.candidate : undefined;
}

/** Without what differs between ways of writing: `idempotency_key`, `IdempotencyKey`. */
const plainOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "")
    .slice(0, 60);

/** How many letters have to be changed, added or left out. */
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
