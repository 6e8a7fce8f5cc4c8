/**
 * Results on disk. Each part (the machine, Oxbow's own queues, each system) has a separate file and can be measured
 * separately; a run adds to existing results, and each figure carries the time of its measurement.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { Spread, Summary } from "./figure.ts";

export type Cell = { readonly measuredAt: string } & (
  | ({ readonly kind: "measured" } & Spread)
  | { readonly kind: "failed"; readonly reason: string }
);

export interface SystemPart {
  readonly version: string;
  readonly node: string;
  readonly machine: string;
  /** Cells by row. */
  readonly cells: Readonly<Record<string, Cell>>;
}

export interface FiguresPart {
  readonly measuredAt: string;
  readonly machine: string;
  readonly figures: readonly Summary[];
}

const partUrl = (directory: URL, name: string): URL => new URL(`parts/${name}.json`, directory);

export const readSystemPart = (directory: URL, name: string): SystemPart | undefined =>
  read(directory, name) as SystemPart | undefined;

export const readFiguresPart = (directory: URL, name: string): FiguresPart | undefined =>
  read(directory, name) as FiguresPart | undefined;

function read(directory: URL, name: string): unknown {
  const url = partUrl(directory, name);
  return existsSync(url) ? JSON.parse(readFileSync(url, "utf8")) : undefined;
}

export function writePart(directory: URL, name: string, part: SystemPart | FiguresPart): void {
  mkdirSync(new URL("parts/", directory), { recursive: true });
  writeFileSync(partUrl(directory, name), `${JSON.stringify(part, null, 2)}\n`);
}
