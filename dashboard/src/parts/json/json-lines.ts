/**
 * JSON as lines, of which only those on the screen are drawn. Objects and arrays are collapsed by their path.
 */
export interface JsonLine {
  /** Identity of the value: its keys, as JSON. */
  readonly path: string;
  readonly depth: number;
  /** As it is shown before the value: `"name": `. */
  readonly key: string;
  readonly text: string;
  readonly kind: "open" | "closed" | "close" | "string" | "number" | "word";
}

/** Longer strings are cut on the screen; copies and downloads have all of them. */
const LONGEST_SHOWN = 2_000;

/** @param collapsed Paths of the objects and arrays that are shown in one line. */
export function jsonLines(value: unknown, collapsed: ReadonlySet<string>): JsonLine[] {
  const lines: JsonLine[] = [];
  addLines(lines, collapsed, value, "", "", 0, "");
  return lines;
}

function addLines(
  lines: JsonLine[],
  collapsed: ReadonlySet<string>,
  value: unknown,
  path: string,
  key: string,
  depth: number,
  comma: string,
): void {
  if (typeof value !== "object" || value === null) {
    lines.push({ path, depth, key, text: shown(value) + comma, kind: kindOf(value) });
    return;
  }
  const isList = Array.isArray(value);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  const entries = Object.entries(value);
  if (entries.length === 0) {
    lines.push({ path, depth, key, text: `${open}${close}${comma}`, kind: "word" });
    return;
  }
  if (collapsed.has(path)) {
    const count = `${entries.length} ${isList ? "element" : "propert"}${plural(entries.length, isList)}`;
    lines.push({ path, depth, key, text: `${open} ${count} ${close}${comma}`, kind: "closed" });
    return;
  }
  lines.push({ path, depth, key, text: open, kind: "open" });
  for (const [index, [name, item]] of entries.entries()) {
    addLines(
      lines,
      collapsed,
      item,
      `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`,
      isList ? "" : `${JSON.stringify(name)}: `,
      depth + 1,
      index === entries.length - 1 ? "" : ",",
    );
  }
  lines.push({ path, depth, key: "", text: `${close}${comma}`, kind: "close" });
}

const plural = (count: number, isList: boolean): string =>
  isList ? (count === 1 ? "" : "s") : count === 1 ? "y" : "ies";

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  if (text.length <= LONGEST_SHOWN) return text;
  return `${text.slice(0, LONGEST_SHOWN)}… ${(text.length - LONGEST_SHOWN).toLocaleString("en")} more characters`;
}

const kindOf = (value: unknown): JsonLine["kind"] =>
  typeof value === "string" ? "string" : typeof value === "number" ? "number" : "word";
