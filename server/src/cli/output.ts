/**
 * Output of commands. Results go to standard output, remarks and errors to standard error. With `--json`, which
 * each command looks at, an object is one document, and a list is one document per line.
 */
import { type Style, styleFor, visible } from "./style.ts";
import { cut, pad, widest } from "./width.ts";

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

/** Cells by the heads of their columns. */
type Row = Readonly<Record<string, Cell>>;

/** Prints rows that have the same columns, as a table. */
export const printRows = (rows: readonly Row[]): void =>
  printTable(
    Object.keys(rows[0] ?? {}),
    rows.map((row) => Object.values(row)),
  );

interface ShownList<Item> {
  /** The remark about an empty list. */
  readonly none: string;
  readonly row: (item: Item) => Row;
}

/** Prints a list as `--json` asks, or as a table; an empty one as a remark. */
export function printList<Item>(
  items: readonly Item[],
  { json }: { readonly json?: boolean },
  { none, row }: ShownList<Item>,
): void {
  if (json === true) items.forEach(printJsonLine);
  else if (items.length === 0) remark(none);
  else printRows(items.map(row));
}

/** The size of pages of a list that shows this many items: one more, to find out whether more exist. */
export const pageSizeFor = (limit: number): number => Math.min(limit + 1, LARGEST_PAGE);

const LARGEST_PAGE = 1_000;

/** Prints the first items of a list that comes in pages, as `printList` does, and remarks if there are more. */
export async function printPages<Page, Item>(
  pages: AsyncIterable<Page>,
  { json, limit }: { readonly json?: boolean; readonly limit: number },
  { itemsOf, ...shown }: ShownList<Item> & { readonly itemsOf: (page: Page) => readonly Item[] },
): Promise<void> {
  const items: Item[] = [];
  let left = limit;
  let hasMore = false;
  for await (const page of pages) {
    const found = itemsOf(page);
    const fitting = found.slice(0, left);
    if (json === true) fitting.forEach(printJsonLine);
    else items.push(...fitting);
    left -= fitting.length;
    hasMore = found.length > fitting.length;
    if (hasMore) break;
  }
  if (json === true) return;
  printList(items, {}, shown);
  if (hasMore) remark(`There are more: --limit ${limit * 10} shows them.`);
}

const GAP = "  ";
const NARROWEST = 12;

/** @param columns width of the terminal; undefined without one: nothing is cut. */
function tableText(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  columns = Infinity,
): string {
  const lines = [head.map((title) => style("dim", title)), ...rows.map((row) => row.map(oneLine))];
  const widths = head.map((_, index) => widest(lines.map((line) => line[index] ?? "")));
  const last = head.length - 1;
  const others = widths.slice(0, last).reduce((sum, width) => sum + width + GAP.length, 0);
  const left = Math.max(NARROWEST, columns - others);
  return lines
    .map((line) =>
      line
        .map((cell, index) => (index === last ? cut(cell, left) : pad(cell, widths[index] ?? 0)))
        .join(GAP)
        .trimEnd(),
    )
    .join("\n");
}

const oneLine = (cell: Cell): string =>
  cell === null || cell === undefined
    ? ""
    : visible(String(cell).replaceAll(/\s*[\r\n\t]+\s*/g, " "));

/** Prints lines like `RUN  12`, without facts that have no value. */
export function printFacts(facts: Readonly<Record<string, Cell>>): void {
  const shown = Object.entries(facts).filter(
    ([, value]) => value !== null && value !== undefined && value !== "",
  );
  const width = widest(shown.map(([name]) => name));
  for (const [name, value] of shown) {
    printText(`${style("dim", pad(name, width))}  ${oneLine(value)}`);
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
