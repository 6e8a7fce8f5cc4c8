import { median } from "./measure/stats.ts";

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

/** The result of several rounds: their median and their spread. */
export interface Spread {
  readonly value: number;
  readonly lowest: number;
  readonly highest: number;
  readonly rounds: number;
}

export type Summary = Figure & Spread;

export const spreadOf = (values: readonly number[]): Spread => ({
  value: median(values),
  lowest: Math.min(...values),
  highest: Math.max(...values),
  rounds: values.length,
});

/** Figures of the same names, measured in several rounds. */
export function summarize(rounds: readonly (readonly Figure[])[]): Summary[] {
  return (rounds[0] ?? []).map((first, index) => ({
    ...first,
    ...spreadOf(rounds.map((figures) => figures[index]?.value ?? Number.NaN)),
  }));
}

export function readable(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString("en");
  return value.toFixed(value >= 10 ? 1 : 2);
}
