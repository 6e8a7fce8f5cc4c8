/** How the demo writes: aligned, and in colours where they are wanted. */

export type Colour = "bold" | "dim" | "red" | "green" | "yellow" | "blue" | "magenta" | "cyan";

const CODES: Readonly<Record<Colour, number>> = {
  bold: 1,
  dim: 2,
  red: 31,
  green: 32,
  yellow: 33,
  blue: 34,
  magenta: 35,
  cyan: 36,
};

// https://no-color.org: set and not empty means no colors.
const isColoured = process.stdout.isTTY && (process.env["NO_COLOR"] ?? "") === "";

export function paint(colour: Colour, text: string): string {
  return isColoured ? `\u001B[${CODES[colour]}m${text}\u001B[0m` : text;
}

export function say(text = ""): void {
  console.log(text === "" ? "" : `  ${text}`);
}

/** Seconds of a number of milliseconds, as in "12.34". */
export function seconds(ms: number): string {
  return (ms / 1000).toFixed(2);
}

/** Prints rows below a heading, each column as wide as its longest cell. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = heading.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("   ")
      .trimEnd();
  say(paint("dim", line(heading)));
  for (const row of rows) say(line(row));
}
