/** The tables as bars on a logarithmic scale: an SVG that needs no browser to make, and suits light and dark pages. */
import { readable } from "./figure.ts";
import { isRate } from "./scenarios/scenario.ts";
import { oxbow } from "./systems/catalog.ts";
import type { Table, TableRow } from "./table.ts";

const WIDTH = 880;
const COLUMNS = 2;
const GAP = 32;
const PANEL_WIDTH = (WIDTH - GAP * (COLUMNS + 1)) / COLUMNS;
const LABEL_WIDTH = 104;
const VALUE_WIDTH = 72;
const BAR = 14;
const STRIDE = 19;
const HEADING = 40;
/** Least width of a bar, so that the smallest stays visible. */
const LEAST_DECADES = 0.15;

const STYLE = `
  text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328; }
  .title { font-weight: 600; }
  .note { fill: #59636e; font-size: 11px; }
  .bar { fill: #8c959f; }
  .own { fill: #0969da; }
  .grid { stroke: #8c959f; stroke-opacity: 0.3; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .note { fill: #9198a1; }
    .bar { fill: #6e7681; }
    .own { fill: #4493f8; }
  }`;

export function drawChart(tables: readonly Table[]): string {
  const panels = tables.flatMap(({ rows }) => rows.filter(hasFigures));
  const bottoms = Array.from({ length: COLUMNS }, () => GAP / 2);
  const drawn = panels.map((row) => {
    const column = bottoms.indexOf(Math.min(...bottoms));
    const y = bottoms[column] ?? 0;
    bottoms[column] = y + heightOf(row) + GAP / 2;
    const x = GAP + column * (PANEL_WIDTH + GAP);
    return `<g transform="translate(${x} ${y})">${drawPanel(row)}</g>`;
  });
  const height = Math.max(...bottoms, GAP) + 8;
  const title = "Measured on one machine; logarithmic scales";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${title}">
<title>${title}</title>
<style>${STYLE}
</style>
${drawn.join("\n")}
</svg>
`;
}

const figuresOf = ({ cells }: TableRow): { title: string; value: number }[] =>
  [...cells].flatMap(([{ title }, cell]) =>
    cell.kind === "measured" && cell.value > 0 ? [{ title, value: cell.value }] : [],
  );

const hasFigures = (row: TableRow): boolean => figuresOf(row).length > 0;

const heightOf = (row: TableRow): number => HEADING + figuresOf(row).length * STRIDE + 4;

function drawPanel(tableRow: TableRow): string {
  const { row } = tableRow;
  const figures = figuresOf(tableRow);
  const logs = figures.map(({ value }) => Math.log10(value));
  const from = Math.floor(Math.min(...logs) - LEAST_DECADES);
  const until = Math.max(...logs);
  const room = PANEL_WIDTH - LABEL_WIDTH - VALUE_WIDTH;
  const lengthOf = (value: number): number => ((Math.log10(value) - from) / (until - from)) * room;
  const bottom = HEADING + figures.length * STRIDE;
  const parts = [
    `<text class="title" x="0" y="12">${escaped(row.name)}</text>`,
    `<text class="note" x="0" y="28">${isRate(row) ? "more" : "less"} is better; from line to line ×10</text>`,
  ];
  for (let decade = from; decade <= until; decade += 1) {
    const x = round(LABEL_WIDTH + lengthOf(10 ** decade));
    parts.push(`<line class="grid" x1="${x}" x2="${x}" y1="${HEADING - 6}" y2="${bottom}"/>`);
  }
  for (const [index, { title, value }] of figures.entries()) {
    const y = HEADING + index * STRIDE;
    const length = round(lengthOf(value));
    const text = `${readable(value)} ${row.unit}`.trim();
    parts.push(
      `<text x="${LABEL_WIDTH - 8}" y="${y + 11}" text-anchor="end">${escaped(title)}</text>`,
      `<rect class="bar${title === oxbow.title ? " own" : ""}" x="${LABEL_WIDTH}" y="${y}" width="${length}" height="${BAR}" rx="2"/>`,
      `<text x="${round(LABEL_WIDTH + length + 6)}" y="${y + 11}">${escaped(text)}</text>`,
    );
  }
  return parts.join("");
}

const round = (value: number): number => Math.round(value * 10) / 10;

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
