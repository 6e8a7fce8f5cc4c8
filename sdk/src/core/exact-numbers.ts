/**
 * Numbers of JSON text that JavaScript reads as other ones: `1e999` as infinity, 9007199254740993 as 9007199254740992. Of
 * fractions below 2^53, and of numbers with an exponent and at most 17 digits, the nearest double is what was meant.
 */
import { endOfString } from "./json.ts";
import { childPath, type Misfit } from "./json-path.ts";

/** Most texts have no such number, not even all that match. */
const MAYBE_INEXACT = /(?:^|[[,:\s])-?(?:\d{16}|\d+(?:\.\d+)?[eE])/;

/**
 * Returns the first number of a valid JSON text that reading would change.
 *
 * @param root - The path of the text.
 */
export function findInexactNumber(text: string, root = "$"): Misfit | undefined {
  if (!MAYBE_INEXACT.test(text)) return undefined;
  const above: Place[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    const place = above.at(-1);
    if (char === '"') {
      const end = endOfString(text, at);
      if (place?.isKeyNext === true) place.key = text.slice(at, end + 1);
      at = end;
    } else if (char === "{" || char === "[") {
      above.push({ index: char === "[" ? 0 : undefined, isKeyNext: char === "{", key: '""' });
    } else if (char === "}" || char === "]") above.pop();
    else if (char === ":" && place !== undefined) place.isKeyNext = false;
    else if (char === "," && place !== undefined) {
      if (place.index === undefined) place.isKeyNext = true;
      else place.index += 1;
    } else if (isNumeric(char)) {
      const start = at;
      while (isNumeric(text.charAt(at + 1))) at += 1;
      const problem = problemOf(text.slice(start, at + 1));
      if (problem !== undefined) return { path: pathOf(above, root), problem };
    }
  }
  return undefined;
}

/** A list or an object that is being read. */
interface Place {
  /** The index of the element of a list. */
  index: number | undefined;
  isKeyNext: boolean;
  /** The key of the member of an object, in JSON. */
  key: string;
}

const pathOf = (above: readonly Place[], root: string): string =>
  above.reduce(
    (path, { index, key }) => childPath(path, index ?? (JSON.parse(key) as string)),
    root,
  );

/** Letters of `true`, `false` and `null` are no numbers, except "e". */
const isNumeric = (char: string): boolean =>
  (char >= "0" && char <= "9") || "+-.eE".includes(char || " ");

const BEYOND_WHOLE = 2 ** 53;
/** As many tell any two doubles apart. */
const MOST_DIGITS = 17;

function problemOf(token: string): string | undefined {
  const value = Number(token);
  // An "e" of a word.
  if (Number.isNaN(value)) return undefined;
  const shown = token.length > 40 ? `${token.slice(0, 39)}…` : token;
  if (!Number.isFinite(value))
    return `is ${shown}, which is too large for a number: give it as a string`;
  const given = digitsOf(token);
  if (value === 0) {
    return given === ""
      ? undefined
      : `is ${shown}, which is too small for a number: give it as a string, or 0`;
  }
  if (Math.abs(value) < BEYOND_WHOLE) return undefined;
  if (/e/i.test(token) && given.length <= MOST_DIGITS) return undefined;
  if (given === digitsOf(String(value))) return undefined;
  return `is ${shown}, which a number can't hold exactly: it would become ${value}. Give it as a string`;
}

/** The digits of a number without zeros at the ends. */
function digitsOf(token: string): string {
  const [mantissa = ""] = token.split(/e/i);
  const digits = mantissa.replaceAll(/[-.]/g, "");
  let [start, end] = [0, digits.length];
  while (start < end && digits[start] === "0") start += 1;
  while (end > start && digits[end - 1] === "0") end -= 1;
  return digits.slice(start, end);
}
