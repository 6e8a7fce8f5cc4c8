/**
 * Output of commands. Results go to standard output, remarks and errors to standard error. With `--json`, which
 * each command looks at, an object is one document, and a list is one document per line.
 */
import Table from "cli-table3";
import { type Style, styleFor, visible } from "./style.ts";

export const style: Style = styleFor(process.stdout);

export type Cell = string | number | null | undefined;

/** Prints one document. */
export function printJson(value: unknown): void {
  const isRead = process.stdout.isTTY;
  printText(JSON.stringify(value ?? null, null, isRead ? 2 : undefined));
}

/** Prints one line of a list. */
export function printJsonLine(value: unknown): void {
  printText(JSON.stringify(value));
}

/** Prints rows under a head, without empty columns. The last column is cut to the width of the terminal. */
export function printTable(head: readonly string[], rows: readonly (readonly Cell[])[]): void {
  const isShown = head.map((_, index) => rows.some((row) => oneLine(row[index]) !== ""));
  const shown = <Item>(items: readonly Item[]): Item[] =>
    items.filter((_, index) => isShown[index] === true);
  printText(tableText(shown(head), rows.map(shown), process.stdout.columns));
}

/** Prints a list as `--json` asks, or as a table; an empty one as a remark. */
export function printList<Item>(
  items: readonly Item[],
  { json }: { readonly json?: boolean },
  {
    none,
    head,
    row,
  }: {
    readonly none: string;
    readonly head: readonly string[];
    readonly row: (item: Item) => readonly Cell[];
  },
): void {
  if (json === true) items.forEach(printJsonLine);
  else if (items.length === 0) remark(none);
  else printTable(head, items.map(row));
}

const GAP = 2;
const NARROWEST = 12;
const NO_LINES = Object.fromEntries(
  "top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid"
    .split(" ")
    .map((name) => [name, ""]),
);

/** @param columns width of the terminal; undefined without one: nothing is cut. */
function tableText(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  columns: number | undefined,
): string {
  const table = new Table({
    head: head.map((title) => style("dim", title)),
    chars: { ...NO_LINES, middle: " ".repeat(GAP) },
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
    ...(columns === undefined ? {} : { colWidths: widths(head, rows, columns) }),
  });
  table.push(...rows.map((row) => row.map((cell) => oneLine(cell))));
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

/** Null for the width of the content. */
function widths(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  columns: number,
): (number | null)[] {
  const needed = head.map((title, index) =>
    Math.max(title.length, ...rows.map((row) => visibleLength(oneLine(row[index])))),
  );
  const others = needed.slice(0, -1).reduce((sum, width) => sum + width + GAP, 0);
  const left = columns - others;
  const last = needed.at(-1) ?? 0;
  return head.map((_, index) =>
    index === head.length - 1 && last > left ? Math.max(NARROWEST, left) : null,
  );
}

// oxlint-disable-next-line no-control-regex
const visibleLength = (text: string): number => text.replaceAll(/\u001B\[\d+m/g, "").length;

const oneLine = (cell: Cell): string =>
  cell === null || cell === undefined
    ? ""
    : visible(String(cell).replaceAll(/\s*[\r\n]+\s*/g, " "));

/** Prints lines like `RUN  12`, without facts that have no value. */
export function printFacts(facts: Readonly<Record<string, Cell>>): void {
  const shown = Object.entries(facts).filter(
    ([, value]) => value !== null && value !== undefined && value !== "",
  );
  const width = Math.max(...shown.map(([name]) => name.length));
  for (const [name, value] of shown) {
    printText(`${style("dim", name.padEnd(width))}  ${oneLine(value)}`);
  }
}

/** Prints text for people, with the control characters of data in it escaped. */
export function printText(text: string): void {
  console.log(visible(text));
}

/** Prints a remark for people. */
export function remark(text: string): void {
  console.error(visible(text));
}
