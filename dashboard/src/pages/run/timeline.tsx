/** A bar a step, at its place and of its length, with its failed calls as marks. Only lines on the screen are drawn. */
import { Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useRef } from "react";
import type { Child, Run, Step } from "../../api/runs.ts";
import { duration } from "../../format/duration.ts";
import { clockTime, fullTime } from "../../format/time.ts";
import { usePreferences } from "../../shell/preferences.ts";
import { useNow } from "../../shell/use-now.ts";
import { type TimelineLine, timelineLines } from "./timeline-lines.ts";

const LINE_PX = 32;
const TALLEST_PX = 560;

export function Timeline({
  run,
  steps,
  childRuns,
}: {
  readonly run: Run;
  readonly steps: readonly Step[];
  readonly childRuns: readonly Child[];
}): ReactNode {
  const now = useNow();
  const { zone } = usePreferences();
  const scroller = useRef<HTMLDivElement>(null);
  const lines = timelineLines(run, steps, childRuns, now, (at) => fullTime(at, zone));
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (lines[index]?.remark === "" ? LINE_PX : LINE_PX + 20),
    getItemKey: (index) => lines[index]?.key ?? index,
    overscan: 10,
  });
  if (lines.length === 0) {
    return (
      <div className="card empty">
        <p>
          {run.status === "running"
            ? "No step has begun. Steps appear here as they are executed."
            : "The run ended without a step."}
        </p>
      </div>
    );
  }
  const begin = Date.parse(run.startedAt);
  const end = lines.reduce(
    (latest, { from, to }) => Math.max(latest, to ?? from),
    Math.max(run.completedAt === null ? now : Date.parse(run.completedAt), begin + 1),
  );
  return (
    <div className="card timeline">
      <div className="timeline-ends soft" aria-hidden="true">
        <span>{clockTime(new Date(begin), zone)}</span>
        <span>{clockTime(new Date(end), zone)}</span>
      </div>
      <div
        ref={scroller}
        className="timeline-lines"
        role="region"
        aria-label="Timeline"
        // Scrollable, so the keyboard must reach it.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        style={{ height: Math.min(TALLEST_PX, virtual.getTotalSize() + 8) }}
      >
        <ol style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start, key }) => {
            const line = lines[index];
            if (line === undefined) return null;
            return (
              <li
                key={String(key)}
                data-index={index}
                ref={virtual.measureElement}
                style={{ transform: `translateY(${start}px)` }}
              >
                <Line line={line} begin={begin} end={end} />
              </li>
            );
          })}
        </ol>
      </div>
    </div>
  );
}

function Line({
  line,
  begin,
  end,
}: {
  readonly line: TimelineLine;
  readonly begin: number;
  readonly end: number;
}): ReactNode {
  const { name, kind, calls, from, to, look, failedAt, remark, childRunId } = line;
  const percent = (ms: number): string =>
    `${Math.min(100, Math.max(0, (100 * ms) / (end - begin)))}%`;
  const lasts = Math.max(0, (to ?? end) - from);
  return (
    <>
      <span className="name">
        {name}{" "}
        <span className="kind">
          {kind}
          {calls > 1 ? `, ${calls} calls` : ""}
          {childRunId === undefined ? null : (
            <>
              {" "}
              <Link to="/runs/$runId" params={{ runId: childRunId }}>
                run {childRunId}
              </Link>
            </>
          )}
        </span>
      </span>
      <span className="track" aria-hidden="true">
        <span
          className={`bar ${look}${to === undefined ? " open" : ""}`}
          style={{ left: percent(from - begin), width: percent(lasts) }}
        />
        {[...new Set(failedAt)].map((at) => (
          <span key={at} className="mark" style={{ left: percent(at - begin) }} />
        ))}
      </span>
      <span className="took">
        {duration(lasts)}
        {to === undefined ? "…" : ""}
      </span>
      {remark === "" ? null : <span className={`remark ${look}`}>{remark}</span>}
    </>
  );
}
