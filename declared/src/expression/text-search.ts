/**
 * Searches in texts whose time is linear in both. Those of the language take the product of both lengths for some texts:
 * minutes for two of a mebibyte, which an author can make. They are faster for all others, and used where they are safe.
 */

/** Searches of shorter texts take at most this many times the length of the whole. */
const SHORT = 16;
const SMALL_PRODUCT = 2 ** 20;

/** As `whole.indexOf(part, from)`. */
export function indexIn(whole: string, part: string, from = 0): number {
  if (isQuick(whole, part)) return whole.indexOf(part, from);
  return search(
    whole.length,
    (at) => whole[at],
    part.length,
    (at) => part[at],
    from,
  );
}

/** As `whole.lastIndexOf(part, from)`. */
export function lastIndexIn(whole: string, part: string, from = whole.length): number {
  if (isQuick(whole, part)) return whole.lastIndexOf(part, from);
  const [wholeEnd, partEnd] = [whole.length - 1, part.length - 1];
  const found = search(
    whole.length,
    (at) => whole[wholeEnd - at],
    part.length,
    (at) => part[partEnd - at],
    Math.max(0, whole.length - part.length - from),
  );
  return found === -1 ? -1 : whole.length - part.length - found;
}

/** As `whole.split(separator)`. */
export function splitBy(whole: string, separator: string): string[] {
  if (isQuick(whole, separator)) return whole.split(separator);
  const parts: string[] = [];
  let start = 0;
  for (;;) {
    const at = indexIn(whole, separator, start);
    if (at === -1) return [...parts, whole.slice(start)];
    parts.push(whole.slice(start, at));
    start = at + separator.length;
  }
}

const isQuick = (whole: string, part: string): boolean =>
  part.length <= SHORT || part.length > whole.length || whole.length * part.length <= SMALL_PRODUCT;

/** Searches by the algorithm of Knuth, Morris and Pratt. */
function search(
  length: number,
  unitAt: (at: number) => string | undefined,
  partLength: number,
  partAt: (at: number) => string | undefined,
  from: number,
): number {
  const borders = bordersOf(partLength, partAt);
  let matched = 0;
  for (let at = from; at < length; at += 1) {
    const unit = unitAt(at);
    while (matched > 0 && partAt(matched) !== unit) matched = borders[matched - 1] ?? 0;
    if (partAt(matched) === unit) matched += 1;
    if (matched === partLength) return at - partLength + 1;
  }
  return -1;
}

/** For each beginning of a text, the length of the longest shorter beginning that it ends with. */
function bordersOf(length: number, unitAt: (at: number) => string | undefined): Uint32Array {
  const borders = new Uint32Array(length);
  let border = 0;
  for (let at = 1; at < length; at += 1) {
    const unit = unitAt(at);
    while (border > 0 && unitAt(border) !== unit) border = borders[border - 1] ?? 0;
    if (unitAt(border) === unit) border += 1;
    borders[at] = border;
  }
  return borders;
}
