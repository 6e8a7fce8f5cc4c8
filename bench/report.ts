/** What was measured, as a table for people, JSON for programs, and Markdown for the documents. */
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

/** A figure of several rounds: the median, and how far the rounds lay apart. */
export interface Summary extends Figure {
  readonly lowest: number;
  readonly highest: number;
}

export const describeMachine = (): string =>
  `${availableParallelism()} cores (${cpus()[0]?.model ?? "unknown"}), ${Math.round(totalmem() / 2 ** 30)} GiB, ` +
  `Node ${process.versions.node}, PostgreSQL 18 with fsync and synchronous_commit on`;

export function print(summaries: readonly Summary[]): void {
  for (const { name, value, lowest, highest, unit } of summaries) {
    const spread = `${round(lowest)} … ${round(highest)}`;
    console.log(`  ${name.padEnd(66)} ${`${round(value)} ${unit}`.padStart(14)}   ${spread}`);
  }
}

export function save(summaries: readonly Summary[], directory: URL): void {
  mkdirSync(directory, { recursive: true });
  const result = {
    measuredAt: new Date().toISOString(),
    machine: describeMachine(),
    figures: summaries,
  };
  writeFileSync(new URL("latest.json", directory), `${JSON.stringify(result, null, 2)}\n`);
  const rows = summaries.map(
    ({ name, value, lowest, highest, unit }) =>
      `| ${name} | ${round(value)} ${unit} | ${round(lowest)} … ${round(highest)} |`,
  );
  const table = ["| what | median | spread |", "| --- | --- | --- |", ...rows].join("\n");
  writeFileSync(new URL("latest.md", directory), `${result.machine}\n\n${table}\n`);
}

const round = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(value >= 10 ? 1 : 2);
