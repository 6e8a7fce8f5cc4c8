/** Texts by their width on a terminal: most ideographs take two columns; colours and combining marks are not counted. */
import stringWidth from "string-width";

const PLAIN = /^[ -~]*$/;
/** Measuring a text at once takes time that grows with the square of its length. */
const PIECES = /.{1,200}/gsu;
// oxlint-disable-next-line no-control-regex
const COLOURS = /\u001B\[\d+m/g;
// oxlint-disable-next-line no-control-regex
const COLOURS_AND_CHARACTERS = /\u001B\[\d+m|./gsu;

function widthOf(text: string): number {
  const shown = text.replaceAll(COLOURS, "");
  if (PLAIN.test(shown)) return shown.length;
  return (shown.match(PIECES) ?? []).reduce((width, piece) => width + stringWidth(piece), 0);
}

export const widest = (texts: readonly string[]): number =>
  texts.reduce((width, text) => Math.max(width, widthOf(text)), 0);

export const pad = (text: string, width: number): string =>
  text + " ".repeat(width - widthOf(text));

/** Cuts text to a width, and keeps its colours. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let left = width - 1;
  const kept = (text.match(COLOURS_AND_CHARACTERS) ?? []).filter((part) => {
    if (part.startsWith("\u001B")) return true;
    if (left >= 0) left -= stringWidth(part);
    return left >= 0;
  });
  return `${kept.join("")}…`;
}
