/** A value of JSON. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** An object of JSON. */
export interface JsonObject {
  readonly [member: string]: Json;
}

/** Returns whether a value is an object rather than an array, null or a primitive. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export const isList = (value: unknown): value is readonly Json[] => Array.isArray(value);

/** Returns a member that an object has itself: `constructor` and the like are names as any other. */
export const own = <Value>(
  object: Readonly<Record<string, Value>>,
  name: string | number,
): Value | undefined => (Object.hasOwn(object, name) ? object[name] : undefined);

/** Leaves out members that are undefined, which differ from absent ones in JSON and for the compiler. */
export function present<Members extends object>(members: Members): Present<Members> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as Present<Members>;
}

type Present<Members> = {
  -readonly [
    Name in keyof Members as undefined extends Members[Name] ? never : Name
  ]: Members[Name];
} & {
  -readonly [Name in keyof Members as undefined extends Members[Name] ? Name : never]?: Exclude<
    Members[Name],
    undefined
  >;
};

/** The depth to which the database keeps values. Recursion over deeper ones overflows the stack. */
export const MAX_DEPTH = 1_000;

/** Returns whether the lists and objects of a value are nested in more levels than `most`. */
export function isDeeperThan(value: unknown, most: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (most === 0) return true;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return members.some((member) => isDeeperThan(member, most - 1));
}

/** Returns whether two values of JSON are equal; the order of members doesn't count. */
export function jsonEquals(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) && a.length === b.length && a.every((item, at) => jsonEquals(item, b[at]))
    );
  }
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && jsonEquals(a[name], b[name]))
  );
}
