/** The last hour in figures: starts, ends, latencies, and a chart of the ends. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { countQuery, searchQuery } from "../../api/runs.ts";
import { duration } from "../../format/duration.ts";
import { Answered } from "../../parts/answered.tsx";
import { Facts } from "../../parts/facts.tsx";
import { useNow } from "../../shell/use-now.ts";
import { Chart } from "./chart.tsx";
import { durationsOf, endsByMinute, percentile } from "./figures.ts";
import { useLastHour } from "./use-last-hour.ts";

const MOST_COUNTED = 10_000;
/** Enough for percentiles and a chart, and a small answer. */
const SAMPLE = 1_000;
const REFRESH_MS = 15_000;

export function LastHour(): ReactNode {
  const since = useLastHour();
  const now = useNow();
  // The figures of the minute before stay until those of the next one are known.
  const slow = { refetchInterval: REFRESH_MS, placeholderData: keepPreviousData };
  const started = useQuery({ ...countQuery({ startedAfter: since }, MOST_COUNTED), ...slow });
  const completed = useQuery({
    ...countQuery({ status: ["completed"], completedAfter: since }, MOST_COUNTED),
    ...slow,
  });
  const failed = useQuery({
    ...countQuery({ status: ["failed"], completedAfter: since }, MOST_COUNTED),
    ...slow,
  });
  const sample = useQuery({
    ...searchQuery(
      { status: ["completed", "failed", "cancelled"], completedAfter: since },
      undefined,
      SAMPLE,
    ),
    ...slow,
  });
  return (
    <div className="card last-hour">
      <Answered query={sample}>
        {({ runs }) => {
          const durations = durationsOf(runs);
          return (
            <>
              <Facts
                of={[
                  ["Started", countText(started.data?.count)],
                  ["Completed", countText(completed.data?.count)],
                  ["Failed", countText(failed.data?.count)],
                  ["Start to end, p50", durationText(percentile(durations, 0.5))],
                  ["p95", durationText(percentile(durations, 0.95))],
                  ["p99", durationText(percentile(durations, 0.99))],
                ]}
              />
              {runs.length === 0 ? null : (
                <figure>
                  <figcaption>
                    Ends by the minute: <span className="completed">completed</span>,{" "}
                    <span className="bad">failed</span>
                  </figcaption>
                  <Chart
                    label="Runs that ended, by the minute"
                    data={endsByMinute(runs, Date.parse(since), now)}
                  />
                </figure>
              )}
              {runs.length < SAMPLE ? null : (
                <p className="hint sample">
                  Latencies and chart are of the {SAMPLE.toLocaleString("en")} runs that were
                  started last.
                </p>
              )}
            </>
          );
        }}
      </Answered>
    </div>
  );
}

const countText = (count: number | undefined): string =>
  count === undefined
    ? "…"
    : count >= MOST_COUNTED
      ? `${MOST_COUNTED.toLocaleString("en")} or more`
      : count.toLocaleString("en");

const durationText = (ms: number | undefined): string => (ms === undefined ? "–" : duration(ms));
