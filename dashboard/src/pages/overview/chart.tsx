import { type ReactNode, useEffect, useRef } from "react";
import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { clockTime, type Zone } from "../../format/time.ts";
import { usePreferences } from "../../shell/preferences.ts";

const HEIGHT_PX = 160;
/** Of a clock with seconds. */
const HH_MM = 5;

interface ChartProps {
  readonly label: string;
  /** Seconds since 1970, completed runs, failed runs. */
  readonly data: [number[], number[], number[]];
}

/** Completed and failed runs by the minute, one above the other, drawn on a canvas; screen readers get the sums. */
export function Chart(props: ChartProps): ReactNode {
  const { theme, zone } = usePreferences();
  // A canvas keeps the colours and the zone that it was drawn with.
  return <Canvas key={`${theme} ${zone}`} {...props} zone={zone} />;
}

function Canvas({ label, data, zone }: ChartProps & { readonly zone: Zone }): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<UPlot>(null);
  const [times, completed, failed] = data;

  useEffect(() => {
    const { current } = place;
    if (current === null) return () => {};
    const colour = (name: string): string => colourOf(current, name);
    const axis = { stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 } };
    const bars = UPlot.paths.bars?.({ size: [0.8, 20] });
    const drawn = new UPlot(
      {
        width: current.clientWidth,
        height: HEIGHT_PX,
        legend: { show: false },
        cursor: { show: false },
        axes: [
          {
            ...axis,
            values: (_chart, at) =>
              at.map((seconds) => clockTime(new Date(seconds * 1_000), zone).slice(0, HH_MM)),
          },
          { ...axis, size: 48 },
        ],
        scales: { y: { range: (_chart, _least, most) => [0, Math.max(1, most)] } },
        series: [
          {},
          { fill: colour("--bad"), ...(bars === undefined ? {} : { paths: bars }) },
          // Drawn over the sum, of which the failed runs remain to be seen.
          { fill: colour("--work"), ...(bars === undefined ? {} : { paths: bars }) },
        ],
      },
      [[], [], []],
      current,
    );
    chart.current = drawn;
    const resizing = new ResizeObserver(() => {
      drawn.setSize({ width: current.clientWidth, height: HEIGHT_PX });
    });
    resizing.observe(current);
    return () => {
      resizing.disconnect();
      drawn.destroy();
    };
  }, [zone]);
  useEffect(() => {
    const sums = completed.map((count, index) => count + (failed[index] ?? 0));
    chart.current?.setData([times, sums, completed]);
  }, [times, completed, failed]);

  return (
    <div
      className="chart"
      role="img"
      aria-label={`${label}: ${sum(completed)} completed, ${sum(failed)} failed`}
      ref={place}
    />
  );
}

const sum = (values: readonly number[]): number => values.reduce((one, other) => one + other, 0);

/** A colour of the style sheet as the browser resolves it for the theme. */
function colourOf(beneath: HTMLElement, name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  beneath.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
