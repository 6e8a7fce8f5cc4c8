/** Curves over time as an SVG that suits light and dark pages. */
import type { Sample } from "./sample.ts";

const WIDTH = 880;
const PANEL = 120;
const LEFT = 150;
const RIGHT = 20;
const MIB = 1_048_576;

const STYLE = `
  text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328; }
  .note { fill: #59636e; font-size: 11px; }
  .curve { fill: none; stroke: #0969da; stroke-width: 1.5; }
  .grid { stroke: #8c959f; stroke-opacity: 0.3; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .note { fill: #9198a1; }
    .curve { stroke: #4493f8; }
  }`;

interface Curve {
  readonly title: string;
  readonly unit: string;
  readonly of: (sample: Sample) => number;
}

const CURVES: readonly Curve[] = [
  { title: "completed", unit: "runs/s", of: ({ rate }) => rate },
  { title: "start to end, p95", unit: "ms", of: ({ p95 }) => p95 },
  { title: "CPU of the database", unit: "ms a run", of: ({ cpuARun }) => cpuARun },
  { title: "sweeping", unit: "% of its CPU", of: ({ sweeping }) => sweeping * 100 },
  { title: "tables", unit: "MiB", of: ({ tables }) => tables / MIB },
  { title: "indexes", unit: "MiB", of: ({ indexes }) => indexes / MIB },
];

/** @param period Seconds between the vertical lines: the retention. */
export function drawCurves(samples: readonly Sample[], period: number): string {
  const height = CURVES.length * PANEL + 30;
  const begin = samples[0]?.at ?? 0;
  const span = (samples.at(-1)?.at ?? 1) - begin;
  const x = (at: number): number => round(LEFT + ((at - begin) / span) * (WIDTH - LEFT - RIGHT));
  const lines = Array.from({ length: Math.floor(span / period) + 1 }, (_, index) => {
    const place = x(begin + index * period);
    return `<line class="grid" x1="${place}" x2="${place}" y1="10" y2="${height - 24}"/>`;
  });
  const panels = CURVES.map(({ title, unit, of }, index) => {
    const values = samples.map(of);
    const most = Math.max(...values.filter(Number.isFinite));
    const bottom = (index + 1) * PANEL;
    const points = samples
      .map((sample) => {
        const value = of(sample);
        return Number.isFinite(value)
          ? `${x(sample.at)},${round(bottom - (value / most) * (PANEL - 26))}`
          : "";
      })
      .join(" ");
    return [
      `<text x="10" y="${bottom - PANEL / 2}">${title}</text>`,
      `<text class="note" x="10" y="${bottom - PANEL / 2 + 16}">0 to ${Number(most.toPrecision(3)).toLocaleString("en")} ${unit}</text>`,
      `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${bottom}" y2="${bottom}"/>`,
      `<polyline class="curve" points="${points}"/>`,
    ].join("");
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="Curves of the soak">
<style>${STYLE}
</style>
${lines.join("\n")}
${panels.join("\n")}
<text class="note" x="${LEFT}" y="${height - 8}">${(span / 60).toFixed(0)} minutes; a line each retention</text>
</svg>
`;
}

const round = (value: number): number => Math.round(value * 10) / 10;
