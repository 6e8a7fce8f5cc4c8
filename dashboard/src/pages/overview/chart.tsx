import { type ReactNode, useMemo } from "react";
import { type Series, TimeChart } from "../../parts/time-chart.tsx";

const SERIES: readonly Series[] = [
  { kind: "bars", colour: "--bad" },
  // Drawn over the sum, of which the failed runs remain to be seen.
  { kind: "bars", colour: "--work" },
];

/** Completed and failed runs by the minute, one above the other. */
export function Chart({
  label,
  data: [times, completed, failed],
}: {
  readonly label: string;
  /** Seconds since 1970, completed runs, failed runs. */
  readonly data: [number[], number[], number[]];
}): ReactNode {
  const drawn = useMemo(
    () => [times, completed.map((count, index) => count + (failed[index] ?? 0)), completed],
    [times, completed, failed],
  );
  return (
    <TimeChart
      label={`${label}: ${sum(completed)} completed, ${sum(failed)} failed`}
      series={SERIES}
      data={drawn}
    />
  );
}

const sum = (values: readonly number[]): number => values.reduce((one, other) => one + other, 0);
