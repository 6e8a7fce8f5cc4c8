/** Texts by their width on a terminal: most ideographs take two columns; colours and combining marks are not counted. */
import stringWidth from "string-width";

export const widest = (texts: readonly string[]): number =>
  texts.reduce((width, text) => Math.max(width, stringWidth(text)), 0);

export const pad = (text: string, width: number): string =>
  text + " ".repeat(width - stringWidth(text));

/** Cuts text to a width, and keeps its colours. */
export function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let left = width - 1;
  // oxlint-disable-next-line no-control-regex
  const kept = (text.match(/\u001B\[\d+m|./gsu) ?? []).filter((part) => {
    left -= stringWidth(part);
    return left >= 0 || part.startsWith("\u001B");
  });
  return `${kept.join("")}…`;
}
