/** Puts the parts together: latest.md for people, latest.svg for the README. */
import { writeFileSync } from "node:fs";
import { drawChart } from "./chart.ts";
import { readable } from "./figure.ts";
import { table } from "./markdown.ts";
import { type FiguresPart, readFiguresPart, readSystemPart } from "./parts.ts";
import { systems } from "./systems/catalog.ts";
import {
  type MeasuredSystem,
  type Table,
  type TableCell,
  tableOf,
  type TableRow,
} from "./table.ts";

/** Returns the files that it wrote. */
export function writeReport(directory: URL): URL[] {
  const measured = systems.flatMap((facts): MeasuredSystem[] => {
    const part = readSystemPart(directory, facts.id);
    return part === undefined ? [] : [{ facts, part }];
  });
  const machine = readFiguresPart(directory, "machine");
  const own = readFiguresPart(directory, "oxbow-queues");
  const tables = [
    { title: "Workflows", found: tableOf("workflows", measured) },
    { title: "Queues", found: tableOf("queues", measured) },
  ].filter(({ found }) => found.systems.length > 0);

  const files: [string, string][] = [
    [
      "latest.md",
      [
        ...tables.flatMap(({ title, found }) => [`## ${title}`, tableText(found), notes(found)]),
        ...(measured.length > 0
          ? ["## Versions and tuning", measured.map(tuningText).join("\n")]
          : []),
        ...(machine === undefined ? [] : ["## The machine", figuresText(machine)]),
        ...(own === undefined ? [] : ["## Oxbow's queues alone", figuresText(own)]),
      ]
        .filter((text) => text !== "")
        .join("\n\n")
        .concat("\n"),
    ],
    ["latest.svg", drawChart(tables.map(({ found }) => found))],
  ];
  return files.map(([name, text]) => {
    const url = new URL(name, directory);
    writeFileSync(url, text);
    return url;
  });
}

function tableText({ systems: columns, rows }: Table): string {
  const lines = rows.map((row) => [
    `${row.row.name}${row.row.unit === "ms" || row.row.unit === "bytes" ? `, ${row.row.unit}` : ""}`,
    ...columns.map((system) => cellText(row.cells.get(system), row)),
  ]);
  return table(["", ...columns.map(({ title }) => title)], lines);
}

function cellText(cell: TableCell | undefined, { best }: TableRow): string {
  if (cell === undefined || cell.kind === "absent") return "–";
  if (cell.kind === "failed") return `failed: ${cell.reason.replaceAll(/[\n|]/g, " ")}`;
  const value = readable(cell.value);
  const spread = cell.rounds > 1 ? ` (${readable(cell.lowest)} … ${readable(cell.highest)})` : "";
  return `${cell === best ? `**${value}**` : value}${spread}`;
}

/** Why there is no figure, for each "–". */
function notes({ rows }: Table): string {
  const reasons = new Map<string, string[]>();
  for (const { row, cells } of rows) {
    for (const [{ title }, cell] of cells) {
      if (cell.kind !== "absent") continue;
      const key = `${title}: ${cell.reason}`;
      reasons.set(key, [...(reasons.get(key) ?? []), row.name]);
    }
  }
  const legend = "The median, with the lowest and the highest of the rounds; the best in bold.";
  const lines = [...reasons].map(([reason, names]) => `- ${reason} (${names.join("; ")})`);
  return [legend, ...(lines.length > 0 ? ["", "No figure:", "", ...lines] : [])].join("\n");
}

function tuningText({ facts, part }: MeasuredSystem): string {
  const times = Object.values(part.cells).map(({ measuredAt }) => measuredAt.slice(0, 10));
  const [first = "", last = ""] = [times.toSorted().at(0), times.toSorted().at(-1)];
  const when = first === last ? first : `${first} to ${last}`;
  const version = part.version === "" ? "" : ` ${part.version}`;
  return `- **${facts.title}**${version}, Node ${part.node.replace("v", "")}, measured ${when}: ${facts.tuning}`;
}

function figuresText({ machine, measuredAt, figures }: FiguresPart): string {
  const rows = figures.map(({ name, value, lowest, highest, unit }) => [
    name,
    `${readable(value)} ${unit}`,
    `${readable(lowest)} … ${readable(highest)}`,
  ]);
  return `${machine}; measured ${measuredAt.slice(0, 10)}\n\n${table(["what", "median", "spread"], rows)}`;
}
