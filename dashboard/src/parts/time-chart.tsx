import { type ReactNode, useEffect, useRef, useSyncExternalStore } from "react";
import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import "./time-chart.css";
import { clockTime, type Zone } from "../format/time.ts";
import { usePreferences } from "../shell/preferences.ts";

const HEIGHT_PX = 160;
const X_AXIS_PX = 32;
/** The least from one label to the next. */
const X_LABEL_PX = 72;
/** Steps of the labels, which show no fractions of a second. */
const X_STEPS_S = [1, 5, 15, 30, 60, 300, 900, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400];
const MINUTE_S = 60;
/** Length of a clock without seconds, at the start of one with seconds. */
const HH_MM = 5;

export interface Series {
  /** Name of a colour of the style sheet. */
  readonly colour: `--${string}`;
  readonly kind: "bars" | "line";
}

interface TimeChartProps {
  /** What the chart shows, with the figures that matter: screen readers get no more. */
  readonly label: string;
  readonly series: readonly Series[];
  /** Seconds since 1970, then the values of each series; null for a gap. */
  readonly data: readonly (readonly (number | null)[])[];
}

/** Values over time, drawn on a canvas. */
export function TimeChart(props: TimeChartProps): ReactNode {
  const { theme, zone } = usePreferences();
  const isDark = useSyncExternalStore(onSystemTheme, isSystemDark);
  // A canvas keeps the colours and the zone that it was drawn with.
  return <Canvas key={`${theme} ${isDark} ${zone}`} {...props} zone={zone} />;
}

const systemTheme = matchMedia("(prefers-color-scheme: dark)");
const isSystemDark = (): boolean => systemTheme.matches;

function onSystemTheme(listener: () => void): () => void {
  systemTheme.addEventListener("change", listener);
  return () => systemTheme.removeEventListener("change", listener);
}

function Canvas({
  label,
  series,
  data,
  zone,
}: TimeChartProps & { readonly zone: Zone }): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<UPlot>(null);
  const look = series.map(({ colour, kind }) => `${kind} ${colour}`).join();

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
            size: X_AXIS_PX,
            space: X_LABEL_PX,
            incrs: X_STEPS_S,
            values: (_chart, at, _axis, _space, everySeconds) =>
              at.map((seconds) => {
                const time = clockTime(new Date(seconds * 1_000), zone);
                return everySeconds < MINUTE_S ? time : time.slice(0, HH_MM);
              }),
          },
          { ...axis, size: 48 },
        ],
        scales: { y: { range: (_chart, _least, most) => [0, Math.max(1, most)] } },
        series: [
          {},
          ...look.split(",").map((one) => {
            const [kind, name = ""] = one.split(" ");
            if (kind === "line") {
              return { stroke: colour(name), width: 2, points: { show: false } };
            }
            const points = { show: false };
            return { fill: colour(name), points, ...(bars === undefined ? {} : { paths: bars }) };
          }),
        ],
      },
      [[], ...look.split(",").map(() => [])],
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
  }, [zone, look]);
  useEffect(() => {
    chart.current?.setData(data.map((values) => [...values]) as UPlot.AlignedData);
  }, [data]);

  return <div className="chart" role="img" aria-label={label} ref={place} />;
}

/** A colour of the style sheet as the browser resolves it for the theme. */
function colourOf(beneath: HTMLElement, name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  beneath.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
