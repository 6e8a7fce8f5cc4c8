/** Conditions on JSON as users type them: `{"customer": 7}`, or `customer=7 address.city=Oslo`. */
type Container = Record<string, unknown>;

/** @throws Error with the text and what to write instead. */
export function parseContainment(text: string, what: string): unknown {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  if (/^[[{]/.test(trimmed)) {
    try {
      return JSON.parse(trimmed) as unknown;
    } catch {
      throw unreadable(trimmed, what);
    }
  }
  const found: Container = {};
  for (const [, path = "", value = ""] of pairsIn(trimmed, what)) {
    place(found, path.split("."), parseLoosely(value));
  }
  return found;
}

function pairsIn(text: string, what: string): RegExpMatchArray[] {
  const pairs = text.split(/\s+/).map((pair) => /^([^=]+)=(.*)$/s.exec(pair));
  if (pairs.some((pair) => pair === null || (pair[1] ?? "").split(".").includes(""))) {
    throw unreadable(text, what);
  }
  return pairs.filter((pair) => pair !== null);
}

const unreadable = (text: string, what: string): Error =>
  new Error(`"${text.slice(0, 80)}" can't be read: write ${what} as name=value or as JSON.`);

function place(target: Container, [key = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true });
    return;
  }
  const there = Object.hasOwn(target, key) ? target[key] : undefined;
  const next = typeof there === "object" && there !== null ? (there as Container) : {};
  Object.defineProperty(target, key, { value: next, enumerable: true, configurable: true });
  place(next, rest, value);
}

/** `42` is a number, `"42"` and `abc` are strings. */
function parseLoosely(value: string): unknown {
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/** A condition as users type it, such as `customer=7`; JSON where that form would be read back as another value. */
export function containmentText(value: unknown): string {
  const json = JSON.stringify(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return json;
  const pairs = Object.entries(value).map(([name, member]) => {
    const isScalar = typeof member === "number" || typeof member === "boolean";
    const isPlain =
      typeof member === "string" && /^\S+$/.test(member) && parseLoosely(member) === member;
    return /^[^\s=.]+$/.test(name) && (isScalar || isPlain) ? `${name}=${member}` : undefined;
  });
  return pairs.length === 0 || pairs.includes(undefined) ? json : pairs.join(" ");
}
